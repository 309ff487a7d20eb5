"""Attributes from plain Python values, by the kinds that a definition states."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping, Sequence
from difflib import get_close_matches
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
    StructAttr,
    SymbolRefAttr,
    TypeAttr,
    UnitAttr,
)
from stablehlo_py.ir.element_types import element_type_of
from stablehlo_py.ir.types import (
    F32,
    F64,
    I1,
    I32,
    I64,
    INDEX,
    UI64,
    TensorType,
    Type,
)
from stablehlo_py.opset.definition import OpDef
from stablehlo_py.opset.kinds import ENUMS, STRUCTS, Field, kind
from stablehlo_py.opset.op_inputs import read_only

SEGMENTS = ("operandSegmentSizes", "resultSegmentSizes")


def make_properties(definition: OpDef, inputs: Mapping[str, Any]) -> dict[str, Attribute]:
    """The properties of an op, from values for its inputs by the definition's names.

    A value is a plain Python value, or an attribute; a property's own name (`dot_dimension_numbers`) takes
    the whole attribute. None stands for what is not given.

    Raises ValueError for a name that the definition does not have and a value that is not of its kind.
    """
    made: dict[str, Attribute] = {}
    fields: dict[str, dict[str, Any]] = {}
    attrs = {attr.name: attr for attr in definition.attrs}
    kinds = definition.property_kinds
    for name, value in inputs.items():
        attr = attrs.get(name)
        if value is None:
            continue
        if attr is not None and attr.field and not isinstance(value, StructAttr):
            fields.setdefault(attr.property, {})[attr.field] = value
        elif name in kinds:
            made[name] = make_attribute(value, kinds[name], name)
        elif attr is not None:
            made[attr.property] = make_attribute(value, attr.kind, name)
        elif name in SEGMENTS:
            made[name] = value if isinstance(value, Attribute) else DenseArrayAttr(I32, tuple(value))
        else:
            raise ValueError(_unknown(definition, name))
    for name, given in fields.items():
        made[name] = make_struct(kinds[name].removeprefix("struct "), given)
    return made


def _unknown(definition: OpDef, name: str) -> str:
    names = [*(attr.name for attr in definition.attrs), *definition.property_kinds]
    close = get_close_matches(name, names, 1)
    return f"{definition.name} has no input {name}" + (f"; did you mean {close[0]}?" if close else "")


def make_attribute(value: Any, kind_text: str, name: str) -> Attribute:
    """The attribute of a kind that holds a plain value. Raises ValueError for a value of another kind."""
    if isinstance(value, Attribute):
        return value
    for choice in kind_text.split(" or "):
        try:
            made = _make(value, choice, name)
        except (TypeError, ValueError, OverflowError):
            continue
        if kind(choice).contains(made):
            return made
    raise ValueError(f"{name} must be {kind(kind_text).phrase}, but it is {value!r}")


def _make(value: Any, kind_text: str, name: str) -> Attribute:
    if kind_text.startswith("array of "):
        item = kind_text.removeprefix("array of ")
        return ArrayAttr(tuple([make_attribute(x, item, name) for x in value]))
    word, _, rest = kind_text.partition(" ")
    if word == "enum":
        enum = ENUMS[rest]
        if enum.spelling == "integer":
            return IntegerAttr(enum.values.index(value) if isinstance(value, str) else int(value), I32)
        return EnumAttr(rest, value)
    if word == "struct":
        return make_struct(rest, value)
    return _MAKERS[word](value)


def make_struct(name: str, values: Mapping[str, Any]) -> StructAttr:
    """A structured attribute. Raises ValueError for a field that is missing and has no first value."""
    definition = STRUCTS[name]
    return StructAttr(name, tuple([(f.name, _field(name, f, values.get(f.name))) for f in definition.fields]))


def _field(struct: str, field: Field, value: Any) -> Any:
    if value is not None:
        return tuple(value) if isinstance(value, Sequence) and not isinstance(value, str) else value
    if field.optional:
        return field.default
    word, _, rest = field.kind.partition(" ")
    if word == "enum":
        return ENUMS[rest].values[0]
    if word not in _FIRST:
        raise ValueError(f"#{struct} needs {field.name}")
    return _FIRST[word]


_FIRST: dict[str, Any] = {"i64": 0, "bool": False, "dims": (), "sizes": ()}


def _symbol(value: str) -> Attribute:
    root, *nested = value.removeprefix("@").split("::")
    return SymbolRefAttr(root, tuple([part.removeprefix("@") for part in nested]))


def _unit(value: object) -> Attribute:
    if value is not True:
        raise ValueError("a unit is there, or not given")
    return UnitAttr()


def _float(type: Type) -> Callable[[Any], Attribute]:
    return lambda value: FloatAttr(float(value), type)


def _integer(type: Type) -> Callable[[Any], Attribute]:
    return lambda value: IntegerAttr(_whole(value), type)


def _whole(value: Any) -> int:
    if isinstance(value, bool):
        raise TypeError("a truth value is no integer")
    return operator.index(value)


def _integers(type: Type) -> Callable[[Any], Attribute]:
    return lambda value: DenseArrayAttr(type, tuple([_whole(x) for x in value]))


def _plain(value: Any) -> Attribute:
    """The attribute that a Python value stands for by itself."""
    if isinstance(value, Attribute):
        return value
    for python, make in _BY_TYPE:
        if isinstance(value, python):
            return make(value)
    raise TypeError(f"no attribute holds {value!r}")


def make_elements(value: Any) -> DenseElementsAttr:
    """`dense<...>` of an array. Raises TypeError for elements that no element type holds."""
    array = np.asarray(value)
    row = element_type_of(array.dtype)
    if row is None:
        raise TypeError(f"no tensor has elements of type {array.dtype}")
    return DenseElementsAttr(TensorType(array.shape, row.type), read_only(np.array(array).reshape(-1)))


def _layout(value: Sequence[int]) -> Attribute:
    array = np.array([_whole(x) for x in value], np.int64)
    return DenseElementsAttr(TensorType(array.shape, INDEX), read_only(array))


_BY_TYPE: tuple[tuple[Any, Callable[[Any], Attribute]], ...] = (
    (bool, BoolAttr),
    (int, _integer(I64)),
    (float, _float(F64)),
    (str, StringAttr),
    (Type, TypeAttr),
    (np.ndarray, make_elements),
    (Mapping, lambda value: DictAttr.of({name: _plain(item) for name, item in value.items()})),
    (list | tuple, lambda value: ArrayAttr(tuple([_plain(item) for item in value]))),
)
_MAKERS: dict[str, Callable[[Any], Attribute]] = {
    "any": _plain,
    "number": _plain,
    "typed": make_elements,
    "array": _plain,
    "dict": _plain,
    "unit": _unit,
    "bool": lambda value: BoolAttr(bool(value)),
    "i32": _integer(I32),
    "i64": _integer(I64),
    "ui64": _integer(UI64),
    "f32": _float(F32),
    "f64": _float(F64),
    "string": StringAttr,
    "symbol": _symbol,
    "type": TypeAttr,
    "function": TypeAttr,
    "array<i64>": _integers(I64),
    "array<i32>": _integers(I32),
    "array<bool>": lambda value: DenseArrayAttr(I1, tuple([bool(x) for x in value])),
    "elements": make_elements,
    "layout": _layout,
}
