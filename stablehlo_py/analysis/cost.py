"""Work and memory traffic of ops and functions, calls followed and loops multiplied."""

from __future__ import annotations

from dataclasses import asdict, dataclass, fields

from stablehlo_py.analysis.callgraph import functions
from stablehlo_py.analysis.inputs import attribute
from stablehlo_py.analysis.sizes import dimensions, is_dynamic
from stablehlo_py.analysis.traffic import op_traffic
from stablehlo_py.analysis.trips import trip_count
from stablehlo_py.analysis.work import Work, op_work
from stablehlo_py.diagnostics.diagnostic import Diagnostic
from stablehlo_py.ir.core import Module, Operation, Region
from stablehlo_py.opset.calls import callee
from stablehlo_py.opset.definition import has_trait, lookup


@dataclass(frozen=True, slots=True)
class Cost:
    """What running something takes: `flops` are arithmetic operations on elements of any type."""

    flops: int = 0
    transcendentals: int = 0
    bytes_read: int = 0
    bytes_written: int = 0

    @property
    def bytes(self) -> int:
        """Bytes read and written."""
        return self.bytes_read + self.bytes_written

    def __add__(self, other: Cost) -> Cost:
        return Cost(*[getattr(self, f.name) + getattr(other, f.name) for f in fields(self)])

    def __mul__(self, count: int) -> Cost:
        return Cost(*[getattr(self, f.name) * count for f in fields(self)])

    def most(self, other: Cost) -> Cost:
        """The larger of each."""
        return Cost(*[max(getattr(self, f.name), getattr(other, f.name)) for f in fields(self)])

    def to_dict(self) -> dict[str, int]:
        return asdict(self)


class Costs:
    """The costs of a module's functions and ops.

    Counted as XLA counts them before it fuses: every op reads its operands and writes its results. Of the
    branches of `if` and `case`, the dearest counts. `notes` say what could not be counted, and where.
    """

    def __init__(self, module: Module) -> None:
        self._module = module
        self._functions = functions(module)
        self._found: dict[str, Cost] = {}
        self._running: set[str] = set()
        self._notes: dict[tuple[int, str], Diagnostic] = {}

    @property
    def notes(self) -> list[Diagnostic]:
        """What is only estimated, in the order of the text."""
        return sorted(self._notes.values(), key=lambda note: (note.line, note.column))

    def function(self, name: str) -> Cost:
        """One call of a function. Raises KeyError if there is none of that name."""
        if name not in self._found:
            self._running.add(name)
            self._found[name] = sum(map(self._region, self._functions[name].regions), Cost())
            self._running.remove(name)
        return self._found[name]

    def op(self, op: Operation) -> Cost:
        """One run of an op, with the regions and functions that it runs."""
        called = callee(op)
        if called is not None:
            return self._call(op, called)
        if has_trait(op.name, "runs_bodies"):
            return self._control(op)
        return self.own(op)

    def own(self, op: Operation) -> Cost:
        """One run of an op, without the regions and functions that it runs on whole values."""
        if has_trait(op.name, "external_call"):
            self._note(op, f"the work of custom_call @{op.python_value('call_target_name')} is not known")
        elif lookup(op.name) is None:
            self._note(op, f"the work of {op.name} is not known")
        found = Cost(*op_work(op, self._body), *op_traffic(op))
        if found != Cost() and any(is_dynamic(value.type) for value in (*op.operands, *op.results)):
            self._note(
                op, "dynamic dimensions count as their bounds, or as 1, here and further on", once=True
            )
        return found

    def _body(self, region: Region) -> Work:
        """The work of one call of a function on elements, whose values are in registers."""
        found = self._region(region)
        return Work(found.flops, found.transcendentals)

    def _region(self, region: Region) -> Cost:
        return sum((self.op(op) for block in region.blocks for op in block.ops), Cost())

    def _call(self, op: Operation, name: str) -> Cost:
        if name not in self._functions:
            self._note(op, f"there is no function @{name}")
            return Cost()
        if name in self._running:
            self._note(op, f"@{name} calls itself: counted once")
            return Cost()
        return self.function(name)

    def _control(self, op: Operation) -> Cost:
        found = [self._region(region) for region in op.regions]
        if has_trait(op.name, "branches"):
            dearest = Cost()
            for cost in found:
                dearest = dearest.most(cost)
            return dearest
        definition = lookup(op.name)
        loop = definition.loop if definition is not None else None
        if loop is not None and loop.dimension:
            length: int = dimensions(op.operands[0].type)[attribute(op, loop.dimension)]
            return found[0] * length
        if loop is not None:
            return self._loop(op, *found)
        return sum(found, Cost())

    def _loop(self, op: Operation, condition: Cost, body: Cost) -> Cost:
        trips = trip_count(op)
        if trips is None:
            self._note(op, "the loop's number of iterations is not known: counted once")
            return condition + body
        return body * trips + condition * (trips + 1)

    def _note(self, op: Operation, message: str, once: bool = False) -> None:
        line, column = self._module.position(op)
        self._notes.setdefault(
            (0 if once else op.offset, message), Diagnostic("note", "cost", message, line, column)
        )
