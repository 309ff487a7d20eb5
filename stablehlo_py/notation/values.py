"""Run-time support: three-valued logic, comparison, and the elements of constants."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import repeat
from typing import Any

import numpy as np

from stablehlo_py.ir.attributes import DenseElementsAttr, StructAttr, bounds
from stablehlo_py.ir.core import Value
from stablehlo_py.ir.types import MemRefType, QuantizedType, TensorType, Type, UnrankedTensorType
from stablehlo_py.notation.sorts import Undefined

Truth = bool | None
_LISTS = (tuple, list)
_INT = frozenset([int])
_SHAPED = (TensorType, MemRefType)
_ARRAYS = (np.ndarray, DenseElementsAttr)
MOST_ELEMENTS = 1 << 24  # expanded elements of a splat, whose size the text does not bound


def every(truths: Iterable[Truth]) -> Truth:
    """Three-valued conjunction: False if one is false, else None if one is unknown, else True."""
    found: Truth = True
    for truth in truths:
        if truth is None:
            found = None
        elif not truth:
            return False
    return found


def some(truths: Iterable[Truth]) -> Truth:
    """Three-valued disjunction: True if one is true, else None if one is unknown, else False."""
    found: Truth = False
    for truth in truths:
        if truth:
            return True
        if truth is None:
            found = None
    return found


def negate(truth: Truth) -> Truth:
    """Three-valued negation: unknown stays unknown."""
    return None if truth is None else not truth


# Types -----------------------------------------------------------------------------------------------


def compatible(a: Type, b: Type) -> Truth:
    """Evaluate `a = b` on types, as upstream compares them.

    Shapes must have the same rank, equal known dimensions, and sizes within each other's bounds. Element
    types must be identical, or quantized with the same storage type, expressed type and granularity. A
    buffer type is compatible with a tensor type, whatever its layout.

    Returns:
        The result, or None if it depends on an unknown dimension.
    """
    if isinstance(a, _SHAPED):
        if a is b:
            return None if None in a.shape else True
        if isinstance(b, _SHAPED):
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
    return (
        q.storage_type,
        q.has_unsigned_storage,
        q.storage_min,
        q.storage_max,
        q.expressed_type,
        q.dimension is None,
    )


def _fits(a: TensorType | MemRefType, b: TensorType | MemRefType) -> bool:
    """Test whether no size of `a` exceeds a bound of `b`."""
    return all(
        limit is None or size is None or size <= limit
        for size, limit in zip(a.shape, bounds(b), strict=False)
    )


# Arrays ----------------------------------------------------------------------------------------------


def array_shape(array: Any) -> tuple[int | None, ...]:
    """Return the shape of an Array; raise Undefined for any other value."""
    if isinstance(array, np.ndarray):
        return tuple(array.shape)
    if isinstance(array, TensorType):
        return array.shape
    if isinstance(type := getattr(array, "type", None), TensorType):
        return type.shape
    raise Undefined("not an array")


def elements(array: Any) -> np.ndarray[Any, Any] | None:
    """Return the elements of an Array, or None if they are unknown, or a splat too large to expand."""
    if isinstance(array, DenseElementsAttr):
        return None if array.is_splat and (array.type.size or 0) > MOST_ELEMENTS else array.value
    if not isinstance(array, np.ndarray) or (array.size > MOST_ELEMENTS and not any(array.strides)):
        return None
    return array


def nested_list(x: Any) -> Any:
    """Convert an Array to nested lists, with None for unknown elements; return other values unchanged."""
    if isinstance(x, _ARRAYS):
        data = elements(x)
        return None if data is None else data.tolist()
    if isinstance(x, TensorType):
        return (
            [None] * size if (size := x.size) is not None and x.rank == 1 and size <= MOST_ELEMENTS else None
        )
    return None if isinstance(x, StructAttr) else x


def as_list(array: Any) -> Any:
    """Convert a 1-dimensional Array to a list; raise Undefined for another rank."""
    if len(array_shape(array)) != 1:
        raise Undefined("not a 1-dimensional array")
    return nested_list(array)


# Rows ------------------------------------------------------------------------------------------------


def rows_of(columns: Sequence[Sequence[Any]]) -> Iterator[tuple[tuple[Any, ...], bool]]:
    """Yield the rows of columns, each with True if it looks as the row before.

    An op may have a million operands of one type; values look the same if their types are the same.
    """
    if len(columns[0]) == 1:
        yield tuple([column[0] for column in columns]), False
        return
    looks = [[each.type if isinstance(each, Value) else each for each in column] for column in columns]
    identities = zip(*[map(id, column) for column in looks], strict=True)
    before: tuple[int, ...] = ()
    for row, identity in zip(zip(*columns, strict=True), identities, strict=True):
        yield row, identity == before
        before = identity


# Comparison ------------------------------------------------------------------------------------------

Test = Callable[[Any, Any], Truth]


def equal(a: Any, b: Any) -> Truth:
    """Evaluate `a = b` on scalars, types and lists of them; lists of different lengths are unequal."""
    if a.__class__ is int and b.__class__ is int:  # as most values are
        return bool(a == b)
    if a is None or b is None:
        return None
    a_many, b_many = isinstance(a, _LISTS), isinstance(b, _LISTS)
    if a_many and b_many:
        return every(map(equal, a, b)) if len(a) == len(b) else False
    if a_many or b_many:
        many, one = (a, b) if a_many else (b, a)
        return every(map(equal, many, repeat(one)))
    return compatible(a, b) if isinstance(a, Type) else bool(a == b)


def ordered(test: Test) -> Test:
    """Extend an order such as `a < b` on scalars to lists of equal length."""

    def compare(a: Any, b: Any) -> Truth:
        if a.__class__ is int and b.__class__ is int:  # as most values are
            return test(a, b)
        if a is None or b is None:
            return None
        a_many, b_many = isinstance(a, _LISTS), isinstance(b, _LISTS)
        if a_many and b_many:
            if len(a) != len(b):
                raise Undefined("lists of unequal length")
            return every(map(compare, a, b))
        if a_many:
            return every(map(compare, a, repeat(b)))
        if b_many:
            return every(map(compare, repeat(a), b))
        return test(a, b)

    return compare


def member(x: Any, xs: Any) -> Truth:
    """Evaluate `x in xs`."""
    return None if xs is None else some(map(equal, repeat(x), xs))


def broadcast(function: Callable[..., Any], *arguments: Any) -> Any:
    """Apply a function of scalars element by element; scalar arguments are repeated."""
    lengths = set()
    for argument in arguments:
        if argument is None:
            return None
        if isinstance(argument, _LISTS):
            lengths.add(len(argument))
    if not lengths:
        return function(*arguments)
    if len(lengths) > 1:
        raise Undefined("lists of unequal length")
    (length,) = lengths
    columns = [a if isinstance(a, _LISTS) else (a,) * length for a in arguments]
    return [
        function(*row) if _INT.issuperset(map(type, row)) else broadcast(function, *row)
        for row in zip(*columns, strict=True)
    ]
