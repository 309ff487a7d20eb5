"""Printing of types, as the C++ printer spells them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import zip_longest

from stablehlo_py.ir.element_types import value_range
from stablehlo_py.ir.types import (
    ComplexType,
    FloatType,
    FunctionType,
    FutureType,
    IndexType,
    IntegerType,
    MemRefType,
    NoneType,
    OpaqueType,
    QuantizedType,
    Shape,
    TensorType,
    TokenType,
    TupleType,
    Type,
    UnrankedTensorType,
)
from stablehlo_py.syntax.write.floats import scale_text
from stablehlo_py.syntax.write.fragments import Expansion, Fragment, commas, join


def shape_text(shape: Shape) -> str:
    """Return the dimension sizes of a type, each followed by `x`, such as `2x?x`."""
    return "".join(["?x" if size is None else f"{size}x" for size in shape])


def dims_text(sizes: Sequence[int | None]) -> str:
    """Return the text of a list of dimensions, such as `[2, ?]`."""
    return f"[{', '.join(['?' if size is None else str(size) for size in sizes])}]"


def function_fragments(inputs: Sequence[Type], results: Sequence[Type]) -> list[Fragment]:
    """Return the fragments of `(inputs) -> result`, with parentheses unless there is one result."""
    fragments = ["(", *commas(inputs), ") -> "]
    if len(results) == 1 and not isinstance(results[0], FunctionType):
        return [*fragments, results[0]]
    return [*fragments, "(", *commas(results), ")"]


def _integer(type: IntegerType) -> list[Fragment]:
    sign = type.signedness[:1]
    return [f"{sign}i{type.width}"]


def _tensor(type: TensorType) -> list[Fragment]:
    encoding = () if type.encoding is None else (", ", type.encoding)
    return [f"tensor<{shape_text(type.shape)}", type.element_type, *encoding, ">"]


def _buffer(type: MemRefType) -> list[Fragment]:
    from stablehlo_py.syntax.write.attributes import element_fragments

    rest: list[Fragment] = []
    for attribute in type.rest:
        rest += [", ", *element_fragments(attribute)]
    return [f"memref<{shape_text(type.shape)}", type.element_type, *rest, ">"]


def _quantized(type: QuantizedType) -> list[Fragment]:
    storage = storage_text(type.storage_type, type.has_unsigned_storage, type.storage_min, type.storage_max)
    return [
        f"!quant.uniform<{storage}:",
        type.expressed_type,
        f"{_quantized_axes(type)}, {_parameters(type)}>",
    ]


def storage_text(type: Type, has_sign: bool, least: int, most: int) -> str:
    """Return the storage type of a quantized type, with the range unless it is that of the type.

    Args:
        type: The storage type.
        has_sign: Whether an unsigned type is `ui8` rather than `u8`.
        least: The least storage value.
        most: The largest storage value.
    """
    text = _storage(type, has_sign)
    is_number = isinstance(type, IntegerType | FloatType)
    return text if is_number and (least, most) == value_range(type) else f"{text}<{least}:{most}>"


def _storage(type: Type, has_sign: bool) -> str:
    text = join(type)
    return text if has_sign else text.replace("ui", "u")


def _quantized_axes(type: QuantizedType) -> str:
    if type.block_sizes is not None:
        return ":{" + ", ".join([f"{dimension}:{size}" for dimension, size in type.block_sizes]) + "}"
    return "" if type.dimension is None else f":{type.dimension}"


def _parameters(type: QuantizedType) -> str:
    """Return the scales with zero points other than 0, in nested braces of the scales' shape."""
    items = [
        scale_text(scale) + (f":{zero_point}" if zero_point else "")
        for scale, zero_point in zip_longest(type.scales, type.zero_points, fillvalue=0)
    ]
    if type.dimension is None and type.block_sizes is None:
        return items[0]
    if type.block_sizes is None:
        return "{" + ",".join(items) + "}"  # without spaces, unlike lists of sub-channel parameters
    for size in reversed(type.scales_shape or (len(items),)):
        items = ["{" + ", ".join(items[at : at + size]) + "}" for at in range(0, len(items), size)]
    return items[0]


EXPANSIONS: Mapping[type, Expansion] = {
    IntegerType: _integer,
    IndexType: lambda type: ("index",),
    FloatType: lambda type: (type.name,),
    ComplexType: lambda type: ("complex<", type.element_type, ">"),
    QuantizedType: _quantized,
    TensorType: _tensor,
    UnrankedTensorType: lambda type: ("tensor<*x", type.element_type, ">"),
    MemRefType: _buffer,
    TokenType: lambda type: ("!stablehlo.token",),
    TupleType: lambda type: ("tuple<", *commas(type.types), ">"),
    FutureType: lambda type: ("!stablehlo.future<", *commas(type.types), ">"),
    FunctionType: lambda type: function_fragments(type.inputs, type.results),
    NoneType: lambda type: ("none",),
    OpaqueType: lambda type: (type.text,),
}
