"""Types of the specification (section "Types"), and the builtin types of MLIR around them.

Types are immutable and interned: equal types are the same object, so comparison and hashing are by identity.
A dimension is an `int`, or None if dynamic (`?`).
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any
from weakref import WeakValueDictionary

from stablehlo_py.ir.printing import text_of
from stablehlo_py.ir.records import dataclass

if TYPE_CHECKING:
    from stablehlo_py.ir.attributes import Attribute

Shape = tuple[int | None, ...]


class _Interned(type):
    """A metaclass that returns the same instance for the same field values."""

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
    """The base class of types, which are records of the fields in their class."""

    if TYPE_CHECKING:  # for type checkers, which cannot know what kind of type a value has

        @property
        def shape(self) -> Any:
            """The shape of a tensor type; AttributeError for a type without one."""

        @property
        def element_type(self) -> Any:
            """The element type of a tensor type; AttributeError for a type without one."""

    def fields(self) -> tuple[Any, ...]:
        """Return the field values, in order: `type(self)(*self.fields()) is self`."""
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
    """`index`: MLIR's type of sizes and indices, 64 bits wide here."""


@dataclass(frozen=True, eq=False)
class FloatType(Type):
    """A floating-point type, by name: `f4E2M1FN` .. `f8E8M0FNU`, `bf16`, `f16`, `tf32`, `f32`, `f64`."""

    name: str


@dataclass(frozen=True, eq=False)
class ComplexType(Type):
    """`complex<f32>` or `complex<f64>`."""

    element_type: Type


@dataclass(frozen=True, eq=False)
class QuantizedType(Type):
    """`!quant.uniform<storage<min:max>:expressed[:dimension], scales and zero points>`.

    Attributes:
        dimension: The quantized dimension of a per-axis type; None for a per-tensor or sub-channel type.
        block_sizes: The pairs (dimension, size) of a sub-channel type, otherwise None.
        scales_shape: The shape of the flattened scales of a sub-channel type.
        scales: One scale per tensor, or per slice of `dimension`.
        zero_points: One zero point per tensor, or per slice of `dimension`.
        storage_min: The minimum of the storage values; defaults to that of the storage type.
        storage_max: The maximum of the storage values; defaults to that of the storage type.
        has_unsigned_storage: Whether an unsigned storage type is `ui8` rather than `u8`, another type to
            MLIR: a signless integer, and a flag of the quantized type.
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
    has_unsigned_storage: bool = False


@dataclass(frozen=True, eq=False)
class TensorType(Type):
    """`tensor<2x?xf32, encoding>`: a shape, an element type and an optional encoding."""

    shape: Shape
    element_type: Type
    encoding: Attribute | None = None

    @property
    def rank(self) -> int:
        """The number of dimensions."""
        return len(self.shape)

    @property
    def is_static(self) -> bool:
        """Test whether all dimension sizes are known."""
        return None not in self.shape

    @property
    def size(self) -> int | None:
        """The number of elements; None if dynamic."""
        return None if None in self.shape else math.prod(self.shape)  # type: ignore[arg-type]


@dataclass(frozen=True, eq=False)
class UnrankedTensorType(Type):
    """`tensor<*xf32>`: not a StableHLO type, but MLIR files contain it."""

    element_type: Type


@dataclass(frozen=True, eq=False)
class MemRefType(Type):
    """`memref<2x3xf32, layout, space>`: a buffer; `rest` holds layout and memory space."""

    shape: Shape
    element_type: Type
    rest: tuple[Attribute, ...] = ()


@dataclass(frozen=True, eq=False)
class TokenType(Type):
    """`!stablehlo.token`: a dependency between ops with side effects."""


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
    """A type of another dialect, whose text is preserved exactly: `!shape.shape`, `!mhlo.bundle<...>`."""

    text: str


I1 = IntegerType(1)
I32 = IntegerType(32)
I64 = IntegerType(64)
UI64 = IntegerType(64, "u")
F32 = FloatType("f32")
F64 = FloatType("f64")
INDEX = IndexType()
TOKEN = TokenType()
