"""Ops that are others in other words are native: those with constant operands, ops that broadcast, `map`."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("llvmlite", reason="needs the extra native")

import stablehlo_py as shlo
from stablehlo_py.engines.native import regions

X = np.arange(6, dtype=np.float32).reshape(2, 3)
T = "tensor<2x3xf32>"
CASES = {  # op, the type of its result, and the result
    "real_dynamic_slice": (
        """%a = stablehlo.constant dense<[0, 1]> : tensor<2xi64>
        %b = stablehlo.constant dense<[2, 3]> : tensor<2xi64>
        %c = stablehlo.constant dense<[1, 2]> : tensor<2xi64>
        %0 = stablehlo.real_dynamic_slice %x, %a, %b, %c
          : (tensor<2x3xf32>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>) -> tensor<2x1xf32>""",
        "tensor<2x1xf32>",
        [[1], [4]],
    ),
    "dynamic_pad": (
        """%v = stablehlo.constant dense<9.0> : tensor<f32>
        %a = stablehlo.constant dense<[0, 1]> : tensor<2xi64>
        %b = stablehlo.constant dense<[0, -1]> : tensor<2xi64>
        %c = stablehlo.constant dense<[0, 1]> : tensor<2xi64>
        %0 = stablehlo.dynamic_pad %x, %v, %a, %b, %c
          : (tensor<2x3xf32>, tensor<f32>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>) -> tensor<2x5xf32>""",
        "tensor<2x5xf32>",
        [[9, 0, 9, 1, 9], [9, 3, 9, 4, 9]],
    ),
    "dynamic_reshape": (
        """%a = stablehlo.constant dense<[3, 2]> : tensor<2xi64>
        %0 = stablehlo.dynamic_reshape %x, %a : (tensor<2x3xf32>, tensor<2xi64>) -> tensor<3x2xf32>""",
        "tensor<3x2xf32>",
        [[0, 1], [2, 3], [4, 5]],
    ),
    "dynamic_broadcast_in_dim": (
        """%a = stablehlo.constant dense<[2, 2, 3]> : tensor<3xi64>
        %0 = stablehlo.dynamic_broadcast_in_dim %x, %a, dims = [0, 2]
          : (tensor<2x3xf32>, tensor<3xi64>) -> tensor<2x2x3xf32>""",
        "tensor<2x2x3xf32>",
        [[[0, 1, 2], [0, 1, 2]], [[3, 4, 5], [3, 4, 5]]],
    ),
    "chlo.broadcast_subtract": (
        """%a = stablehlo.constant dense<[1.0, 2.0]> : tensor<2xf32>
        %0 = chlo.broadcast_subtract %x, %a {broadcast_dimensions = array<i64: 0>}
          : (tensor<2x3xf32>, tensor<2xf32>) -> tensor<2x3xf32>""",
        "tensor<2x3xf32>",
        [[-1, 0, 1], [1, 2, 3]],
    ),
    "chlo.broadcast_add": (  # dimensions are of operands of lower rank
        """%a = stablehlo.constant dense<[10.0, 20.0, 30.0]> : tensor<3xf32>
        %s = stablehlo.slice %x [0:2, 1:2] : (tensor<2x3xf32>) -> tensor<2x1xf32>
        %0 = chlo.broadcast_add %s, %a {broadcast_dimensions = array<i64: 1>}
          : (tensor<2x1xf32>, tensor<3xf32>) -> tensor<2x3xf32>""",
        "tensor<2x3xf32>",
        [[11, 21, 31], [14, 24, 34]],
    ),
    "chlo.broadcast_compare": (  # a total order: -0 is less than 0
        """%a = stablehlo.constant dense<-0.0> : tensor<f32>
        %0 = chlo.broadcast_compare %a, %x {comparison_direction = #chlo<comparison_direction LT>,
            compare_type = #chlo<comparison_type TOTALORDER>}
          : (tensor<f32>, tensor<2x3xf32>) -> tensor<2x3xi1>""",
        "tensor<2x3xi1>",
        [[True, True, True], [True, True, True]],
    ),
    "map": (
        """%a = stablehlo.constant dense<10.0> : tensor<f32>
        %0 = "stablehlo.map"(%x) <{dimensions = array<i64: 0, 1>}> ({
        ^bb0(%e: tensor<f32>):
          %1 = stablehlo.multiply %e, %a : tensor<f32>
          stablehlo.return %1 : tensor<f32>
        }) : (tensor<2x3xf32>) -> tensor<2x3xf32>""",
        "tensor<2x3xf32>",
        [[0, 10, 20], [30, 40, 50]],
    ),
}


@pytest.mark.parametrize("engine", ["numpy", "native"])
def test_shapes_that_do_not_broadcast(engine: str) -> None:
    """A valid program: what is wrong is known when it runs."""
    text = f"""func.func @main(%x: {T}, %y: tensor<2xf32>) -> {T} {{
      %0 = chlo.broadcast_add %x, %y : ({T}, tensor<2xf32>) -> {T}
      return %0 : {T}
    }}"""
    with pytest.raises(shlo.RunError, match=r"shapes \[1, 2\] and \[2, 3\] cannot be broadcast together"):
        shlo.run(shlo.parse(text), [X, X[0, :2]], engine=engine)


@pytest.mark.parametrize("engine", ["numpy", "native"])
def test_constant_sizes_that_are_not_those_of_the_result(
    engine: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A valid program, whose result has another shape when it runs."""
    monkeypatch.setattr(regions, "LEAST_STEPS", 1)
    text = f"""func.func @main(%x: {T}) -> tensor<1x2xf32> {{
      %a = stablehlo.constant dense<0> : tensor<2xi64>
      %b = stablehlo.constant dense<[1, 3]> : tensor<2xi64>
      %c = stablehlo.constant dense<1> : tensor<2xi64>
      %0 = stablehlo.real_dynamic_slice %x, %a, %b, %c
        : ({T}, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>) -> tensor<1x2xf32>
      return %0 : tensor<1x2xf32>
    }}"""
    module = shlo.parse(text)
    assert shlo.verify(module) == []
    with pytest.raises(shlo.RunError, match="result #0 is tensor<1x3xf32>, and its type is tensor<1x2xf32>"):
        shlo.run(module, [X], engine=engine)


@pytest.mark.parametrize("name", CASES)
def test_native_form(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(regions, "LEAST_STEPS", 1)
    body, result, expected = CASES[name]
    text = f"func.func @main(%x: {T}) -> {result} {{ {body}\n return %0 : {result} }}"
    module = shlo.parse(text)
    assert not [d for d in shlo.verify(module) if d.severity == "error"]
    compiled = shlo.compile(module, engine="native")
    assert [step.name for step in compiled.plan.steps if not step.name.startswith("check ")] == ["native"]
    assert compiled(X)[0].tolist() == expected
    assert shlo.run(module, [X], engine="numpy")[0].tolist() == expected
