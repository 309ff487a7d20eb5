"""Notation functions on numbers, lists and arrays."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any

from stablehlo_py.ir.attributes import DenseElementsAttr
from stablehlo_py.notation.registry import defined
from stablehlo_py.notation.sorts import Undefined
from stablehlo_py.notation.values import Truth, array_shape, elements, equal, every, nested_list

Size = int | None
Sizes = Sequence[Size]

_ELEMENTWISE: tuple[tuple[tuple[str, ...], Callable[..., Any]], ...] = (
    (("+(Int, Int) -> Int", "+(Float, Float) -> Float"), operator.add),
    (("-(Int, Int) -> Int", "-(Float, Float) -> Float"), operator.sub),
    (("*(Int, Int) -> Int", "*(Float, Float) -> Float"), operator.mul),
    (("negative(Int) -> Int", "negative(Float) -> Float"), operator.neg),
    (("max(Int, Int) -> Int",), max),
    (("min(Int, Int) -> Int",), min),
    (("floor(Int) -> Int",), math.floor),
    (("ceil(Int) -> Int",), math.ceil),
    (("is_finite(Float) -> Bool",), math.isfinite),
    (("is_negative(Float) -> Bool",), lambda x: math.copysign(1, x) < 0),  # also of -0.0
)
for _signatures, _function in _ELEMENTWISE:
    defined(*_signatures, elementwise=True)(_function)

_LONGEST = 1 << 24  # integers in a list


@defined("/(Int, Int) -> Int", elementwise=True)
def divide(a: Any, b: Any) -> Any:
    """The exact quotient: a fraction if the division is not exact."""
    if b == 0:
        raise Undefined("division by zero")
    if not a % b:
        return int(a // b)
    from fractions import Fraction  # slow to import

    return Fraction(a) / Fraction(b)


@defined("floor(Int, Int) -> Int", elementwise=True)
def divide_down(a: Any, b: Any) -> Any:
    """The quotient, rounded down: `floor(a / b)` without a fraction, whose module is slow to import."""
    if b == 0:
        raise Undefined("division by zero")
    return int(a // b)


@defined("ceil(Int, Int) -> Int", elementwise=True)
def divide_up(a: Any, b: Any) -> Any:
    """The quotient, rounded up: `ceil(a / b)` without a fraction."""
    return -divide_down(-a, b)


@defined("%(Int, Int) -> Int", elementwise=True)
def modulo(a: int, b: int) -> int:
    """The remainder, with the sign of `b`."""
    if b == 0:
        raise Undefined("division by zero")
    return a % b


@defined("range(Int) -> List[Int]", "range(Int, Int) -> List[Int]")
def range_(*limits: int) -> list[int]:
    """The integers from 0, or from the first argument, up to and excluding the last argument."""
    found = range(*limits)
    if found and found[-1] - found[0] > _LONGEST:
        raise Undefined("a list that is too long")
    return list(found)


@defined("shape(Array) -> List[Int]")
def shape_of_array(array: object) -> Sizes:
    """The shape of a constant."""
    return array_shape(array)


@defined("size(Array) -> Int")
def size_of_array(array: object) -> Size:
    """The number of elements of a constant."""
    sizes = array_shape(array)
    return None if None in sizes else math.prod(s for s in sizes if s is not None)


@defined("size(List[T]) -> Int")
def size_of_list(xs: Sequence[object]) -> int:
    """The number of elements."""
    return len(xs)


@defined("shape(List[T]) -> List[Int]")
def shape_of_list(xs: Sequence[Any]) -> list[int]:
    """The lengths of nested lists, which must agree."""
    if not xs or not isinstance(xs[0], tuple | list):
        return [len(xs)]
    if any(len(x) != len(xs[0]) for x in xs):
        raise Undefined("nested lists of unequal length")
    return [len(xs), *shape_of_list(xs[0])]


@defined("rank(Array) -> Int")
def rank_of_array(array: object) -> int:
    """The number of dimensions of a constant."""
    return len(array_shape(array))


@defined("dim(Array, Int) -> Int")
def dim_of_array(array: object, axis: int) -> Size:
    """The size of one dimension of a constant."""
    sizes = array_shape(array)
    if not -len(sizes) <= axis < len(sizes):
        raise Undefined("axis out of range")
    return sizes[axis]


@defined("values(Array) -> List[Int]")
def values(array: Sequence[object]) -> Sequence[object]:
    """The elements of a 1-dimensional constant."""
    if len(array_shape(array)) != 1:
        raise Undefined("not a 1-dimensional array")
    found: Sequence[object] = nested_list(array)
    return found


@defined("is_dense(Array) -> Bool")
def is_dense(array: object) -> bool:
    """Test whether the elements of a constant are available."""
    return elements(array) is not None


@defined("flatten(Array) -> List[Int]")
def flatten(array: object) -> Sequence[object] | None:
    """The elements of a constant of any rank, in row-major order, or unknown.

    Two elements stand for those of a splat that is too large to expand.
    """
    data = elements(array)
    if data is not None:
        return list(data.reshape(-1).tolist())
    return list(array.data.tolist()) * 2 if isinstance(array, DenseElementsAttr) else None


@defined("is_empty(List[T]) -> Bool")
def is_empty(xs: Sequence[object]) -> bool:
    """Test whether a list has no elements."""
    return not xs


@defined("is_unique(Array) -> Bool")
def is_unique_array(array: object) -> Truth:
    """Test whether no two elements of a constant are equal."""
    data = elements(array)
    return None if data is None else is_unique(data.reshape(-1).tolist())


@defined("is_unique(Each[T]) -> Bool")
def is_unique(xs: Sequence[object]) -> Truth:
    """Test whether no two elements are equal."""
    known = [tuple(x) if isinstance(x, list) else x for x in xs if x is not None]
    if len(set(known)) < len(known):
        return False
    return True if len(known) == len(xs) else None


@defined("is_sorted(Each[Int]) -> Bool")
def is_sorted(xs: Sequence[Any]) -> Truth:
    """Test whether the elements are in ascending order."""
    return every(None if a is None or b is None else a <= b for a, b in pairwise(xs))


@defined("same(Each[T]) -> Bool")
def same(xs: Sequence[Any]) -> Truth:
    """Test whether all elements are equal; true if there are none."""
    if all(x is xs[0] for x in xs):
        return equal(xs[0], xs[0]) if xs else True
    different = distinct(xs)
    return every(equal(x, y) for i, x in enumerate(different) for y in different[: i + 1])


@defined("distinct(Each[T]) -> List[T]")
def distinct(xs: Sequence[Any]) -> list[Any]:
    """The elements without duplicates, which bounds the number of pairs to compare."""
    return list({_hashable(x): x for x in xs}.values())


def _hashable(x: Any) -> Any:
    return tuple(map(_hashable, x)) if isinstance(x, list | tuple) else x


@defined("sorted(Each[Int]) -> List[Int]")
def sorted_(xs: Sequence[Any]) -> list[Any] | None:
    """The elements in ascending order."""
    return None if None in xs else sorted(xs)


@defined("sum(Each[Int]) -> Int", "sum(Each[Float]) -> Float")
def total(xs: Sequence[Any]) -> Any:
    """The sum of the elements."""
    return None if None in xs else sum(xs)


@defined("product(Each[Int]) -> Int")
def product(xs: Sequence[Any]) -> Any:
    """The product of the elements; 1 if there are none."""
    return None if None in xs else math.prod(xs)


@defined("is_possible(Bool) -> Bool", lenient=True)
def is_possible(truth: Truth) -> bool:
    """Test whether a condition is true or unknown."""
    return truth is not False


@defined("is_known(Int) -> Bool", lenient=True)
def is_known(size: Size) -> bool:
    """Test whether a size is known."""
    return size is not None


@defined("concatenate(List[T], List[T]) -> List[T]")
def concatenate(xs: Sequence[object], ys: Sequence[object]) -> list[object]:
    """The concatenation of two lists."""
    return [*xs, *ys]


def _positions(xs: Sequence[object], positions: Sequence[Size]) -> list[int]:
    """Normalize positions; negative ones count from the end."""
    if any(p is None or not -len(xs) <= p < len(xs) for p in positions):
        raise Undefined("position out of range")
    return [p % len(xs) for p in positions if p is not None]


@defined("drop(List[T], List[Int]) -> List[T]")
def drop(xs: Sequence[object], positions: Sequence[Size]) -> list[object]:
    """`xs`, "except that the elements corresponding to `positions` are not included"."""
    gone = set(_positions(xs, positions))
    return [x for i, x in enumerate(xs) if i not in gone]


@defined("drop(List[T], Int) -> List[T]")
def drop_one(xs: Sequence[object], position: int) -> list[object]:
    """`xs` without the element at a position; unchanged if the position is `size(xs)`."""
    return list(xs) if position == len(xs) else drop(xs, [position])


@defined("replace(List[T], List[Int], List[T]) -> List[T]", lenient=True)
def replace(
    xs: Sequence[object] | None, positions: Sequence[Size] | None, new: Sequence[object] | None
) -> list[object] | None:
    """`xs`, "except for" `new` at `positions`."""
    if xs is None or positions is None or new is None:
        return None
    found = list(xs)
    if len(positions) != len(new):
        raise Undefined("lists of unequal length")
    for position, value in zip(_positions(xs, positions), new, strict=True):
        found[position] = value
    return found


@defined("replace(List[T], Int, T) -> List[T]", lenient=True)
def replace_one(xs: Sequence[object] | None, position: Size, new: object) -> list[object] | None:
    """`xs`, "except for" `new` at `position`."""
    return None if xs is None or position is None else replace(xs, [position], [new])


@defined("combine(List[T], List[T], List[Int]) -> List[T]")
def combine(xs: Sequence[object], ys: Sequence[object], positions: Sequence[int]) -> list[object]:
    """The list with `ys` "at axes corresponding to" `positions`, and `xs` at the others."""
    length = len(xs) + len(ys)
    places = dict(zip(positions, ys, strict=False))
    if len(places) != len(ys) or any(not 0 <= p < length for p in places):
        raise Undefined("positions out of range or duplicate")
    rest = iter(xs)
    return [places[i] if i in places else next(rest) for i in range(length)]


@defined("num_windows(List[Int], List[Int], List[Int], List[List[Int]], List[Int], List[Int]) -> List[Int]")
def num_windows(
    sizes: Sizes, window: Sizes, strides: Sizes, padding: Sequence[Sizes], base: Sizes, dilations: Sizes
) -> list[Size]:
    """The number of windows along each dimension, after dilation and padding."""
    columns = (sizes, window, strides, padding, base, dilations)
    if len({len(column) for column in columns}) > 1:
        raise Undefined("lists of unequal length")
    return [_num_windows(*row) for row in zip(*columns, strict=True)]


@defined("num_windows(List[Int], List[Int], List[Int], Array, List[Int], List[Int]) -> List[Int]")
def num_windows_array(
    sizes: Sizes, window: Sizes, strides: Sizes, padding: object, base: Sizes, dilations: Sizes
) -> list[Size] | None:
    """The number of windows along each dimension, with the padding as a constant."""
    pairs = nested_list(padding)
    if pairs is None:
        return None
    if len(array_shape(padding)) != 2 or array_shape(padding)[1] != 2:
        raise Undefined("padding is not a list of pairs")
    return num_windows(sizes, window, strides, pairs, base, dilations)


def _num_windows(size: Any, window: Any, stride: Any, pads: Sizes, base: Any, dilation: Any) -> Size:
    low, high = pads
    if low is None or high is None or None in (size, window, stride, base, dilation):
        return None
    if stride <= 0:
        raise Undefined("stride is not positive")
    padded = low + _dilated(size, base) + high
    reach = _dilated(window, dilation)
    return 0 if padded == 0 or reach > padded else (padded - reach) // stride + 1


def _dilated(size: int, dilation: int) -> int:
    """The size of a dimension dilated by a factor."""
    return 0 if size == 0 else (size - 1) * dilation + 1
