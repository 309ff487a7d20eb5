"""Affine indices: integers of loop variables, quotients, remainders and computed numbers.

An `Index` is a normal form: equal functions that are affine in the same atoms are equal values. So accesses
can be compared, bounds follow by interval arithmetic, and slices, reversals, transposes, broadcasts and most
reshapes cost nothing at run time.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from stablehlo_py.ir.records import KeepsHash, dataclass

if TYPE_CHECKING:
    from stablehlo_py.engines.native.loop_ir.expressions import Expression


@dataclass(frozen=True, slots=True)
class Variable(KeepsHash):
    """The variable of a loop, in `0 .. extent - 1`."""

    name: str
    extent: int

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True, slots=True)
class Quotient(KeepsHash):
    """A non-negative index divided by a constant, rounded down."""

    index: Index
    by: int

    @property
    def extent(self) -> int:
        """One more than the largest value."""
        return self.index.bounds[1] // self.by + 1

    def __str__(self) -> str:
        return f"({self.index}) / {self.by}"


@dataclass(frozen=True, slots=True)
class Remainder(KeepsHash):
    """The remainder of a non-negative index divided by a constant."""

    index: Index
    by: int

    @property
    def extent(self) -> int:
        """One more than the largest value."""
        return min(self.by, self.index.bounds[1] + 1)

    def __str__(self) -> str:
        return f"({self.index}) % {self.by}"


@dataclass(frozen=True, slots=True)
class Number:
    """A computed integer in `0 .. extent - 1`.

    Attributes:
        value: The integer.
        extent: One more than the largest value.
        clamps: Whether it is brought into that range, as the start of a dynamic slice is; else it is there.
    """

    value: Expression
    extent: int
    clamps: bool = True

    def __str__(self) -> str:
        return f"{'clamp' if self.clamps else 'within'}({self.value}, {self.extent})"


Atom = Variable | Quotient | Remainder | Number


class _Bounded(KeepsHash):
    """An index, which remembers its bounds."""

    __slots__ = ("_bounds",)
    _bounds: tuple[int, int]


@dataclass(frozen=True, slots=True)
class Index(_Bounded):
    """`constant + sum of coefficient * atom`; terms are sorted by the text of atoms, without zeros."""

    terms: tuple[tuple[Atom, int], ...] = ()
    constant: int = 0

    def __add__(self, other: Index | int) -> Index:
        if isinstance(other, int):
            return Index(self.terms, self.constant + other)
        total = dict(self.terms)
        for atom, coefficient in other.terms:
            total[atom] = total.get(atom, 0) + coefficient
        return normal(total, self.constant + other.constant)

    def __sub__(self, other: Index | int) -> Index:
        return self + (other * -1)

    def __mul__(self, factor: int) -> Index:
        if factor == 0:
            return ZERO
        return Index(tuple([(atom, c * factor) for atom, c in self.terms]), self.constant * factor)

    @property
    def is_constant(self) -> bool:
        """Test whether it is one number."""
        return not self.terms

    @property
    def bounds(self) -> tuple[int, int]:
        """The smallest and the largest value that its atoms allow."""
        try:
            return self._bounds
        except AttributeError:
            object.__setattr__(self, "_bounds", self.bounds_in({}))
            return self._bounds

    def bounds_in(self, ranges: Mapping[Atom, tuple[int, int]]) -> tuple[int, int]:
        """The smallest and the largest value, where some atoms are in narrower ranges."""
        low = high = self.constant
        for atom, coefficient in self.terms:
            first, last = ranges.get(atom) or (0, atom.extent - 1)
            ends = coefficient * first, coefficient * last
            low, high = low + min(ends), high + max(ends)
        return low, high

    def coefficient(self, atom: Atom) -> int:
        """The factor of an atom; 0 where it does not occur."""
        return next((c for other, c in self.terms if other == atom), 0)

    def without(self, *atoms: Atom) -> Index:
        """The rest of an index without the terms of some atoms."""
        return Index(tuple([term for term in self.terms if term[0] not in atoms]), self.constant)

    def __str__(self) -> str:
        parts = [_term(atom, coefficient) for atom, coefficient in self.terms]
        if self.constant or not parts:
            parts.append(str(self.constant))
        return " + ".join(parts).replace("+ -", "- ")


ZERO = Index()
Indices = tuple[Index, ...]
Condition = tuple[Index, int]  # the index is at least the bound


def _term(atom: Atom, coefficient: int) -> str:
    text = str(atom)
    if coefficient == 1:
        return text
    factor = f"({text})" if isinstance(atom, Quotient | Remainder) else text
    return f"-{factor}" if coefficient == -1 else f"{coefficient} * {factor}"


def normal(terms: Mapping[Atom, int], constant: int) -> Index:
    """The index of some terms, which may be zero, and a constant."""
    found = [(atom, coefficient) for atom, coefficient in terms.items() if coefficient]
    if len(found) > 1:
        found.sort(key=lambda term: str(term[0]))
    return Index(tuple(found), constant)


def of_variable(variable: Variable) -> Index:
    """The index that a variable is; a variable of extent 1 is 0."""
    return of_atom(variable)


def of_atom(atom: Atom) -> Index:
    """The index that an atom is; one of extent 1 is 0."""
    return Index(((atom, 1),)) if atom.extent != 1 else ZERO


def is_variable(index: Index, variable: Variable) -> bool:
    """Test whether an index is a variable by itself."""
    return index == of_variable(variable)


def variables_of(index: Index) -> set[Variable]:
    """The loop variables of an index, except for variables inside of computed numbers."""
    found: set[Variable] = set()
    for atom, _ in index.terms:
        match atom:
            case Variable():
                found.add(atom)
            case Quotient(inner) | Remainder(inner):
                found |= variables_of(inner)
    return found


def negated(conditions: Sequence[Condition]) -> tuple[Condition, ...]:
    """What is known if conditions do not all hold: nothing of several ones, each of which may hold."""
    return tuple([(index * -1, 1 - bound) for index, bound in conditions]) if len(conditions) == 1 else ()


def row_major(shape: Sequence[int]) -> tuple[int, ...]:
    """The strides, in elements, of a dense array of a shape."""
    strides = [1] * len(shape)
    for d in range(len(shape) - 2, -1, -1):
        strides[d] = strides[d + 1] * shape[d + 1]
    return tuple(strides)


def linear(indices: Indices, shape: Sequence[int]) -> Index:
    """The offset of an element in a dense array of a shape, in elements."""
    total: dict[Atom, int] = {}
    constant = 0
    for index, stride in zip(indices, row_major(shape), strict=True):
        constant += index.constant * stride
        for atom, coefficient in index.terms:
            total[atom] = total.get(atom, 0) + coefficient * stride
    return _undivided(normal(total, constant))


def _undivided(index: Index) -> Index:
    """An index whose quotients and remainders are put together again: `5 * (i / 5) + i % 5` is `i`."""
    for atom, coefficient in index.terms:
        if isinstance(atom, Remainder):
            quotient = Quotient(atom.index, atom.by)
            if index.coefficient(quotient) == coefficient * atom.by:
                rest = tuple([term for term in index.terms if term[0] not in (atom, quotient)])
                return _undivided(Index(rest, index.constant) + atom.index * coefficient)
    return index


def divide(index: Index, by: int) -> tuple[Index, Index]:
    """The quotient and the remainder of a non-negative index: split by its terms where that is exact."""
    whole: dict[Atom, int] = {}
    rest: dict[Atom, int] = {}
    for atom, coefficient in index.terms:
        (whole if coefficient % by == 0 else rest)[atom] = coefficient
    quotient, constant = divmod(index.constant, by)
    remainder = normal(rest, constant)
    low, high = remainder.bounds
    if low >= 0 and high < by:
        return normal({atom: c // by for atom, c in whole.items()}, quotient), remainder
    return of_atom(Quotient(index, by)), of_atom(Remainder(index, by))


def reshape(indices: Indices, source: Sequence[int], target: Sequence[int]) -> Indices:
    """Convert the indices of an element in an array of shape `source` to its indices in shape `target`.

    Dimensions are converted in groups of equal products, so that unchanged dimensions need no arithmetic.
    """
    result: list[Index] = []
    i = j = 0
    while i < len(source) or j < len(target):
        first_i, first_j = i, j
        have = want = 1
        if i < len(source):
            have, i = source[i], i + 1
        if j < len(target):
            want, j = target[j], j + 1
        while have != want:
            if have < want:
                have, i = have * source[i], i + 1
            else:
                want, j = want * target[j], j + 1
        result += _regroup(indices[first_i:i], source[first_i:i], target[first_j:j])
    return tuple(result)


def _regroup(indices: Indices, source: Sequence[int], target: Sequence[int]) -> list[Index]:
    """Convert the indices of one group of dimensions; both shapes have the same number of elements."""
    if tuple(source) == tuple(target):
        return list(indices)
    flat = linear(indices, source)
    found: list[Index] = []
    for size, stride in zip(target, row_major(target), strict=True):
        if size == 1:
            found.append(ZERO)
        elif stride == 1:
            found.append(flat)
        else:
            quotient, flat = divide(flat, stride)
            found.append(quotient)
    return found


def substituted(
    index: Index, values: Mapping[Variable, Index], value_of: Callable[[Expression], Expression]
) -> Index:
    """Replace loop variables in an index.

    Args:
        index: The index.
        values: The replacement of each variable.
        value_of: Returns the replacement of the expression of a computed number.
    """
    total: dict[Atom, int] = {}
    constant = index.constant
    for atom, coefficient in index.terms:
        match atom:
            case Variable():
                found = values[atom] if atom in values else of_atom(atom)
            case Quotient(inner, by):
                found = divide(substituted(inner, values, value_of), by)[0]
            case Remainder(inner, by):
                found = divide(substituted(inner, values, value_of), by)[1]
            case Number(value, extent, clamps):
                found = of_atom(Number(value_of(value), extent, clamps))
        if index.terms == ((atom, 1),) and not index.constant:
            return found
        constant += found.constant * coefficient
        for inner_atom, factor in found.terms:
            total[inner_atom] = total.get(inner_atom, 0) + factor * coefficient
    return normal(total, constant)
