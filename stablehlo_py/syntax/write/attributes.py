"""Printing of attributes, as the C++ printer spells them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from stablehlo_py.ir.attributes import (
    ArrayAttr,
    Attribute,
    BoolAttr,
    DenseArrayAttr,
    DenseElementsAttr,
    DenseResourceAttr,
    DictAttr,
    EnumAttr,
    FloatAttr,
    IntegerAttr,
    LocationAttr,
    OpaqueAttr,
    StringAttr,
    StructAttr,
    SymbolRefAttr,
    TypeAttr,
    UnitAttr,
)
from stablehlo_py.ir.element_types import bit_width, numpy_dtype
from stablehlo_py.ir.types import F64, I1, I64, ComplexType, FloatType, IntegerType, Shape, Type
from stablehlo_py.opset.kinds import Kind, fields_of
from stablehlo_py.opset.structures import ENUMS, STRUCTS, StructDef
from stablehlo_py.syntax.write.floats import float_text, pattern_text
from stablehlo_py.syntax.write.fragments import Expansion, Fragment, join
from stablehlo_py.syntax.write.types import dims_text

LARGEST_WRITTEN_OUT = 100  # elements; larger dense constants are written as a hex string

_PART = 1 << 20  # elements that are compared at once
_BARE = re.compile(r"[A-Za-z_][\w$.]*", re.ASCII)
_PLAIN = re.compile(r"[ !#-\[\]-~]*")


def quoted(text: str) -> str:
    r"""Return a string literal; all but printable ASCII is escaped byte by byte, such as `\0A`."""
    if _PLAIN.fullmatch(text):
        return f'"{text}"'
    data = text.encode("utf-8", "surrogateescape")
    return '"' + "".join([_escaped(byte) for byte in data]) + '"'


def keyword(text: str) -> str:
    """Return a name, quoted unless it is a bare identifier."""
    return text if _BARE.fullmatch(text) else quoted(text)


def symbol(name: str) -> str:
    """Return a reference to a symbol, such as `@main`."""
    return "@" + keyword(name)


def dictionary_fragments(items: Iterable[tuple[str, Attribute]]) -> list[Fragment]:
    """Return the fragments of `{a = 1 : i64, b}`, from items in order."""
    fragments: list[Fragment] = ["{"]
    for name, value in items:
        fragments.append(f"{', ' if len(fragments) > 1 else ''}{keyword(name)}")
        if not isinstance(value, UnitAttr):
            fragments += (" = ", value)
    return [*fragments, "}"]


def _stripped(attribute: Attribute) -> Sequence[Fragment]:
    match attribute:
        case IntegerAttr() | FloatAttr():
            return (_number(attribute),)
        case StringAttr(value):
            return (quoted(value),)
        case DenseArrayAttr():
            return (f"[{_items(attribute)}]",)
        case EnumAttr(_, value):
            return (value,)
        case StructAttr(name):
            return _struct_body(attribute, STRUCTS[name])
    return (attribute,)


def stripped_text(attribute: Attribute) -> str:
    """Return the text of an attribute of a known kind: without its type, or without its dialect and name."""
    return join(*_stripped(attribute))


def element_fragments(attribute: Attribute) -> Sequence[Fragment]:
    """Return the fragments of an attribute inside an array, where the types i64 and f64 are implied."""
    if isinstance(attribute, IntegerAttr | FloatAttr) and attribute.type in (I64, F64):
        return (_number(attribute),)
    return (attribute,)


def _escaped(byte: int) -> str:
    if byte == 0x5C:
        return "\\\\"
    return chr(byte) if 0x20 <= byte < 0x7F and byte != 0x22 else f"\\{byte:02X}"


def _number(attribute: IntegerAttr | FloatAttr) -> str:
    if isinstance(attribute, IntegerAttr):
        return integer_text(attribute.value, attribute.type)
    assert isinstance(attribute.type, FloatType)
    return float_text(attribute.value, attribute.type, attribute.bits)


def integer_text(value: int, type: Type) -> str:
    """Return the text of an integer; `true` or `false` for i1."""
    if type is I1:
        return "true" if value else "false"
    return str(int(value))


def _integer(attribute: IntegerAttr) -> Sequence[Fragment]:
    if attribute.type is I1:
        return (_number(attribute),)
    return (_number(attribute), " : ", attribute.type)


def _string(attribute: StringAttr) -> Sequence[Fragment]:
    if attribute.type is None:
        return (quoted(attribute.value),)
    return (quoted(attribute.value), " : ", attribute.type)


def _symbol(attribute: SymbolRefAttr) -> Sequence[Fragment]:
    return ("::".join([symbol(name) for name in (attribute.root, *attribute.nested)]),)


def _array(attribute: ArrayAttr) -> Sequence[Fragment]:
    fragments: list[Fragment] = ["["]
    for item in attribute.value:
        if len(fragments) > 1:
            fragments.append(", ")
        fragments += element_fragments(item)
    return [*fragments, "]"]


def _dense_array(attribute: DenseArrayAttr) -> Sequence[Fragment]:
    items = _items(attribute)
    return ("array<", attribute.element_type, f": {items}>" if items else ">")


def _items(attribute: DenseArrayAttr) -> str:
    type = attribute.element_type
    if isinstance(type, FloatType):
        return ", ".join([float_text(value, type) for value in attribute.value])
    return ", ".join([integer_text(value, type) for value in attribute.value])


def _dense(attribute: DenseElementsAttr) -> Sequence[Fragment]:
    return (f"dense<{dense_body(attribute)}> : ", attribute.type)


def dense_body(attribute: DenseElementsAttr) -> str:
    """Return the elements of a constant, as they are between angle brackets."""
    data, type = attribute.data, attribute.type
    if data.size == 0:
        return ""
    if is_written_in_hex(attribute):
        return f'"0x{hex_text(data, type.element_type)}"'
    if _is_uniform(data):
        return _elements(data[:1], type.element_type)[0]
    return list_text(_elements(data, type.element_type), type.shape)


def is_written_in_hex(attribute: DenseElementsAttr) -> bool:
    """Test whether the elements of a constant are written as a string of hexadecimal digits."""
    return attribute.data.size > LARGEST_WRITTEN_OUT and not _is_uniform(attribute.data)


def hex_text(data: np.ndarray[Any, np.dtype[Any]], element_type: Type) -> str:
    """Return elements as hexadecimal digits."""
    return _raw(data, element_type).hex().upper()


def list_text(items: Sequence[str], shape: Shape) -> str:
    """Return the text of a nested list, such as `[[1, 2], [3, 4]]`; "" for none.

    Args:
        items: The texts of the elements.
        shape: The static shape.
    """
    for size in reversed(shape):
        step = size or 1
        items = [f"[{', '.join(items[at : at + step])}]" for at in range(0, len(items), step)]
    return items[0] if items else ""


def _is_uniform(data: np.ndarray[Any, np.dtype[Any]]) -> bool:
    """Return True if all elements are equal bit for bit."""
    if data.size == 1:
        return True
    rows = np.ascontiguousarray(data).view(np.uint8).reshape(data.size, -1)
    parts = range(0, len(rows), _PART)
    return bool((rows[1] == rows[0]).all()) and all(
        bool((rows[at : at + _PART] == rows[0]).all()) for at in parts
    )


def _raw(data: np.ndarray[Any, np.dtype[Any]], element_type: Type) -> bytes:
    """Return the elements' bytes; a narrow element is in the low bits of its byte."""
    width = bit_width(element_type)
    if width >= 8:
        return data.tobytes()
    return (data.view(np.uint8) & np.uint8(2**width - 1)).tobytes()


def _elements(data: np.ndarray[Any, np.dtype[Any]], element_type: Type) -> list[str]:
    if data.dtype.type is np.void:
        return _stored_elements(data, element_type)
    match element_type:
        case IntegerType(1):
            return ["true" if value else "false" for value in data.tolist()]
        case FloatType():
            return _floats(data, element_type)
        case ComplexType(FloatType() as part):
            parts = _floats(data.view(data.real.dtype), part)
            return [f"({real},{imag})" for real, imag in zip(parts[::2], parts[1::2], strict=True)]
    return [str(value) for value in data.astype(object).tolist()]


def _stored_elements(data: np.ndarray[Any, np.dtype[Any]], element_type: Type) -> list[str]:
    """Return the texts of elements that are stored as raw bytes."""
    part = element_type.element_type if isinstance(element_type, ComplexType) else element_type
    raw, size, width = data.tobytes(), -(-bit_width(part) // 8), bit_width(part)
    patterns = [int.from_bytes(raw[at : at + size], "little") for at in range(0, len(raw), size)]
    if isinstance(part, FloatType):
        texts = [pattern_text(bits, part) for bits in patterns]
    elif width == 1:
        texts = ["true" if bits else "false" for bits in patterns]
    else:
        lowest = 1 << width if getattr(part, "signedness", "") == "u" else 1 << (width - 1)
        texts = [str(bits if bits < lowest else bits - (1 << width)) for bits in patterns]
    if part is element_type:
        return texts
    return [f"({real},{imag})" for real, imag in zip(texts[::2], texts[1::2], strict=True)]


def _floats(data: np.ndarray[Any, np.dtype[Any]], type: FloatType) -> list[str]:
    patterns = data.view(np.dtype(f"uint{8 * numpy_dtype(type).itemsize}"))
    return [pattern_text(bits, type) for bits in patterns.tolist()]


def _enum(attribute: EnumAttr) -> Sequence[Fragment]:
    dialect, _, mnemonic = attribute.name.partition(".")
    definition = ENUMS.get(attribute.name)
    if definition is not None and definition.spelling == "dotted":
        return (f"#{attribute.name}<{attribute.value}>",)
    return (f"#{dialect}<{mnemonic} {attribute.value}>",)


def _struct(attribute: StructAttr) -> Sequence[Fragment]:
    definition = STRUCTS[attribute.name]
    if definition.spelling == "sharding":
        from stablehlo_py.syntax.write.shardings import named_sharding_text

        return (named_sharding_text(attribute),)
    return (f"#{attribute.name}", *_struct_body(attribute, definition))


def _struct_body(attribute: StructAttr, definition: StructDef) -> Sequence[Fragment]:
    match definition.spelling:
        case "convolution":
            return (f"<{convolution_text(attribute)}>",)
        case "bounds":
            return (f"<{dims_text(attribute['bounds'])[1:-1]}>",)
        case "sub_axis":
            return (f"({attribute['pre_size']}){attribute['size']}",)
        case "sharding":
            from stablehlo_py.syntax.write.shardings import sharding_text

            return (sharding_text(attribute),)
    return ("<", *_keyed(attribute, definition), ">")


def _keyed(attribute: StructAttr, definition: StructDef) -> list[Fragment]:
    fragments: list[Fragment] = []
    for field, kind in fields_of(definition):
        value = attribute[field.name]
        if field.optional and value == field.default:
            continue
        write = _FIELDS[kind.spelling]
        fragments += (", ", field.name, definition.assign, *write(kind, value))
    return fragments[1:]


def _field_struct(kind: Kind, value: StructAttr) -> Sequence[Fragment]:
    return _struct_body(value, STRUCTS[value.name])


def _field_enum(kind: Kind, value: str) -> Sequence[Fragment]:
    assert kind.enum is not None
    return (EnumAttr(kind.enum.name, value),)


def _field_list(kind: Kind, values: Sequence[StructAttr]) -> Sequence[Fragment]:
    fragments: list[Fragment] = []
    for value in values:
        fragments += (", ", *_struct_body(value, STRUCTS[value.name]))
    return ["[", *fragments[1:], "]"]


# The writers of fields, by the spelling of the kind.
_FIELDS: Mapping[str, Callable[[Kind, Any], Sequence[Fragment]]] = {
    "attribute": lambda kind, value: (value,),
    "boolean": lambda kind, value: ("true" if value else "false",),
    "dims": lambda kind, value: (dims_text(value),),
    "enum": _field_enum,
    "float": lambda kind, value: (float_text(value, F64),),
    "integer": lambda kind, value: (str(value),),
    "list": _field_list,
    "sizes": lambda kind, value: (dims_text(value),),
    "string": lambda kind, value: (quoted(value),),
    "struct": _field_struct,
    "type": lambda kind, value: (value,),
}


_CONVOLUTION = (
    ("input", {"b": "input_batch_dimension", "f": "input_feature_dimension"}, ""),
    ("kernel", {"i": "kernel_input_feature_dimension", "o": "kernel_output_feature_dimension"}, "x"),
    ("output", {"b": "output_batch_dimension", "f": "output_feature_dimension"}, "->"),
)


def convolution_text(attribute: StructAttr) -> str:
    """Return the dimension numbers of a convolution, such as `[b, 0, f]x[0, i, o]->[b, 0, f]`.

    They are `raw` and keyed where a tensor's dimensions overlap or have gaps.
    """
    text = ""
    for tensor, letters, before in _CONVOLUTION:
        places = {attribute[field]: letter for letter, field in letters.items()}
        spatial = attribute[f"{tensor}_spatial_dimensions"]
        places.update({dimension: str(index) for index, dimension in enumerate(spatial)})
        count = len(letters) + len(spatial)
        if sorted(places) != list(range(count)):
            return "raw " + join(*_keyed(attribute, STRUCTS[attribute.name]))
        text += f"{before}[{', '.join([places[dimension] for dimension in range(count)])}]"
    return text


EXPANSIONS: Mapping[type, Expansion] = {
    UnitAttr: lambda attribute: ("unit",),
    BoolAttr: lambda attribute: ("true" if attribute.value else "false",),
    IntegerAttr: _integer,
    FloatAttr: lambda attribute: (_number(attribute), " : ", attribute.type),
    StringAttr: _string,
    SymbolRefAttr: _symbol,
    TypeAttr: lambda attribute: (attribute.value,),
    ArrayAttr: _array,
    DictAttr: lambda attribute: dictionary_fragments(attribute.items),
    DenseArrayAttr: _dense_array,
    DenseElementsAttr: _dense,
    DenseResourceAttr: lambda attribute: (f"dense_resource<{keyword(attribute.key)}> : ", attribute.type),
    EnumAttr: _enum,
    StructAttr: _struct,
    LocationAttr: lambda attribute: ("loc(", attribute.value, ")"),
    OpaqueAttr: lambda attribute: (
        (attribute.text,) if attribute.type is None else (attribute.text, " : ", attribute.type)
    ),
}
