"""The `interpreter` dialect: ops of the reference interpreter."""

from __future__ import annotations

from stablehlo_py.opset.classes import (
    PER_TENSOR_TENSOR,
    TOKEN,
)
from stablehlo_py.opset.definition import (
    Attr,
    OpDef,
    Operand,
    Result,
    define,
    upstream,
)

define(
    OpDef(
        name="interpreter.run_parallel",
        doc="Executes a grid of processes, one function each, and returns the outputs of all of them.",
        inputs=(
            Operand("inputs", PER_TENSOR_TENSOR | TOKEN, variadic=True),
            Attr("infeed", "array of symbol", optional=True),
            Attr("programs", "array of array of symbol"),
        ),
        outputs=(Result("results", PER_TENSOR_TENSOR | TOKEN, variadic=True),),
        constraints=(
            upstream("U1", "0 < size(programs) and 0 < size(programs[0])"),
            upstream("U2", "same(size(programs...))"),
            upstream(
                "U3", "size(inputs) = sum([sum([size(input_types(p)) for p in row]) for row in programs])"
            ),
            upstream(
                "U4", "size(results) = sum([sum([size(output_types(p)) for p in row]) for row in programs])"
            ),
            upstream("U5", "if given(infeed) then 0 < size(infeed)"),
            upstream("U6", "if given(infeed) then is_defined_in_parent_scope(infeed...)"),
            upstream("U7", "for row in programs : is_defined_in_parent_scope(row...)"),
            upstream("U8", "if given(infeed) then for f in infeed : size(output_types(f)) = 1"),
            upstream("U9", "if given(infeed) then for f in infeed : is_tensor(output_types(f)[0])"),
        ),
        traits=frozenset({"host", "shape_at_run"}),
        example='%results:2 = "interpreter.run_parallel"(%a, %b) <{programs = [[@foo], [@foo]]}> '
        ": (tensor<i32>, tensor<i32>) -> (tensor<i32>, tensor<i32>)",
    ),
    OpDef(
        name="interpreter.print",
        doc="Prints a tensor to standard output.",
        inputs=(Operand("operand", PER_TENSOR_TENSOR),),
        form="$operand attr-dict `:` type($operand)",
        traits=frozenset({"host"}),
        example="interpreter.print %operand : tensor<2xi32>",
    ),
    OpDef(
        name="interpreter.probe",
        doc="Returns its operand, and writes it to the file named by `probe_id`.",
        inputs=(Operand("operand", PER_TENSOR_TENSOR), Attr("probe_id", "string")),
        outputs=(Result("result", PER_TENSOR_TENSOR),),
        constraints=(upstream("U1", "type(operand) = type(result)"),),
        form="$operand `,` `probe_id` `=` $probe_id attr-dict "
        "`:` custom<same_operands_and_result_type>(type($operand), type($result))",
        traits=frozenset({"host", "probe"}),
        example='%result = interpreter.probe %operand, probe_id = "probe0" : tensor<3xi32>',
    ),
)
