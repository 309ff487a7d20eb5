"""Bits of elements as elements of other types: all patterns of narrow types, parts and rows, lowest first."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import ml_dtypes
import numpy as np
import pytest

pytest.importorskip("llvmlite", reason="needs the extra native")

from tests.helpers.native import compiled, dtype_of, tensor

Array = np.ndarray[Any, Any]
ALL = np.arange(256, dtype=np.uint8)
NARROW = [
    "f8E3M4", "f8E4M3", "f8E4M3FN", "f8E4M3FNUZ", "f8E4M3B11FNUZ", "f8E5M2", "f8E5M2FNUZ", "f8E8M0FNU",
]  # fmt: skip


def bitcast(source: str, target: str, given: Array, shape: Sequence[int]) -> Array:
    """The bits of an array, whose rows are reversed, and of the result again, both natively."""
    x, y = tensor(given.shape, source), tensor(shape, target)
    text = f"""func.func @main(%x: {x}) -> {y} {{
          %0 = stablehlo.reverse %x, dims = [0] : {x}
          %1 = stablehlo.bitcast_convert %0 : ({x}) -> {y}
          %2 = stablehlo.reverse %1, dims = [0] : {y}
          return %2 : {y}
        }}"""
    (found,) = compiled(text)(given)
    return found


@pytest.mark.parametrize("element", NARROW)
def test_floats_of_8_bits(element: str) -> None:
    """All bits are kept, those of every NaN too."""
    dtype = dtype_of(element)
    floats = bitcast("ui8", element, ALL, (256,))
    assert floats.dtype == dtype
    np.testing.assert_array_equal(floats.view(np.uint8), ALL)
    np.testing.assert_array_equal(bitcast(element, "ui8", ALL.view(dtype), (256,)), ALL)


@pytest.mark.parametrize("element", ["f16", "bf16"])
def test_floats_of_16_bits(element: str) -> None:
    bits = np.arange(1 << 16, dtype=np.uint16)
    np.testing.assert_array_equal(bitcast("ui16", element, bits, bits.shape).view(np.uint16), bits)
    np.testing.assert_array_equal(bitcast(element, "ui16", bits.view(dtype_of(element)), bits.shape), bits)


def test_four_bits() -> None:
    nibbles = np.arange(16).astype(ml_dtypes.uint4)
    found = bitcast("ui4", "f4E2M1FN", nibbles, (16,))
    magnitudes = [0, 0.5, 1, 1.5, 2, 3, 4, 6]
    assert found.astype(np.float32).tolist() == [*magnitudes, *[-x for x in magnitudes]]
    assert bitcast("f4E2M1FN", "i4", found, (16,)).astype(int).tolist() == [*range(8), *range(-8, 0)]


def test_parts_and_rows() -> None:
    words = np.array([0x04030201, 0xFFFEFDFC], np.uint32)
    octets = np.array([[1, 2, 3, 4], [0xFC, 0xFD, 0xFE, 0xFF]], np.uint8)
    np.testing.assert_array_equal(bitcast("ui32", "ui8", words, (2, 4)), octets)
    np.testing.assert_array_equal(bitcast("ui8", "ui32", octets, (2,)), words)
    np.testing.assert_array_equal(bitcast("ui8", "f32", octets, (2,)).view(np.uint32), words)
    assert bitcast("f64", "ui32", np.array([1.0]), (1, 2)).tolist() == [[0, 0x3FF00000]]
    nibbles = bitcast("ui8", "i4", np.array([0x7F], np.uint8), (1, 2))
    assert nibbles.astype(int).tolist() == [[-1, 7]]
    assert bitcast("i4", "i8", nibbles, (1,)).tolist() == [0x7F]
    flags = bitcast("ui8", "i1", np.array([5], np.uint8), (1, 8))
    assert flags.tolist() == [[True, False, True, *[False] * 5]]
    assert bitcast("i1", "ui8", flags, (1,)).tolist() == [5]


def test_complex_numbers() -> None:
    """The real part is in the lower half: 1 and -2 of f64 are 0x3FF00000 and 0xC0000000 above zeros."""
    halves = np.array([[1.875j, complex(0, -2)], [complex(1, 1.875), complex(-2, -2)]], np.complex64)
    words = [(0x3FF0000000000000, 0xC000000000000000), (0x3FF000003F800000, 0xC0000000C0000000)]
    whole = np.array(words, np.uint64).view(np.complex128)[:, 0]
    assert whole[0] == 1 - 2j
    np.testing.assert_array_equal(bitcast("complex<f64>", "complex<f32>", whole, (2, 2)), halves)
    np.testing.assert_array_equal(bitcast("complex<f32>", "complex<f64>", halves, (2,)), whole)
