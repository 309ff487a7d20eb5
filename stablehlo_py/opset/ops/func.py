"""The `func` dialect: functions, their terminators and calls."""

from __future__ import annotations

from stablehlo_py.opset.classes import ANY, FUNCTION
from stablehlo_py.opset.definition import Attr, Body, OpDef, Operand, Result, define, upstream
from stablehlo_py.opset.shared.common import PURE
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
    OpDef(
        name="func.constant",
        doc="Returns a function of the same module.",
        inputs=(Attr("value", "symbol"),),
        outputs=(Result("result", FUNCTION),),
        constraints=(
            upstream("U1", "is_defined_in_parent_scope(value)"),
            upstream("U2", "identical(function_type(value), type(result))"),
        ),
        form="attr-dict $value `:` type($result)",
        traits=PURE,
        result_name="f",
        example="%f = constant @add : (tensor<f32>, tensor<f32>) -> tensor<f32>",
    ),
    OpDef(
        name="func.call_indirect",
        doc="Calls a function that is a value, and returns its outputs.",
        inputs=(
            Operand("callee", FUNCTION),
            Operand("callee_operands", ANY, variadic=True),
            Attr("arg_attrs", "array of dict", optional=True),
            Attr("res_attrs", "array of dict", optional=True),
        ),
        outputs=(Result("results", ANY, variadic=True),),
        constraints=(
            upstream(
                "U1",
                "identical(type(callee), function_type([type(callee_operands...)], [type(results...)]))",
            ),
        ),
        form="$callee `(` $callee_operands `)` attr-dict `:` "
        "custom<callee_type>(type($callee), type($callee_operands), type($results))",
        cost=NO_TRAFFIC,
        example="%0 = call_indirect %f(%a, %b) : (tensor<f32>, tensor<f32>) -> tensor<f32>",
    ),
)
