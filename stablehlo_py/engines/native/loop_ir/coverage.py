"""Coverage: which elements of a buffer are written, in terms of the loop variables around a statement."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from math import prod

from stablehlo_py.engines.native.loop_ir.expressions import Buffer
from stablehlo_py.engines.native.loop_ir.index import (
    ZERO,
    Index,
    Indices,
    Variable,
    divide,
    of_variable,
    variables_of,
)
from stablehlo_py.engines.native.loop_ir.statements import Store
from stablehlo_py.ir.records import dataclass

Span = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Coverage:
    """Elements that are written: in each dimension those from `base + span[0]` to `base + span[1]`.

    Attributes:
        buffer: The buffer.
        bases: An index for each dimension, of variables of loops that are not over.
        spans: The first and the last element, from the base on.
    """

    buffer: Buffer
    bases: Indices
    spans: tuple[Span, ...]

    def over(self, variable: Variable) -> Coverage | None:
        """The elements written after a loop; None if they are not a span in each dimension."""
        moving = [d for d, base in enumerate(self.bases) if variable in variables_of(base)]
        if not moving:
            return self
        split = self._split(variable, moving)
        if split is not None:
            return split
        if len(moving) > 1:
            return None
        (d,) = moving
        base, (low, high) = self.bases[d], self.spans[d]
        factor = base.coefficient(variable)
        rest = base.without(variable)
        if variable in variables_of(rest) or abs(factor) > high - low + 1:
            return None
        reach = factor * (variable.extent - 1)
        span = low + min(reach, 0), high + max(reach, 0)
        return replace(
            self,
            bases=(*self.bases[:d], rest, *self.bases[d + 1 :]),
            spans=(*self.spans[:d], span, *self.spans[d + 1 :]),
        )

    def joined(self, other: Coverage) -> Coverage | None:
        """The union of both, if they differ in one dimension only, and overlap or are neighbours there."""
        if self.buffer != other.buffer or self.bases != other.bases:
            return None
        differing = [d for d, (x, y) in enumerate(zip(self.spans, other.spans, strict=True)) if x != y]
        if len(differing) > 1:
            return None
        spans = list(self.spans)
        for d in differing:
            (low, high), (other_low, other_high) = self.spans[d], other.spans[d]
            if other_low > high + 1 or low > other_high + 1:
                return None
            spans[d] = min(low, other_low), max(high, other_high)
        return replace(self, spans=tuple(spans))

    def _split(self, variable: Variable, moving: Sequence[int]) -> Coverage | None:
        """Like `over`, for a variable whose quotients and remainders index several dimensions."""
        if any(self.spans[d] != (0, 0) for d in moving):
            return None
        if not are_digits([self.bases[d] for d in moving], variable):
            return None
        extents = [self.bases[d].bounds[1] + 1 for d in moving]
        bases, spans = list(self.bases), list(self.spans)
        for d, extent in zip(moving, extents, strict=True):
            bases[d], spans[d] = Index(), (0, extent - 1)
        return replace(self, bases=tuple(bases), spans=tuple(spans))


def are_digits(indices: Sequence[Index], variable: Variable) -> bool:
    """Test whether indices are the digits of a variable, the most significant first, in some mixed radix."""
    extents = [index.bounds[1] + 1 for index in indices]
    if len(indices) < 2 or prod(extents) != variable.extent:
        return False
    rest = of_variable(variable)
    for index, following in zip(indices, _suffix_products(extents), strict=True):
        digit, rest = divide(rest, following)
        if index != digit:
            return False
    return True


def _suffix_products(extents: Sequence[int]) -> list[int]:
    found, product = [], 1
    for extent in reversed(extents):
        found.append(product)
        product *= extent
    return found[::-1]


def whole(buffer: Buffer) -> Coverage:
    """All elements of a buffer."""
    return Coverage(buffer, (ZERO,) * len(buffer.shape), tuple([(0, extent - 1) for extent in buffer.shape]))


def written_by(store: Store) -> Coverage:
    """The element that a store writes; constants of indices are in the spans, so that bases compare."""
    bases = tuple([index + -index.constant for index in store.indices])
    return Coverage(store.buffer, bases, tuple([(i.constant, i.constant) for i in store.indices]))


def covers(
    facts: Sequence[Coverage],
    indices: Indices,
    spans: Sequence[Span],
    bounds: Callable[[Index], Span],
) -> bool:
    """Test whether elements are all written.

    Args:
        facts: The written elements of the buffer.
        indices: The base index of each dimension.
        spans: The first and the last element of each dimension, relative to the base index.
        bounds: Returns the bounds of an index at the place of the read.
    """
    wanted: dict[Coverage, list[tuple[Span, Span]]] = {}
    for fact in facts:
        rows = []
        for index, span, base, known in zip(indices, spans, fact.bases, fact.spans, strict=True):
            low, high = bounds(index - base)
            rows.append(((low + span[0], high + span[1]), known))
        wanted[fact] = rows
    if any(all(_within(want, known) for want, known in rows) for rows in wanted.values()):
        return True
    if any(_covered_along(d, list(wanted.values())) for d in range(len(indices))):
        return True
    joined = _joined(facts)
    return len(joined) < len(facts) and covers(joined, indices, spans, bounds)


def _joined(facts: Sequence[Coverage]) -> list[Coverage]:
    """Join neighbouring facts of one buffer until no two of them can be joined."""
    found: list[Coverage] = []
    for fact in facts:
        for place, other in enumerate(found):
            both = other.joined(fact)
            if both is not None:
                del found[place]
                found = _joined([*found, both])
                break
        else:
            found.append(fact)
    return found


def _within(want: Span, known: Span) -> bool:
    return known[0] <= want[0] and want[1] <= known[1]


def _covered_along(d: int, rows: Sequence[Sequence[tuple[Span, Span]]]) -> bool:
    """Test whether facts together cover dimension `d`, of the facts that cover all other dimensions."""
    parts: dict[Span, list[Span]] = {}
    for row in rows:
        if all(_within(*each) for k, each in enumerate(row) if k != d):
            want, known = row[d]
            parts.setdefault((0, want[1] - want[0]), []).append((known[0] - want[0], known[1] - want[0]))
    for want, spans in parts.items():
        reached = want[0]
        for low, high in sorted(spans):
            if low <= reached:
                reached = max(reached, high + 1)
        if reached > want[1]:
            return True
    return False
