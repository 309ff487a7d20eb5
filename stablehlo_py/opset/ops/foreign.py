"""Ops of other dialects that exported programs carry: `shape`, `tensor` and `interpreter`."""

from __future__ import annotations

from stablehlo_py.ir.types import OpaqueType
from stablehlo_py.opset.classes import (
    ANY,
    BOOLEAN,
    INDEX_ELEMENT,
    PER_TENSOR_TENSOR,
    SIGNED,
    TENSOR,
    TOKEN,
    TypeClass,
    any_rank,
    tensor_of,
)
from stablehlo_py.opset.definition import (
    Attr,
    Body,
    OpDef,
    Operand,
    Result,
    define,
    upstream,
)
from stablehlo_py.opset.ops.shared import PURE, conversion

INDEX = INDEX_ELEMENT
EXTENTS = tensor_of(INDEX, rank=1) | TypeClass("shape", lambda t: str(t) == "!shape.shape")
SIZE = INDEX | TypeClass("size", lambda t: str(t) == "!shape.size")
WITNESS = TypeClass("witness", lambda t: str(t) == "!shape.witness", only=OpaqueType("!shape.witness"))
SHAPED = any_rank(BOOLEAN, SIGNED, INDEX) | TENSOR | any_rank(ANY)

define(
    conversion("tensor.cast", SHAPED, SHAPED, "Gives a tensor a type that knows more or fewer sizes."),
    OpDef(
        name="tensor.dim",
        doc="Gives one dimension size of a tensor.",
        inputs=(Operand("source", SHAPED), Operand("index", INDEX)),
        outputs=(Result("result", INDEX),),
        form="attr-dict $source `,` $index `:` type($source)",
        traits=PURE,
        example="%0 = tensor.dim %source, %c0 : tensor<?xf32>",
    ),
    OpDef(
        name="tensor.from_elements",
        doc="Makes a tensor of its elements, in row-major order.",
        inputs=(Operand("elements", ANY, variadic=True),),
        outputs=(Result("result", SHAPED),),
        constraints=(
            upstream("U1", "identical(elements..., element_type(result))"),
            upstream("U2", "is_static(result) and size(elements) = size(result)"),
        ),
        form="$elements attr-dict `:` custom<tensor_and_elements>(type($result), type($elements))",
        traits=PURE,
        example="%0 = tensor.from_elements %a, %b : tensor<2xindex>",
    ),
    OpDef(
        name="tensor.extract",
        doc="Gives one element of a tensor.",
        inputs=(Operand("tensor", SHAPED), Operand("indices", INDEX, variadic=True)),
        outputs=(Result("result", ANY),),
        constraints=(
            upstream("U1", "size(indices) = rank(tensor)"),
            upstream("U2", "identical(result, element_type(tensor))"),
        ),
        form="$tensor custom<indices>($indices) attr-dict `:` "
        "custom<tensor_and_elements>(type($tensor), type($result))",
        traits=PURE,
        example="%0 = tensor.extract %tensor[%i] : tensor<2xindex>",
    ),
    OpDef(
        name="shape.shape_of",
        doc="Gives the shape of a tensor as a value.",
        inputs=(Operand("arg", SHAPED),),
        outputs=(Result("result", EXTENTS),),
        form="$arg attr-dict `:` type($arg) `->` type($result)",
        traits=PURE,
        example="%0 = shape.shape_of %arg : tensor<?x3xf32> -> tensor<2xindex>",
    ),
    OpDef(
        name="shape.num_elements",
        doc="Gives the number of elements of a shape.",
        inputs=(Operand("shape", EXTENTS),),
        outputs=(Result("result", SIZE),),
        form="$shape attr-dict `:` type($shape) `->` type($result)",
        traits=PURE,
        example="%0 = shape.num_elements %shape : tensor<2xindex> -> index",
    ),
    OpDef(
        name="shape.const_shape",
        doc="Gives a constant shape.",
        inputs=(Attr("shape", "elements"),),
        outputs=(Result("result", EXTENTS),),
        constraints=(upstream("U1", "if is_tensor(result) then identical(type(shape), result)"),),
        form="custom<extents>($shape) `:` type($result)",
        traits=PURE,
        example="%0 = shape.const_shape [2, 8] : tensor<2xindex>",
    ),
    OpDef(
        name="shape.broadcast",
        doc="Gives the shape that shapes are broadcast to.",
        inputs=(Operand("shapes", EXTENTS, variadic=True), Attr("error", "string", optional=True)),
        outputs=(Result("result", EXTENTS),),
        form="$shapes attr-dict `:` type($shapes) `->` type($result)",
        traits=PURE,
        example="%0 = shape.broadcast %a, %b : tensor<2xindex>, tensor<2xindex> -> tensor<2xindex>",
    ),
    OpDef(
        name="shape.cstr_broadcastable",
        doc="Witnesses that shapes can be broadcast together.",
        inputs=(Operand("shapes", EXTENTS, variadic=True),),
        outputs=(Result("result", WITNESS),),
        form="$shapes attr-dict `:` type($shapes)",
        example="%0 = shape.cstr_broadcastable %a, %b : tensor<2xindex>, tensor<2xindex>",
    ),
    OpDef(
        name="shape.assuming",
        doc="Runs its region, which may rely on what a witness says.",
        inputs=(Operand("witness", WITNESS), Body("doRegion", terminator="shape.assuming_yield")),
        outputs=(Result("results", ANY, variadic=True),),
        constraints=(upstream("U1", "type(results...) = output_types(doRegion)..."),),
        form="custom<assuming>($witness, $doRegion)",
        traits=frozenset({"runs_bodies"}),
        example="%0 = shape.assuming %witness -> (tensor<2xindex>) {\n"
        "  shape.assuming_yield %a : tensor<2xindex>\n}",
    ),
    OpDef(
        name="shape.assuming_yield",
        doc="Ends the region of shape.assuming and gives its outputs.",
        inputs=(Operand("operands", ANY, variadic=True),),
        form="attr-dict ($operands^ `:` type($operands))?",
        traits=frozenset({"terminator", "pure"}),
        example="shape.assuming_yield %a : tensor<2xindex>",
    ),
    OpDef(
        name="interpreter.run_parallel",
        doc="Runs a grid of processes, one function each, and gives the outputs of all of them.",
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
        ),
        example='%results:2 = "interpreter.run_parallel"(%a, %b) <{programs = [[@foo], [@foo]]}> '
        ": (tensor<i32>, tensor<i32>) -> (tensor<i32>, tensor<i32>)",
    ),
    OpDef(
        name="interpreter.print",
        doc="Prints a tensor to standard output.",
        inputs=(Operand("operand", PER_TENSOR_TENSOR),),
        form="$operand attr-dict `:` type($operand)",
        example="interpreter.print %operand : tensor<2xi32>",
    ),
    OpDef(
        name="interpreter.probe",
        doc="Gives its operand, and writes it to a file that `probe_id` names.",
        inputs=(Operand("operand", PER_TENSOR_TENSOR), Attr("probe_id", "string")),
        outputs=(Result("result", PER_TENSOR_TENSOR),),
        constraints=(upstream("U1", "type(operand) = type(result)"),),
        form="$operand `,` `probe_id` `=` $probe_id attr-dict "
        "`:` custom<same_operands_and_result_type>(type($operand), type($result))",
        example='%result = interpreter.probe %operand, probe_id = "probe0" : tensor<3xi32>',
    ),
)
