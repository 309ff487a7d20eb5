"""Shapes and literals of protobuf messages."""

from __future__ import annotations

from typing import Any

import numpy as np

from stablehlo_py.hlo.literals import Literal
from stablehlo_py.ir.element_types import value_range
from stablehlo_py.ir.types import ComplexType
from stablehlo_py.layout.elements import XLA_TYPES
from stablehlo_py.layout.shape import Shape
from stablehlo_py.protobuf.messages import Message

_UNBOUNDED = -(1 << 63)  # the size of an unbounded dimension
_ODD_NAMES = {"OPAQUE_TYPE": "opaque", "TOKEN": "token"}
_UNSET = "PRIMITIVE_TYPE_INVALID"


def listed(numbers: Any) -> str:
    """Return numbers with commas between them."""
    return ",".join(map(str, numbers))


class ShapeFault(ValueError):
    """A shape whose parts do not fit each other."""


def shape_text(shape: Message) -> str:
    """Return XLA's text of a ShapeProto; raise ShapeFault for one whose parts do not fit."""
    kind = shape["element_type"]
    if kind == "TUPLE":
        return f"({', '.join(map(shape_text, shape['tuple_shapes']))})"
    if kind == "BUFFER":
        return f"b({', '.join(map(shape_text, shape['tuple_shapes']))})"
    if kind in _ODD_NAMES:
        return f"{_ODD_NAMES[kind]}[]"
    varies = shape["is_dynamic_dimension"] or [False] * len(shape["dimensions"])
    if len(varies) != len(shape["dimensions"]):
        raise ShapeFault(
            f"a shape has {len(shape['dimensions'])} dimensions and {len(varies)} flags for them"
        )
    pairs = zip(shape["dimensions"], varies, strict=True)
    sizes = ["?" if size == _UNBOUNDED else f"<={size}" if dynamic else str(size) for size, dynamic in pairs]
    layout = ""
    if shape["layout"] is not None:
        order = shape["layout"]["minor_to_major"]
        if not all(0 <= number < len(sizes) for number in order):
            raise ShapeFault(f"the layout {{{listed(order)}}} is out of range for {len(sizes)} dimensions")
        layout = _layout_text(shape["layout"])
    return f"{kind.lower()}[{','.join(sizes)}]{'' if layout == '{}' else layout}"


def _layout_text(layout: Message) -> str:
    tiles = "".join(f"({listed(_tile(tile))})" for tile in layout["tiles"])
    tail = layout["tail_padding_alignment_in_elements"]
    splits = "".join(f"({s['dimension']}:{listed(s['split_indices'])})" for s in layout["split_configs"])
    physical = layout["physical_shape"]
    clauses = {
        "T": tiles,
        "L": f"({tail})" if tail > 1 else "",
        "#": _index_type(layout["index_primitive_type"]),
        "*": _index_type(layout["pointer_primitive_type"]),
        "E": f"({layout['element_size_in_bits']})" if layout["element_size_in_bits"] else "",
        "S": f"({layout['memory_space']})" if layout["memory_space"] else "",
        "SC": splits,
        "P": f"({shape_text(physical)})" if physical is not None else "",
        "M": _bytes(layout["dynamic_shape_metadata_prefix_bytes"]),
    }
    text = "".join(f"{name}{clause}" for name, clause in clauses.items() if clause)
    return f"{{{listed(layout['minor_to_major'])}{':' * bool(text)}{text}}}"


def _tile(tile: Message) -> list[str]:
    return ["*" if size == _UNBOUNDED else str(size) for size in tile["dimensions"]]


def _index_type(name: str) -> str:
    return "" if name == _UNSET else f"({name.lower()})"


def _bytes(count: int) -> str:
    return f"({count})" if count else ""


# ------------------------------------------------------------------------------- literals


class LiteralError(ValueError):
    """The elements of a literal do not fit its shape."""


def literal_of(message: Message, shape: Shape) -> Literal:
    """Return the literal of a LiteralProto.

    Args:
        message: The message.
        shape: Its shape.

    Raises:
        LiteralError: If there are more or fewer elements than the shape has.
    """
    if shape.is_tuple:
        parts = message["tuple_literals"]
        if len(parts) != len(shape.tuple_shapes):
            raise LiteralError(f"expected {len(shape.tuple_shapes)} elements of a tuple, found {len(parts)}")
        pairs = zip(parts, shape.tuple_shapes, strict=True)
        return Literal(shape, parts=tuple([literal_of(part, inner) for part, inner in pairs]))
    if not shape.is_array:
        raise LiteralError(f"there is no literal of shape {shape}")
    values = message[_field(shape)]
    if len(values) == 0 and shape.size:
        return Literal(shape)  # stored without its elements
    array = _array(values, shape)
    if array.size != shape.size:
        raise LiteralError(f"expected {shape.size} elements of {shape}, found {array.size}")
    by_layout = [shape.sizes[number] for number in shape.layout.major_to_minor]
    order = np.argsort(shape.layout.major_to_minor)
    return Literal(shape, np.array(array.reshape(by_layout).transpose(order), order="C"))


def _field(shape: Shape) -> str:
    name = shape.text(layout=False).partition("[")[0]
    return "preds" if name == "pred" else f"{name}s"


def _array(values: Any, shape: Shape) -> np.ndarray[Any, Any]:
    element = shape.element_type
    dtype = shape.dtype
    if isinstance(element, ComplexType):
        parts = np.asarray(values, np.float64)
        return parts.astype(np.float32 if dtype == np.complex64 else np.float64).view(dtype)
    if not isinstance(values, bytes):
        return np.asarray(values, dtype)
    row = XLA_TYPES[element]
    if row.width < 8 and row.format is None:  # a byte each, without its sign
        found = np.frombuffer(values, np.uint8).astype(np.int16) & ((1 << row.width) - 1)
        return np.where(found > value_range(element)[1], found - (1 << row.width), found).astype(dtype)
    if len(values) % dtype.itemsize:
        raise LiteralError(f"expected elements of {dtype.itemsize} bytes, found {len(values)} bytes")
    return np.frombuffer(values, dtype)
