"""Rows of values that the IR keeps as text, such as `vector<4xf32>` and `distinct[0]<unit>`.

A row has a pattern of the text. Reading fills in the spelling; writing takes the fields from the match. Text
that the pattern does not match is stored as it is.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from stablehlo_py.artifacts.dialects import fields as F
from stablehlo_py.artifacts.dialects.blobs import DENSE
from stablehlo_py.artifacts.dialects.rows import Fields, Row
from stablehlo_py.artifacts.dialects.texts import attribute_of, type_of
from stablehlo_py.artifacts.faults import Fault
from stablehlo_py.diagnostics.diagnostic import ParseError
from stablehlo_py.ir import attributes as A
from stablehlo_py.ir import types as T
from stablehlo_py.syntax.read.vectors import shaped
from stablehlo_py.syntax.write.attributes import dense_body, list_text, quoted

Text = A.OpaqueAttr | T.OpaqueType
Split = Callable[[re.Match[str], Any], Mapping[str, Any]]


def spelled(
    code: int, key: type[Text], pattern: str, fields: Fields, make: Callable[..., Any], split: Split
) -> Row:
    """Return the row of values that are text.

    Args:
        code: The code.
        key: The class of the text.
        pattern: The pattern of the whole text.
        fields: The kinds of the fields by name, in order.
        make: Returns the value from the fields by name.
        split: Returns the fields from the match of the text and the type of the attribute; raises ValueError
            if there are none.
    """

    def fields_of(value: Text) -> Mapping[str, Any]:
        match = re.fullmatch(pattern, value.text, re.DOTALL)
        if match is None:
            raise ValueError(value.text)
        return split(match, getattr(value, "type", None))

    def fits(value: Text) -> bool:
        try:
            fields_of(value)
        except (ValueError, ParseError):
            return False
        return True

    return Row(code, key, fields, make, fields_of, fits)


# Vectors and buffers of unknown rank ------------------------------------------------------------------


def _vector(shape: T.Shape, element_type: T.Type, scalable: tuple[bool, ...] = ()) -> T.OpaqueType:
    if scalable and len(scalable) != len(shape):
        raise ValueError(f"{len(shape)} dimensions, of which {len(scalable)} are scalable or not")
    marks = scalable or (False,) * len(shape)
    sizes = [f"[{size}]x" if mark else f"{size}x" for size, mark in zip(shape, marks, strict=True)]
    return T.OpaqueType(f"vector<{''.join(sizes)}{element_type}>")


def _vector_fields(match: re.Match[str], _: Any) -> Mapping[str, Any]:
    sizes = match[1].split("x")[:-1]
    scalable = tuple([size.startswith("[") for size in sizes])
    shape = tuple([int(size.strip("[]")) for size in sizes])
    return {"scalable": scalable, "shape": shape, "element_type": type_of(match[2])}


def _unranked(element_type: T.Type, space: A.Attribute | None = None) -> T.OpaqueType:
    is_default = isinstance(space, A.IntegerAttr) and space.type is T.I64
    number = space.value if is_default and isinstance(space, A.IntegerAttr) else space
    return T.OpaqueType(f"memref<*x{element_type}{'' if space is None else f', {number}'}>")


def _unranked_fields(match: re.Match[str], _: Any) -> Mapping[str, Any]:
    element = {"element_type": type_of(match[1])}
    return {"space": attribute_of(match[2]), **element} if match[2] else element


TYPES: tuple[Row, ...] = (
    spelled(
        16,
        T.OpaqueType,
        r"memref<\*x([^,]+)()?>",
        {"element_type": F.TYPE},
        _unranked,
        _unranked_fields,
    ),
    spelled(
        17,
        T.OpaqueType,
        r"memref<\*x([^,]+), (.+)>",
        {"space": F.ATTR, "element_type": F.TYPE},
        _unranked,
        _unranked_fields,
    ),
    spelled(
        19,
        T.OpaqueType,
        r"vector<((?:\d+x)*)(.+)>",
        {"shape": F.SIZES, "element_type": F.TYPE},
        _vector,
        _vector_fields,
    ),
    spelled(
        20,
        T.OpaqueType,
        r"vector<((?:\d+x|\[\d+\]x)*)(.+)>",
        {"scalable": F.listed(F.BOOL), "shape": F.SIZES, "element_type": F.TYPE},
        _vector,
        _vector_fields,
    ),
)


# Constants of vectors, sparse or of strings, and distinct attributes ----------------------------------


def dense(type: T.Type, data: np.ndarray[Any, np.dtype[Any]]) -> A.Attribute:
    """Return a constant of a type that has a shape; of a vector or buffer, it is text."""
    if isinstance(type, T.TensorType):
        return A.DenseElementsAttr(type, data)
    tensor = shaped(type)
    assert tensor is not None
    return A.OpaqueAttr(f"dense<{dense_body(A.DenseElementsAttr(tensor, data))}>", type)


def _dense_fields(match: re.Match[str], type: Any) -> Mapping[str, Any]:
    constant = attribute_of(f"{match[0]} : {shaped(type)}")
    if isinstance(type, T.TensorType) or not isinstance(constant, A.DenseElementsAttr):
        raise ValueError(type)
    return {"type": type, "data": constant.data}


def _read_strings(source: F.Source, given: F.Given) -> tuple[str, ...]:
    type = F.known(given, "type")
    size = type.size if isinstance(type, T.TensorType) else None
    if size is None:
        raise Fault(source.at, f"expected a constant of a tensor type of known shape, found {type}")
    count = 1 if given["is_splat"] else size
    source.need(count, "strings")
    return tuple([source.string() for _ in range(count)])


def _write_strings(sink: F.Sink, values: tuple[str, ...], given: F.Given) -> None:
    for value in values:
        sink.string(value)


_STRINGS = F.FieldKind(_read_strings, _write_strings)


def _strings(type: T.Type, is_splat: int, values: tuple[str, ...]) -> A.OpaqueAttr:
    assert isinstance(type, T.TensorType)
    items = [quoted(value) for value in values]
    return A.OpaqueAttr(f"dense<{items[0] if is_splat else list_text(items, type.shape)}>", type)


def _strings_fields(match: re.Match[str], type: Any) -> Mapping[str, Any]:
    from stablehlo_py.syntax.read.strings import unescaped

    if not isinstance(type, T.TensorType):
        raise ValueError(type)
    values = tuple([unescaped(item[1:-1], 0) for item in re.findall(_STRING, match[1])])
    return {"type": type, "is_splat": int(len(values) == 1), "values": values}


def _sparse(type: T.Type, indices: A.Attribute, values: A.Attribute) -> A.OpaqueAttr:
    if not isinstance(indices, A.DenseElementsAttr) or not isinstance(values, A.DenseElementsAttr):
        raise ValueError("a sparse constant of other than dense indices and values")
    texts = [str(part).partition("<")[2].rpartition("> : ")[0] for part in (indices, values)]
    return A.OpaqueAttr(f"sparse<{', '.join(texts)}>", type)


def _sparse_fields(match: re.Match[str], type: Any) -> Mapping[str, Any]:
    tensor = shaped(type)
    if tensor is None:
        raise ValueError(type)
    import json

    rows = json.loads(match[1])
    count = len(rows) if isinstance(rows, list) else 1
    indices = attribute_of(f"dense<{match[1]}> : {T.TensorType((count, tensor.rank), T.I64)}")
    values = attribute_of(f"dense<{match[2]}> : {T.TensorType((count,), tensor.element_type)}")
    return {"type": type, "indices": indices, "values": values}


def _distinct(number: int, value: A.Attribute) -> A.OpaqueAttr:
    text = "" if isinstance(value, A.UnitAttr) else str(value)
    return A.OpaqueAttr(f"distinct[{number}]<{text}>")


def _distinct_fields(match: re.Match[str], _: Any) -> Mapping[str, Any]:
    return {"number": int(match[1]), "value": attribute_of(match[2] or "unit")}


_STRING = r'"(?:[^"\\]|\\.)*"'
ATTRIBUTES: tuple[Row, ...] = (
    spelled(18, A.OpaqueAttr, "dense<.*>", {"type": F.TYPE, "data": DENSE}, dense, _dense_fields),
    spelled(
        19,
        A.OpaqueAttr,
        rf"dense<((?:{_STRING}|[\[\], ])*)>",
        {"type": F.TYPE, "is_splat": F.VARINT, "values": _STRINGS},
        _strings,
        _strings_fields,
    ),
    spelled(
        20,
        A.OpaqueAttr,
        r"sparse<(\d+|\[.*\]|), (.*)>",
        {"type": F.TYPE, "indices": F.ATTR, "values": F.ATTR},
        _sparse,
        _sparse_fields,
    ),
    spelled(
        21,
        A.OpaqueAttr,
        r"distinct\[(\d+)\]<(.*)>",
        {"number": F.ORDINAL, "value": F.ATTR},
        _distinct,
        _distinct_fields,
    ),
)
