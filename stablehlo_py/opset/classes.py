"""Classes of types, as the specification names them in its tables of inputs and outputs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from stablehlo_py.ir.types import (
    I32,
    ComplexType,
    FloatType,
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
    """A set of types: the specification's phrase for it, and membership."""

    phrase: str
    contains: Callable[[Type], bool]

    def __or__(self, other: TypeClass) -> TypeClass:
        mine, theirs = self.contains, other.contains
        return TypeClass(f"{self.phrase} or {other.phrase}", lambda t: mine(t) or theirs(t))


# Element types
BOOLEAN = TypeClass("boolean", lambda t: t is _I1)
SIGNED = TypeClass("signed integer", lambda t: isinstance(t, IntegerType) and t.signedness == "" and t.width > 1)
UNSIGNED = TypeClass("unsigned integer", lambda t: isinstance(t, IntegerType) and t.signedness == "u")
INTEGER = TypeClass(
    "integer", lambda t: isinstance(t, IntegerType) and t.width in (2, 4, 8, 16, 32, 64) and t.signedness != "s"
)
FLOAT = TypeClass("floating-point", lambda t: isinstance(t, FloatType) and t.name != "tf32")
COMPLEX = TypeClass("complex", lambda t: isinstance(t, ComplexType))
INDEX_ELEMENT = TypeClass("index", lambda t: isinstance(t, IndexType))
PER_TENSOR = TypeClass("per-tensor quantized", lambda t: isinstance(t, QuantizedType) and t.dimension is None and t.block_sizes is None)
SIGNED_32 = TypeClass("`si32`", lambda t: t is I32)
UNSIGNED_32 = TypeClass("`ui32`", lambda t: t is _UI32)
QUANTIZED = TypeClass("quantized", lambda t: isinstance(t, QuantizedType))

_I1 = IntegerType(1)
_UI32 = IntegerType(32, "u")


def tensor_of(*elements: TypeClass, rank: int | None = None) -> TypeClass:
    """Tensors of any of these element types; `rank` fixes the number of dimensions."""
    plain = [e.phrase for e in elements if "quantized" not in e.phrase]
    words = [f"{_rank_word(rank)}tensor of {_listed(plain)} type"] if plain else []
    words += [f"{e.phrase} tensor" for e in elements if "quantized" in e.phrase]
    tests = [e.contains for e in elements]

    def contains(t: Type) -> bool:
        return (
            isinstance(t, TensorType)
            and (rank is None or len(t.shape) == rank)
            and any(test(t.element_type) for test in tests)
        )

    return TypeClass(" or ".join(words), contains)


def _rank_word(rank: int | None) -> str:
    return "" if rank is None else f"{rank}-dimensional "


def _listed(words: list[str]) -> str:
    return words[0] if len(words) == 1 else ", ".join(words[:-1]) + " or " + words[-1]


_ELEMENT = (BOOLEAN, INTEGER, FLOAT, COMPLEX)

ANY = TypeClass("any type", lambda t: True)
TOKEN = TypeClass("token", lambda t: isinstance(t, TokenType))
TUPLE = TypeClass("tuple", lambda t: isinstance(t, TupleType))
FUTURE = TypeClass("future", lambda t: isinstance(t, FutureType))
BUFFER = TypeClass("buffer", lambda t: isinstance(t, MemRefType))
UNRANKED = TypeClass("unranked tensor", lambda t: isinstance(t, UnrankedTensorType))
TENSOR = TypeClass("tensor", tensor_of(*_ELEMENT).contains)
QUANTIZED_TENSOR = tensor_of(QUANTIZED)
PER_TENSOR_QUANTIZED_TENSOR = tensor_of(PER_TENSOR)
STATIC_TENSOR = TypeClass(
    "tensor of known size", lambda t: isinstance(t, TensorType) and t.is_static and TENSOR.contains(t)
)
STATIC_QUANTIZED_TENSOR = TypeClass(
    "quantized tensor of known size",
    lambda t: isinstance(t, TensorType) and t.is_static and QUANTIZED_TENSOR.contains(t),
)
