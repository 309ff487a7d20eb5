"""Type constraints of the specification's section "Types", by label, and of MLIR.

The parser rejects invalid types where the C++ parser does; the verifier checks all types, for programs that
were built rather than parsed.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import NamedTuple

from stablehlo_py.ir.attributes import bounds
from stablehlo_py.ir.element_types import bit_width, least_positive, value_range
from stablehlo_py.ir.types import (
    ComplexType,
    FloatType,
    FutureType,
    IndexType,
    IntegerType,
    MemRefType,
    OpaqueType,
    QuantizedType,
    Shape,
    TensorType,
    TokenType,
    TupleType,
    Type,
    UnrankedTensorType,
)
from stablehlo_py.opset.classes import VALUE

_OWN_ELEMENTS = (IntegerType, FloatType, IndexType, ComplexType)


class TypeViolation(NamedTuple):
    """A violated constraint of a type.

    Attributes:
        label: The label in the specification, or "".
        message: The description.
        lenient: Whether the C++ verifier only rejects the type in operands and results of ops.
        spec_only: Whether it does not reject the type anywhere.
    """

    label: str
    message: str
    lenient: bool = False
    spec_only: bool = False

    def about(self, type: Type) -> str:
        """Return the message, prefixed by the type."""
        return f"{type} ({self.label}): {self.message}" if self.label else f"{type}: {self.message}"


def is_value_type(type: Type) -> bool:
    """Test whether values of the specification may have a type; types of other dialects are not judged."""
    if isinstance(type, TensorType | UnrankedTensorType | MemRefType):
        return VALUE.contains(type) or not isinstance(type.element_type, _OWN_ELEMENTS)
    if isinstance(type, TupleType | FutureType):
        return all(is_value_type(inner) for inner in type.types)
    return isinstance(type, OpaqueType | TokenType)


def type_violations(type: Type) -> Iterator[TypeViolation]:
    """Yield all violated constraints of a type and its nested types."""
    match type:
        case QuantizedType():
            yield from _quantized(type)
        case TensorType(shape=shape, element_type=element):
            if any(size is not None and size < 0 for size in shape):
                yield TypeViolation("", "dimension sizes must be non-negative or dynamic")
            yield from _bounds(shape, bounds(type))
            if isinstance(element, QuantizedType):
                yield from _quantized(element)
                yield from _quantized_tensor(type, element)
        case FutureType(types=types) if not all(isinstance(inner, TensorType) for inner in types):
            yield TypeViolation("", "the types of a future must be ranked tensors")
        case TupleType(types=types) | FutureType(types=types):
            for inner in types:
                yield from type_violations(inner)


def _bounds(shape: Shape, limits: Shape) -> Iterator[TypeViolation]:
    """Check that bounds are on dynamic dimensions only."""
    if len(limits) != len(shape):
        yield TypeViolation("", f"the number of bounds ({len(limits)}) must be the rank ({len(shape)})")
        return
    for axis, (size, bound) in enumerate(zip(shape, limits, strict=True)):
        if size is not None and bound is not None:
            yield TypeViolation("", f"static dimension {axis} cannot have a bound: use `?` for none")


def _quantized(t: QuantizedType) -> Iterator[TypeViolation]:
    storage, expressed = t.storage_type, t.expressed_type
    if not isinstance(storage, IntegerType | FloatType):
        yield TypeViolation("C1", f"the storage type must be an integer type, not {storage}")
        return
    if not isinstance(expressed, FloatType):
        yield TypeViolation("C4", f"the expressed type must be a floating-point type, not {expressed}")
        return
    if bit_width(storage) >= bit_width(expressed):
        words = f"num_bits(storage_type) < num_bits(expressed_type), but they are {storage} and {expressed}"
        yield TypeViolation("C1 of the source edition", f"{words} [spec-only]", spec_only=True)
    least, most = storage_range(storage)
    if not least <= t.storage_min < t.storage_max <= most:
        yield TypeViolation(
            "C3",
            f"{least} <= storage_min < storage_max <= {most}, "
            f"but storage_min is {t.storage_min} and storage_max {t.storage_max}",
        )
    largest = value_range(expressed)[1]
    for scale in t.scales:
        if not scale > 0:
            yield TypeViolation("C5", f"0 < scales, but one is {scale}")
        elif scale < least_positive(expressed):
            yield TypeViolation("C6", f"is_finite(scales...), but {scale} is zero in {expressed}")
        elif not (math.isfinite(scale) and scale <= largest):
            yield TypeViolation("C6", f"is_finite(scales...), but {scale} is not finite in {expressed}")
    for zero_point in t.zero_points:
        if not t.storage_min <= zero_point <= t.storage_max:
            message = f"storage_min <= zero_points <= storage_max, but one is {zero_point}"
            yield TypeViolation("C7", message, lenient=True)
    if len(t.scales) != len(t.zero_points):
        message = f"size(scales) = size(zero_points), but they are {len(t.scales)} and {len(t.zero_points)}"
        yield TypeViolation("C9", message)
    if t.dimension is None and t.block_sizes is None and len(t.scales) != 1:
        yield TypeViolation(
            "C10", f"expected one scale without a quantization dimension, got {len(t.scales)}"
        )
    if t.dimension is not None and t.dimension < 0:
        yield TypeViolation("C11", f"0 <= quantization_dimension, but it is {t.dimension}")


def _quantized_tensor(tensor: TensorType, element: QuantizedType) -> Iterator[TypeViolation]:
    dimension = element.dimension
    if dimension is None or dimension < 0:
        return
    if dimension >= tensor.rank:
        message = f"quantization_dimension < rank(self), but they are {dimension} and {tensor.rank}"
        yield TypeViolation("C12", message, lenient=True)
    elif tensor.shape[dimension] not in (None, len(element.scales)):
        message = (
            "dim(self, quantization_dimension) = size(scales), "
            f"but they are {tensor.shape[dimension]} and {len(element.scales)}"
        )
        yield TypeViolation("C13", message, lenient=True)


def storage_range(storage: IntegerType | FloatType) -> tuple[int, int]:
    """Return the minimum and the maximum of a storage type."""
    least, most = value_range(storage)
    return int(least), int(most)
