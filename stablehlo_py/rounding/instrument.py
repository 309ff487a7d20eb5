"""The instrument of a shadow run: runs each step on wide operands as well, and measures the difference."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from stablehlo_py.diagnostics.origin import python_line, scope_name
from stablehlo_py.interpreter.plan import COPY, Plan, Step
from stablehlo_py.ir.core import Module, Operation
from stablehlo_py.ir.types import FloatType, IntegerType, TensorType, Type
from stablehlo_py.opset.definition import has_trait, lookup
from stablehlo_py.rounding.measures import (
    BLOCK,
    Array,
    Measures,
    blocks_of,
    difference,
    measure,
    relative,
)
from stablehlo_py.rounding.orders import followed
from stablehlo_py.rounding.parts import (
    FEW,
    Operands,
    at_random,
    carried_by_slopes,
    carried_shares,
    element_count,
    flat_array,
    gone,
    is_same,
    of_norm,
    predicted,
    sample,
)
from stablehlo_py.rounding.rows import Shadow, ShadowRow, by_contribution
from stablehlo_py.rounding.shadowed import (
    LIMIT,
    Shadowed,
    format_of,
    narrow,
    shadowed,
    widened,
)
from stablehlo_py.rounding.terms import cancelled_bits, terms_of
from stablehlo_py.rounding.widening import Widening

Call = Callable[..., Any]
Mapped = Callable[[Array, Array], Any]
WideCalls = Mapping[Operation, tuple[Call, int]]
_SAMPLE = 1 << 12  # elements of long operands whose parts are told apart
_SEPARATE = 3  # operands with errors whose parts are told apart


class Shadowing:
    """An instrument (see `engines.engine`) whose steps pass values with shadows to each other.

    Args:
        module: The module.
        widening: The wide type.
        calls: The calls in the wide type, and their numbers of operands.
        step: The class of steps with shadows.
        name: The name of the shadow.

    Attributes:
        mapped: What makes the map of a row from a result and the wide one; None for no maps.
    """

    mapped: Mapped | None = None

    def __init__(
        self, module: Module, widening: Widening, calls: WideCalls, step: type[ShadowedStep], name: str
    ) -> None:
        self._step = step
        self._name = name
        self._module = module
        self.widening = widening
        self._calls = calls
        self._numbers: dict[Operation, int] = {}  # of ops that round
        self._places: dict[Operation, tuple[int, str, str]] = {}  # lines, source positions and scopes
        self._loops: list[int] = []
        self.start()

    def start(self) -> None:
        """Forget the previous run."""
        self._rows: dict[tuple[Operation, int], ShadowRow] = {}
        self._unshadowed: dict[tuple[str, Operation], None] = {}
        self._loops.clear()
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
        return self._step(self, step, op, call, self._calls[op][0]).run

    def wrap_function(self, plan: Plan[Any], call: Call) -> Call:
        """Return a call of a function; a call of a loop's body counts as an iteration."""
        if plan.on_elements or not plan.iterates:
            return call

        def iteration(*operands: Any) -> Any:
            results = call(*operands)
            self._loops[-1] += 1
            return results

        return iteration

    def _loop(self, call: Call) -> Call:
        def looped(*operands: Any) -> Any:
            self._loops.append(0)
            results = call(*operands)
            self._loops.pop()
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
        known = self._calls.get(op)
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
                self._places[op] = self._module.line(op), python_line(op), scope_name(op.location)
            value = str(op.results[index])
            self._rows[op, index] = ShadowRow(op, op.name, value, type, *self._places[op])
        return self._rows[op, index]

    def number(self, op: Operation) -> int:
        """Return the number of an op that rounds."""
        return self._numbers.setdefault(op, len(self._numbers))

    @property
    def count(self) -> int:
        """The number of ops that round."""
        return len(self._numbers)

    @property
    def iterations(self) -> tuple[int, ...]:
        """The iterations of the loops that run, the outermost first."""
        return tuple(self._loops)

    def found(self, results: Sequence[Any]) -> Shadow:
        """Return what a run has found, given its results."""
        values = list(_flat(results))
        rows = [(self._numbers[op], row) for (op, _), row in self._rows.items()]
        scopes: dict[str, dict[int, None]] = {}
        for number, row in rows:
            scopes.setdefault(row.scope.rpartition("/")[0], {})[number] = None
        groups = [*([number] for number, _ in rows), *map(list, scopes.values())]
        lost = [gone(x, groups) for x in values]
        found = [sum(each) for each in zip([0.0] * len(groups), *lost, strict=True)]
        for (_, row), part in zip(rows, found, strict=False):
            row.contribution = part
        parts = dict(zip(scopes, found[len(rows) :], strict=True))
        unshadowed: dict[tuple[str, str], int] = {}
        for reason, op in self._unshadowed:
            unshadowed[reason, op.name] = unshadowed.get((reason, op.name), 0) + 1
        errors = [v.error if format_of(v.narrow) else None for v in values]
        ordered = by_contribution([row for _, row in rows])
        most = min(LIMIT, max(map(predicted, values), default=0.0))
        return Shadow(self._name, ordered, parts, errors, [v.narrow for v in values], unshadowed, most)


class ShadowedStep:
    """A step with its call in the wide type.

    Attributes:
        has_shapes: Whether wide values have the shapes of the program's. Then elementwise ops on long
            operands are computed in blocks, and data that is moved as a whole keeps its parts.
    """

    has_shapes = True

    def __init__(self, shadowing: Shadowing, step: Step, op: Operation, call: Call, wide: Call) -> None:
        self._shadowing = shadowing
        self._step = step
        self._op = op
        self._number = shadowing.number(op)
        self._call = call
        self._wide = wide
        self._dtype = shadowing.widening.dtype
        self._moves = has_trait(op.name, "moves_data")
        self._is_elementwise = self.has_shapes and has_trait(op.name, "elementwise")
        self._term = terms_of(step)
        self._is_discrete = not any(_holds(result.type, FloatType) for result in op.results)
        definition = lookup(op.name)
        is_sort = definition is not None and definition.cost.work == "sort"
        self._sorts = is_sort and len(op.operands) == len(op.results)
        axis = op.python_value("dimension")
        self._axis = axis if isinstance(axis, int) else -1  # the last one, if it is not stated
        self._several = step.returns_tuple
        types = [value.type for value in (*op.operands, *op.results)]
        is_widest = not any(map(shadowing.widening.is_narrow, types))
        self._keeps_exact = self._moves or self._is_discrete or is_widest
        self._is_left_out = is_widest and not self._moves and not self._is_discrete

    def run(self, *values: Any) -> Any:
        """Run the step on values with shadows."""
        operands = [x if x.__class__ is Shadowed else Shadowed(x) for x in values]
        found = self._call(*[x.narrow for x in operands])
        several = self._several
        results = tuple(found) if several else (found,)
        inexact = list(dict.fromkeys([x for x in operands if x.wide is not None]))
        if self._is_left_out:
            self._shadowing.leave_out(f"no type wider than {self._shadowing.widening.wide.name}", self._op)
        if not inexact and self._keeps_exact:
            made = tuple([Shadowed(result) for result in results])
        elif self._moves and len(operands) == 1 and self._repeats(inexact[0], results[0]):
            (x,), (y,) = inexact, self._run_wide([inexact[0].wide])
            made = (Shadowed(results[0], y, x.parts, x.error, x.norm(self._dtype), x.total),)
        elif self._is_elementwise and _are_long(operands, results[0]):
            made = (self._shadow_in_blocks(operands, results[0], inexact),)
        else:
            made = self._shadow(operands, results, inexact)
        return made if several else made[0]

    def _repeats(self, operand: Shadowed, result: Any) -> bool:
        """Test whether a result has each element of the only operand equally often, with its shares."""
        size = np.size(operand.narrow)
        keeps = self.has_shapes and self._shadowing.count > FEW
        return keeps and size > 0 and result.size > 0 and result.size % size == 0

    def _shadow(
        self, operands: list[Shadowed], results: tuple[Any, ...], inexact: list[Shadowed]
    ) -> tuple[Shadowed, ...]:
        """Return the results with shadows."""
        given = Operands.of(operands, inexact, self._dtype)
        exact = self._run_wide(given.wide)
        if self._sorts and inexact:
            mine = [x.narrow for x in operands]
            exact, others = followed(mine, results, given.wide, exact, self._axis)
            if others:
                self._shadowing.row(self._op, 0, format_of(results[0])).diverged += others
        rounded = (
            exact if not inexact else [None] * len(exact) if self._moves else self._run_wide(given.rounding)
        )
        measured = [
            measure(blocks_of(np.asarray(y1), y, f), y.size, type) if type else None
            for y1, y, f, type in zip(results, exact, rounded, map(format_of, results), strict=True)
        ]
        gains = self._gains(given, exact, rounded, measured)
        made = []
        for index, (y1, y, f, found) in enumerate(zip(results, exact, rounded, measured, strict=True)):
            if found is None:
                made.append(self._discrete(index, y1, np.asarray(y1) != y))
            else:
                made.append(self._float(index, y1, y, f, found, given, gains[index]))
        return tuple(made)

    def _shadow_in_blocks(self, operands: list[Shadowed], y1: Array, inexact: list[Shadowed]) -> Shadowed:
        """Return the result of an elementwise op with its shadow, computed in blocks that stay in cache."""
        y = np.empty(y1.shape, self._dtype)
        found = measure(self._blocks(operands, y1, y.reshape(-1), inexact), y.size, format_of(y1))
        given = Operands.of(operands, inexact, self._dtype, _SAMPLE)
        (gains,) = self._gains(given, [sample(y, _SAMPLE)], None, [found])
        return self._float(0, y1, y, None, found, given, gains)

    def _blocks(
        self, operands: list[Shadowed], y1: Array, y: Array, inexact: list[Shadowed]
    ) -> Iterator[tuple[Array, Array, Array]]:
        """Yield the blocks of an elementwise op for `measure`, and store those of the wide result."""
        mine = [flat_array(x.narrow) for x in operands]
        wides = [None if x.wide is None else flat_array(x.wide) for x in operands]
        results = np.reshape(y1, -1)
        for at in range(0, y.size, BLOCK):
            part = slice(at, at + BLOCK)
            rounding = [widened(x[part] if x.ndim else x, self._dtype) for x in mine]
            wide = [
                r if x is None else x[part] if x.ndim else x for x, r in zip(wides, rounding, strict=True)
            ]
            y[part] = self._wide(*wide)
            exact = y[part]
            yield (
                results[part].astype(self._dtype),
                exact,
                np.asarray(self._wide(*rounding)) if inexact else exact,
            )

    def _run_wide(self, operands: list[Any]) -> list[Any]:
        found = self._wide(*operands)
        return list(map(np.asarray, found)) if self._several else [np.asarray(found)]

    def _discrete(self, index: int, y1: Any, others: Array) -> Shadowed:
        """Return a discrete result: that of the program, of which some elements are others."""
        count = int(np.count_nonzero(others))
        if count:
            self._shadowing.row(self._op, index, "").diverged += count
        return Shadowed(y1)

    def _float(
        self, index: int, y1: Any, y: Any, f: Any, found: Measures, given: Operands, gains: list[float]
    ) -> Shadowed:
        """Return a result with its shadow, and note its measures."""
        if not self._moves and (row := self._shadowing.row(self._op, index, format_of(y1))).adds(found):
            largest = max([x.error for x in given.inexact], default=0.0)
            bits = cancelled_bits(self._term(given.operands, given.wide), found.norm) if self._term else 0.0
            row.put(found, largest, bits, self._shadowing.iterations)
            if self._shadowing.mapped is not None:
                row.map = self._shadowing.mapped(widened(y1, self._dtype), y)
        if found.error == 0 and found.largest == 0:
            return Shadowed(y1, norm=found.norm)
        if self._shadowing.count > FEW:
            return Shadowed(y1, y, *self._shares(found, given, gains))
        return Shadowed(y1, y, self._parts(y1, y, f, found, given, gains), found.error, found.norm)

    def _shares(
        self, found: Measures, given: Operands, gains: list[float]
    ) -> tuple[Array, float, float, float]:
        """Return the shares of the error of a result, the error, the norm and the sum of the shares."""
        carried = carried_shares(given.inexact, gains, found.carried)
        shares = np.zeros(self._shadowing.count, np.float32) if carried is None else carried
        introduced = min(found.introduced, LIMIT) ** 2
        if not found.norm:
            return np.zeros_like(shares), found.error, 0.0, 0.0
        shares[self._number] += introduced
        total = introduced if carried is None else introduced + min(found.carried, LIMIT) ** 2
        return shares, found.error, found.norm, total

    def _parts(
        self, y1: Any, y: Array, f: Array | None, found: Measures, given: Operands, gains: list[float]
    ) -> Array:
        """Return the parts of the error of a result: those carried on, and that of the op itself.

        f(x') is None if it is y', and for elementwise ops on long operands.
        """
        shadowing, dtype = self._shadowing, self._dtype
        count = element_count(y.size, shadowing.count)
        parts = np.zeros((shadowing.count, count), dtype)
        mine, wide = widened(sample(y1, count), dtype), sample(y, count)
        if self._is_elementwise:
            parts += carried_by_slopes(self._wide, given.operands, dtype, parts.shape)
        elif is_same(given.inexact, mine, y.size):
            parts += 0.0 if given.inexact[0].parts is None else given.inexact[0].parts
        elif given.inexact:
            shares = carried_shares(given.inexact, gains, found.carried)
            error = (mine if f is None else sample(f, count)) - wide
            if shares is not None:
                parts += at_random(np.sqrt(shares) * found.norm, error, shadowing.generator)
        if found.introduced:
            rounded = self._sampled_call(given.operands, count) if f is None else sample(f, count)
            parts[self._number] += of_norm(mine - rounded, found.introduced * found.norm)
        if not math.isfinite(parts.sum()):
            np.nan_to_num(parts, copy=False, nan=0.0, posinf=LIMIT, neginf=-LIMIT)
        return parts

    def _sampled_call(self, operands: Sequence[Shadowed], count: int) -> Array:
        """Return some elements of an elementwise op in the wide type on the program's operands."""
        return np.asarray(self._wide(*[widened(sample(x.narrow, count), self._dtype) for x in operands]))

    def _gains(
        self, given: Operands, exact: list[Any], rounded: list[Any] | None, measured: list[Measures | None]
    ) -> list[list[float]]:
        """Return the amplification of the error of each inexact operand, for each result.

        The error of the first operand is that on its narrow and the others' wide values, and so on; the last
        is that of all operands on narrow values less that of the others.
        """
        operands, inexact, rounding, mixed = given
        if self._sorts:
            return [[float(x is operand) for x in inexact] for operand in operands]
        shared = max([x.error for x in inexact], default=0.0)
        if self._is_elementwise and self._shadowing.count <= FEW:
            return [[]] * len(exact)  # slopes say more
        if not 2 <= len(inexact) <= _SEPARATE or not shared or (rounded and rounded[0] is None):
            return [[f.carried / shared if f and shared else 0.0] * len(inexact) for f in measured]
        found: list[list[float]] = [[] for _ in exact]
        before = exact
        for x in inexact:
            mixed = [r if o is x else m for o, r, m in zip(operands, rounding, mixed, strict=True)]
            after = rounded if rounded and x is inexact[-1] else self._run_wide(mixed)
            for index, y in enumerate(after):
                each = measured[index]
                part = relative(difference(y, before[index]), each.norm) if each is not None else 0.0
                found[index].append(part / x.error if x.error else 0.0)
            before = after
        return found


def _are_long(operands: Sequence[Shadowed], result: Any) -> bool:
    """Test whether an elementwise op has a long result, and operands of its size or single numbers."""
    return (
        isinstance(result, np.ndarray)
        and result.size > BLOCK
        and bool(format_of(result))
        and all(np.size(x.narrow) in (1, result.size) for x in operands)
    )


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
