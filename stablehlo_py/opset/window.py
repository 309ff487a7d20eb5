"""Windows that slide over a tensor: reduce_window and select_and_scatter."""

from __future__ import annotations

from stablehlo_py.opset.classes import PER_TENSOR_QUANTIZED_TENSOR, TENSOR
from stablehlo_py.opset.definition import Attr, Body, OpDef, Operand, Result, define

WINDOWED = TENSOR | PER_TENSOR_QUANTIZED_TENSOR
SI64 = "1-dimensional tensor constant of type `si64`"
PAIRS = "2-dimensional tensor constant of type `si64`"

define(
    OpDef(
        name="stablehlo.reduce_window",
        doc="Combines the elements of each window with a function, starting from initial values.",
        section="reduce_window",
        inputs=(
            Operand("inputs", WINDOWED, variadic=True),
            Operand("init_values", WINDOWED, variadic=True),
            Attr("window_dimensions", "array<i64>", type=SI64),
            Attr(
                "window_strides", "array<i64>", type=SI64, optional=True, default="[1 for d in axes(inputs[0])]"
            ),
            Attr(
                "base_dilations", "array<i64>", type=SI64, optional=True, default="[1 for d in axes(inputs[0])]"
            ),
            Attr(
                "window_dilations", "array<i64>", type=SI64, optional=True, default="[1 for d in axes(inputs[0])]"
            ),
            Attr(
                "padding", "elements i64", type=PAIRS, optional=True, default="[[0, 0] for d in axes(inputs[0])]"
            ),
            Body("body"),
        ),
        outputs=(Result("results", WINDOWED, variadic=True),),
        example='%result = "stablehlo.reduce_window"(%input, %init_value) '
        "<{window_dimensions = array<i64: 2, 1>, window_strides = array<i64: 4, 1>}> ({\n"
        "^bb0(%a: tensor<i64>, %b: tensor<i64>):\n  %0 = stablehlo.add %a, %b : tensor<i64>\n"
        "  stablehlo.return %0 : tensor<i64>\n}) : (tensor<6x2xi64>, tensor<i64>) -> tensor<2x2xi64>",
    ),
    OpDef(
        name="stablehlo.select_and_scatter",
        doc="Selects a position in each window of operand and combines the elements of source there.",
        section="select_and_scatter",
        inputs=(
            Operand("operand", WINDOWED),
            Operand("source", WINDOWED),
            Operand("init_value", WINDOWED),
            Attr("window_dimensions", "array<i64>", type=SI64, optional=True, default="[]"),
            Attr("window_strides", "array<i64>", type=SI64, optional=True, default="[1 for d in axes(operand)]"),
            Attr(
                "padding", "elements i64", type=PAIRS, optional=True, default="[[0, 0] for d in axes(operand)]"
            ),
            Body("select"),
            Body("scatter"),
        ),
        outputs=(Result("result", WINDOWED),),
        example='%result = "stablehlo.select_and_scatter"(%operand, %source, %init_value) '
        "<{window_dimensions = array<i64: 3, 1>, window_strides = array<i64: 2, 1>}> ({\n"
        "^bb0(%a: tensor<i64>, %b: tensor<i64>):\n"
        "  %0 = stablehlo.compare GE, %a, %b : (tensor<i64>, tensor<i64>) -> tensor<i1>\n"
        "  stablehlo.return %0 : tensor<i1>\n}, {\n"
        "^bb0(%a: tensor<i64>, %b: tensor<i64>):\n  %0 = stablehlo.add %a, %b : tensor<i64>\n"
        "  stablehlo.return %0 : tensor<i64>\n"
        "}) : (tensor<5x2xi64>, tensor<2x2xi64>, tensor<i64>) -> tensor<5x2xi64>",
    ),
)
