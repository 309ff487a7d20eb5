"""Polynomials of sizes: what a program costs for symbolic sizes, from its costs for a few numbers."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from functools import cache
from itertools import pairwise, product
from math import prod

from stablehlo_py.ir.records import dataclass

HIGHEST_DEGREE = 4  # of a size
_MOST_POINTS = 64  # of the grid

Point = tuple[int, ...]
Measure = Callable[[Point], Sequence[int]]


@dataclass(frozen=True, slots=True)
class Polynomial:
    """A polynomial of sizes.

    Attributes:
        names: The names of the sizes.
        terms: The coefficients by the powers of the sizes; none is 0.
    """

    names: tuple[str, ...]
    terms: Mapping[Point, Fraction]

    def at(self, sizes: Sequence[int]) -> Fraction:
        """Return the value for given sizes."""
        return sum((c * _power(sizes, powers) for powers, c in self.terms.items()), Fraction(0))

    def __str__(self) -> str:
        ordered = sorted(self.terms.items(), key=lambda term: (-sum(term[0]), [-power for power in term[0]]))
        text = " + ".join([self._term(powers, c) for powers, c in ordered]) or "0"
        return text.replace("+ -", "- ")

    def _term(self, powers: Point, coefficient: Fraction) -> str:
        sizes = [n if p == 1 else f"{n}^{p}" for n, p in zip(self.names, powers, strict=True) if p]
        if abs(coefficient) != 1 or not sizes:
            return "*".join([str(coefficient), *sizes])
        return f"{'-' if coefficient < 0 else ''}{'*'.join(sizes)}"


def fitted(
    names: Sequence[str], measure: Measure, first: int, step: int, far: int
) -> list[Polynomial | None]:
    """Return the polynomials of sizes that have the measured values.

    Args:
        names: The names of the sizes.
        measure: Returns the values of several quantities for given sizes. It is called with each size once.
        first: The least of the sizes to measure.
        step: The distance of the sizes to measure.
        far: The size, in steps from the first, whose measurement confirms the polynomials.

    Returns:
        The polynomial of each quantity; None if it has none of a degree up to HIGHEST_DEGREE in each size.
    """

    @cache
    def values(place: Point) -> Sequence[int]:
        return measure(tuple([first + step * each for each in place]))

    quantities = range(len(values((0,) * len(names))))
    degrees = [_degrees(values, axis, len(names)) for axis in range(len(names))]
    fits = [q for q in quantities if all(each[q] is not None for each in degrees)]
    highest = [max([each[q] or 0 for q in fits], default=0) for each in degrees]
    grid = list(product(*[range(degree + 1) for degree in highest]))
    found: list[Polynomial | None] = [None for _ in quantities]
    if len(grid) > _MOST_POINTS:
        return found
    sizes = [first + step * far for _ in names]
    confirmed = values((far,) * len(names))
    for q in fits:
        terms = {place: Fraction(values(place)[q]) for place in grid}
        for axis, degree in enumerate(highest):
            terms = _powers(terms, axis, [first + step * each for each in range(degree + 1)])
        made = Polynomial(tuple(names), {powers: c for powers, c in terms.items() if c})
        found[q] = made if made.at(sizes) == confirmed[q] else None
    return found


def _power(sizes: Sequence[int], powers: Point) -> int:
    return prod([size**power for size, power in zip(sizes, powers, strict=True)])


def _degrees(values: Measure, axis: int, axes: int) -> list[int | None]:
    """Return the degree of each quantity in a size, or None: its differences of the next order are 0."""
    lines: list[Sequence[int]] = []
    while True:
        lines.append(values(tuple([len(lines) if each == axis else 0 for each in range(axes)])))
        degrees = [_degree(line) for line in zip(*lines, strict=True)]
        if None not in degrees or len(lines) == HIGHEST_DEGREE + 2:
            return degrees


def _degree(line: Sequence[int]) -> int | None:
    """Return the degree of the values of a polynomial at equal distances, one more of them than it needs."""
    for degree in range(len(line) - 1):
        line = [b - a for a, b in pairwise(line)]
        if not any(line):
            return degree
    return None


def _powers(values: Mapping[Point, Fraction], axis: int, sizes: Sequence[int]) -> dict[Point, Fraction]:
    """Return the coefficients of the powers of one size for its values at an axis of a grid."""
    found: dict[Point, Fraction] = {}
    for place in values:
        if place[axis] == 0:
            keys = [(*place[:axis], at, *place[axis + 1 :]) for at in range(len(sizes))]
            coefficients = _interpolated([values[key] for key in keys], sizes)
            found.update(zip(keys, coefficients, strict=True))
    return found


def _interpolated(values: Sequence[Fraction], sizes: Sequence[int]) -> list[Fraction]:
    """Return the coefficients of the polynomial with these values, by Newton's divided differences."""
    table, newton = list(values), []
    for order in range(len(sizes)):
        newton.append(table[0])
        table = [(b - a) / (sizes[at + order + 1] - sizes[at]) for at, (a, b) in enumerate(pairwise(table))]
    found: list[Fraction] = []
    for size, value in zip(reversed(sizes), reversed(newton), strict=True):
        shifted = [Fraction(0), *found]
        found = [a - size * b for a, b in zip(shifted, [*found, Fraction(0)], strict=True)]
        found[0] += value
    return found
