"""What the specification's text alone demands: warnings, and errors where verification is strict."""

from __future__ import annotations

import pytest

import stablehlo_py as shlo

CONVOLUTION = """func.func @f(%a: tensor<1x4x4x1xf32>, %b: tensor<3x3x1x1xf32>) {
  %0 = stablehlo.convolution(%a, %b) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {}
    {batch_group_count = 1 : i64, feature_group_count = 1 : i64}
    : (tensor<1x4x4x1xf32>, tensor<3x3x1x1xf32>) -> tensor<1x2x2x1xf64>
  return
}"""
STATE = """func.func @f(%s: tensor<{}>) {{
  %0, %1 = stablehlo.rng_bit_generator %s, algorithm = DEFAULT : (tensor<{}>) -> (tensor<{}>, tensor<2xi8>)
  return
}}"""
PERMUTE = """module attributes {mhlo.num_replicas = 2 : i32, mhlo.num_partitions = 1 : i32} {
  func.func @f(%a: tensor<f32>) {
    %0 = "stablehlo.collective_permute"(%a) {source_target_pairs = dense<[[0, 2]]> : tensor<1x2xi64>}
      : (tensor<f32>) -> tensor<f32>
    return
  }
}"""
CONSTANT = "func.func @f() {{\n  %0 = stablehlo.constant dense<{}> : tensor<{}>\n  return\n}}"


def found(text: str, severity: str, strict: bool = False) -> list[str]:
    diagnostics = shlo.verify(shlo.parse(text), strict=strict)
    return [d.code for d in diagnostics if d.severity == severity]


@pytest.mark.parametrize(
    ("text", "codes"),
    [
        ("func.func private @f(i32)", ["type"]),
        ("func.func private @f(tensor<2xi7>)", ["type"]),
        ("func.func private @f(tensor<2xi32>) -> tensor<2xf80>", ["type"]),
        ("func.func private @f(tuple<tensor<f32>, none>)", ["type"]),
        ("func.func private @f(!quant.any, tensor<f32>, tuple<tensor<f32>, !stablehlo.token>)", []),
        # C1 of the source edition: num_bits(storage_type) < num_bits(expressed_type)
        ("func.func private @f(tensor<!quant.uniform<i32:f32, 1.0>>)", ["type"]),
        ("func.func private @f(tensor<!quant.uniform<i16:f32, 1.0>>)", []),
        (CONVOLUTION, ["convolution.C27"]),
        (STATE.format("2xui64", "2xui64", "2xui64"), []),
        (STATE.format("2xui64", "2xui64", "2xi64"), ["rng_bit_generator.C1"]),
        (STATE.format("2xui32", "2xui32", "2xui32"), ["rng_bit_generator.I2"]),
        (PERMUTE, ["collective_permute.C4"]),
        # C2 of FloatConstant: size(hexadecimal_digits) = num_bits(float_type) / 4
        (CONSTANT.format("0x7F80", "f32"), ["spelling"]),
        (CONSTANT.format("0x7F800000", "f32"), []),
        (CONSTANT.format("0x7F80", "f16"), []),
    ],
)
def test_what_only_the_specification_demands(text: str, codes: list[str]) -> None:
    assert found(text, "warning") == codes
    assert found(text, "error") == []
    assert found(text, "error", strict=True) == codes
    assert found(text, "warning", strict=True) == []


def test_the_diagnostic_says_so() -> None:
    (diagnostic,) = shlo.verify(shlo.parse(CONVOLUTION))
    assert diagnostic.spec_only
    assert "[spec-only]" in diagnostic.message


def test_other_warnings_stay_warnings() -> None:
    text = 'func.func private @f(tensor<2xf32> {mhlo.layout_mode = "x"})'
    assert found(text, "warning", strict=True) == ["layout"]
    assert found(text, "error", strict=True) == []
