"""Rows of element types compared with ml_dtypes, NumPy and the text of types."""

from __future__ import annotations

import subprocess
import sys

import ml_dtypes
import numpy as np
import pytest

from stablehlo_py.ir.element_types import (
    ELEMENT_TYPES,
    FLOATS,
    ElementType,
    bit_width,
    element_type_of,
    least_normal,
    least_positive,
    numpy_dtype,
    storage_dtype,
    value_range,
)
from stablehlo_py.ir.types import (
    F32,
    I1,
    I32,
    INDEX,
    TOKEN,
    ComplexType,
    FloatType,
    IntegerType,
    QuantizedType,
)
from stablehlo_py.syntax.parser import parse_type

ROWS = list(ELEMENT_TYPES.values())
HELD = [row for row in ROWS if row.numpy]


def named(row: ElementType) -> str:
    return row.name


@pytest.mark.parametrize("row", ROWS, ids=named)
def test_the_name_is_the_text_of_the_type(row: ElementType) -> None:
    assert str(row.type) == row.name
    assert parse_type(row.name) is row.type


@pytest.mark.parametrize("row", [row for row in HELD if row.format], ids=named)
def test_formats_are_those_of_ml_dtypes(row: ElementType) -> None:
    info = ml_dtypes.finfo(numpy_dtype(row.type))
    assert row.format is not None
    assert row.width == info.bits
    assert (row.format.exponent, row.format.significand) == (info.nexp, info.nmant + 1)
    assert value_range(row.type) == (float(info.min), float(info.max))
    assert 2.0 ** (1 - row.format.bias) == float(info.smallest_normal) * (1 if row.format.signed else 2)


@pytest.mark.parametrize("row", [row for row in HELD if isinstance(row.type, IntegerType)], ids=named)
def test_ranges_of_integers_are_those_of_ml_dtypes(row: ElementType) -> None:
    if row.type is not I1:
        info = ml_dtypes.iinfo(numpy_dtype(row.type))
        assert value_range(row.type) == (info.min, info.max)


@pytest.mark.parametrize("row", HELD, ids=named)
def test_numpy_types_hold_the_elements(row: ElementType) -> None:
    dtype = numpy_dtype(row.type)
    assert 8 * dtype.itemsize >= row.width == bit_width(row.type)
    assert numpy_dtype(QuantizedType(row.type, F32, (1.0,), (0,), 0, 1)) is dtype
    if row.xla:
        assert element_type_of(dtype) is row


def test_types_that_numpy_does_not_hold() -> None:
    assert [row.name for row in ROWS if not row.numpy] == ["tf32", "f80", "f128"]
    for type in (FloatType("tf32"), IntegerType(3), TOKEN, ComplexType(I32)):
        with pytest.raises(TypeError, match="has no NumPy equivalent"):
            numpy_dtype(type)
    assert element_type_of(np.dtype(np.str_)) is None


def test_widths_of_types_without_a_row() -> None:
    assert (bit_width(IntegerType(3)), bit_width(ComplexType(IntegerType(3)))) == (3, 6)
    with pytest.raises(TypeError, match="has no bit width"):
        bit_width(TOKEN)


def test_ranges() -> None:
    assert value_range(I1) == (0, 1)
    assert value_range(IntegerType(3)) == (-4, 3)
    assert value_range(IntegerType(3, "u")) == (0, 7) and value_range(IntegerType(3, "s")) == (-4, 3)
    assert value_range(IntegerType(1, "u")) == (0, 1) and value_range(IntegerType(1, "s")) == (-1, 0)
    assert value_range(INDEX) == (-(2**63), 2**63 - 1)
    assert value_range(FloatType("tf32")) == (-(2**128 - 2**117), 2**128 - 2**117)
    assert FLOATS["f128"].largest == (2**113 - 1) << (16383 - 112)
    with pytest.raises(TypeError, match="has no value range"):
        value_range(ComplexType(F32))


def test_the_package_imports_ml_dtypes_when_it_needs_it() -> None:
    program = "import sys, stablehlo_py as shlo; shlo.parse('func.func @f() { return }'); "
    found = subprocess.run(
        [sys.executable, "-c", program + "print('ml_dtypes' in sys.modules)"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert found.stdout.strip() == "False"


@pytest.mark.parametrize("format", ["builtin", "vhlo", "jax"])
def test_codes_are_those_of_one_type(format: str) -> None:
    codes = [getattr(row.codes, format) for row in ROWS]
    known = [code for code in codes if code is not None]
    assert len(known) == len(set(known))


TABLE = """
            width xla            since   safetensors builtin vhlo jax
i1              1 pred           0.9.0   BOOL        -       0    0
i2              2 s2             1.2.0   -           -       31   -
i4              4 s4             0.9.0   -           -       10   15
i8              8 s8             0.9.0   I8          -       11   1
i16            16 s16            0.9.0   I16         -       12   2
i32            32 s32            0.9.0   I32         -       13   3
i64            64 s64            0.9.0   I64         -       14   4
ui2             2 u2             1.2.0   -           -       32   -
ui4             4 u4             0.9.0   -           -       15   16
ui8             8 u8             0.9.0   U8         -       16   5
ui16           16 u16            0.9.0   U16        -       17   6
ui32           32 u32            0.9.0   U32        -       18   7
ui64           64 u64            0.9.0   U64        -       19   8
si2             2 -              1.2.0   -           -       -    -
si4             4 -              0.9.0   -           -       -    -
si8             8 -              0.9.0   -           -       -    -
si16           16 -              0.9.0   -           -       -    -
si32           32 -              0.9.0   -           -       -    -
si64           64 -              0.9.0   -           -       -    -
f4E2M1FN        4 f4e2m1fn       1.8.0   F4          29      37   26
f6E2M3FN        6 f6e2m3fn       1.8.0   -           30      38   -
f6E3M2FN        6 f6e3m2fn       1.8.0   -           31      39   -
f8E3M4          8 f8e3m4         1.7.0   -           28      36   24
f8E4M3          8 f8e4m3         1.7.0   -           23      35   23
f8E4M3FN        8 f8e4m3fn       0.9.0   F8_E4M3     24      6    18
f8E4M3FNUZ      8 f8e4m3fnuz     0.10.0  F8_E4M3FNUZ 26      27   19
f8E4M3B11FNUZ   8 f8e4m3b11fnuz  0.11.0  -           27      29   17
f8E5M2          8 f8e5m2         0.9.0   F8_E5M2     22      7    20
f8E5M2FNUZ      8 f8e5m2fnuz     0.10.0  F8_E5M2FNUZ 25      28   21
f8E8M0FNU       8 f8e8m0fnu      1.8.0   F8_E8M0     32      40   25
bf16           16 bf16           0.9.0   BF16        3       2    14
f16            16 f16            0.9.0   F16         4       3    9
tf32           19 -              1.6.0   -           21      34   -
f32            32 f32            0.9.0   F32         5       4    10
f64            64 f64            0.9.0   F64         6       5    11
f80            80 -              0.9.0   -           7       -    -
f128          128 -              0.9.0   -           8       -    -
complex<f32>   64 c64            0.9.0   C64         -       -    12
complex<f64>  128 c128           0.9.0   -           -       -    13
index          64 -              0.9.0   -           -       9    -
"""


def test_rows_are_those_of_the_formats() -> None:
    """By XLA's primitive types, BuiltinDialectBytecode.td, VhloBytecode.cpp and serialization.fbs."""
    found = [
        (r.name, r.width, r.xla, r.since, r.safetensors, r.codes.builtin, r.codes.vhlo, r.codes.jax)
        for r in ROWS
    ]
    texts = [["-" if cell in ("", None) else str(cell) for cell in row] for row in found]
    assert texts == [line.split() for line in TABLE.strip().splitlines()[1:]]
    assert all(row.supported is bool(row.xla) for row in ROWS if row.name not in ("tf32", "index"))
    kinds = {row.literal: row.name for row in ROWS}
    assert kinds == {"boolean": "i1", "integer": "index", "float": "f128", "complex": "complex<f64>"}


@pytest.mark.parametrize("row", [row for row in HELD if row.format], ids=named)
def test_small_numbers_are_those_of_ml_dtypes(row: ElementType) -> None:
    info = ml_dtypes.finfo(numpy_dtype(row.type))
    assert isinstance(row.type, FloatType)
    if row.format is not None and row.format.signed:
        assert least_positive(row.type) == float(info.smallest_subnormal)
        assert least_normal(row.type) == float(info.smallest_normal)
    else:
        assert least_positive(row.type) == 2.0**-127


def test_storage() -> None:
    """Constants of types without a NumPy type are bytes: whole ones, and of complex numbers both parts."""
    sizes = {"tf32": 3, "f80": 10, "f128": 16, "i3": 1, "i9": 2, "i1024": 128, "complex<f80>": 20}
    for text, size in sizes.items():
        assert storage_dtype(parse_type(text)) == np.dtype((np.void, size))
    assert storage_dtype(F32) == np.float32 and storage_dtype(ComplexType(F32)) == np.complex64
    for refused in (IntegerType(1025), ComplexType(IntegerType(1025)), TOKEN):
        with pytest.raises(TypeError):
            storage_dtype(refused)
