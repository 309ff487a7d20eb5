"""Attributes that equal their defaults, stated or not."""

from __future__ import annotations

import pytest

import stablehlo_py as shlo
from stablehlo_py.syntax.forms.write import stated_attributes

HEAD = """func.func private @f(tensor<2xf32>) -> tensor<2xf32>
func.func @main(%b: tensor<2xf32>) {
"""
DOT = '"stablehlo.dot"(%b, %b) <{{precision_config = [{}]}}> : (tensor<2xf32>, tensor<2xf32>) -> tensor<f32>'
CALL = '"stablehlo.custom_call"(%b) <{{call_target_name = "g", {}}}> : (tensor<2xf32>) -> tensor<2xf32>'
EXP = (
    "stablehlo.exponential %b {{result_accuracy = "
    "#stablehlo.result_accuracy<mode = #stablehlo.result_accuracy_mode<{}>>}} : tensor<2xf32>"
)
DEFAULT, HIGH = "#stablehlo<precision DEFAULT>", "#stablehlo<precision HIGH>"
KIND = "#stablehlo.output_operand_alias"
ALIAS = f"{KIND}<output_tuple_indices = [], operand_index = 0, operand_tuple_indices = []>"


@pytest.mark.parametrize(
    ("op", "stated"),
    [
        (DOT.format(f"{DEFAULT}, {DEFAULT}"), set()),
        (DOT.format(f"{DEFAULT}, {HIGH}"), {"precision_config"}),
        (DOT.format(f"{HIGH}, {DEFAULT}"), {"precision_config"}),
        (DOT.format(""), {"precision_config"}),
        (DOT.format(DEFAULT), {"precision_config"}),
        (CALL.format("called_computations = []"), {"call_target_name"}),
        (CALL.format("called_computations = [@f]"), {"call_target_name", "called_computations"}),
        (CALL.format("output_operand_aliases = []"), {"call_target_name"}),
        (CALL.format(f"output_operand_aliases = [{ALIAS}]"), {"call_target_name", "output_operand_aliases"}),
        (CALL.format("has_side_effect = false"), {"call_target_name"}),
        (CALL.format("has_side_effect = true"), {"call_target_name", "has_side_effect"}),
        (CALL.format("api_version = 1 : i32"), {"call_target_name"}),
        (CALL.format("api_version = 2 : i32"), {"call_target_name", "api_version"}),
        (CALL.format('backend_config = ""'), {"call_target_name", "backend_config"}),  # it has no default
        (CALL.format('backend_config = "x"'), {"call_target_name", "backend_config"}),
        ("func.call @f(%b) : (tensor<2xf32>) -> tensor<2xf32>", {"callee"}),
        ('"func.call"(%b) <{arg_attrs = [{}], callee = @f}> : (tensor<2xf32>) -> tensor<2xf32>', {"callee"}),
        (
            '"func.call"(%b) <{arg_attrs = [{x = 1 : i32}], callee = @f}> : (tensor<2xf32>) -> tensor<2xf32>',
            {"arg_attrs", "callee"},
        ),
        (
            '"func.call"(%b, %b) <{arg_attrs = [{}, {x = 1 : i32}], callee = @g}> : '
            "(tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>",
            {"arg_attrs", "callee"},
        ),
        ("stablehlo.exponential %b {x = []} : tensor<2xf32>", {"x"}),
        (EXP.format("DEFAULT"), set()),
        (EXP.format("HIGHEST"), {"result_accuracy"}),
    ],
)
def test_attributes_that_are_stated(op: str, stated: set[str]) -> None:
    module = shlo.parse(f"{HEAD}  %r = {op}\n  return\n}}\n")
    found = module.functions["main"].regions[0].block.ops[0]
    assert set(stated_attributes(found)) == stated


def test_empty_texts_that_are_stored() -> None:
    """Of a feed without a configuration, C++ stores an empty one, and prints it in the generic form."""
    text = """"builtin.module"() ({
  "func.func"() <{function_type = (!stablehlo.token, tensor<2xf32>) -> (), sym_name = "main"}> ({
  ^bb0(%arg0: !stablehlo.token, %arg1: tensor<2xf32>):
    %0 = "stablehlo.outfeed"(%arg1, %arg0) <{outfeed_config = ""}> : OUT
    %1:2 = "stablehlo.infeed"(%arg0) <{infeed_config = ""}> : IN
    "func.return"() : () -> ()
  }) : () -> ()
}) : () -> ()
"""
    text = text.replace("OUT", "(tensor<2xf32>, !stablehlo.token) -> !stablehlo.token")
    text = text.replace("IN", "(!stablehlo.token) -> (tensor<2xf32>, !stablehlo.token)")
    omitted = text.replace('<{outfeed_config = ""}> ', "").replace('<{infeed_config = ""}> ', "")
    assert shlo.format(shlo.parse(omitted), generic=True) == text
