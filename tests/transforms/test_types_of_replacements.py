"""Rules on values that are static where the replaced result is dynamic: users get the type they state."""

from __future__ import annotations

import numpy as np
import pytest

import stablehlo_py as shlo

REVERSED = """func.func @main(%x: tensor<3x1xi8>) -> tensor<?x1xi8> {
  %0 = stablehlo.reverse %x, dims = [1] : (tensor<3x1xi8>) -> tensor<?x1xi8>
  return %0 : tensor<?x1xi8>
}"""
IN_A_BRANCH = """func.func @main(%p: tensor<i1>, %x: tensor<3x1xi8>, %y: tensor<?x1xi8>) -> tensor<?x1xi8> {
  %1 = "stablehlo.if"(%p) ({
    %0 = stablehlo.reverse %x, dims = [1] : (tensor<3x1xi8>) -> tensor<?x1xi8>
    stablehlo.return %0 : tensor<?x1xi8>
  }, {
    stablehlo.return %y : tensor<?x1xi8>
  }) : (tensor<i1>) -> tensor<?x1xi8>
  return %1 : tensor<?x1xi8>
}"""
KNOWN_BRANCH = """func.func @main(%x: tensor<3x1xi8>, %y: tensor<3x1xi8>) -> tensor<?x1xi8> {
  %p = stablehlo.constant dense<true> : tensor<i1>
  %1 = "stablehlo.if"(%p) ({
    stablehlo.return %x : tensor<3x1xi8>
  }, {
    stablehlo.return %y : tensor<3x1xi8>
  }) : (tensor<i1>) -> tensor<?x1xi8>
  return %1 : tensor<?x1xi8>
}"""
TO_A_CALL = """func.func private @f(%y: tensor<?x1xi8>) -> tensor<?x1xi8> {
  return %y : tensor<?x1xi8>
}
func.func @main(%x: tensor<3x1xi8>) -> tensor<?x1xi8> {
  %0 = stablehlo.reverse %x, dims = [1] : (tensor<3x1xi8>) -> tensor<?x1xi8>
  %1 = call @f(%0) : (tensor<?x1xi8>) -> tensor<?x1xi8>
  return %1 : tensor<?x1xi8>
}"""
TO_A_COMPOSITE = TO_A_CALL.replace(
    "call @f(%0) : (tensor<?x1xi8>) -> tensor<?x1xi8>",
    'stablehlo.composite "a.b" %0 {decomposition = @f} : (tensor<?x1xi8>) -> tensor<?x1xi8>',
)
TO_A_LOOP = """func.func @main(%x: tensor<3x1xi8>) -> tensor<?x1xi8> {
  %0 = stablehlo.reverse %x, dims = [1] : (tensor<3x1xi8>) -> tensor<?x1xi8>
  %p = stablehlo.constant dense<true> : tensor<i1>
  %1:2 = stablehlo.while(%q = %p, %y = %0) : tensor<i1>, tensor<?x1xi8>
  cond {
    stablehlo.return %q : tensor<i1>
  } do {
    %n = stablehlo.not %q : tensor<i1>
    %z = stablehlo.abs %y : tensor<?x1xi8>
    stablehlo.return %n, %z : tensor<i1>, tensor<?x1xi8>
  }
  return %1#1 : tensor<?x1xi8>
}"""
X = np.int8([[1], [2], [3]])


def stated(module: shlo.Module) -> list[list[object]]:
    """The types of the operands of loops, calls and the ends of regions."""
    names = ("stablehlo.while", "stablehlo.return", "stablehlo.composite", "func.call", "func.return")
    return [[value.type for value in op.operands] for op in module.walk() if op.name in names]


@pytest.mark.parametrize(
    ("text", "inputs"),
    [
        (REVERSED, [X]),
        (IN_A_BRANCH, [True, X, X]),
        (KNOWN_BRANCH, [X, X]),
        (TO_A_CALL, [X]),
        (TO_A_COMPOSITE, [X]),
        (TO_A_LOOP, [X]),
    ],
    ids=["return", "branch", "known-branch", "call", "composite", "loop"],
)
def test_the_result_keeps_its_type(text: str, inputs: list[object]) -> None:
    given = shlo.parse(text)
    module = shlo.opt(given, ["stablehlo-target-independent-optimization"])  # which verifies
    assert "stablehlo.reverse" not in str(module)
    assert stated(module) == stated(given)
    np.testing.assert_array_equal(shlo.run(module, inputs)[0], X)


def test_a_user_of_any_shape_takes_the_static_value() -> None:
    text = REVERSED.replace("return %0", "%1 = stablehlo.negate %0 : tensor<?x1xi8>\n  return %1")
    module = shlo.opt(shlo.parse(text), ["stablehlo-aggressive-simplification"])
    assert [op.name for op in module.functions["main"].blocks[0].ops] == ["stablehlo.negate", "func.return"]


@pytest.mark.parametrize(
    "element", ["!quant.uniform<i8:f32, 1.0>", "!quant.uniform<i8:f32:1, {1.0, 0.5, 0.25}>"]
)
def test_a_constant_without_elements_has_those_of_the_storage(element: str) -> None:
    type = f"tensor<0x3x{element}>"
    text = f"""func.func @main(%x: tensor<0x3xf32>) -> {type} {{
  %0 = stablehlo.uniform_quantize %x : (tensor<0x3xf32>) -> {type}
  return %0 : {type}
}}"""
    module = shlo.opt(shlo.parse(text), "stablehlo-aggressive-simplification")  # which verifies
    made, _ = module.functions["main"].blocks[0].ops
    assert (made.name, str(made.properties["value"].type)) == ("stablehlo.constant", "tensor<0x3xi8>")


def test_a_quantized_value_stays() -> None:
    """There is no conversion of quantized elements to another shape."""
    text = REVERSED.replace("i8", "!quant.uniform<i8:f32, 2.0>")
    module = shlo.opt(shlo.parse(text), ["stablehlo-aggressive-simplification"])
    assert "stablehlo.reverse" in str(module)
