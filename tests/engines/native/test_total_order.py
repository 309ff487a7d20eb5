"""Total order by the bits of NaN, on both engines: by comparison, and as the key of a sort."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest

pytest.importorskip("llvmlite", reason="needs the extra native")

import stablehlo_py as shlo
from stablehlo_py.engines.native import regions

ENCODINGS = {  # of 0, 1 and both infinities, of quiet and of signaling NaNs
    "f16": (np.float16, [0, 0x3C00, 0x7C00, 0x7C01, 0x7C02, 0x7DFF, 0x7E00, 0x7E01, 0x7FFF]),
    "bf16": (ml_dtypes.bfloat16, [0, 0x3F80, 0x7F80, 0x7F81, 0x7FBF, 0x7FC0, 0x7FFF]),
    "f8E5M2": (ml_dtypes.float8_e5m2, [0, 0x3C, 0x7C, 0x7D, 0x7E, 0x7F]),
    "f8E4M3": (ml_dtypes.float8_e4m3, [0, 0x38, 0x78, 0x79, 0x7C, 0x7F]),
    "f8E3M4": (ml_dtypes.float8_e3m4, [0, 0x30, 0x70, 0x71, 0x78, 0x7F]),
}
COMPARE = """func.func @main(%x: tensor<{n}x{t}>, %y: tensor<{n}x{t}>) -> tensor<{n}xi1> {{
  %0 = stablehlo.compare LT, %x, %y, TOTALORDER : (tensor<{n}x{t}>, tensor<{n}x{t}>) -> tensor<{n}xi1>
  return %0 : tensor<{n}xi1>
}}"""
SORT = """func.func @main(%x: tensor<{n}x{t}>, %y: tensor<{n}xi32>) -> (tensor<{n}x{t}>, tensor<{n}xi32>) {{
  %0:2 = "stablehlo.sort"(%x, %y) ({{
  ^bb0(%a: tensor<{t}>, %b: tensor<{t}>, %c: tensor<i32>, %d: tensor<i32>):
    %p = stablehlo.compare LT, %a, %b, TOTALORDER : (tensor<{t}>, tensor<{t}>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  }}) {{dimension = 0 : i64, is_stable = true}} :
    (tensor<{n}x{t}>, tensor<{n}xi32>) -> (tensor<{n}x{t}>, tensor<{n}xi32>)
  return %0#0, %0#1 : tensor<{n}x{t}>, tensor<{n}xi32>
}}"""


def in_order(type: str) -> np.ndarray[Any, Any]:
    """Numbers from the negative NaN of the largest payload to the positive one."""
    dtype, codes = ENCODINGS[type]
    word = np.dtype(f"u{np.dtype(dtype).itemsize}")
    sign = 1 << 8 * word.itemsize - 1
    return np.array([code | sign for code in reversed(codes)] + codes, word).view(dtype)


@pytest.mark.parametrize("engine", ["numpy", "native"])
@pytest.mark.parametrize("type", ENCODINGS)
def test_comparison(type: str, engine: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(regions, "LEAST_STEPS", 1)
    numbers = in_order(type)
    count = len(numbers)
    text = COMPARE.format(n=count * count, t=type)
    (less,) = shlo.run(shlo.parse(text), [np.repeat(numbers, count), np.tile(numbers, count)], engine=engine)
    np.testing.assert_array_equal(less.reshape(count, count), np.triu(np.ones((count, count), bool), 1))


@pytest.mark.parametrize("engine", ["numpy", "native"])
@pytest.mark.parametrize("type", ENCODINGS)
def test_sort(type: str, engine: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(regions, "LEAST_STEPS", 1)
    numbers = in_order(type)
    places = np.random.default_rng(3).permutation(len(numbers)).astype(np.int32)
    module = shlo.parse(SORT.format(n=len(numbers), t=type))
    _, found = shlo.run(module, [numbers[places], places], engine=engine)
    assert found.tolist() == list(range(len(numbers)))
