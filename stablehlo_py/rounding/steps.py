"""Steps of a shadow run: each runs on wide operands as well, and measures the difference."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from stablehlo_py.interpreter.plan import Step
from stablehlo_py.ir.core import Operation
from stablehlo_py.ir.types import FloatType, TensorType
from stablehlo_py.opset.definition import has_trait, lookup
from stablehlo_py.rounding.instrument import Call, Shadowing
from stablehlo_py.rounding.measures import (
    BLOCK,
    Array,
    Block,
    Measures,
    blocks_of,
    difference,
    measure,
    parts_of,
    relative,
    square_sum,
)
from stablehlo_py.rounding.orders import followed
from stablehlo_py.rounding.parts import (
    FEW,
    at_random,
    carried_by_slopes,
    carried_shares,
    element_count,
    of_norm,
    same,
    sample,
)
from stablehlo_py.rounding.products import LongFactor, long_factor, products
from stablehlo_py.rounding.shadowed import LIMIT, Shadowed, widened
from stablehlo_py.rounding.terms import cancelled_bits, terms_of

_SAMPLE = 1 << 12  # elements of long operands whose parts are told apart
_LEFT = 1e-3  # of a sum of squares, of which some are taken away
_SEPARATE = 3  # operands with errors whose parts are told apart


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
        self._term = terms_of(step)
        elements = [result.type.element_type for result in op.results if isinstance(result.type, TensorType)]
        self._formats = [type.name if isinstance(type, FloatType) else "" for type in elements]
        self._is_discrete = not any(self._formats)
        is_elementwise = has_trait(op.name, "elementwise")
        self._is_elementwise = self.has_shapes and is_elementwise and not self._is_discrete
        definition = lookup(op.name)
        is_sort = definition is not None and definition.cost.work == "sort"
        self._sorts = is_sort and len(op.operands) == len(op.results)
        self._is_exact = has_trait(op.name, "exact") or has_trait(op.name, "moves_data")
        self._moves = self._is_exact and not is_elementwise and not is_sort
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
        results = found if several else (found,)
        inexact = [x for x in operands if x.wide is not None]
        if len(inexact) > 1:
            inexact = list(dict.fromkeys(inexact))
        if self._is_left_out:
            self._shadowing.leave_out(f"no type wider than {self._shadowing.widening.wide.name}", self._op)
        if not inexact and self._keeps_exact:
            made = tuple([Shadowed(result) for result in results])
        elif self._moves and self._repeats(operands, results[0]):
            (x,), (y,) = inexact, self._run_wide([inexact[0].wide])
            made = (Shadowed(results[0], y, x.parts, x.error, x.norm(self._dtype), x.total),)
        elif self._is_elementwise and _are_long(operands, results[0]):
            made = (self._shadow_in_blocks(operands, results[0], inexact),)
        else:
            made = self._shadow(operands, results, inexact)
        return made if several else made[0]

    def _repeats(self, operands: list[Shadowed], result: Any) -> bool:
        """Test whether a result has each element of the only operand equally often, with its shares."""
        size = np.size(operands[0].narrow)
        alone = len(operands) == 1 and self.has_shapes and self._shadowing.count > FEW
        return alone and size > 0 and result.size > 0 and result.size % size == 0

    def _exact(self, operands: list[Shadowed]) -> list[Any]:
        """Return the arrays of the wide program."""
        loops = self._shadowing.loops
        keeps = bool(loops) and loops[-1] > 0  # what a loop has once more in its second iteration
        return [x.exact(self._dtype, keeps=keeps) if x.wide is None else x.wide for x in operands]

    def _shadow(
        self, operands: list[Shadowed], results: tuple[Any, ...], inexact: list[Shadowed]
    ) -> tuple[Shadowed, ...]:
        """Return the results with shadows."""
        factor = long_factor(self._step, operands)
        if factor is not None:
            return (self._shadow_product(factor, operands, results[0], inexact),)
        wide = self._exact(operands)
        exact = self._run_wide(wide)
        if self._sorts and inexact:
            mine = [x.narrow for x in operands]
            exact, others = followed(mine, results, wide, exact, self._axis)
            if others:
                self._shadowing.row(self._op, 0, self._formats[0]).diverged += others
        if self._moves:
            pairs = enumerate(zip(results, exact, strict=True))
            return tuple([self._moved(index, y1, y, operands, inexact) for index, (y1, y) in pairs])
        rounding, rounded = wide, exact
        if inexact:
            rounding = [
                y if x.wide is None else x.narrow.astype(self._dtype)
                for x, y in zip(operands, wide, strict=True)
            ]
            rounded = [None] * len(exact) if self._is_exact else self._run_wide(rounding)
        measured = [
            self._measured(index, blocks_of(y1, y, f), y.size) if self._formats[index] else None
            for index, (y1, y, f) in enumerate(zip(results, exact, rounded, strict=True))
        ]
        if self._is_exact and len(inexact) > 1:
            rounded = [widened(y1, self._dtype) for y1 in results]
        gains = self._gains(operands, inexact, (rounding, wide), exact, rounded, measured)
        made = []
        for index, (y1, y, f, found) in enumerate(zip(results, exact, rounded, measured, strict=True)):
            if found is None:
                made.append(self._discrete(index, y1, np.asarray(y1) != y))
            else:
                made.append(self._float(index, (y1, y, f), found, operands, gains[index], wide))
        return tuple(made)

    def _shadow_product(
        self, factor: LongFactor, operands: list[Shadowed], y1: Array, inexact: list[Shadowed]
    ) -> Shadowed:
        """Return a product with a long exact operand with its shadow."""
        long, other = operands[factor.side].narrow, operands[1 - factor.side]
        others = [other.exact(self._dtype)]
        others += [widened(other.narrow, self._dtype)] if inexact else []
        y = np.empty(y1.shape, self._dtype)
        f = np.empty_like(y) if inexact and self._shadowing.count <= FEW else None if inexact else y

        def parts() -> Iterator[Block]:
            for at, exact, *rest in products(self._wide, factor, long, others):
                y[at] = exact
                rounded = rest[0] if rest else exact
                if f is not None:
                    f[at] = rounded
                yield from blocks_of(y1[at], exact, rounded)

        found = self._measured(0, parts(), y.size)
        gains = {x: found.carried / min(x.error, LIMIT) if x.error else 0.0 for x in inexact}
        wide = (others[0], long) if factor.side else (long, others[0])
        return self._float(0, (y1, y, f), found, operands, gains, wide)

    def _measured(self, index: int, blocks: Iterable[Block], size: int) -> Measures:
        return measure(blocks, size, self._formats[index], self._shadowing.worst(self._op, index))

    def _moved(
        self, index: int, y1: Any, y: Array, operands: list[Shadowed], inexact: list[Shadowed]
    ) -> Shadowed:
        """Return data that is moved, with its error."""
        if not self._formats[index]:
            return self._discrete(index, y1, np.asarray(y1) != y)
        found = None
        if self._step.overwritable and y.size > BLOCK:
            found = _with_window(operands, self._dtype)
        if found is None:
            found = measure(blocks_of(y1, y, None), y.size, self._formats[index], math.inf)
        gains = {x: x.norm(self._dtype) * math.sqrt(np.size(x.narrow)) for x in inexact}
        return self._float(index, (y1, y, None), found, operands, gains)

    def _shadow_in_blocks(self, operands: list[Shadowed], y1: Array, inexact: list[Shadowed]) -> Shadowed:
        """Return the result of an elementwise op with its shadow, computed in blocks that stay in cache."""
        y = np.empty(y1.shape, self._dtype)
        found = self._measured(0, self._blocks(operands, y1, y, inexact), y.size)
        some = [sample(x.narrow if x.wide is None else x.wide, _SAMPLE) for x in operands]
        mine = [sample(x.narrow, _SAMPLE) for x in operands]
        both = [[widened(x, self._dtype) for x in each] for each in (mine, some)]
        (gains,) = self._gains(operands, inexact, both, [sample(y, _SAMPLE)], None, [found])
        return self._float(0, (y1, y, None), found, operands, gains, both[1])

    def _blocks(
        self, operands: list[Shadowed], y1: Array, y: Array, inexact: list[Shadowed]
    ) -> Iterator[tuple[Array, Array, Array]]:
        """Yield the blocks of an elementwise op for `measure`, and store those of the wide result."""
        for at in parts_of(y1.shape):
            rounding = [widened(_part(x.narrow, at), self._dtype) for x in operands]
            wide = [
                r if x.wide is None else _part(x.wide, at) for x, r in zip(operands, rounding, strict=True)
            ]
            exact = np.asarray(self._wide(*wide))
            y[at] = exact.reshape(y[at].shape)
            mine = _part(y1, at).astype(self._dtype)
            f = exact if not inexact else mine if self._is_exact else np.asarray(self._wide(*rounding))
            yield mine, exact, f

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
        self,
        index: int,
        arrays: tuple[Any, Any, Any],
        found: Measures,
        operands: list[Shadowed],
        gains: Mapping[Shadowed, float],
        wide: Sequence[Any] = (),
    ) -> Shadowed:
        """Return a result with its shadow, and note its measures.

        Of the arrays y', y and f(x'), the last is None if it is y', and where it is computed in blocks. Gains
        are those of the operands with errors. The operands of the wide program are for ops that do not move
        data.
        """
        y1, y, _ = arrays
        if not self._moves and (row := self._shadowing.row(self._op, index, self._formats[index])).adds(
            found
        ):
            largest = max([x.error for x in operands], default=0.0)
            term = self._term(operands, wide) if self._term else 0.0
            row.put(found, largest, cancelled_bits(term, found.norm), tuple(self._shadowing.loops))
            if self._shadowing.mapped is not None:
                row.map = self._shadowing.mapped(widened(y1, self._dtype), y)
        if found.error == 0 and found.largest == 0:
            return Shadowed(y1, norm=found.norm)
        introduced = min(found.introduced, LIMIT) ** 2
        total = introduced + min(found.carried, LIMIT) ** 2
        if self._shadowing.count <= FEW:
            parts = self._parts(arrays, found, operands, gains)
            return Shadowed(y1, y, parts, found.error, found.norm, total)
        shares = carried_shares(gains, found.carried)
        if shares is None:
            shares, total = np.zeros(self._shadowing.count, np.float32), introduced
        shares[self._number] += introduced
        return Shadowed(y1, y, shares, found.error, found.norm, total)

    def _parts(
        self,
        arrays: tuple[Any, Any, Any],
        found: Measures,
        operands: list[Shadowed],
        gains: Mapping[Shadowed, float],
    ) -> Array:
        """Return the parts of the error of a result: those carried on, and that of the op itself."""
        y1, y, f = arrays
        shadowing, dtype = self._shadowing, self._dtype
        count = element_count(y.size, shadowing.count)
        parts = np.zeros((shadowing.count, count), dtype)
        mine, wide = widened(sample(y1, count), dtype), sample(y, count)
        if self._is_elementwise:
            parts += carried_by_slopes(self._wide, operands, dtype, parts.shape)
        elif (x := same([*gains], mine, y.size)) is not None:
            assert x.parts is not None
            parts += x.parts
        elif gains:
            shares = carried_shares(gains, found.carried)
            error = (mine if f is None else sample(f, count)) - wide
            if shares is not None:
                parts += at_random(np.sqrt(shares) * found.norm, error, shadowing.generator)
        if found.introduced:
            if f is None:
                f = self._wide(*[widened(sample(x.narrow, count), dtype) for x in operands])
            parts[self._number] += of_norm(mine - sample(f, count), found.introduced * found.norm)
        if not math.isfinite(parts.sum()):
            np.nan_to_num(parts, copy=False, nan=0.0, posinf=LIMIT, neginf=-LIMIT)
        return parts

    def _gains(
        self,
        operands: list[Shadowed],
        inexact: list[Shadowed],
        both: Sequence[list[Any]],
        exact: list[Any],
        rounded: list[Any] | None,
        measured: list[Measures | None],
    ) -> list[dict[Shadowed, float]]:
        """Return the amplification of the error of each inexact operand, for each result.

        The error of the first operand is that on its narrow and the others' wide values, and so on; the last
        is that of all operands on narrow values less that of the others.
        """
        if self._sorts:
            return [{x: float(x is operand) for x in inexact} for operand in operands]
        if self._is_elementwise and self._shadowing.count <= FEW:
            return [{}] * len(exact)  # slopes say more
        shared = min(max([x.error for x in inexact], default=0.0), LIMIT)
        if not 2 <= len(inexact) <= _SEPARATE or not shared:
            return [dict.fromkeys(inexact, f.carried / shared if f and shared else 0.0) for f in measured]
        rounding, mixed = both
        found: list[dict[Shadowed, float]] = [{} for _ in exact]
        before = exact
        for x in inexact:
            mixed = [r if o is x else m for o, r, m in zip(operands, rounding, mixed, strict=True)]
            after = rounded if rounded and x is inexact[-1] else self._run_wide(mixed)
            for index, y in enumerate(after):
                each = measured[index]
                part = relative(difference(y, before[index]), each.norm) if each is not None else 0.0
                if math.isnan(part):  # of infinite elements, which the first operand with them makes
                    part = math.inf if np.isfinite(before[index]).all() else 0.0
                found[index][x] = part / min(x.error, LIMIT) if x.error else 0.0
            before = after
        return found


def _with_window(operands: Sequence[Shadowed], dtype: np.dtype[Any]) -> Measures | None:
    """Return the measures of an array in which a window is replaced, from those of the array before.

    Sums of squares change by those of the window, so that it costs what the window does. None if little else
    is left of the sums, or if they are not finite.

    Args:
        operands: The array, the window, and the start indices.
        dtype: The wide type.
    """
    whole, part, *starts = operands
    shape, sizes = np.shape(whole.narrow), np.shape(part.narrow)
    places = [min(max(int(at), 0), d - n) for at, d, n in zip(starts, shape, sizes, strict=True)]
    window = tuple([slice(at, at + n) for at, n in zip(places, sizes, strict=True)])
    mine = widened(whole.narrow[window], dtype).reshape(-1)
    wide = mine if whole.wide is None else whole.wide[window].reshape(-1)
    lost = square_sum(wide), square_sum(mine - wide)
    before, after = _square_sums(whole, dtype), _square_sums(part, dtype)
    left = [a - b for a, b in zip(before, lost, strict=True)]
    if not all(b == 0 or b > _LEFT * a for a, b in zip(before, left, strict=True)):
        return None
    norm, error = [a + b for a, b in zip(left, after, strict=True)]
    found = relative(math.sqrt(error), math.sqrt(norm))
    return Measures(math.sqrt(norm / np.size(whole.narrow)), found, 0.0, found, 0.0)


def _square_sums(value: Shadowed, dtype: np.dtype[Any]) -> tuple[float, float]:
    """Return the sums of the squares of a value, and of its errors."""
    norm = np.size(value.narrow) * value.norm(dtype) ** 2
    return norm, norm * value.error**2


def _part(value: Any, at: Any) -> Array:
    """Return a vector of the elements of a part of an array; a single one without dimensions."""
    return value[at].reshape(-1) if np.size(value) > 1 else np.reshape(value, ())


def _are_long(operands: Sequence[Shadowed], result: Any) -> bool:
    """Test whether an elementwise op has a long result, and operands of its size or single numbers."""
    size = np.size(result)
    return size > BLOCK and all(np.size(x.narrow) in (1, size) for x in operands)
