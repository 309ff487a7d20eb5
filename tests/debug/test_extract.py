"""Extraction: a part runs by itself, and gives what it gives in the whole program."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import stablehlo_py as shlo

TEXT = """func.func private @scaled(%x: tensor<4xf32>) -> tensor<4xf32> {
  %cst = stablehlo.constant dense<2.0> : tensor<4xf32>
  %s = stablehlo.multiply %x, %cst : tensor<4xf32>
  return %s : tensor<4xf32>
}
func.func @main(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<i32>) {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %end = stablehlo.constant dense<5> : tensor<i32>
  %a = stablehlo.add %x, %x : tensor<4xf32> loc("model.py":31:3)
  %b = func.call @scaled(%a) : (tensor<4xf32>) -> tensor<4xf32> loc("model.py":31:9)
  %unused = stablehlo.sine %x : tensor<4xf32>
  %w:2 = stablehlo.while(%i = %zero, %c = %b) : tensor<i32>, tensor<4xf32>
  cond {
    %p = stablehlo.compare LT, %i, %end : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %n = stablehlo.add %i, %one : tensor<i32>
    %d = stablehlo.add %c, %a : tensor<4xf32>
    stablehlo.return %n, %d : tensor<i32>, tensor<4xf32>
  }
  %z = stablehlo.negate %w#1 : tensor<4xf32>
  return %z, %w#0 : tensor<4xf32>, tensor<i32>
}"""
X = np.array([1, 2, 3, 4], np.float32)


def run(text: str = TEXT, **given: Any) -> tuple[Any, list[Any]]:
    """Extract a part, check that it is valid, and run it on its captured inputs."""
    found = shlo.extract(shlo.parse(text, "model.mlir"), inputs=[X], **given)
    assert not shlo.verify(found.module) and found.inputs is not None
    return found, shlo.run(found.module, found.inputs)


def test_an_op() -> None:
    found, (z,) = run(op="%z")
    assert list(found.inputs) == ["w_1"] and found.lines == (22,)
    np.testing.assert_array_equal(found.inputs["w_1"], 4 * X + 5 * 2 * X)
    np.testing.assert_array_equal(z, -14 * X)


def test_a_line_with_a_call_takes_the_function_along() -> None:
    found, (b,) = run(line=11)
    assert list(found.module.functions) == ["scaled", "main"]
    np.testing.assert_array_equal(b, 4 * X)


def test_a_location() -> None:
    found, results = run(location="model.py:31")
    assert found.lines == (10, 11) and list(found.inputs) == ["x"]
    np.testing.assert_array_equal(results, [2 * X, 4 * X])  # %a is used by the loop


def test_a_function() -> None:
    found, (s,) = run(function="scaled")
    assert list(found.inputs) == ["x"]
    np.testing.assert_array_equal(found.inputs["x"], 2 * X)
    np.testing.assert_array_equal(s, 4 * X)


def test_a_range_and_what_a_result_depends_on() -> None:
    found, (b,) = run(between=("%a", "%b"))
    assert list(found.inputs) == ["a"] and found.lines == (11,)
    np.testing.assert_array_equal(b, 4 * X)
    found, (z,) = run(depends_on="0")
    assert list(found.inputs) == ["x"] and "sine" not in shlo.format(found.module)
    np.testing.assert_array_equal(z, -14 * X)


@pytest.mark.parametrize("iteration", [0, 3])
def test_an_iteration_of_a_loop_with_its_carried_values(iteration: int) -> None:
    found, (n, d) = run(op="%w", iteration=(iteration,))
    assert list(found.inputs) == ["i", "c", "a"]
    assert found.inputs["i"] == iteration
    np.testing.assert_array_equal(found.inputs["c"], 4 * X + 2 * iteration * X)
    assert n == iteration + 1
    np.testing.assert_array_equal(d, 4 * X + 2 * (iteration + 1) * X)
    found, (d,) = run(op="%d", iteration=(iteration,))
    np.testing.assert_array_equal(d, 4 * X + 2 * (iteration + 1) * X)


def test_what_cannot_be_extracted() -> None:
    module = shlo.parse(TEXT)
    for given in (
        {"op": "%nothing"},
        {"line": 2000},
        {"location": "model.py:32"},
        {"function": "f"},
        {"between": ("%z", "%a")},
        {"depends_on": "7"},
        {"op": "%z", "line": 22},
        {},
    ):
        with pytest.raises(ValueError, match=r"there|no op|does not depend|give one"):
            shlo.extract(module, **given)  # type: ignore[arg-type]
    with pytest.raises(shlo.RunError, match=r"does not execute stablehlo.add of line 18 in iteration 5"):
        shlo.extract(module, op="%n", inputs=[X], iteration=(5,))
