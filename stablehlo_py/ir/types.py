"""Types of the specification's "Types" section and of the MLIR builtins around it.

Every type is immutable and interned: two types are equal exactly when they are the same object, so
comparing and hashing types costs nothing. Dimensions are `int`, or None for an unknown size (`?`).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from weakref import WeakValueDictionary

from stablehlo_py.ir.printing import text_of

if TYPE_CHECKING:
    from stablehlo_py.ir.attributes import Attribute

Shape = tuple[int | None, ...]


class _Interned(type):
    """Metaclass that returns the one instance for given field values."""

    _instances: WeakValueDictionary[tuple[Any, ...], Any] = WeakValueDictionary()

    def __call__(cls, *args: Any, **kwargs: Any) -> Any:
        key = (cls, *args, *kwargs.items())
        found = _Interned._instances.get(key)
        if found is not None:
            return found
        made = super().__call__(*args, **kwargs)
        canonical = (cls, *made.fields())
        made = _Interned._instances.setdefault(canonical, made)
        _Interned._instances[key] = made
        return made


@dataclass(frozen=True, eq=False)
class Type(metaclass=_Interned):
    """A type. Subclasses are records whose fields are given in the order of their declaration."""

    def fields(self) -> tuple[Any, ...]:
        """The field values, in order: `type(self)(*self.fields()) is self`."""
        return tuple(getattr(self, name) for name in self.__dataclass_fields__)

    def __reduce__(self) -> tuple[Any, ...]:
        return (type(self), self.fields())

    def __copy__(self) -> Type:
        return self

    def __deepcopy__(self, memo: object) -> Type:
        return self

    def __str__(self) -> str:
        return text_of(self)


@dataclass(frozen=True, eq=False)
class IntegerType(Type):
    """`i1` (boolean), `i2`..`i64` (signless: the specification's `si`), `ui2`..`ui64`, MLIR's `si8`."""

    width: int
    signedness: str = ""  # "" signless, "s" signed, "u" unsigned


@dataclass(frozen=True, eq=False)
class IndexType(Type):
    """`index`: the builtin type of sizes and positions, 64 bits wide here."""


@dataclass(frozen=True, eq=False)
class FloatType(Type):
    """A floating-point type by its name: `f4E2M1FN` .. `f8E8M0FNU`, `bf16`, `f16`, `tf32`, `f32`, `f64`."""

    name: str


@dataclass(frozen=True, eq=False)
class ComplexType(Type):
    """`complex<f32>` or `complex<f64>`."""

    element_type: Type


@dataclass(frozen=True, eq=False)
class QuantizedType(Type):
    """`!quant.uniform<storage<min:max>:expressed[:dimension], scales and zero points>`.

    Per-tensor: `dimension` and `block_sizes` are None, one scale and one zero point. Per-axis:
    `dimension` is set, one scale and zero point for each slice. Sub-channel: `block_sizes` is a
    tuple of (dimension, size) and `scales_shape` gives the shape of the flattened scales.
    `storage_min` and `storage_max` are always filled in, by the storage type's range by default.
    """

    storage_type: Type
    expressed_type: Type
    scales: tuple[float, ...]
    zero_points: tuple[int, ...]
    storage_min: int
    storage_max: int
    dimension: int | None = None
    block_sizes: tuple[tuple[int, int], ...] | None = None
    scales_shape: tuple[int, ...] | None = None


@dataclass(frozen=True, eq=False)
class TensorType(Type):
    """`tensor<2x?xf32, encoding>`: a shape, an element type and an optional encoding."""

    shape: Shape
    element_type: Type
    encoding: Attribute | None = None

    @property
    def rank(self) -> int:
        return len(self.shape)

    @property
    def is_static(self) -> bool:
        """Whether every dimension size is known."""
        return None not in self.shape

    @property
    def size(self) -> int | None:
        """Number of elements, or None when a dimension size is unknown."""
        return None if None in self.shape else math.prod(self.shape)  # type: ignore[arg-type]


@dataclass(frozen=True, eq=False)
class UnrankedTensorType(Type):
    """`tensor<*xf32>`: not a StableHLO type, but files contain it."""

    element_type: Type


@dataclass(frozen=True, eq=False)
class MemRefType(Type):
    """`memref<2x3xf32, layout, space>`: a buffer; `rest` holds layout and memory space."""

    shape: Shape
    element_type: Type
    rest: tuple[Attribute, ...] = ()


@dataclass(frozen=True, eq=False)
class TokenType(Type):
    """`!stablehlo.token`: orders side effects."""


@dataclass(frozen=True, eq=False)
class TupleType(Type):
    """`tuple<tensor<f32>, !stablehlo.token>`."""

    types: tuple[Type, ...]


@dataclass(frozen=True, eq=False)
class FutureType(Type):
    """`!stablehlo.future<tensor<2xf32>, ...>`: the pending results of an `async_start`."""

    types: tuple[Type, ...]


@dataclass(frozen=True, eq=False)
class FunctionType(Type):
    """`(tensor<f32>) -> tensor<f32>`."""

    inputs: tuple[Type, ...]
    results: tuple[Type, ...]


@dataclass(frozen=True, eq=False)
class NoneType(Type):
    """`none`."""


@dataclass(frozen=True, eq=False)
class OpaqueType(Type):
    """A type of another dialect, kept to the byte: `!shape.shape`, `!mhlo.bundle<...>`."""

    text: str


I1 = IntegerType(1)
I32 = IntegerType(32)
I64 = IntegerType(64)
UI64 = IntegerType(64, "u")
F32 = FloatType("f32")
F64 = FloatType("f64")
INDEX = IndexType()
TOKEN = TokenType()
