"""The instrument of a shadow run: runs each step on wide operands as well, and measures the difference."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from stablehlo_py.diagnostics.origin import python_line, scope_name
from stablehlo_py.interpreter.plan import COPY, Plan, Step
from stablehlo_py.ir.core import Module, Operation
from stablehlo_py.ir.types import FloatType, IntegerType, TensorType, Type
from stablehlo_py.opset.definition import has_trait
from stablehlo_py.rounding.measures import Array
from stablehlo_py.rounding.parts import gone, predicted
from stablehlo_py.rounding.rows import Shadow, ShadowRow, by_contribution
from stablehlo_py.rounding.shadowed import LIMIT, Shadowed, format_of, narrow, shadowed
from stablehlo_py.rounding.widening import Widening

Call = Callable[..., Any]
Mapped = Callable[[Array, Array], Any]
Weight = Callable[[int, float], float]
WideCalls = Mapping[Operation, tuple[Call, int]]


@dataclass(eq=False)
class Shadowing:
    """An instrument (see `engines.engine`) whose steps pass values with shadows to each other.

    Attributes:
        module: The module.
        widening: The wide type.
        calls: The calls in the wide type, and their numbers of operands.
        step: The class of steps with shadows.
        name: The name of the shadow.
        mapped: What makes the map of a row from a result and the wide one; None for no maps.
        weight: The weight of the contributions to a result of the program, from its index and error.
    """

    module: Module
    widening: Widening
    calls: WideCalls
    step: Callable[..., Any]
    name: str
    mapped: Mapped | None
    weight: Weight

    def __post_init__(self) -> None:
        self._numbers: dict[Operation, int] = {}  # of ops that round
        self._places: dict[Operation, tuple[int, str, str]] = {}  # lines, source positions and scopes
        self.loops: list[int] = []  # the iterations of the loops that run, the outermost first
        self.start()

    def start(self) -> None:
        """Forget the previous run."""
        self._rows: dict[tuple[Operation, int], ShadowRow] = {}
        self._unshadowed: dict[tuple[str, Operation], None] = {}
        self.loops.clear()
        self.generator = np.random.default_rng(0)

    def wrap_step(self, plan: Plan[Any], step: Step, call: Call) -> Call:
        """Return a call of a step on values with shadows."""
        op = step.op
        if plan.on_elements:
            return call
        if step.callee or (has_trait(step.name, "runs_bodies") and not has_trait(step.name, "sharded_body")):
            return self._loop(call) if any(body.iterates for body in step.plans) else call
        if step.deferred is not None:
            return lambda *operands: call(*narrow(operands))
        if op is None or step.name == COPY:
            return lambda operand: _copied(call, shadowed(operand))
        if not all(isinstance(v.type, TensorType) for v in (*op.operands, *op.results)):
            reason = None if has_trait(op.name, "pure") else "effects"
            return call if reason is None else self._unshadowed_call(op, call, reason)
        reason = self._reason(step, op)
        if reason is not None:
            return self._unshadowed_call(op, call, reason)
        run: Call = self.step(self, step, op, call, self.calls[op][0]).run
        return run

    def wrap_function(self, plan: Plan[Any], call: Call) -> Call:
        """Return a call of a function; a call of a loop's body counts as an iteration."""
        if plan.on_elements or not plan.iterates:
            return call

        def iteration(*operands: Any) -> Any:
            results = call(*operands)
            self.loops[-1] += 1
            return results

        return iteration

    def _loop(self, call: Call) -> Call:
        def looped(*operands: Any) -> Any:
            self.loops.append(0)
            results = call(*operands)
            self.loops.pop()
            return results

        return looped

    def _reason(self, step: Step, op: Operation) -> str | None:
        """Return why a step has no shadow; "" if it has no floats, None if it has a shadow."""
        types = [value.type for value in (*op.operands, *op.results)]
        if not any(isinstance(t.element_type, FloatType) for t in types):
            return "" if all(_holds(t, IntegerType) for t in types) else "complex or quantized numbers"
        if not all(_holds(t, (IntegerType, FloatType)) for t in types):
            return "complex or quantized numbers"
        if has_trait(op.name, "received") or has_trait(op.name, "random"):
            return "bits or random numbers"
        traits = ("pure", "recursive_effects", "accumulation")
        if not any(has_trait(op.name, trait) for trait in traits):  # type: ignore[arg-type]
            return "effects"
        known = self.calls.get(op)
        return None if known is not None and known[1] == len(step.ins) else "no kernel for the wide type"

    def _unshadowed_call(self, op: Operation, call: Call, reason: str) -> Call:
        def unshadowed(*operands: Any) -> Any:
            if reason:
                self.leave_out(reason, op)
            return shadowed(call(*narrow(operands)))

        return unshadowed

    def leave_out(self, reason: str, op: Operation) -> None:
        """Note an op whose rounding is not measured."""
        self._unshadowed[reason, op] = None

    def row(self, op: Operation, index: int, type: str) -> ShadowRow:
        """Return the row of a result."""
        if (op, index) not in self._rows:
            if op not in self._places:
                self._places[op] = self.module.line(op), python_line(op), scope_name(op.location)
            value = str(op.results[index])
            self._rows[op, index] = ShadowRow(op, op.name, value, type, *self._places[op])
        return self._rows[op, index]

    def worst(self, op: Operation, index: int) -> float:
        """Return the largest error of a result so far; less than 0 if it has none."""
        row = self._rows.get((op, index))
        return row.error if row is not None and row.executions else -1.0

    def number(self, op: Operation) -> int:
        """Return the number of an op that rounds."""
        return self._numbers.setdefault(op, len(self._numbers))

    @property
    def count(self) -> int:
        """The number of ops that round."""
        return len(self._numbers)

    def found(self, results: Sequence[Any]) -> Shadow:
        """Return what a run has found, given its results."""
        values = list(_flat(results))
        rows = [(self._numbers[op], row) for (op, _), row in self._rows.items()]
        scopes: dict[str, dict[int, None]] = {}
        for number, row in rows:
            scopes.setdefault(row.scope.rpartition("/")[0], {})[number] = None
        groups = [*([number] for number, _ in rows), *map(list, scopes.values())]
        found = np.zeros(len(groups))
        for index, x in enumerate(values):
            found += self.weight(index, x.error) * np.array(gone(x, groups))
        for (_, row), part in zip(rows, found.tolist(), strict=False):
            row.contribution = part
        parts = dict(zip(scopes, found[len(rows) :].tolist(), strict=True))
        unshadowed: dict[tuple[str, str], int] = {}
        for reason, op in self._unshadowed:
            unshadowed[reason, op.name] = unshadowed.get((reason, op.name), 0) + 1
        errors = [v.error if format_of(v.narrow) else None for v in values]
        ordered = by_contribution([row for _, row in rows])
        most = min(LIMIT, max(map(predicted, values), default=0.0))
        return Shadow(self.name, ordered, parts, errors, [v.narrow for v in values], unshadowed, most)


def _copied(call: Call, value: Shadowed) -> Shadowed:
    """Return the copy of a result, which shares no memory with others."""
    return Shadowed(call(value.narrow), value.wide, value.parts, value.error, total=value.total)


def _holds(value: Type, kinds: type[Type] | tuple[type[Type], ...]) -> bool:
    return isinstance(value, TensorType) and isinstance(value.element_type, kinds)


def _flat(values: Sequence[Any]) -> Iterator[Shadowed]:
    for value in values:
        if isinstance(value, tuple):
            yield from _flat(value)
        else:
            yield value
