"""Index spaces: the indices of elements as affine expressions of loop variables.

An index is kept symbolic until an address needs it. So slices, reversals, transposes, broadcasts and most
reshapes cost nothing at run time, and the accesses of a loop can be compared: whether they run along memory,
and whether two neighbouring loops may be one.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import NamedTuple

from stablehlo_py.engines.native.arithmetic.llvm_ir import Builder, Value
from stablehlo_py.ir.records import dataclass


class Variable(NamedTuple):
    """An i64 that indices are made of: a loop's index, a part of one, or a computed one.

    Attributes:
        text: its name.
        extent: it is in `0 .. extent - 1`.
        whole: for a part, the index of one dimension of several that one loop runs through, the variable of
            that loop: the part is `whole // stride % extent`.
        stride: see `whole`.
    """

    text: str
    extent: int
    whole: Variable | None = None
    stride: int = 1

    def emit(self, b: Builder) -> Value:
        """The variable as an i64."""
        if self.whole is None:
            return b.value(self.text, "i64")
        found = b.value(self.whole.text, "i64")
        if self.stride != 1:
            found = b.emit("i64", f"udiv i64 {found.text}, {self.stride}")
        if self.stride * self.extent != self.whole.extent:
            found = b.emit("i64", f"urem i64 {found.text}, {self.extent}")
        return found


Term = tuple[Variable, int]


@dataclass(frozen=True, slots=True)
class Index:
    """`constant + sum of coefficient * variable`; terms are sorted by variable, without zeros."""

    terms: tuple[Term, ...] = ()
    constant: int = 0

    def __add__(self, other: Index | int) -> Index:
        if isinstance(other, int):
            return Index(self.terms, self.constant + other)
        if not other.terms:
            return Index(self.terms, self.constant + other.constant)
        total = dict(self.terms)
        for variable, coefficient in other.terms:
            total[variable] = total.get(variable, 0) + coefficient
        return Index(_sorted(total), self.constant + other.constant)

    def __mul__(self, factor: int) -> Index:
        if factor == 1:
            return self
        if factor == 0:
            return ZERO
        return Index(tuple([(v, c * factor) for v, c in self.terms]), self.constant * factor)

    def __rsub__(self, other: int) -> Index:
        return self * -1 + other

    @property
    def is_constant(self) -> bool:
        """Test whether it is the same in all iterations."""
        return not self.terms

    @property
    def bounds(self) -> tuple[int, int]:
        """The smallest and the largest value that the terms allow."""
        low = high = self.constant
        for variable, coefficient in self.terms:
            reach = coefficient * (variable.extent - 1)
            low, high = low + min(reach, 0), high + max(reach, 0)
        return low, high

    def coefficient(self, variable: Variable) -> int:
        """The factor of a variable; 0 where it does not occur."""
        return next((c for v, c in self.terms if v == variable), 0)

    def emit(self, b: Builder) -> Value:
        """The index as an i64."""
        result: Value | None = None
        for variable, coefficient in _with_whole(self.terms):
            term = variable.emit(b)
            if coefficient != 1:
                term = term * coefficient
            result = term if result is None else result + term
        if result is None:
            return b.constant(self.constant, "i64")
        return result + self.constant if self.constant else result


ZERO = Index()
Indices = tuple[Index, ...]


def _sorted(terms: dict[Variable, int]) -> tuple[Term, ...]:
    return tuple(sorted(((v, c) for v, c in terms.items() if c), key=lambda term: term[0].text))


def _part(whole: Variable, stride: int, extent: int) -> Variable:
    """A part of a variable; the variable itself where that is all of it."""
    if stride == 1 and extent == whole.extent:
        return whole
    return Variable(f"{whole.text}.{stride}.{extent}", extent, whole, stride)


def _with_whole(terms: Sequence[Term]) -> list[Term]:
    """Terms with neighbouring parts of a variable joined, where their coefficients are as for one part."""
    found = [term for term in terms if term[0].whole is None]
    parts = [(variable.whole, variable, c) for variable, c in terms if variable.whole is not None]
    for whole in dict.fromkeys(whole for whole, _, _ in parts):
        low, *others = sorted([(v, c) for of, v, c in parts if of == whole], key=lambda term: term[0].stride)
        for high, coefficient in others:
            part, least = low
            if high.stride == part.stride * part.extent and coefficient == least * part.extent:
                low = _part(whole, part.stride, part.extent * high.extent), least
            else:
                found.append(low)
                low = high, coefficient
        found.append(low)
    return found


def loop_parts(index: Index, extents: Sequence[int], b: Builder) -> Indices:
    """The indices of dimensions that one loop runs through, of which the first ones vary the least.

    They are parts of the loop's index, so that what holds of the indices of separate loops holds of them, and
    an offset that runs along memory is the loop's index again.
    """
    if index.is_constant:
        return unraveled(index.constant, extents)
    if sum(extent != 1 for extent in extents) == 1:
        return tuple([index if extent != 1 else ZERO for extent in extents])
    whole = Variable(index.emit(b).text, prod(extents))
    strides = row_major(extents)
    return tuple([of_variable(_part(whole, s, extent)) for s, extent in zip(strides, extents, strict=True)])


def unraveled(place: int, extents: Sequence[int]) -> Indices:
    """The indices of the element at a place in row-major order."""
    columns = zip(row_major(extents), extents, strict=True)
    return tuple([Index((), place // stride % extent) for stride, extent in columns])


def of_variable(variable: Variable) -> Index:
    """The index that a variable is; a variable of extent 1 is 0."""
    return Index(((variable, 1),)) if variable.extent != 1 else ZERO


def computed(value: Value, extent: int) -> Index:
    """The index that an i64 holds, which is known to be in `0 .. extent - 1`."""
    return of_variable(Variable(value.text, extent))


def row_major(shape: Sequence[int]) -> tuple[int, ...]:
    """The strides, in elements, of a dense array of a shape."""
    strides = [1] * len(shape)
    for d in range(len(shape) - 2, -1, -1):
        strides[d] = strides[d + 1] * shape[d + 1]
    return tuple(strides)


def linear(indices: Indices, strides: Sequence[int]) -> Index:
    """The offset of an element, in elements."""
    constant = 0
    total: dict[Variable, int] = {}
    for index, stride in zip(indices, strides, strict=True):
        constant += index.constant * stride
        for variable, coefficient in index.terms:
            total[variable] = total.get(variable, 0) + coefficient * stride
    return Index(_sorted(total), constant)


def divide(index: Index, by: int, b: Builder) -> tuple[Index, Index]:
    """The quotient and the remainder of a non-negative index: split by its terms where that is exact."""
    whole: dict[Variable, int] = {}
    rest: dict[Variable, int] = {}
    for variable, coefficient in index.terms:
        (whole if coefficient % by == 0 else rest)[variable] = coefficient
    quotient, constant = divmod(index.constant, by)
    remainder = Index(_sorted(rest), constant)
    low, high = remainder.bounds
    if low >= 0 and high < by:
        return Index(_sorted({v: c // by for v, c in whole.items()}), quotient), remainder
    value = index.emit(b)
    top = index.bounds[1]
    divisor = b.constant(by, "i64")
    found = b.emit("i64", f"udiv i64 {value.text}, {divisor.text}")
    left = b.emit("i64", f"urem i64 {value.text}, {divisor.text}")
    return computed(found, top // by + 1), computed(left, by)


def reshape(indices: Indices, source: Sequence[int], target: Sequence[int], b: Builder) -> Indices:
    """The indices in an array of shape `target` of the element that has `indices` in one of shape `source`.

    Dimensions are taken in groups of equal products, so that those that stay need no arithmetic.
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
        result += _regroup(indices[first_i:i], source[first_i:i], target[first_j:j], b)
    return tuple(result)


def _regroup(indices: Indices, source: Sequence[int], target: Sequence[int], b: Builder) -> list[Index]:
    """The indices in one group of dimensions, whose sizes have the same product."""
    if tuple(source) == tuple(target):
        return list(indices)
    flat = linear(indices, row_major(source))
    found: list[Index] = []
    strides = row_major(target)
    for size, stride in zip(target, strides, strict=True):
        if size == 1:
            found.append(ZERO)
        elif stride == 1:
            found.append(flat)
        else:
            quotient, flat = divide(flat, stride, b)
            found.append(quotient)
    return found
