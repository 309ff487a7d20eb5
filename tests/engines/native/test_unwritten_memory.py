"""No result depends on memory that nothing has written: it holds a pattern before each call."""

from __future__ import annotations

import os

import numpy as np
import pytest

pytest.importorskip("llvmlite")

import stablehlo_py as shlo
from stablehlo_py.engines.native import patterns, regions

# N matrices: an array is a result, and is read again through a reshape to another rank and back.
ROUND_TRIPS = {
    "flat": """
        %0 = stablehlo.negate %a : tensor<Nx3x4xf32>
        %1 = stablehlo.reshape %0 : (tensor<Nx3x4xf32>) -> tensor<ALLxf32>
        %2 = stablehlo.add %1, %1 : tensor<ALLxf32>
        %3 = stablehlo.reshape %2 : (tensor<ALLxf32>) -> tensor<Nx3x4xf32>
        %4 = stablehlo.add %3, %0 : tensor<Nx3x4xf32>
        return %4, %0 : tensor<Nx3x4xf32>, tensor<Nx3x4xf32>""",
    "another rank": """
        %0 = stablehlo.negate %a : tensor<Nx3x4xf32>
        %1 = stablehlo.reshape %0 : (tensor<Nx3x4xf32>) -> tensor<Nx2x6xf32>
        %2 = stablehlo.reshape %1 : (tensor<Nx2x6xf32>) -> tensor<Nx3x4xf32>
        %3 = stablehlo.add %2, %2 : tensor<Nx3x4xf32>
        %4 = stablehlo.add %0, %3 : tensor<Nx3x4xf32>
        return %4, %0 : tensor<Nx3x4xf32>, tensor<Nx3x4xf32>""",
    "reversed": """
        %0 = stablehlo.negate %a : tensor<Nx3x4xf32>
        %1 = stablehlo.reverse %0, dims = [0, 1, 2] : tensor<Nx3x4xf32>
        %2 = stablehlo.reshape %1 : (tensor<Nx3x4xf32>) -> tensor<ALLxf32>
        %3 = stablehlo.reverse %2, dims = [0] : tensor<ALLxf32>
        %4 = stablehlo.add %3, %3 : tensor<ALLxf32>
        %5 = stablehlo.reshape %4 : (tensor<ALLxf32>) -> tensor<Nx3x4xf32>
        %6 = stablehlo.add %5, %0 : tensor<Nx3x4xf32>
        return %6, %0 : tensor<Nx3x4xf32>, tensor<Nx3x4xf32>""",
    "not stored": """
        %0 = stablehlo.transpose %d, dims = [2, 0, 1, 3] : (tensor<Nx3x2x2xf32>) -> tensor<2xNx3x2xf32>
        %1 = stablehlo.reshape %0 : (tensor<2xNx3x2xf32>) -> tensor<2xSIXxf32>
        %2 = stablehlo.reshape %1 : (tensor<2xSIXxf32>) -> tensor<2xNx3x2xf32>
        %3 = stablehlo.transpose %2, dims = [1, 2, 0, 3] : (tensor<2xNx3x2xf32>) -> tensor<Nx3x2x2xf32>
        %4 = stablehlo.add %3, %3 : tensor<Nx3x2x2xf32>
        %5 = stablehlo.add %4, %d : tensor<Nx3x2x2xf32>
        %6 = stablehlo.negate %5 : tensor<Nx3x2x2xf32>
        %7 = stablehlo.negate %d : tensor<Nx3x2x2xf32>
        return %6, %7 : tensor<Nx3x2x2xf32>, tensor<Nx3x2x2xf32>""",
    "of sums": """
        %zero = stablehlo.constant dense<0.0> : tensor<f32>
        %0 = stablehlo.broadcast_in_dim %a, dims = [1, 2, 3] : (tensor<Nx3x4xf32>) -> tensor<3xNx3x4xf32>
        %1 = stablehlo.reduce(%0 init: %zero) applies stablehlo.add across dimensions = [0]
          : (tensor<3xNx3x4xf32>, tensor<f32>) -> tensor<Nx3x4xf32>
        %2 = stablehlo.divide %1, %c : tensor<Nx3x4xf32>
        %3 = stablehlo.reshape %2 : (tensor<Nx3x4xf32>) -> tensor<ALLxf32>
        %4 = stablehlo.reshape %3 : (tensor<ALLxf32>) -> tensor<Nx3x4xf32>
        %5 = stablehlo.multiply %4, %c : tensor<Nx3x4xf32>
        return %5, %2 : tensor<Nx3x4xf32>, tensor<Nx3x4xf32>""",
    "of products": """
        %0 = stablehlo.dot_general %b, %b, batching_dims = [0] x [0], contracting_dims = [2] x [2]
          : (tensor<Nx12x8xf32>, tensor<Nx12x8xf32>) -> tensor<Nx12x12xf32>
        %1 = stablehlo.reshape %0 : (tensor<Nx12x12xf32>) -> tensor<Nx144xf32>
        %2 = stablehlo.reshape %1 : (tensor<Nx144xf32>) -> tensor<Nx12x12xf32>
        %3 = stablehlo.add %0, %2 : tensor<Nx12x12xf32>
        return %3, %0 : tensor<Nx12x12xf32>, tensor<Nx12x12xf32>""",
}


@pytest.mark.parametrize("count", [1, 2, 150])
@pytest.mark.parametrize("name", ROUND_TRIPS)
def test_round_trips(name: str, count: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(regions, "LEAST_STEPS", 1)
    a = np.arange(12 * count, dtype=np.float32).reshape(count, 3, 4)
    b = np.arange(96 * count, dtype=np.float32).reshape(count, 12, 8) % 7
    square = np.einsum("nij,nkj->nik", b, b)
    results = {"of sums": (3 * a, a), "of products": (2 * square, square)}
    kind = {"of products": "12x12", "not stored": "3x2x2"}.get(name, "3x4")
    shapes = {"a": "Nx3x4", "b": "Nx12x8", "c": "Nx3x4", "d": "Nx3x2x2"}
    taken = ", ".join([f"%{each}: tensor<{shape}xf32>" for each, shape in shapes.items()])
    given = f"tensor<Nx{kind}xf32>, tensor<Nx{kind}xf32>"
    text = f"func.func @main({taken}) -> ({given}) {{{ROUND_TRIPS[name]}\n}}"
    for word, size in (("ALL", 12 * count), ("SIX", 6 * count), ("N", count)):
        text = text.replace(word, str(size))
    program = shlo.compile(shlo.parse(text), engine="native")
    for _ in range(2):
        found = program(a, b, np.full_like(a, 3), a.reshape(count, 3, 2, 2))
        for ours, theirs in zip(found, results.get(name, (-3 * a, -a)), strict=True):
            assert np.array_equal(ours, theirs.reshape(ours.shape))


def test_memory_has_a_pattern_before_each_call() -> None:
    """It is of large numbers or NaN, and calls differ."""
    assert os.environ[patterns.FILL_MEMORY]
    seen = []
    for dtype in (np.float32, np.float64, np.float16, np.int8, np.int64):
        both = []
        for _ in range(2):
            arrays = [np.zeros((2, 3), dtype), np.zeros((), dtype)]
            patterns.fill(arrays)
            both.append(arrays[0][1, 2])
            assert arrays[1] != 0 and not np.any(np.abs(arrays[0]) < 2)
        seen.append(both[0] != both[1] or np.isnan(both[0]))
    assert all(seen)
