"""Type classes, with the names in the specification's tables of inputs and outputs.

A class has the phrase of the specification and the set of types that upstream accepts for it.
"""

from __future__ import annotations

from collections.abc import Callable

from stablehlo_py.ir.attributes import bounds
from stablehlo_py.ir.element_types import ELEMENT_TYPES
from stablehlo_py.ir.records import dataclass
from stablehlo_py.ir.types import (
    F32,
    F64,
    I1,
    I32,
    INDEX,
    ComplexType,
    FloatType,
    FunctionType,
    FutureType,
    IndexType,
    IntegerType,
    MemRefType,
    QuantizedType,
    TensorType,
    TokenType,
    TupleType,
    Type,
    UnrankedTensorType,
)


@dataclass(frozen=True, slots=True)
class TypeClass:
    """A set of types: the specification's phrase, a membership test, and the type if it is the only one."""

    phrase: str
    contains: Callable[[Type], bool]
    only: Type | None = None

    def __or__(self, other: TypeClass) -> TypeClass:
        mine, theirs = self.contains, other.contains
        return TypeClass(f"{self.phrase} or {other.phrase}", lambda t: mine(t) or theirs(t))


# Element types

_UI32 = IntegerType(32, "u")
_LARGEST_STORAGE = 32  # bits


def _is_supported(t: Type) -> bool:
    row = ELEMENT_TYPES.get(t)
    return row is not None and row.supported


def _is_integer(t: Type, signedness: str) -> bool:
    return isinstance(t, IntegerType) and t is not I1 and t.signedness == signedness and _is_supported(t)


def _is_quantized(t: Type) -> bool:
    """Test for a quantized type of StableHLO: not sub-channel, and with zero points in the storage range."""
    return (
        isinstance(t, QuantizedType)
        and t.block_sizes is None
        and isinstance(t.storage_type, IntegerType)
        and t.storage_type.width <= _LARGEST_STORAGE
        and (_is_integer(t.storage_type, "") or _is_integer(t.storage_type, "u"))
        and all(t.storage_min <= point <= t.storage_max for point in t.zero_points)
    )


def _is_per_tensor(t: Type) -> bool:
    return isinstance(t, QuantizedType) and t.dimension is None and _is_quantized(t)


BOOLEAN = TypeClass("boolean", lambda t: t is I1)
BIT = TypeClass("boolean", lambda t: t is I1, only=I1)  # not of tensors, for forms that omit the type
SIGNED = TypeClass("signed integer", lambda t: _is_integer(t, ""))
UNSIGNED = TypeClass("unsigned integer", lambda t: _is_integer(t, "u"))
INTEGER = TypeClass("integer", lambda t: _is_integer(t, "") or _is_integer(t, "u"))
ANY_INTEGER = TypeClass("integer of any width", lambda t: isinstance(t, IntegerType))
SIGNLESS = TypeClass(
    "signless integer of any width", lambda t: isinstance(t, IntegerType) and not t.signedness
)
FLOAT = TypeClass("floating-point", lambda t: isinstance(t, FloatType) and _is_supported(t))
FLOAT_32_64 = TypeClass("f32 or f64", lambda t: t is F32 or t is F64)
COMPLEX = TypeClass("complex", lambda t: isinstance(t, ComplexType) and _is_supported(t))
INDEX_ELEMENT = TypeClass("index", lambda t: isinstance(t, IndexType), only=INDEX)
SIGNED_32 = TypeClass("`si32`", lambda t: t is I32)
UNSIGNED_32 = TypeClass("`ui32`", lambda t: t is _UI32)
PER_TENSOR = TypeClass("per-tensor quantized", _is_per_tensor)
QUANTIZED = TypeClass("quantized", _is_quantized)


# Tensors


def tensor_of(*elements: TypeClass, rank: int | None = None) -> TypeClass:
    """Return the class of tensors with one of these element types, and a rank, if given."""
    unquantized = [e.phrase for e in elements if "quantized" not in e.phrase]
    words = [f"{_rank_word(rank)}tensor of {_listed(unquantized)} type"] if unquantized else []
    words += [f"{e.phrase} tensor" for e in elements if "quantized" in e.phrase]
    tests = [e.contains for e in elements]

    def contains(t: Type) -> bool:
        return (
            isinstance(t, TensorType)
            and (rank is None or len(t.shape) == rank)
            and any(test(t.element_type) for test in tests)
            and _has_valid_quantization_dimension(t)
        )

    return TypeClass(" or ".join(words), contains)


def _has_valid_quantization_dimension(t: TensorType) -> bool:
    """Test whether a per-axis tensor has its quantization dimension, of the size of its scales."""
    element = t.element_type
    if not isinstance(element, QuantizedType) or element.dimension is None:
        return True
    return element.dimension < len(t.shape) and t.shape[element.dimension] in (None, len(element.scales))


def _rank_word(rank: int | None) -> str:
    return "" if rank is None else f"{rank}-dimensional "


def _listed(words: list[str]) -> str:
    return words[0] if len(words) == 1 else ", ".join(words[:-1]) + " or " + words[-1]


def any_rank(*elements: TypeClass) -> TypeClass:
    """Return the class of tensors with one of these element types, ranked or unranked (in CHLO only)."""
    ranked = tensor_of(*elements)
    return TypeClass(
        ranked.phrase,
        lambda t: (
            ranked.contains(t)
            or (isinstance(t, UnrankedTensorType) and any(e.contains(t.element_type) for e in elements))
        ),
    )


def static(of: TypeClass) -> TypeClass:
    """Return the subclass of types with static dimensions only."""
    return TypeClass(
        f"statically shaped {of.phrase}",
        lambda t: not (isinstance(t, TensorType) and None in t.shape) and of.contains(t),
    )


def static_or_bounded(of: TypeClass) -> TypeClass:
    """Return the subclass of types with static dimensions, except for at most one, which is bounded."""
    return TypeClass(
        f"statically shaped or single bounded dimension {of.phrase}",
        lambda t: (
            of.contains(t) and isinstance(t, TensorType) and (t.is_static or _has_one_bounded_dimension(t))
        ),
    )


def _has_one_bounded_dimension(t: TensorType) -> bool:
    return t.shape.count(None) == 1 and sum(bound is not None for bound in bounds(t)) == 1


def tuple_of(of: TypeClass) -> TypeClass:
    """Return the class of tuples of types of a class, and of such tuples."""

    def contains(t: Type) -> bool:
        return isinstance(t, TupleType) and all(of.contains(e) or contains(e) for e in t.types)

    return TypeClass("tuple", contains)


_ELEMENT = (BOOLEAN, INTEGER, FLOAT, COMPLEX)

ANY = TypeClass("any type", lambda t: True)
TOKEN = TypeClass("token", lambda t: isinstance(t, TokenType))
FUTURE = TypeClass("future", lambda t: isinstance(t, FutureType))
FUNCTION = TypeClass("function", lambda t: isinstance(t, FunctionType))
BUFFER = TypeClass("buffer", lambda t: isinstance(t, MemRefType))
UNRANKED = TypeClass("unranked tensor", lambda t: isinstance(t, UnrankedTensorType))
TENSOR = TypeClass("tensor", tensor_of(*_ELEMENT).contains)
QUANTIZED_TENSOR = tensor_of(QUANTIZED)
PER_TENSOR_QUANTIZED_TENSOR = tensor_of(PER_TENSOR)
ANY_TENSOR = TENSOR | QUANTIZED_TENSOR
PER_TENSOR_TENSOR = TENSOR | PER_TENSOR_QUANTIZED_TENSOR
SCALAR = TypeClass("0-dimensional tensor", tensor_of(*_ELEMENT, PER_TENSOR, rank=0).contains)
STATIC_TENSOR = static(TENSOR)
STATIC_QUANTIZED_TENSOR = static(QUANTIZED_TENSOR)
TUPLE = tuple_of(ANY_TENSOR | BUFFER | TOKEN)
VALUE = ANY_TENSOR | TOKEN | TUPLE | BUFFER
DIMENSIONS = tensor_of(INTEGER, INDEX_ELEMENT, rank=1)
STATIC_DIMENSIONS = static(DIMENSIONS)
