"""The `func` dialect: functions, their terminators and calls."""

from __future__ import annotations

from stablehlo_py.opset.classes import ANY
from stablehlo_py.opset.definition import Attr, Body, OpDef, Operand, Result, define
from stablehlo_py.opset.traits import NO_TRAFFIC

define(
    OpDef(
        name="func.func",
        doc="Defines a function with a body, or declares one without.",
        section="functions",
        inputs=(
            Attr("sym_name", "string"),
            Attr("function_type", "function type"),
            Attr("sym_visibility", "string", optional=True),
            Attr("arg_attrs", "array of dict", optional=True),
            Attr("res_attrs", "array of dict", optional=True),
            Attr("no_inline", "unit", optional=True),
            Body("body", optional=True),
        ),
        form="custom<function>($sym_name, $function_type, $sym_visibility, $arg_attrs, $res_attrs, $body)",
        traits=frozenset({"isolated", "symbol", "func_default"}),
        example="func.func @main(%arg0: tensor<2xf32>) -> tensor<2xf32> {\n  return %arg0 : tensor<2xf32>\n}",
    ),
    OpDef(
        name="func.return",
        doc="Terminates a function and returns its outputs.",
        section="functions",
        inputs=(Operand("operands", ANY, variadic=True),),
        form="attr-dict ($operands^ `:` type($operands))?",
        traits=frozenset({"terminator", "pure"}),
        example="return %0 : tensor<2xf32>",
    ),
    OpDef(
        name="func.call",
        doc="Calls a function of the same module and returns its outputs.",
        section="module-function-call-and-return",
        inputs=(
            Operand("operands", ANY, variadic=True),
            Attr("callee", "symbol"),
            Attr("arg_attrs", "array of dict", optional=True),
            Attr("res_attrs", "array of dict", optional=True),
            Attr("no_inline", "unit", optional=True),
        ),
        outputs=(Result("results", ANY, variadic=True),),
        form="$callee `(` $operands `)` attr-dict `:` functional-type(operands, results)",
        traits=frozenset({"recursive_effects", "received"}),
        cost=NO_TRAFFIC,
        callee="callee",
        example="%0 = call @add(%a, %b) : (tensor<f32>, tensor<f32>) -> tensor<f32>",
    ),
)
