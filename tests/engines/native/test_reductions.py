"""Reductions of leading dimensions run along memory, with maps and other reductions of the same space."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("llvmlite")

import stablehlo_py as shlo
from stablehlo_py.engines.native import library, nest_functions
from stablehlo_py.engines.native.fusion import Nest, fuse

SHAPES = {"images": ((3, 7, 5, 64), 3), "a matrix": ((40, 1300), 1), "two kept": ((50, 3, 33), 1)}


@pytest.mark.parametrize("name", SHAPES)
@pytest.mark.parametrize("element", ["f32", "i32"])
def test_reductions_with_maps(name: str, element: str) -> None:
    shape, lead = SHAPES[name]
    sizes, kept = "x".join(map(str, shape)), "x".join(map(str, shape[lead:]))
    a, r = f"tensor<{sizes}x{element}>", f"tensor<{kept}x{element}>"
    number = "0.0" if element == "f32" else "0"
    reduce = f"across dimensions = {list(range(lead))} : ({a}, tensor<{element}>) -> {r}"
    module = shlo.parse(f"""
        func.func @main(%x: {a}, %y: {a}) -> ({r}, {r}, {r}, {a}, {r}) {{
          %zero = stablehlo.constant dense<{number}> : tensor<{element}>
          %0 = stablehlo.multiply %x, %y : {a}
          %1 = stablehlo.reduce(%x init: %zero) applies stablehlo.add {reduce}
          %2 = stablehlo.reduce(%0 init: %zero) applies stablehlo.add {reduce}
          %3 = stablehlo.subtract %0, %x : {a}
          %4 = stablehlo.reduce(%3 init: %zero) applies stablehlo.maximum {reduce}
          %5 = stablehlo.broadcast_in_dim %1, dims = {list(range(lead, len(shape)))} : ({r}) -> {a}
          %6 = stablehlo.add %3, %5 : {a}
          %7 = stablehlo.reduce(%6 init: %zero) applies stablehlo.minimum {reduce}
          return %1, %2, %4, %6, %7 : {r}, {r}, {r}, {a}, {r}
        }}""")
    random = np.random.default_rng(5)
    dtype = np.float32 if element == "f32" else np.int32
    x, y = (random.integers(-9, 10, shape).astype(dtype) for _ in range(2))
    axes = tuple(range(lead))
    last = x * y - x + x.sum(axes, dtype)
    expected = [x.sum(axes, dtype), (x * y).sum(axes, dtype), (x * y - x).max(axes, initial=0), last]
    expected.append(last.min(axes, initial=0))
    compiled = shlo.compile(module, engine="native")
    assert [step.name for step in compiled.plan.steps] == ["native"]
    for have, want in zip(compiled(x, y), expected, strict=True):
        np.testing.assert_array_equal(have, want)


def test_reductions_with_small_ones_between(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The second sum joins the first one's loop, before the minimum between; the third needs that minimum."""
    r, a = "tensor<96xi32>", "tensor<50x96xi32>"
    add = f"applies stablehlo.add across dimensions = [0] : ({a}, tensor<i32>) -> {r}"
    module = shlo.parse(f"""
        func.func @main(%x: {a}, %y: {a}) -> ({r}, tensor<i32>, {r}, {r}) {{
          %zero = stablehlo.constant dense<0> : tensor<i32>
          %0 = stablehlo.reduce(%x init: %zero) {add}
          %1 = stablehlo.reduce(%0 init: %zero) applies stablehlo.minimum across dimensions = [0]
            : ({r}, tensor<i32>) -> tensor<i32>
          %2 = stablehlo.multiply %x, %y : {a}
          %3 = stablehlo.reduce(%2 init: %zero) {add}
          %4 = stablehlo.broadcast_in_dim %1, dims = [] : (tensor<i32>) -> {a}
          %5 = stablehlo.maximum %2, %4 : {a}
          %6 = stablehlo.reduce(%5 init: %zero) {add}
          return %0, %1, %3, %6 : {r}, tensor<i32>, {r}, {r}
        }}""")
    random = np.random.default_rng(8)
    x, y = (random.integers(-9, 10, (50, 96)).astype(np.int32) for _ in range(2))
    least = min(0, x.sum(0).min())
    expected = x.sum(0), least, (x * y).sum(0), np.maximum(x * y, least).sum(0)
    found: list[Nest] = []
    monkeypatch.setenv("SHLO_CACHE_DIR", str(tmp_path))  # no code that was compiled before
    monkeypatch.setattr(library, "_LIBRARIES", {})
    monkeypatch.setattr(nest_functions, "fuse", lambda *given: found.extend(nests := fuse(*given)) or nests)
    compiled = shlo.compile(module, engine="native")
    assert [sum(item.reduces for item in nest.items) for nest in found] == [2, 1, 1]
    for have, want in zip(compiled(x, y), expected, strict=True):
        np.testing.assert_array_equal(have, want)


def test_reductions_on_several_threads() -> None:
    shape = (300, 40, 64)
    module = shlo.parse("""
        func.func @main(%x: tensor<300x40x64xf32>) -> (tensor<64xf32>, tensor<64xf32>) {
          %zero = stablehlo.constant dense<0.0> : tensor<f32>
          %0 = stablehlo.abs %x : tensor<300x40x64xf32>
          %1 = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [0, 1]
            : (tensor<300x40x64xf32>, tensor<f32>) -> tensor<64xf32>
          %2 = stablehlo.reduce(%0 init: %zero) applies stablehlo.add across dimensions = [0, 1]
            : (tensor<300x40x64xf32>, tensor<f32>) -> tensor<64xf32>
          return %1, %2 : tensor<64xf32>, tensor<64xf32>
        }""")
    x = np.random.default_rng(6).integers(-9, 10, shape).astype(np.float32)
    for have, want in zip(shlo.compile(module, engine="native")(x), (x, abs(x)), strict=True):
        np.testing.assert_array_equal(have, want.sum((0, 1)))
