"""Sorting."""

from __future__ import annotations

from stablehlo_py.opset.classes import PER_TENSOR_QUANTIZED_TENSOR, TENSOR
from stablehlo_py.opset.definition import Attr, Body, OpDef, Operand, Result, define

SORTED = TENSOR | PER_TENSOR_QUANTIZED_TENSOR

define(
    OpDef(
        name="stablehlo.sort",
        doc="Sorts slices of its inputs along a dimension, together, by the order that comparator states.",
        section="sort",
        inputs=(
            Operand("inputs", SORTED, variadic=True),
            Attr("dimension", "i64", type="constant of type `si64`", optional=True, default="-1"),
            Attr("is_stable", "bool", type="constant of type `i1`", optional=True, default="false"),
            Body("comparator"),
        ),
        outputs=(Result("results", SORTED, variadic=True),),
        example='%result = "stablehlo.sort"(%input) <{dimension = 0 : i64, is_stable = true}> ({\n'
        "^bb0(%a: tensor<i64>, %b: tensor<i64>):\n"
        "  %0 = stablehlo.compare LT, %a, %b : (tensor<i64>, tensor<i64>) -> tensor<i1>\n"
        "  stablehlo.return %0 : tensor<i1>\n}) : (tensor<3xi64>) -> tensor<3xi64>",
    ),
)
