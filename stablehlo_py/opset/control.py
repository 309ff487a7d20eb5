"""Control flow, calls out of the program, tokens, and transfers of data."""

from __future__ import annotations

from stablehlo_py.opset.classes import (
    ANY,
    BOOLEAN,
    BUFFER,
    FUTURE,
    PER_TENSOR_QUANTIZED_TENSOR,
    QUANTIZED_TENSOR,
    SIGNED_32,
    STATIC_QUANTIZED_TENSOR,
    STATIC_TENSOR,
    TENSOR,
    TOKEN,
    TUPLE,
    UNRANKED,
    UNSIGNED_32,
    tensor_of,
)
from stablehlo_py.opset.definition import Attr, Body, OpDef, Operand, Result, define

ANY_TENSOR = TENSOR | QUANTIZED_TENSOR
VALUE = ANY_TENSOR | TOKEN | BUFFER
RECEIVED = STATIC_TENSOR | STATIC_QUANTIZED_TENSOR | TOKEN
CHANNEL = (
    Attr("channel_id", "i64", type="constant of type `si64`", at="channel_handle.handle"),
    Attr("channel_type", "i64", type="enum of `DEVICE_TO_DEVICE` and `DEVICE_TO_HOST`", at="channel_handle.type"),
)
HOST_TRANSFER = Attr("is_host_transfer", "bool", type="constant of type `i1`", optional=True, default="false")
PAIRS = Attr(
    "source_target_pairs", "elements i64", type="2-dimensional tensor constant of type `si64`", optional=True
)

define(
    OpDef(
        name="stablehlo.return",
        doc="Ends a region and gives its outputs to the op that holds the region.",
        inputs=(Operand("results", VALUE, variadic=True),),
        form="$results attr-dict (`:` type($results)^)?",
        traits=frozenset({"terminator", "pure"}),
        example="stablehlo.return %0 : tensor<f32>",
    ),
    OpDef(
        name="stablehlo.while",
        doc="Runs body again and again, on its own outputs, for as long as cond gives true.",
        section="while",
        inputs=(Operand("operand", VALUE, variadic=True), Body("cond"), Body("body")),
        outputs=(Result("results", VALUE, variadic=True),),
        form="custom<while>($operand, $cond, $body)",
        example="%results = stablehlo.while(%i = %zero) : tensor<i64>\n"
        "cond {\n  %more = stablehlo.compare LT, %i, %ten : (tensor<i64>, tensor<i64>) -> tensor<i1>\n"
        "  stablehlo.return %more : tensor<i1>\n"
        "} do {\n  %next = stablehlo.add %i, %one : tensor<i64>\n  stablehlo.return %next : tensor<i64>\n}",
    ),
    OpDef(
        name="stablehlo.if",
        doc="Runs one of two functions, as a condition says, and gives its outputs.",
        section="if",
        inputs=(Operand("pred", tensor_of(BOOLEAN)), Body("true_branch"), Body("false_branch")),
        outputs=(Result("results", ANY_TENSOR | TOKEN, variadic=True),),
        example='%result = "stablehlo.if"(%pred) ({\n  stablehlo.return %a : tensor<i32>\n'
        "}, {\n  stablehlo.return %b : tensor<i32>\n}) : (tensor<i1>) -> tensor<i32>",
    ),
    OpDef(
        name="stablehlo.case",
        doc="Runs the function at an index and gives its outputs; the last one for an index out of bounds.",
        section="case",
        inputs=(Operand("index", tensor_of(SIGNED_32)), Body("branches", variadic=True)),
        outputs=(Result("results", ANY_TENSOR | TOKEN, variadic=True),),
        example='%result = "stablehlo.case"(%index) ({\n  stablehlo.return %a : tensor<i32>\n'
        "}, {\n  stablehlo.return %b : tensor<i32>\n}) : (tensor<i32>) -> tensor<i32>",
    ),
    OpDef(
        name="stablehlo.custom_call",
        doc="Calls an operation that the implementation defines.",
        section="custom_call",
        inputs=(
            Operand("inputs", ANY_TENSOR | UNRANKED | BUFFER | TOKEN | TUPLE | FUTURE, variadic=True),
            Attr("call_target_name", "string", type="constant of type `string`"),
            Attr("has_side_effect", "bool", type="constant of type `i1`", optional=True, default="false"),
            Attr(
                "backend_config",
                "string or dict",
                type="constant of type `string` or attribute dictionary",
                optional=True,
            ),
            Attr(
                "api_version",
                "enum stablehlo.custom_call_api_version",
                type="constant of type `si32`",
                optional=True,
                default="API_VERSION_ORIGINAL",
            ),
            Attr(
                "called_computations",
                "array of symbol",
                type="variadic number of constants of type `string`",
                optional=True,
                default="[]",
            ),
            Attr(
                "output_operand_aliases",
                "array of struct stablehlo.output_operand_alias",
                type="specify the aliasing parts in the outputs and operands",
                optional=True,
                default="[]",
            ),
            Attr("operand_layouts", "array of layout", optional=True),
            Attr("result_layouts", "array of layout", optional=True),
            Attr("result_tilings", "array of array of layout", optional=True),
        ),
        outputs=(Result("results", ANY_TENSOR | UNRANKED | BUFFER | TOKEN | TUPLE | FUTURE, variadic=True),),
        form="custom<custom_call_target>($call_target_name) `(` $inputs `)` attr-dict "
        "`:` functional-type(operands, results)",
        example='%result = stablehlo.custom_call @foo(%input) {backend_config = "bar"} '
        ": (tensor<f64>) -> tensor<f64>",
    ),
    OpDef(
        name="stablehlo.composite",
        doc="Names an operation that is made of other StableHLO operations, which `decomposition` holds.",
        section="composite",
        inputs=(
            Operand("inputs", ANY_TENSOR | TOKEN | TUPLE, variadic=True),
            Attr("name", "string", type="constant of type `string`"),
            Attr("composite_attributes", "dict", type="attribute dictionary", optional=True),
            Attr("decomposition", "symbol", type="constant of type `string`"),
            Attr("version", "i32", type="constant of type `si32`", optional=True, default="0"),
            Body("composite_regions", variadic=True),
        ),
        outputs=(Result("results", ANY_TENSOR | TOKEN | TUPLE, variadic=True),),
        form="$name operands (` ` `(` $composite_regions^ `)`)? attr-dict "
        "`:` functional-type(operands, results)",
        example='%result = stablehlo.composite "my_namespace.my_op" %a, %b '
        "{composite_attributes = {my_attribute = \"my_value\"}, decomposition = @my_op} "
        ": (tensor<f32>, tensor<f32>) -> tensor<f32>",
    ),
    OpDef(
        name="stablehlo.optimization_barrier",
        doc="Keeps the operations before it from being moved behind it, and those after it before it.",
        section="optimization_barrier",
        inputs=(Operand("operand", TENSOR | PER_TENSOR_QUANTIZED_TENSOR | TOKEN, variadic=True),),
        outputs=(Result("result", TENSOR | PER_TENSOR_QUANTIZED_TENSOR | TOKEN, variadic=True),),
        form="attr-dict custom<pairwise_operands>($operand, type($operand), type($result))",
        traits=frozenset({"pure"}),
        example="%result:2 = stablehlo.optimization_barrier %a, %b : tensor<f32>, tensor<f32>",
    ),
    OpDef(
        name="stablehlo.after_all",
        doc="Makes what produces its inputs happen before what depends on its result.",
        section="after_all",
        inputs=(Operand("inputs", TOKEN, variadic=True),),
        outputs=(Result("result", TOKEN),),
        form="$inputs attr-dict `:` "
        "custom<variadic_same_operands_and_result_type>($inputs, type($inputs), type($result))",
        traits=frozenset({"pure"}),
        example="%result = stablehlo.after_all %a, %b : !stablehlo.token",
    ),
    OpDef(
        name="stablehlo.create_token",
        doc="Makes a token that nothing comes before.",
        outputs=(Result("output", TOKEN),),
        form="attr-dict `:` type(results)",
        traits=frozenset({"pure"}),
        deprecated="stablehlo.after_all without inputs",
        example="%output = stablehlo.create_token : !stablehlo.token",
    ),
    OpDef(
        name="stablehlo.infeed",
        doc="Reads data from the infeed.",
        section="infeed",
        inputs=(
            Operand("token", TOKEN),
            Attr("infeed_config", "string", type="constant of type `string`", optional=True, default='""'),
            Attr("layout", "array", optional=True),
        ),
        outputs=(Result("results", RECEIVED, variadic=True),),
        example='%results:2 = "stablehlo.infeed"(%token) '
        ": (!stablehlo.token) -> (tensor<2x2xi64>, !stablehlo.token)",
    ),
    OpDef(
        name="stablehlo.outfeed",
        doc="Writes inputs to the outfeed.",
        section="outfeed",
        inputs=(
            Operand("inputs", ANY_TENSOR, variadic=True),
            Operand("token", TOKEN),
            Attr("outfeed_config", "string", type="constant of type `string`", optional=True, default='""'),
        ),
        outputs=(Result("result", TOKEN),),
        example='%result = "stablehlo.outfeed"(%input, %token) '
        ": (tensor<2x2xi64>, !stablehlo.token) -> !stablehlo.token",
    ),
    OpDef(
        name="stablehlo.send",
        doc="Sends inputs over a channel to another process or to the host.",
        section="send",
        inputs=(
            Operand("inputs", ANY_TENSOR, variadic=True),
            Operand("token", TOKEN),
            *CHANNEL,
            HOST_TRANSFER,
            PAIRS,
        ),
        outputs=(Result("result", TOKEN),),
        properties=(("channel_handle", "struct stablehlo.channel_handle"),),
        example='%result = "stablehlo.send"(%operand, %token) '
        "<{channel_handle = #stablehlo.channel_handle<handle = 0, type = 1>}> "
        ": (tensor<2x2xi64>, !stablehlo.token) -> !stablehlo.token",
    ),
    OpDef(
        name="stablehlo.recv",
        doc="Receives data over a channel from another process or from the host.",
        section="recv",
        inputs=(Operand("token", TOKEN), *CHANNEL, HOST_TRANSFER, PAIRS),
        outputs=(Result("results", RECEIVED, variadic=True),),
        properties=(("channel_handle", "struct stablehlo.channel_handle"),),
        example='%results:2 = "stablehlo.recv"(%token) '
        "<{channel_handle = #stablehlo.channel_handle<handle = 0, type = 1>}> "
        ": (!stablehlo.token) -> (tensor<2x2xi64>, !stablehlo.token)",
    ),
    OpDef(
        name="stablehlo.partition_id",
        doc="Gives the partition id of the current process.",
        section="partition_id",
        outputs=(Result("result", tensor_of(UNSIGNED_32)),),
        form="attr-dict `:` type(results)",
        traits=frozenset({"pure"}),
        example="%result = stablehlo.partition_id : tensor<ui32>",
    ),
    OpDef(
        name="stablehlo.replica_id",
        doc="Gives the replica id of the current process.",
        section="replica_id",
        outputs=(Result("result", tensor_of(UNSIGNED_32)),),
        form="attr-dict `:` type(results)",
        traits=frozenset({"pure"}),
        example="%result = stablehlo.replica_id : tensor<ui32>",
    ),
)
