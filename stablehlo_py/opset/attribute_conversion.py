"""Conversion between attributes and Python values.

The functions here handle classes of attributes; `opset.kinds` assigns them to the kinds.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from stablehlo_py.ir.attributes import (
    ArrayAttr,
    Attribute,
    BoolAttr,
    DenseArrayAttr,
    DenseElementsAttr,
    DictAttr,
    EnumAttr,
    FloatAttr,
    IntegerAttr,
    StringAttr,
    SymbolRefAttr,
    TypeAttr,
    UnitAttr,
)
from stablehlo_py.ir.element_types import element_type_of
from stablehlo_py.ir.types import F64, I1, I64, INDEX, IntegerType, TensorType, Type

MOST_INTEGERS = 1 << 16  # maximum size of a splat that is expanded to a list
UNKNOWN_SIZE = -(1 << 63)  # MLIR's encoding of `?` in a list of integers

FromPython = Callable[[Any], Attribute]


def read_only(array: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Make an array read-only and return it."""
    array.flags.writeable = False
    return array


# To Python


def python_value(attribute: Any) -> Any:
    """Convert an attribute to a Python value; return any other value unchanged.

    Args:
        attribute: The attribute.

    Returns:
        int, float or bool; str for a string, a symbol and an enumeration; a tuple for arrays; a read-only
        NumPy array for elements; a Type; a dict for a dictionary; the attribute itself for a structure and
        for attributes of other dialects.
    """
    convert = _TO_PYTHON.get(type(attribute))
    return attribute if convert is None else convert(attribute)


_TO_PYTHON: dict[type, Callable[[Any], Any]] = {
    UnitAttr: lambda a: True,
    BoolAttr: lambda a: a.value,
    IntegerAttr: lambda a: a.value,
    FloatAttr: lambda a: a.value,
    StringAttr: lambda a: a.value,
    SymbolRefAttr: lambda a: "::".join((a.root, *a.nested)),
    TypeAttr: lambda a: a.value,
    EnumAttr: lambda a: a.value,
    ArrayAttr: lambda a: tuple([python_value(item) for item in a.value]),
    DenseArrayAttr: lambda a: tuple(a.value),
    DenseElementsAttr: lambda a: a.value,
    DictAttr: lambda a: {name: python_value(value) for name, value in a},
}


def flat_list(attribute: Any) -> Any:
    """Convert an array of numbers; the elements of a dense constant become a tuple."""
    if isinstance(attribute, DenseElementsAttr):
        return tuple(attribute.value.reshape(-1).tolist())
    return python_value(attribute)


def known_sizes(attribute: Any) -> Any:
    """Convert a list of dimension sizes; an unknown size becomes None."""
    value = python_value(attribute)
    return tuple([None if x == UNKNOWN_SIZE else x for x in value]) if isinstance(value, tuple) else value


def integers_in(attribute: Attribute) -> tuple[int, ...] | None:
    """Return the integers of a list attribute, in any of its spellings; None for another attribute."""
    match attribute:
        case DenseArrayAttr(IntegerType(), value):
            return tuple([int(v) for v in value])
        case DenseElementsAttr(type=TensorType((int(size),), IntegerType() as element)) if (
            element is not I1 and size <= MOST_INTEGERS
        ):
            return tuple(attribute.value.tolist())
        case ArrayAttr(items):
            integers = [item.value for item in items if isinstance(item, IntegerAttr)]
            return tuple(integers) if len(integers) == len(items) else None
    return None


# From Python: each raises TypeError, ValueError or OverflowError for an invalid value


def symbol(value: str) -> Attribute:
    """Create `@root::@nested` from its text, with or without `@`."""
    root, *nested = value.removeprefix("@").split("::")
    return SymbolRefAttr(root, tuple([part.removeprefix("@") for part in nested]))


def unit(value: object) -> Attribute:
    """Create `unit` from True."""
    if value is not True:
        raise ValueError("a unit attribute must be True or absent")
    return UnitAttr()


def boolean(value: object) -> Attribute:
    """Create `true` or `false`."""
    return BoolAttr(bool(value))


def float_of(type: Type) -> FromPython:
    """Return a function that creates float attributes of a type."""
    return lambda value: FloatAttr(float(value), type)


def integer_of(type: Type) -> FromPython:
    """Return a function that creates integer attributes of a type."""
    return lambda value: IntegerAttr(_whole(value), type)


def _whole(value: Any) -> int:
    if isinstance(value, bool):
        raise TypeError("expected an integer, got a bool")
    return operator.index(value)


def integers_of(type: Type) -> FromPython:
    """Return a function that creates `array<type: ...>` from integers."""
    return lambda value: DenseArrayAttr(type, tuple([_whole(x) for x in value]))


def booleans(value: Sequence[object]) -> Attribute:
    """Create `array<i1: ...>`."""
    return DenseArrayAttr(I1, tuple([bool(x) for x in value]))


def sizes(value: Sequence[int | None]) -> Attribute:
    """Create `array<i64: ...>` from dimension sizes; None stands for an unknown size."""
    return DenseArrayAttr(I64, tuple([UNKNOWN_SIZE if x is None else _whole(x) for x in value]))


def layout(value: Sequence[int]) -> Attribute:
    """Create `dense<...>` with elements of type index."""
    array = np.array([_whole(x) for x in value], np.int64)
    return DenseElementsAttr(TensorType(array.shape, INDEX), read_only(array))


def elements(value: Any) -> DenseElementsAttr:
    """Create `dense<...>` from an array; raise TypeError for an unsupported dtype."""
    array = np.asarray(value)
    row = element_type_of(array.dtype)
    if row is None:
        raise TypeError(f"no element type for dtype {array.dtype}")
    return DenseElementsAttr(TensorType(array.shape, row.type), read_only(np.array(array).reshape(-1)))


def any_attribute(value: Any) -> Attribute:
    """Create the attribute that corresponds to the type of a Python value."""
    if isinstance(value, Attribute):
        return value
    for python, make in _BY_CLASS:
        if isinstance(value, python):
            return make(value)
    raise TypeError(f"cannot convert {value!r} to an attribute")


_BY_CLASS: tuple[tuple[Any, FromPython], ...] = (
    (bool, BoolAttr),
    (int, integer_of(I64)),
    (float, float_of(F64)),
    (str, StringAttr),
    (Type, TypeAttr),
    (np.ndarray, elements),
    (Mapping, lambda value: DictAttr.of({name: any_attribute(item) for name, item in value.items()})),
    (list | tuple, lambda value: ArrayAttr(tuple([any_attribute(item) for item in value]))),
)
