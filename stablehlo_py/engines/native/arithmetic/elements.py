"""Element types: the LLVM types in memory and in registers, and the conversions between them."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Literal

from stablehlo_py.engines.native.arithmetic.llvm_ir import PARTS, WIDTHS, Builder, Complex, Value, complex_of
from stablehlo_py.engines.native.arithmetic.narrow_floats import NarrowFloat
from stablehlo_py.engines.native.arithmetic.vector_math import FORMATS
from stablehlo_py.ir.element_types import ELEMENT_TYPES
from stablehlo_py.ir.records import dataclass
from stablehlo_py.ir.types import ComplexType, FloatType, IntegerType, QuantizedType, TensorType, Type

Change = Callable[[Value], Value]


def _unchanged(value: Value) -> Value:
    return value


@dataclass(frozen=True, slots=True, eq=False)
class Stored(Value):
    """A value with the bits in memory that it was loaded from: data movement keeps all bits, also of NaN."""

    element: Element
    memory: Value


@dataclass(frozen=True, slots=True)
class Element:
    """An element type: LLVM's types in memory and in registers.

    Attributes:
        storage: the type in memory.
        compute: the type of values; narrow floats are computed in f32 and rounded behind every op.
        signed: whether an integer is signed.
        size: bytes in memory.
        widen: the value of what is in memory.
        narrow: what is in memory for a value.
        width: bits, where it is narrower than a byte.
    """

    storage: str
    compute: str
    signed: bool
    size: int
    widen: Change = _unchanged
    narrow: Change = _unchanged
    width: int = 0

    @property
    def bits(self) -> str:
        """The type of integers of as many bits."""
        return f"i{self.width or 8 * self.size}"

    @property
    def is_float(self) -> bool:
        """Test whether values are floating-point numbers."""
        return self.compute in ("float", "double")

    @property
    def kind(self) -> Literal["floating", "integer", "boolean", "complex"]:
        """The class of element types that it is in."""
        if self.compute in PARTS:
            return "complex"
        return "floating" if self.is_float else "boolean" if self.compute == "i1" else "integer"

    @property
    def part(self) -> Element:
        """The element that parts of a complex number are; this one for other numbers."""
        return _PARTS.get(self.compute, self)

    @property
    def is_wide(self) -> bool:
        """Test whether values are kept in memory as they are computed."""
        return not self.is_float or self.storage == self.compute

    def load(self, b: Builder, pointer: Value, index: Value) -> Value:
        """The element at an offset, as a value to compute with."""
        return self.of_memory(b.load(self.storage, pointer, index))

    def store(self, b: Builder, value: Value, pointer: Value, index: Value) -> None:
        """Stores a value at an offset."""
        b.store(self.in_memory(value), pointer, index)

    def rounded(self, value: Value) -> Value:
        """A value with the precision of the element type."""
        kept = self.is_wide or (isinstance(value, Stored) and value.element is self)
        return value if kept else self.widen(self.narrow(value))

    def of_memory(self, memory: Value) -> Value:
        """The value of what is in memory."""
        value = self.widen(memory)
        return value if self.is_wide else Stored(value.text, value.type, value.builder, self, memory)

    def in_memory(self, value: Value) -> Value:
        """What is in memory for a value."""
        return value.memory if isinstance(value, Stored) and value.element is self else self.narrow(value)

    def to_bits(self, value: Value) -> Value:
        """The bits of an element as an integer; the real part of a complex number is below."""
        if isinstance(value, Complex):
            halves = [self.part.to_bits(half) for half in (value.real, value.imag)]
            real, imag = (half.convert("zext", self.bits) for half in halves)
            return real | (imag << 8 * self.part.size)
        memory = self.in_memory(value) if self.is_float else value
        return memory.bitcast(f"i{WIDTHS[memory.type]}").convert("trunc", self.bits)

    def of_bits(self, bits: Value) -> Value:
        """The element that has some bits."""
        if self.kind == "complex":
            part = self.part
            upper = bits.logical_shift_right(8 * part.size)
            return complex_of(*[part.of_bits(half.convert("trunc", part.bits)) for half in (bits, upper)])
        if not self.is_float:
            return bits
        return self.of_memory(bits.convert("zext", f"i{8 * self.size}").bitcast(self.storage))


def _widen_half(stored: Value) -> Value:
    return stored.convert("fpext", "float")


def _narrow_half(value: Value) -> Value:
    return value.convert("fptrunc", "half")


def _widen_bfloat(stored: Value) -> Value:
    return (stored.convert("zext", "i32") << 16).bitcast("float")


def _narrow_bfloat(value: Value) -> Value:
    """The upper half of an f32, rounded to nearest even; NaN stays a NaN."""
    bits = value.bitcast("i32")
    odd = bits.logical_shift_right(16) & 1
    rounded = (bits + 0x7FFF + odd).logical_shift_right(16)
    quiet = bits.logical_shift_right(16) | 0x40
    return value.is_nan().select(quiet, rounded).convert("trunc", "i16")


# Stored as integers: for LLVM's own bfloat, code calls functions that few processes have
BF16 = Element("i16", "float", True, 2, _widen_bfloat, _narrow_bfloat)
_FLOATS = {
    "f32": Element("float", "float", True, 4),
    "f64": Element("double", "double", True, 8),
    "f16": Element("half", "float", True, 2, _widen_half, _narrow_half),
    "bf16": BF16,
}
_COMPLEX = {
    "f32": Element("{ float, float }", "{ float, float }", True, 8),
    "f64": Element("{ double, double }", "{ double, double }", True, 16),
}
_NARROW = {
    str(type): Element("i8", "float", True, 1, narrow.widen, narrow.narrow, row.width)
    for type, row in ELEMENT_TYPES.items()
    if row.format is not None and row.width <= 8
    for narrow in [NarrowFloat(row.format, row.width)]
}
_PARTS = {element.compute: _FLOATS[part] for part, element in _COMPLEX.items()}
_BOOLEAN = Element(
    "i8", "i1", False, 1, lambda stored: stored.compare("ne", 0), lambda value: value.convert("zext", "i8"), 1
)


def _in_a_byte(integer: str, signed: bool) -> Element:
    """An integer of fewer bits than a byte, whose other bits mean nothing, and are 0."""
    return Element(
        "i8",
        integer,
        signed,
        1,
        lambda stored: stored.convert("trunc", integer),
        lambda value: value.convert("zext", "i8"),
        WIDTHS[integer],
    )


def element_of(type: Type) -> Element | None:
    """The element of a static tensor's type; None where there is no native form."""
    return _element(type.element_type) if isinstance(type, TensorType) and type.is_static else None


@cache
def _element(element: Type) -> Element | None:
    match element:
        case FloatType():
            return _FLOATS.get(str(element)) or _NARROW.get(str(element))
        case ComplexType(part):
            return _COMPLEX.get(str(part))
        case IntegerType(1):
            return _BOOLEAN
        case IntegerType(width) if width in (8, 16, 32, 64):
            integer = f"i{width}"
            return Element(integer, integer, element.signedness != "u", width // 8)
        case IntegerType(width) if width in (2, 4):
            return _in_a_byte(f"i{width}", element.signedness != "u")
        case QuantizedType(storage_type):
            return _element(storage_type)
    return None


def saturated(x: Value, target: Element, range: tuple[float, float]) -> Value:
    """A float as an integer: rounded towards zero, NaN as 0, and the nearest one where it is out of range.

    LLVM's own saturating conversion is not vectorized.

    Args:
        x: The float.
        target: The integer's element.
        range: What `x` can be, besides NaN.
    """
    type, width = target.compute, WIDTHS[target.compute]
    low, high = (-(1 << width - 1), (1 << width - 1) - 1) if target.signed else (0, (1 << width) - 1)
    lost = max(0, high.bit_length() - FORMATS[x.type].fraction - 1)  # low bits that floats of this size lack
    highest = high >> lost << lost
    fits = low <= range[0] and range[1] <= highest
    limited = x
    if not fits:
        limited = (x > low).select(x, low)  # of NaN, too
        limited = (limited < highest).select(limited, highest)
    if width < 32:
        found = limited.convert("fptosi", "i32").convert("trunc", type)
    else:
        found = limited.convert("fptosi" if target.signed else "fptoui", type)
    if lost and not fits:
        found = (x > highest).select(high if target.signed else -1, found)
    return x.is_nan().select(0, found) if target.signed or fits else found
