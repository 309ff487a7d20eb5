"""Values at run time: three-valued logic, comparison, and arrays of constants."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from stablehlo_py.ir.attributes import DenseElementsAttr, StructAttr, bounds
from stablehlo_py.ir.types import MemRefType, QuantizedType, TensorType, Type, UnrankedTensorType
from stablehlo_py.notation.sorts import Undefined

Truth = bool | None
MOST_ELEMENTS = 1 << 24  # of a constant that is looked at: a splat of any size takes one line


def every(truths: Iterable[Truth]) -> Truth:
    """False if one is false, or else unknown if one is unknown, or else true."""
    found: Truth = True
    for truth in truths:
        if truth is None:
            found = None
        elif not truth:
            return False
    return found


def some(truths: Iterable[Truth]) -> Truth:
    """True if one is true, or else unknown if one is unknown, or else false."""
    return negate(every(negate(truth) for truth in truths))


def negate(truth: Truth) -> Truth:
    """Not; unknown stays unknown."""
    return None if truth is None else not truth


# Types -----------------------------------------------------------------------------------------------


def compatible(a: Type, b: Type) -> Truth:
    """`a = b`, as upstream compares types; unknown where a dimension that decides is unknown.

    Shapes must agree in rank and in every dimension that both know, and fit each other's bounds;
    element types must be the same, or quantized with the same storage, expressed type and granularity.
    A buffer goes with a tensor, whatever its layout.
    """
    if isinstance(a, TensorType | MemRefType):
        if a is b:
            return None if None in a.shape else True
        if isinstance(b, TensorType | MemRefType):
            return every((_elements_agree(a, b), equal(a.shape, b.shape), _fits(a, b), _fits(b, a)))
    if isinstance(a, UnrankedTensorType) or isinstance(b, UnrankedTensorType):
        return None if _elements_agree(a, b) else False
    return _same_element(a, b)


def _elements_agree(a: Type, b: Type) -> bool:
    return _same_element(getattr(a, "element_type", a), getattr(b, "element_type", b))


def _same_element(a: Type, b: Type) -> bool:
    if a is b:
        return True
    if isinstance(a, QuantizedType) and isinstance(b, QuantizedType):
        return _baseline(a) == _baseline(b)
    return False


def _baseline(q: QuantizedType) -> tuple[Any, ...]:
    return (q.storage_type, q.storage_min, q.storage_max, q.expressed_type, q.dimension is None)


def _fits(a: TensorType | MemRefType, b: TensorType | MemRefType) -> bool:
    """Whether no size of `a` is beyond a bound of `b`."""
    return all(
        limit is None or size is None or size <= limit
        for size, limit in zip(a.shape, bounds(b), strict=False)
    )


# Arrays ----------------------------------------------------------------------------------------------


def array_shape(array: Any) -> tuple[int | None, ...]:
    """The shape of an Array."""
    if isinstance(array, np.ndarray):
        return tuple(array.shape)
    if isinstance(array, TensorType):
        return array.shape
    if isinstance(type := getattr(array, "type", None), TensorType):
        return type.shape
    raise Undefined("not an array")


def elements(array: Any) -> np.ndarray[Any, Any] | None:
    """The elements of an Array, None where they are unknown or too many to look at (of a splat)."""
    if isinstance(array, DenseElementsAttr):
        return None if array.is_splat and (array.type.size or 0) > MOST_ELEMENTS else array.value
    return array if isinstance(array, np.ndarray) else None


def nested_list(x: Any) -> Any:
    """An Array as nested lists, with None for unknown elements; anything else as it is."""
    if isinstance(x, np.ndarray | DenseElementsAttr):
        data = elements(x)
        return None if data is None else data.tolist()
    if isinstance(x, TensorType):
        return (
            [None] * size if (size := x.size) is not None and x.rank == 1 and size <= MOST_ELEMENTS else None
        )
    return None if isinstance(x, StructAttr) else x


def as_list(array: Any) -> Any:
    """A one-dimensional Array as a list."""
    if len(array_shape(array)) != 1:
        raise Undefined("not a 1-dimensional array")
    return nested_list(array)


# Comparison ------------------------------------------------------------------------------------------

Test = Callable[[Any, Any], Truth]


def equal(a: Any, b: Any) -> Truth:
    """`a = b` on scalars, types and lists of them: equal lengths, then equal elements."""
    if a is None or b is None:
        return None
    a_many, b_many = isinstance(a, tuple | list), isinstance(b, tuple | list)
    if a_many and b_many:
        return every(map(equal, a, b)) if len(a) == len(b) else False
    if a_many or b_many:
        many, one = (a, b) if a_many else (b, a)
        return every(equal(x, one) for x in many)
    return compatible(a, b) if isinstance(a, Type) else bool(a == b)


def ordered(test: Test) -> Test:
    """`a < b` and so on, on scalars and on lists of equal length."""

    def compare(a: Any, b: Any) -> Truth:
        if a is None or b is None:
            return None
        a_many, b_many = isinstance(a, tuple | list), isinstance(b, tuple | list)
        if a_many and b_many:
            if len(a) != len(b):
                raise Undefined("lists of unequal length")
            return every(map(compare, a, b))
        if a_many:
            return every(compare(x, b) for x in a)
        if b_many:
            return every(compare(a, y) for y in b)
        return test(a, b)

    return compare


def member(x: Any, xs: Any) -> Truth:
    """`x in xs`."""
    return None if xs is None else some(equal(x, y) for y in xs)


def broadcast(function: Callable[..., Any], *arguments: Any) -> Any:
    """Applies a function of scalars element by element; scalars go with every element."""
    if any(a is None for a in arguments):
        return None
    many = [a for a in arguments if isinstance(a, tuple | list)]
    if not many:
        return function(*arguments)
    length = len(many[0])
    if any(len(a) != length for a in many):
        raise Undefined("lists of unequal length")
    rows = [a if isinstance(a, tuple | list) else (a,) * length for a in arguments]
    return [broadcast(function, *row) for row in zip(*rows, strict=True)]
