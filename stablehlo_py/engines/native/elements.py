"""Elements: the LLVM types in which those of each element type are stored and computed, and conversions."""

from __future__ import annotations

from functools import cache

from stablehlo_py.engines.native.llvm_ir import Builder, Value
from stablehlo_py.ir.records import dataclass
from stablehlo_py.ir.types import FloatType, IntegerType, TensorType, Type


@dataclass(frozen=True, slots=True)
class Element:
    """An element type: LLVM's types in memory and in registers.

    Attributes:
        storage: the type in memory.
        compute: the type of values; narrow floats are computed in f32 and rounded behind every op.
        signed: whether an integer is signed.
        size: bytes in memory.
    """

    storage: str
    compute: str
    signed: bool
    size: int

    @property
    def is_float(self) -> bool:
        """Test whether values are floating-point numbers."""
        return self.compute in ("float", "double")

    @property
    def is_wide(self) -> bool:
        """Test whether values are kept in memory as they are computed."""
        return not self.is_float or self.storage == self.compute

    def load(self, b: Builder, pointer: Value, index: Value) -> Value:
        """The element at an offset, as a value to compute with."""
        stored = b.load(self.storage, pointer, index)
        if self.compute == "i1":
            return stored.compare("ne", 0)
        if self.storage == "bfloat":
            wide = stored.bitcast("i16").convert("zext", "i32") << 16
            return wide.bitcast("float")
        return stored.convert("fpext", self.compute) if self.is_float else stored

    def store(self, b: Builder, value: Value, pointer: Value, index: Value) -> None:
        """Stores a value at an offset."""
        b.store(self.narrow(value), pointer, index)

    def narrow(self, value: Value) -> Value:
        """A value as it is in memory."""
        if self.compute == "i1":
            return value.convert("zext", "i8")
        if self.storage == "bfloat":
            return _bfloat_bits(value).bitcast("bfloat")
        return value.convert("fptrunc", self.storage) if self.is_float else value

    def rounded(self, value: Value) -> Value:
        """A value with the precision of the element type."""
        if self.is_wide:
            return value
        if self.storage == "bfloat":
            return (_bfloat_bits(value).convert("zext", "i32") << 16).bitcast("float")
        return value.convert("fptrunc", self.storage).convert("fpext", self.compute)


def _bfloat_bits(value: Value) -> Value:
    """The upper half of an f32, rounded to nearest even; NaN stays a NaN."""
    bits = value.bitcast("i32")
    odd = bits.logical_shift_right(16) & 1
    rounded = (bits + 0x7FFF + odd).logical_shift_right(16)
    quiet = bits.logical_shift_right(16) | 0x40
    return value.is_nan().select(quiet, rounded).convert("trunc", "i16")


_FLOATS = {
    "f32": Element("float", "float", True, 4),
    "f64": Element("double", "double", True, 8),
    "f16": Element("half", "float", True, 2),
    "bf16": Element("bfloat", "float", True, 2),
}


def element_of(type: Type) -> Element | None:
    """The element of a static tensor's type; None where there is no native form."""
    return _element(type.element_type) if isinstance(type, TensorType) and type.is_static else None


@cache
def _element(element: Type) -> Element | None:
    if isinstance(element, FloatType):
        return _FLOATS.get(str(element))
    if isinstance(element, IntegerType):
        if element.width == 1:
            return Element("i8", "i1", False, 1)
        if element.width in (8, 16, 32, 64):
            integer = f"i{element.width}"
            return Element(integer, integer, not str(element).startswith("ui"), element.width // 8)
    return None
