"""Input and output of arrays: a round trip through files and a program is lossless for every element type."""

from __future__ import annotations

from pathlib import Path

import ml_dtypes
import numpy as np
import pytest

import stablehlo_py as shlo
from stablehlo_py.interpreter.array_files import load_arrays
from stablehlo_py.interpreter.arrays import save_arrays

ELEMENTS = {
    "i1": np.bool_,
    **{f"{sign}i{width}": f"{sign}int{width}" for sign in ("", "u") for width in (8, 16, 32, 64)},
    **{f"{sign}i{width}": getattr(ml_dtypes, f"{sign}int{width}") for sign in ("", "u") for width in (2, 4)},
    "f16": np.float16,
    "f32": np.float32,
    "f64": np.float64,
    "bf16": ml_dtypes.bfloat16,
    "f4E2M1FN": ml_dtypes.float4_e2m1fn,
    "f6E2M3FN": ml_dtypes.float6_e2m3fn,
    "f6E3M2FN": ml_dtypes.float6_e3m2fn,
    "f8E3M4": ml_dtypes.float8_e3m4,
    "f8E4M3": ml_dtypes.float8_e4m3,
    "f8E4M3FN": ml_dtypes.float8_e4m3fn,
    "f8E4M3FNUZ": ml_dtypes.float8_e4m3fnuz,
    "f8E4M3B11FNUZ": ml_dtypes.float8_e4m3b11fnuz,
    "f8E5M2": ml_dtypes.float8_e5m2,
    "f8E5M2FNUZ": ml_dtypes.float8_e5m2fnuz,
    "f8E8M0FNU": ml_dtypes.float8_e8m0fnu,
    "complex<f32>": np.complex64,
    "complex<f64>": np.complex128,
    "!quant.uniform<i8:f32, 0.5:3>": np.int8,
}
BITS = {"i1": 1, "i2": 2, "ui2": 2, "i4": 4, "ui4": 4, "f4E2M1FN": 4, "f6E2M3FN": 6, "f6E3M2FN": 6}


def every_pattern(element: str) -> np.ndarray:
    """All patterns of a type up to 16 bits, and many of the others, NaNs among them, as (2, n)."""
    dtype = np.dtype(ELEMENTS[element])
    width = BITS.get(element, 8 * dtype.itemsize)
    if width <= 16:
        patterns = np.arange(1 << width).astype(f"u{dtype.itemsize}")
        if dtype.name in ("int2", "int4"):  # the sign fills the byte
            patterns = patterns.astype(np.int8) << (8 - width) >> (8 - width)
        return patterns.view(dtype).reshape(2, -1)
    random = np.random.default_rng(0).integers(0, 256, 64 * dtype.itemsize, np.uint8)
    return random.view(dtype).reshape(2, -1)


@pytest.mark.parametrize("element", ELEMENTS)
@pytest.mark.parametrize("suffix", [".npy", ".npz"])
def test_a_round_trip_loses_nothing(element: str, suffix: str, tmp_path: Path) -> None:
    value = every_pattern(element)
    type = f"tensor<2x?x{element}>" if "quant" not in element else f"tensor<2x{value.shape[1]}x{element}>"
    text = f"func.func @main(%x: {type}) -> {type} {{\n  return %x : {type}\n}}\n"
    path = tmp_path / f"x{suffix}"
    save_arrays(path, [value])
    stored = load_arrays(path)
    array = stored["out0"] if isinstance(stored, dict) else stored
    (found,) = shlo.run(shlo.parse(text), [array])
    assert found.dtype == value.dtype
    assert found.tobytes() == value.tobytes()


@pytest.mark.parametrize("element", ELEMENTS)
def test_empty_and_scalar_arrays(element: str, tmp_path: Path) -> None:
    some = every_pattern(element)
    for value in (some[:, :0], some[1, 0]):
        save_arrays(tmp_path / "x.npy", [value])
        stored = load_arrays(tmp_path / "x.npy")
        assert isinstance(stored, np.ndarray)
        assert stored.shape == value.shape
        assert stored.view(value.dtype).tobytes() == value.tobytes()
