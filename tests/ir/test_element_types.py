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
    numpy_dtype,
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


def test_codes_are_those_of_the_formats() -> None:
    """By MLIR's BuiltinDialectBytecode.td, VhloBytecode.cpp and JAX's serialization.fbs."""
    codes = {row.name: (row.codes.builtin, row.codes.vhlo, row.codes.jax) for row in ROWS}
    assert codes["f8E4M3FN"] == (24, 6, 18)
    assert codes["bf16"] == (3, 2, 14)
    assert codes["tf32"] == (21, 34, None)
    assert codes["f128"] == (8, None, None)
    assert codes["i1"] == (None, 0, 0)
    assert codes["i4"] == (None, 10, 15)
    assert codes["ui2"] == (None, 32, None)
    assert codes["ui64"] == (None, 19, 8)
    assert codes["si32"] == (None, None, None)
    assert codes["complex<f64>"] == (None, None, 13)
