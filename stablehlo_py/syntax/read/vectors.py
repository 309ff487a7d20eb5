"""Shapes of types that constants can have: tensors, buffers, and vectors, which the IR keeps as text."""

from __future__ import annotations

import re
from functools import lru_cache

from stablehlo_py.diagnostics.diagnostic import ParseError
from stablehlo_py.ir.types import MemRefType, OpaqueType, TensorType, Type

_VECTOR = re.compile(r"vector<((?:\s*(?:\d{1,18}|\[\d{1,18}\])\s*x)*)(.+)>")


@lru_cache(maxsize=64)
def shaped(type: Type) -> TensorType | None:
    """Return the tensor type with the shape and element type of a tensor, buffer or vector.

    Args:
        type: The type.

    Returns:
        The tensor type; None for a type without a shape, or a vector whose element type is invalid.
    """
    from stablehlo_py.syntax.parser import parse_type

    match type:
        case TensorType():
            return type
        case MemRefType(shape=shape, element_type=element):
            return TensorType(shape, element)
        case OpaqueType(text) if match := _VECTOR.fullmatch(text):
            try:
                element = parse_type(match[2])
            except ParseError:
                return None
            return TensorType(tuple([int(size) for size in re.findall(r"\d+", match[1])]), element)
    return None
