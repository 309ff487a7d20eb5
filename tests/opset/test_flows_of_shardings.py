"""What ops do with the sharding of an operand, by Shardy's description: a small program for each."""

from __future__ import annotations

import re

import pytest

import stablehlo_py as shlo

T = "tensor<4x6xf32>"
HELD = f"({{ stablehlo.return %a : {T} }}, {{ %n = stablehlo.negate %a : {T} stablehlo.return %n : {T} }})"
# Ops on %a and others that are not divided; the types of their results, and the dimension of the result that
# is divided where dimension 0 of %a is, and where 1 is: "" for none.
OPS = [
    (f"stablehlo.negate %a : {T}", T, "01"),
    (f"stablehlo.add %a, %a : {T}", T, "01"),
    (f"stablehlo.optimization_barrier %a : {T}", T, "01"),
    (f'"stablehlo.case"(%i) {HELD} : (tensor<i32>) -> {T}', T, "01"),
    (f'"stablehlo.if"(%p) {HELD} : (tensor<i1>) -> {T}', T, "--"),
    (
        f"stablehlo.while(%x = %a) : {T} cond {{ stablehlo.return %p : tensor<i1> }} "
        f"do {{ stablehlo.return %x : {T} }}",
        T,
        "01",
    ),
    (f'sdy.named_computation<"f">(%a) (%x: {T}) {{ sdy.return %x : {T} }} : ({T}) -> {T}', T, "01"),
    (f"stablehlo.transpose %a, dims = [1, 0] : ({T}) -> tensor<6x4xf32>", "tensor<6x4xf32>", "10"),
    (
        f"stablehlo.broadcast_in_dim %a, dims = [1, 2] : ({T}) -> tensor<3x4x6xf32>",
        "tensor<3x4x6xf32>",
        "12",
    ),
    (f"stablehlo.reshape %a : ({T}) -> tensor<4x2x3xf32>", "tensor<4x2x3xf32>", "01"),
    (f"stablehlo.reshape %a : ({T}) -> tensor<24xf32>", "tensor<24xf32>", "0-"),
    (f"stablehlo.reduce(%a init: %z) applies stablehlo.add across dimensions = [1] : ({T}, tensor<f32>) -> "
     "tensor<4xf32>", "tensor<4xf32>", "0-"),
    (f"stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : ({T}, tensor<6x2xf32>) -> "
     "tensor<4x2xf32>", "tensor<4x2xf32>", "0-"),
    (f"stablehlo.dot_general %b, %a, contracting_dims = [0] x [1] : (tensor<6x2xf32>, {T}) -> "
     "tensor<2x4xf32>", "tensor<2x4xf32>", "1-"),
    (f"stablehlo.dynamic_slice %a, %i, %i, sizes = [4, 2] : ({T}, tensor<i32>, tensor<i32>) -> "
     "tensor<4x2xf32>", "tensor<4x2xf32>", "0-"),
    (f"stablehlo.select %p, %a, %a : tensor<i1>, {T}", T, "01"),
    (f"stablehlo.clamp %z, %a, %z : (tensor<f32>, {T}, tensor<f32>) -> {T}", T, "01"),
    (f"stablehlo.convert %a : ({T}) -> tensor<4x6xf64>", "tensor<4x6xf64>", "01"),
]  # fmt: skip


def divided(op: str, type: str, dimension: int) -> str:
    """The dimension of the result that is divided after propagation: `-` for none."""
    axes = '[{"x"}, {}]' if dimension == 0 else '[{}, {"x"}]'
    text = f"""sdy.mesh @mesh = <["x"=2]>
func.func @main(%a: {T} {{sdy.sharding = #sdy.sharding<@mesh, {axes}>}}, %b: tensor<6x2xf32>, %i: tensor<i32>,
                %p: tensor<i1>, %z: tensor<f32>) -> {type} {{
  %r = {op}
  return %r : {type}
}}"""
    module = shlo.opt(shlo.parse(text), ["sdy-propagation-pipeline"])
    results = shlo.format(module).partition("@main(")[2].partition("{\n")[0].rpartition(" -> ")[2]
    found = re.search(r"@mesh, \[(.*)\]>", results)
    parts = [] if found is None else re.findall(r"\{(.*?)\}", found[1])
    return next((str(n) for n, part in enumerate(parts) if part == '"x"'), "-")


@pytest.mark.parametrize(("op", "type", "expected"), OPS, ids=lambda text: text.split("(")[0].split(" ")[0])
def test_the_result_is_divided_as_the_operand(op: str, type: str, expected: str) -> None:
    assert divided(op, type, 0) + divided(op, type, 1) == expected
