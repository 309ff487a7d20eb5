"""Libraries give what the NumPy engine gives, and bit for bit what the native engine gives."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import stablehlo_py as shlo
from stablehlo_py.engines.native import regions
from tests.library.programs import build, needs_compiler, run_example

pytestmark = needs_compiler

MLP = """
func.func @main(%x: tensor<4x16xf32>, %w: tensor<16x8xf32>) -> tensor<4x8xf32> {
  %b = stablehlo.constant dense<[0.5, -1.0, 2.0, 0.0, 1.0, 3.0, -2.0, 0.25]> : tensor<8xf32>
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0]
    : (tensor<4x16xf32>, tensor<16x8xf32>) -> tensor<4x8xf32>
  %1 = stablehlo.broadcast_in_dim %b, dims = [1] : (tensor<8xf32>) -> tensor<4x8xf32>
  %2 = stablehlo.add %0, %1 : tensor<4x8xf32>
  %3 = stablehlo.tanh %2 : tensor<4x8xf32>
  return %3 : tensor<4x8xf32>
}"""

CONTROL = """
func.func @main(%n: tensor<i32>, %x: tensor<3xf64>) -> (tensor<i32>, tensor<3xf64>, tensor<3xf64>) {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %r:2 = stablehlo.while(%i = %zero, %y = %x) : tensor<i32>, tensor<3xf64>
  cond {
    %c = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  } do {
    %j = stablehlo.add %i, %one : tensor<i32>
    %z = func.call @half(%y) : (tensor<3xf64>) -> tensor<3xf64>
    stablehlo.return %j, %z : tensor<i32>, tensor<3xf64>
  }
  %s = "stablehlo.case"(%n) ({
    stablehlo.return %x : tensor<3xf64>
  }, {
    %t = stablehlo.negate %x : tensor<3xf64>
    stablehlo.return %t : tensor<3xf64>
  }, {
    %t = func.call @half(%x) : (tensor<3xf64>) -> tensor<3xf64>
    stablehlo.return %t : tensor<3xf64>
  }) : (tensor<i32>) -> tensor<3xf64>
  return %r#0, %r#1, %s : tensor<i32>, tensor<3xf64>, tensor<3xf64>
}
func.func private @half(%x: tensor<3xf64>) -> tensor<3xf64> {
  %c = stablehlo.constant dense<0.5> : tensor<3xf64>
  %0 = stablehlo.multiply %x, %c : tensor<3xf64>
  return %0 : tensor<3xf64>
}"""

# Results that no step makes: inputs, constants, and one result twice.
COPIES = """
func.func @main(%x: tensor<2xi8>, %e: tensor<0x3xf32>)
    -> (tensor<2xi8>, tensor<3xi16>, tensor<2xi8>, tensor<2xi8>, tensor<0x3xf32>) {
  %c = stablehlo.constant dense<[7, -8, 9]> : tensor<3xi16>
  %0 = stablehlo.add %x, %x : tensor<2xi8>
  return %x, %c, %0, %0, %e : tensor<2xi8>, tensor<3xi16>, tensor<2xi8>, tensor<2xi8>, tensor<0x3xf32>
}"""

ELEMENTS = """
func.func @main(%a: tensor<2x3xbf16>, %b: tensor<3xi1>, %c: tensor<2xcomplex<f32>>, %d: tensor<ui8>)
    -> (tensor<3x2xbf16>, tensor<3xi1>, tensor<2xcomplex<f32>>, tensor<ui8>) {
  %0 = stablehlo.transpose %a, dims = [1, 0] : (tensor<2x3xbf16>) -> tensor<3x2xbf16>
  %1 = stablehlo.not %b : tensor<3xi1>
  %2 = stablehlo.multiply %c, %c : tensor<2xcomplex<f32>>
  %3 = stablehlo.add %d, %d : tensor<ui8>
  return %0, %1, %2, %3 : tensor<3x2xbf16>, tensor<3xi1>, tensor<2xcomplex<f32>>, tensor<ui8>
}"""

SORT = """
func.func @main(%x: tensor<4x33xf32>) -> (tensor<4x33xf32>, tensor<4xf32>) {
  %0 = "stablehlo.sort"(%x) <{dimension = 1 : i64}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = stablehlo.compare LT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  }) : (tensor<4x33xf32>) -> tensor<4x33xf32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %2 = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [1]
    : (tensor<4x33xf32>, tensor<f32>) -> tensor<4xf32>
  return %0, %2 : tensor<4x33xf32>, tensor<4xf32>
}"""

RNG = np.random.default_rng(1)
CASES: dict[str, tuple[str, list[Any]]] = {
    "product": (MLP, [RNG.standard_normal(s).astype(np.float32) for s in ((4, 16), (16, 8))]),
    "loop": (CONTROL, [np.int32(5), np.array([1.0, -2.0, 1e9])]),
    "second branch": (CONTROL, [np.int32(1), np.array([1.0, -2.0, 1e9])]),
    "copies": (COPIES, [np.array([100, -3], np.int8), np.empty((0, 3), np.float32)]),
    "sort": (SORT, [RNG.standard_normal((4, 33)).astype(np.float32)]),
}


def in_one_region(text: str, inputs: list[Any], monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """The results of the native engine, where as few as one step are a region."""
    monkeypatch.setattr(regions, "LEAST_STEPS", 1)
    return [np.asarray(value) for value in shlo.compile(text, engine="native")(*inputs)]


@pytest.mark.parametrize("name", CASES)
def test_results_are_those_of_the_engines(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text, inputs = CASES[name]
    expected = [np.asarray(value) for value in shlo.compile(text, engine="numpy")(*inputs)]
    build(text, tmp_path)
    found = run_example(tmp_path, inputs, expected)
    for one, other in zip(found, expected, strict=True):
        np.testing.assert_allclose(one, other, rtol=2e-6, atol=1e-6)
    native = in_one_region(text, inputs, monkeypatch)
    assert [each.tobytes() for each in found] == [each.tobytes() for each in native]


def test_results_are_those_of_the_specification(tmp_path: Path) -> None:
    build(CONTROL, tmp_path)
    inputs = [np.int32(3), np.array([1.0, -2.0, 16.0])]
    like = [np.int32(0), np.zeros(3), np.zeros(3)]
    count, halved, last = run_example(tmp_path, inputs, like)
    assert count == 3
    assert halved.tolist() == [0.125, -0.25, 2.0]
    assert last.tolist() == [0.5, -1.0, 8.0]  # the last branch, of an index out of range


def test_elements_are_in_memory_as_numpy_has_them(tmp_path: Path) -> None:
    import ml_dtypes

    build(ELEMENTS, tmp_path)
    a = np.arange(6, dtype=np.float32).reshape(2, 3).astype(ml_dtypes.bfloat16)
    inputs = [a, np.array([True, False, True]), np.array([1 + 2j, -3j], np.complex64), np.uint8(200)]
    expected = [a.T, np.array([False, True, False]), np.array([-3 + 4j, -9], np.complex64), np.uint8(144)]
    found = run_example(tmp_path, inputs, expected)
    assert [each.tobytes() for each in found] == [each.tobytes() for each in expected]
