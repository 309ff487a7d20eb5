"""Cost analysis: operations and memory traffic of ops and functions, including callees and loops."""

from __future__ import annotations

from dataclasses import asdict, dataclass, fields

from stablehlo_py.analysis.callgraph import functions
from stablehlo_py.analysis.sizes import is_dynamic
from stablehlo_py.analysis.traffic import op_traffic
from stablehlo_py.analysis.trips import scan_count, trip_count
from stablehlo_py.analysis.work import Work, op_work
from stablehlo_py.diagnostics.diagnostic import Diagnostic
from stablehlo_py.ir.core import Module, Operation, Region
from stablehlo_py.opset.calls import callee
from stablehlo_py.opset.definition import has_trait, lookup


@dataclass(frozen=True, slots=True)
class Cost:
    """The cost of an execution.

    Attributes:
        flops: Arithmetic operations, on elements of any type.
        transcendentals: Transcendental functions.
        bytes_read: Bytes read.
        bytes_written: Bytes written.
    """

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
        """Return the element-wise maximum."""
        return Cost(*[max(getattr(self, f.name), getattr(other, f.name)) for f in fields(self)])

    def to_dict(self) -> dict[str, int]:
        """Convert to plain data."""
        return asdict(self)


class Costs:
    """The costs of a module's functions and ops.

    Costs are counted as XLA counts them before fusion: every op reads its operands and writes its results.
    For `if` and `case`, the maximum over the branches is used.
    """

    def __init__(self, module: Module) -> None:
        self._module = module
        self._functions = functions(module)
        self._found: dict[str, Cost] = {}
        self._running: set[str] = set()
        self._notes: dict[tuple[int, str], Diagnostic] = {}

    @property
    def notes(self) -> list[Diagnostic]:
        """Notes on estimates, in the order of the text."""
        return sorted(self._notes.values(), key=lambda note: (note.line, note.column))

    def function(self, name: str) -> Cost:
        """Return the cost of one call of a function; raise KeyError if it does not exist."""
        if name not in self._found:
            self._running.add(name)
            self._found[name] = sum(map(self._region, self._functions[name].regions), Cost())
            self._running.remove(name)
        return self._found[name]

    def op(self, op: Operation) -> Cost:
        """Return the cost of one execution of an op, including its regions and callees."""
        called = callee(op)
        if called is not None:
            return self._call(op, called)
        if has_trait(op.name, "runs_bodies"):
            return self._control(op)
        return self.own(op)

    def own(self, op: Operation) -> Cost:
        """Return the cost of one execution of an op, without control flow regions and callees."""
        if has_trait(op.name, "external_call"):
            self._note(op, f"the cost of custom_call @{op.python_value('call_target_name')} is unknown")
        elif lookup(op.name) is None:
            self._note(op, f"the cost of {op.name} is unknown")
        found = Cost(*op_work(op, self._body), *op_traffic(op))
        if found != Cost() and any(is_dynamic(value.type) for value in (*op.operands, *op.results)):
            self._note(op, "dynamic dimensions are counted as their bounds, or as 1, from here on", once=True)
        return found

    def _body(self, region: Region) -> Work:
        """Return the work of one call of a function on scalar elements, which has no memory traffic."""
        found = self._region(region)
        return Work(found.flops, found.transcendentals)

    def _region(self, region: Region) -> Cost:
        return sum((self.op(op) for block in region.blocks for op in block.ops), Cost())

    def _call(self, op: Operation, name: str) -> Cost:
        if name not in self._functions:
            self._note(op, f"undefined function @{name}")
            return Cost()
        if name in self._running:
            self._note(op, f"@{name} is recursive: counted once")
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
            return found[0] * scan_count(op, loop.dimension)
        if loop is not None:
            return self._loop(op, *found)
        return sum(found, Cost())

    def _loop(self, op: Operation, condition: Cost, body: Cost) -> Cost:
        trips = trip_count(op)
        if trips is None:
            self._note(op, "unknown trip count: loop body counted once")
            return condition + body
        return body * trips + condition * (trips + 1)

    def _note(self, op: Operation, message: str, once: bool = False) -> None:
        line, column = self._module.position(op)
        self._notes.setdefault(
            (0 if once else op.offset, message), Diagnostic("note", "cost", message, line, column)
        )
