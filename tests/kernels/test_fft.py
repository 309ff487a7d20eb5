"""Fourier transforms: the specification's example, and the sums that define them."""

from __future__ import annotations

import numpy as np
import pytest
from lifted import ELEMENT_TYPES

from stablehlo_py.ir.types import TensorType
from stablehlo_py.kernels.fft import fft
from stablehlo_py.kernels.registry import Array


def transform(operand: Array, kind: str, length: tuple[int, ...], dtype: str) -> Array:
    return np.asarray(
        fft(operand, fft_type=kind, fft_length=length, result=TensorType((), ELEMENT_TYPES[dtype]))
    )


def matrix(size: int, sign: int) -> Array:
    return np.exp(sign * 2j * np.pi * np.outer(np.arange(size), np.arange(size)) / size)


def test_specification_example() -> None:
    result = transform(np.array([1, 0, 0, 0], np.complex64), "FFT", (4,), "complex64")
    assert result.tolist() == [1, 1, 1, 1]
    assert result.dtype == np.complex64


@pytest.mark.parametrize(("single", "double"), [("complex64", False), ("complex128", True)])
def test_complex_transforms(single: str, double: bool) -> None:
    rng = np.random.default_rng(0)
    x = (rng.normal(size=(2, 3, 5)) + 1j * rng.normal(size=(2, 3, 5))).astype(single)
    tolerance = 1e-12 if double else 1e-5
    once = transform(x, "FFT", (5,), single)
    assert np.allclose(once, x @ matrix(5, -1), atol=tolerance)
    twice = transform(x, "FFT", (3, 5), single)
    assert np.allclose(twice, matrix(3, -1) @ (x @ matrix(5, -1)), atol=tolerance)
    assert np.allclose(transform(twice, "IFFT", (3, 5), single), x, atol=tolerance)
    assert twice.dtype == x.dtype


@pytest.mark.parametrize("size", [4, 5])
@pytest.mark.parametrize(("real", "complex_"), [("float32", "complex64"), ("float64", "complex128")])
def test_real_transforms(real: str, complex_: str, size: int) -> None:
    x = np.random.default_rng(0).normal(size=(3, size)).astype(real)
    halves = transform(x, "RFFT", (size,), complex_)
    assert halves.dtype == complex_
    assert np.allclose(halves, (x @ matrix(size, -1))[:, : size // 2 + 1], atol=1e-5)
    back = transform(halves, "IRFFT", (size,), real)
    assert back.dtype == real
    assert np.allclose(back, x, atol=1e-5)


@pytest.mark.parametrize(
    ("kind", "shape", "length", "expected"),
    [
        ("FFT", (2, 0), (0,), (2, 0)),
        ("RFFT", (0, 4), (4,), (0, 3)),
        ("RFFT", (2, 0), (0,), (2, 0)),
        ("IRFFT", (0, 3), (4,), (0, 4)),
    ],
)
def test_no_elements(
    kind: str, shape: tuple[int, ...], length: tuple[int, ...], expected: tuple[int, ...]
) -> None:
    dtype = np.float32 if kind == "RFFT" else np.complex64
    result = "float32" if kind == "IRFFT" else "complex64"
    assert transform(np.zeros(shape, dtype), kind, length, result).shape == expected
