"""Libraries give what the NumPy engine gives, and bit for bit what the native engine gives."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from conftest import ROOT

import stablehlo_py as shlo
from stablehlo_py.engines.native import regions
from tests.library.building import CASES, CONTROL, build, needs_compiler, run_example

pytestmark = needs_compiler

ELEMENTS = """
func.func @main(%a: tensor<2x3xbf16>, %b: tensor<3xi1>, %c: tensor<2xcomplex<f32>>, %d: tensor<ui8>)
    -> (tensor<3x2xbf16>, tensor<3xi1>, tensor<2xcomplex<f32>>, tensor<ui8>) {
  %0 = stablehlo.transpose %a, dims = [1, 0] : (tensor<2x3xbf16>) -> tensor<3x2xbf16>
  %1 = stablehlo.not %b : tensor<3xi1>
  %2 = stablehlo.multiply %c, %c : tensor<2xcomplex<f32>>
  %3 = stablehlo.add %d, %d : tensor<ui8>
  return %0, %1, %2, %3 : tensor<3x2xbf16>, tensor<3xi1>, tensor<2xcomplex<f32>>, tensor<ui8>
}"""

# Empty arrays that a loop carries and captures, that branches return, and that ops update with.
EMPTY = """
func.func @main(%n: tensor<i32>, %x: tensor<0x2xf32>, %y: tensor<2xf32>, %z: tensor<3x0xf32>)
    -> (tensor<0x2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<0xf32>, tensor<3x2xf32>, tensor<2xf32>) {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %r:3 = stablehlo.while(%i = %zero, %a = %x, %b = %y) : tensor<i32>, tensor<0x2xf32>, tensor<2xf32>
  cond {
    %c = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  } do {
    %j = stablehlo.add %i, %one : tensor<i32>
    %s = stablehlo.add %a, %x : tensor<0x2xf32>
    %init = stablehlo.constant dense<1.0> : tensor<f32>
    %q = stablehlo.reduce(%s init: %init) applies stablehlo.add across dimensions = [0]
      : (tensor<0x2xf32>, tensor<f32>) -> tensor<2xf32>
    %u = stablehlo.add %b, %q : tensor<2xf32>
    stablehlo.return %j, %s, %u : tensor<i32>, tensor<0x2xf32>, tensor<2xf32>
  }
  %e:2 = "stablehlo.case"(%n) ({
    stablehlo.return %r#1, %y : tensor<0x2xf32>, tensor<2xf32>
  }, {
    %t = stablehlo.negate %x : tensor<0x2xf32>
    %v = stablehlo.negate %y : tensor<2xf32>
    stablehlo.return %t, %v : tensor<0x2xf32>, tensor<2xf32>
  }) : (tensor<i32>) -> (tensor<0x2xf32>, tensor<2xf32>)
  %flat = stablehlo.reshape %e#0 : (tensor<0x2xf32>) -> tensor<0xf32>
  %sorted = "stablehlo.sort"(%flat) <{dimension = 0 : i64}> ({
  ^bb0(%k: tensor<f32>, %l: tensor<f32>):
    %m = stablehlo.compare LT, %k, %l : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %m : tensor<i1>
  }) : (tensor<0xf32>) -> tensor<0xf32>
  %d = stablehlo.dot %z, %x : (tensor<3x0xf32>, tensor<0x2xf32>) -> tensor<3x2xf32>
  %w = stablehlo.dynamic_update_slice %y, %sorted, %n
    : (tensor<2xf32>, tensor<0xf32>, tensor<i32>) -> tensor<2xf32>
  %f = stablehlo.add %w, %r#2 : tensor<2xf32>
  return %r#1, %r#2, %e#1, %sorted, %d, %f
    : tensor<0x2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<0xf32>, tensor<3x2xf32>, tensor<2xf32>
}"""


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


def test_arrays_without_elements(tmp_path: Path) -> None:
    build(EMPTY, tmp_path)
    none, pair = np.empty((0, 2), np.float32), np.array([1.0, 2.0], np.float32)
    inputs = [np.int32(3), none, pair, np.empty((3, 0), np.float32)]
    like = [none, pair, pair, none.reshape(-1), np.empty((3, 2), np.float32), pair]
    first, summed, chosen, ordered, product, last = run_example(tmp_path, inputs, like)
    assert (first.shape, ordered.shape) == ((0, 2), (0,))
    assert summed.tolist() == [4.0, 5.0]  # 1 in each of three iterations
    assert chosen.tolist() == [-1.0, -2.0]
    assert product.tolist() == [[0.0, 0.0]] * 3
    assert last.tolist() == [5.0, 7.0]


def test_elements_are_in_memory_as_numpy_has_them(tmp_path: Path) -> None:
    import ml_dtypes

    build(ELEMENTS, tmp_path)
    a = np.arange(6, dtype=np.float32).reshape(2, 3).astype(ml_dtypes.bfloat16)
    inputs = [a, np.array([True, False, True]), np.array([1 + 2j, -3j], np.complex64), np.uint8(200)]
    expected = [a.T, np.array([False, True, False]), np.array([-3 + 4j, -9], np.complex64), np.uint8(144)]
    found = run_example(tmp_path, inputs, expected)
    assert [each.tobytes() for each in found] == [each.tobytes() for each in expected]


@pytest.mark.slow
@pytest.mark.parametrize("name", ["attention", "convolution", "indexing", "lstm"])
def test_results_are_those_of_xla(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Programs of JAX, with the results that XLA gave."""
    program = ROOT / "testdata" / "programs" / f"{name}.mlir"
    arrays = np.load(program.with_suffix(".npz"))
    inputs = [arrays[each] for each in arrays.files if each.startswith("in")]
    expected = [arrays[each] for each in arrays.files if each.startswith("out")]
    build(program.read_text(), tmp_path)
    found = run_example(tmp_path, inputs, expected)
    for one, other in zip(found, expected, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-5, atol=1e-5)
    native = in_one_region(program.read_text(), inputs, monkeypatch)
    assert [each.tobytes() for each in found] == [each.tobytes() for each in native]
