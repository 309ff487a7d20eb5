"""The table of element types: all facts about an element type are in its row.

Types without a row (`i3`, `complex<i32>`, tokens) are not supported as element types. `ml_dtypes` is imported
on the first access to the NumPy type of a narrow element type.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any, Literal

import numpy as np

from stablehlo_py.ir.records import dataclass
from stablehlo_py.ir.types import ComplexType, FloatType, IndexType, IntegerType, QuantizedType, Type

MAX_STORED_WIDTH = 1024  # bits of an element of a constant
OLDEST = "0.9.0"  # also the version of everything that earlier versions introduced


@dataclass(frozen=True, slots=True)
class FloatFormat:
    """The format of a floating-point type.

    Attributes:
        exponent: The width of the exponent, in bits.
        significand: The precision of the significand, in bits, including the implicit leading bit.
        bias: The exponent bias.
        nan: The encodings of non-finite values: "exponent", the maximum exponent (infinities and NaNs);
            "ones", all ones after the sign; "negative zero"; "none", all encodings are finite.
        signed: Whether the format has a sign bit, negative numbers and zero.
    """

    exponent: int
    significand: int
    bias: int
    nan: Literal["exponent", "ones", "negative zero", "none"] = "exponent"
    signed: bool = True

    @property
    def largest(self) -> float:
        """The largest finite number; an int if a Python float cannot represent it."""
        units = (1 << self.significand) - (2 if self.nan == "ones" else 1)
        power = (1 << self.exponent) - (2 if self.nan == "exponent" else 1) - self.bias
        shift = power - self.significand + 1
        return units << shift if shift >= 0 else units / (1 << -shift)

    @property
    def least_positive(self) -> float:
        """The smallest positive number; 0.0 if a Python float cannot represent it."""
        return 2.0 ** (max(-1074, (1 - self.bias if self.signed else -self.bias) - self.significand + 1))

    @property
    def least_normal(self) -> float:
        """The smallest positive normal number."""
        return 2.0 ** max(-1074, 1 - self.bias)

    @property
    def smallest(self) -> float:
        """The smallest finite number: the negated largest one, or the smallest positive one if unsigned."""
        return -self.largest if self.signed else 2.0**-self.bias


@dataclass(frozen=True, slots=True)
class Codes:
    """The numbers of an element type in binary formats; None where a format does not have it.

    Attributes:
        builtin: In the bytecode of MLIR's builtin dialect, of a floating-point type.
        vhlo: In the bytecode of the VHLO dialect.
        jax: In containers of `jax.export`.
    """

    builtin: int | None = None
    vhlo: int | None = None
    jax: int | None = None


@dataclass(frozen=True, slots=True)
class ElementType:
    """A row of the table of element types.

    Attributes:
        name: The type as text.
        type: The type in the IR.
        width: The width in bits, the specification's `num_bits`.
        literal: The form of literals: `true`, `-1`, `1.0` or `(1.0, 0.0)`.
        numpy: The name of the NumPy or ml_dtypes type of elements, "" if none.
        xla: XLA's name of the primitive type, "" if none.
        since: The version of StableHLO that introduced the type.
        supported: Whether the type is in StableHLO, rather than in MLIR only.
        format: The format of a floating-point type.
        safetensors: The name in the format safetensors, "" if none: how it packs 6 bits is not specified.
        codes: The numbers in binary formats.
    """

    name: str
    type: Type
    width: int
    literal: Literal["boolean", "integer", "float", "complex"]
    numpy: str
    xla: str
    since: str = OLDEST
    supported: bool = True
    format: FloatFormat | None = None
    safetensors: str = ""
    codes: Codes = Codes()


_WIDTHS = (2, 4, 8, 16, 32, 64)
_NONE = (None,) * len(_WIDTHS)


def _integers(
    signedness: str,
    numpy: str,
    xla: str,
    vhlo: Sequence[int | None] = _NONE,
    jax: Sequence[int | None] = _NONE,
) -> list[ElementType]:
    return [
        ElementType(
            f"{signedness}i{width}",
            IntegerType(width, signedness),
            width,
            "integer",
            f"{numpy}{width}",
            f"{xla}{width}" if xla else "",
            "1.2.0" if width == 2 else OLDEST,
            bool(xla),
            safetensors=f"{signedness or 'i'}{width}".upper() if xla and width >= 8 else "",
            codes=Codes(None, *codes),
        )
        for width, *codes in zip(_WIDTHS, vhlo, jax, strict=True)
    ]


def _float(
    name: str,
    width: int,
    format: FloatFormat,
    numpy: str,
    codes: Codes,
    since: str = OLDEST,
    safetensors: str = "",
) -> ElementType:
    xla = name.lower() if numpy else ""
    return ElementType(
        name, FloatType(name), width, "float", numpy, xla, since, bool(xla), format, safetensors, codes
    )


_ROWS = (
    ElementType(
        "i1", IntegerType(1), 1, "boolean", "bool", "pred", safetensors="BOOL", codes=Codes(vhlo=0, jax=0)
    ),
    *_integers("", "int", "s", vhlo=(31, 10, 11, 12, 13, 14), jax=(None, 15, 1, 2, 3, 4)),
    *_integers("u", "uint", "u", vhlo=(32, 15, 16, 17, 18, 19), jax=(None, 16, 5, 6, 7, 8)),
    *_integers("s", "int", ""),
    _float("f4E2M1FN", 4, FloatFormat(2, 2, 1, "none"), "float4_e2m1fn", Codes(29, 37, 26), "1.8.0", "F4"),
    _float("f6E2M3FN", 6, FloatFormat(2, 4, 1, "none"), "float6_e2m3fn", Codes(30, 38), "1.8.0"),
    _float("f6E3M2FN", 6, FloatFormat(3, 3, 3, "none"), "float6_e3m2fn", Codes(31, 39), "1.8.0"),
    _float("f8E3M4", 8, FloatFormat(3, 5, 3), "float8_e3m4", Codes(28, 36, 24), "1.7.0"),
    _float("f8E4M3", 8, FloatFormat(4, 4, 7), "float8_e4m3", Codes(23, 35, 23), "1.7.0"),
    _float(
        "f8E4M3FN", 8, FloatFormat(4, 4, 7, "ones"), "float8_e4m3fn", Codes(24, 6, 18), safetensors="F8_E4M3"
    ),
    _float(
        "f8E4M3FNUZ",
        8,
        FloatFormat(4, 4, 8, "negative zero"),
        "float8_e4m3fnuz",
        Codes(26, 27, 19),
        "0.10.0",
        "F8_E4M3FNUZ",
    ),
    _float(
        "f8E4M3B11FNUZ",
        8,
        FloatFormat(4, 4, 11, "negative zero"),
        "float8_e4m3b11fnuz",
        Codes(27, 29, 17),
        "0.11.0",
    ),
    _float("f8E5M2", 8, FloatFormat(5, 3, 15), "float8_e5m2", Codes(22, 7, 20), safetensors="F8_E5M2"),
    _float(
        "f8E5M2FNUZ",
        8,
        FloatFormat(5, 3, 16, "negative zero"),
        "float8_e5m2fnuz",
        Codes(25, 28, 21),
        "0.10.0",
        "F8_E5M2FNUZ",
    ),
    _float(
        "f8E8M0FNU",
        8,
        FloatFormat(8, 1, 127, signed=False),
        "float8_e8m0fnu",
        Codes(32, 40, 25),
        "1.8.0",
        "F8_E8M0",
    ),
    _float("bf16", 16, FloatFormat(8, 8, 127), "bfloat16", Codes(3, 2, 14), safetensors="BF16"),
    _float("f16", 16, FloatFormat(5, 11, 15), "float16", Codes(4, 3, 9), safetensors="F16"),
    _float("tf32", 19, FloatFormat(8, 11, 127), "", Codes(21, 34), "1.6.0"),
    _float("f32", 32, FloatFormat(8, 24, 127), "float32", Codes(5, 4, 10), safetensors="F32"),
    _float("f64", 64, FloatFormat(11, 53, 1023), "float64", Codes(6, 5, 11), safetensors="F64"),
    _float("f80", 80, FloatFormat(15, 64, 16383), "", Codes(7)),
    _float("f128", 128, FloatFormat(15, 113, 16383), "", Codes(8)),
    ElementType(
        "complex<f32>",
        ComplexType(FloatType("f32")),
        64,
        "complex",
        "complex64",
        "c64",
        safetensors="C64",
        codes=Codes(jax=12),
    ),
    ElementType(
        "complex<f64>",
        ComplexType(FloatType("f64")),
        128,
        "complex",
        "complex128",
        "c128",
        codes=Codes(jax=13),
    ),
    ElementType("index", IndexType(), 64, "integer", "int64", "", codes=Codes(vhlo=9)),
)
ELEMENT_TYPES: Mapping[Type, ElementType] = {row.type: row for row in _ROWS}
FLOATS: Mapping[str, FloatFormat] = {row.name: row.format for row in _ROWS if row.format is not None}


@cache
def numpy_dtype(element_type: Type) -> np.dtype[Any]:
    """Return the NumPy type of an element type; for a quantized type, that of its storage type.

    Args:
        element_type: The element type.

    Returns:
        The dtype.

    Raises:
        TypeError: For a type that has no elements, such as `!stablehlo.token` or `i3`.
    """
    if isinstance(element_type, QuantizedType):
        return numpy_dtype(element_type.storage_type)
    row = ELEMENT_TYPES.get(element_type)
    if row is None or not row.numpy:
        raise TypeError(f"element type {element_type} has no NumPy equivalent")
    return _dtype(row.numpy)


@cache
def storage_dtype(element_type: Type) -> np.dtype[Any]:
    """Return the NumPy type of the elements of a constant: raw bytes if the element type has no NumPy type.

    Args:
        element_type: The element type.

    Returns:
        The dtype of `numpy_dtype`, or a `np.void` of little-endian bytes; of a complex number, of both parts.

    Raises:
        TypeError: For a type whose elements are not numbers of at most `MAX_STORED_WIDTH` bits.
    """
    try:
        return numpy_dtype(element_type)
    except TypeError:
        part = element_type.element_type if isinstance(element_type, ComplexType) else element_type
        if isinstance(part, QuantizedType) or (width := bit_width(part)) > MAX_STORED_WIDTH:
            raise
    return np.dtype((np.void, (1 if part is element_type else 2) * -(-width // 8)))


def _dtype(name: str) -> np.dtype[Any]:
    if name in np.sctypeDict:
        return np.dtype(name)
    import ml_dtypes

    found: np.dtype[Any] = np.dtype(getattr(ml_dtypes, name))
    return found


def bit_width(element_type: Type) -> int:
    """Return the width of an element type in bits, the specification's `num_bits`.

    Args:
        element_type: The element type.

    Returns:
        The width: 1 for i1, 4 for f4E2M1FN, 64 for complex<f32>.

    Raises:
        TypeError: For a type that is not an element type.
    """
    match element_type:
        case IntegerType(width):
            return width
        case ComplexType(part):
            return 2 * bit_width(part)
        case QuantizedType(storage_type=storage):
            return bit_width(storage)
    row = ELEMENT_TYPES.get(element_type)
    if row is None:
        raise TypeError(f"{element_type} has no bit width")
    return row.width


def element_type_of(dtype: np.dtype[Any]) -> ElementType | None:
    """Return the row of a NumPy type, signless for signed integers; None if there is none."""
    return _BY_DTYPE.get(dtype.name) if dtype.isnative else None


_BY_DTYPE = {row.numpy: row for row in _ROWS if row.xla}


def least_positive(element_type: FloatType) -> float:
    """Return the smallest positive number of a floating-point type, a subnormal one where there are some."""
    return FLOATS[element_type.name].least_positive


def least_normal(element_type: FloatType) -> float:
    """Return the smallest positive normal number of a floating-point type."""
    return FLOATS[element_type.name].least_normal


def value_range(element_type: Type) -> tuple[float, float]:
    """Return the smallest and the largest finite value of an integer or floating-point type.

    Args:
        element_type: The type.

    Returns:
        The bounds.

    Raises:
        TypeError: For a type without an order.
    """
    match element_type:
        case IntegerType(width, signedness) if signedness == "u" or (width == 1 and not signedness):
            return 0, (1 << width) - 1
        case IntegerType(width):
            return -(1 << (width - 1)), (1 << (width - 1)) - 1
        case IndexType():
            return -(1 << 63), (1 << 63) - 1
        case FloatType(name):
            return FLOATS[name].smallest, FLOATS[name].largest
    raise TypeError(f"{element_type} has no value range")
