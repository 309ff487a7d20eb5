"""Control flow, custom calls and tokens."""

from __future__ import annotations

from stablehlo_py.opset.classes import (
    ANY_TENSOR,
    BOOLEAN,
    BUFFER,
    FUTURE,
    PER_TENSOR_QUANTIZED_TENSOR,
    SIGNED_32,
    TENSOR,
    TOKEN,
    TUPLE,
    UNRANKED,
    tensor_of,
)
from stablehlo_py.opset.definition import (
    Attr,
    Body,
    Constraint,
    OpDef,
    Operand,
    Result,
    define,
    rules,
    upstream,
)
from stablehlo_py.opset.sharding_rule import ShardingRule
from stablehlo_py.opset.traits import NO_TRAFFIC, Loop, Revision

VALUE = ANY_TENSOR | TOKEN | BUFFER


def _layouts(layouts: str, values: str) -> str:
    """Return the condition that each layout is a permutation of its tensor's dimensions, else empty."""
    return (
        f"if given({layouts}) then for i in range(size({values})) : not is_tuple({values}[i]) and "
        f"(is_tensor({values}[i]) or is_buffer({values}[i]) "
        f"? sorted(values({layouts}[i])) = axes({values}[i]) : is_empty(values({layouts}[i])))"
    )


define(
    OpDef(
        name="stablehlo.return",
        doc="Terminates a region and returns its outputs to the parent op.",
        inputs=(Operand("results", VALUE, variadic=True),),
        form="$results attr-dict (`:` type($results)^)?",
        traits=frozenset({"terminator", "pure"}),
        example="stablehlo.return %0 : tensor<f32>",
    ),
    OpDef(
        name="stablehlo.while",
        doc="Executes body repeatedly, on its previous outputs, while cond returns true.",
        section="while",
        inputs=(Operand("operand", VALUE, variadic=True), Body("cond"), Body("body")),
        outputs=(Result("results", VALUE, variadic=True),),
        constraints=rules(
            Constraint(
                "C1",
                "has_type(cond, [type(operand...)], [tensor(i1)])",
                spec="`cond` has type `(T0, ..., TN-1) -> tensor<i1>`, where\n       `Ti = "
                "type(operand[i])`.",
                why="prose",
            ),
            Constraint(
                "C2",
                "has_type(body, [type(operand...)], [type(operand...)])",
                spec="`body` has type `(T0, ..., TN-1) -> (T0, ..., TN-1)`, where\n"
                "       `Ti = type(operand[i])`.",
                why="prose",
            ),
            ("C3", "type(results...) = type(operand...)"),
        ),
        form="custom<while>($operand, $cond, $body)",
        traits=frozenset({"runs_bodies", "recursive_effects"}),
        sharding=ShardingRule(flow="loop"),
        loop=Loop("body", condition="cond", arguments=("iterArg",)),
        example="%results = stablehlo.while(%i = %zero) : tensor<i64>\n"
        "cond {\n  %more = stablehlo.compare LT, %i, %ten : (tensor<i64>, tensor<i64>) -> tensor<i1>\n"
        "  stablehlo.return %more : tensor<i1>\n"
        "} do {\n  %next = stablehlo.add %i, %one : tensor<i64>\n  stablehlo.return %next : tensor<i64>\n}",
    ),
    OpDef(
        name="stablehlo.if",
        doc="Executes one of two functions, depending on a condition, and returns its outputs.",
        section="if",
        inputs=(Operand("pred", tensor_of(BOOLEAN, rank=0)), Body("true_branch"), Body("false_branch")),
        outputs=(Result("results", ANY_TENSOR | TOKEN, variadic=True),),
        constraints=rules(
            ("C1", "input_types(true_branch) = input_types(false_branch) = []"),
            ("C2", "output_types(true_branch) = output_types(false_branch)"),
            Constraint(
                "C3",
                "type(results...) = output_types(true_branch)...",
                spec="`type(results...) = output_types(true_branch)`.",
                why="sort",
            ),
        ),
        traits=frozenset({"runs_bodies", "recursive_effects", "branches"}),
        example='%result = "stablehlo.if"(%pred) ({\n  stablehlo.return %a : tensor<i32>\n'
        "}, {\n  stablehlo.return %b : tensor<i32>\n}) : (tensor<i1>) -> tensor<i32>",
    ),
    OpDef(
        name="stablehlo.case",
        doc="Executes the function at an index, or the last one if out of bounds, and returns its outputs.",
        section="case",
        inputs=(Operand("index", tensor_of(SIGNED_32, rank=0)), Body("branches", variadic=True)),
        outputs=(Result("results", ANY_TENSOR | TOKEN, variadic=True),),
        constraints=rules(
            ("C1", "0 < size(branches)"),
            ("C2", "input_types(branches...) = []"),
            ("C3", "same(output_types(branches...))"),
            Constraint(
                "C4",
                "type(results...) = output_types(branches[0])...",
                spec="`type(results...) = output_types(branches[0])`.",
                why="sort",
            ),
        ),
        traits=frozenset({"runs_bodies", "recursive_effects", "branches"}),
        sharding=ShardingRule(flow="branches"),
        example='%result = "stablehlo.case"(%index) ({\n  stablehlo.return %a : tensor<i32>\n'
        "}, {\n  stablehlo.return %b : tensor<i32>\n}) : (tensor<i32>) -> tensor<i32>",
    ),
    OpDef(
        name="stablehlo.custom_call",
        doc="Calls an implementation-defined operation.",
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
        where=(
            ("SPECIAL", '["CreateBuffer", "Pin", "Unpin"]'),
            (
                "buffer_aliases",
                "[a for a in output_operand_aliases if is_buffer(operand_part(a, inputs)[0])]",
            ),
            (
                "result_parts",
                "size(results) = 1 and is_tuple(results[0]) ? tuple_element_types(results[0]) : "
                "[type(results...)]",
            ),
        ),
        constraints=rules(
            upstream("U1", "given(operand_layouts) = given(result_layouts)"),
            upstream("U2", "if given(operand_layouts) then size(operand_layouts) = size(inputs)"),
            upstream("U3", "if given(result_layouts) then size(result_layouts) = size(result_parts)"),
            upstream("U4", _layouts("operand_layouts", "inputs")),
            upstream("U5", _layouts("result_layouts", "result_parts")),
            upstream(
                "U6",
                "if given(backend_config) then (api_version = API_VERSION_TYPED_FFI) = "
                "is_dictionary(backend_config)",
            ),
            upstream(
                "U7",
                "for a in output_operand_aliases : let part = operand_part(a, inputs) in size(part) = 1 "
                "and size(output_part(a, results)) = 1 and identical(part[0], output_part(a, results)[0])",
            ),
            upstream("U8", "is_unique([output_indices(a) for a in buffer_aliases])"),
            upstream("U9", "is_unique([operand_indices(a) for a in buffer_aliases])"),
            upstream(
                "U10",
                "if not call_target_name in SPECIAL then for i in range(size(results)) : "
                "if is_buffer(results[i]) then 0 < size([a for a in buffer_aliases "
                "if output_indices(a) = (size(results) = 1 ? [] : [i])])",
            ),
            upstream(
                "U11",
                'if call_target_name = "CreateBuffer" then size(inputs) = 0 and size(results) = 1 '
                "and is_buffer(results[0])",
            ),
            upstream(
                "U12",
                'if call_target_name = "Pin" then size(inputs) = 1 and is_tensor(inputs[0]) '
                "and size(results) = 1 and is_buffer(results[0]) and shape(inputs[0]) = shape(results[0]) "
                "and element_type(inputs[0]) = element_type(results[0])",
            ),
            upstream(
                "U13",
                'if call_target_name = "Unpin" then size(inputs) = 1 and is_buffer(inputs[0]) '
                "and size(results) = 1 and is_tensor(results[0]) and shape(inputs[0]) = shape(results[0]) "
                "and element_type(inputs[0]) = element_type(results[0])",
            ),
        ),
        form="custom<custom_call_target>($call_target_name) `(` $inputs `)` attr-dict "
        "`:` functional-type(operands, results)",
        traits=frozenset({"external_call"}),
        sharding=ShardingRule(algorithm="custom_call"),
        revisions=(
            Revision(
                "1.3.0",
                what="a typed call or a backend_config dictionary",
                uses="api_version = API_VERSION_TYPED_FFI "
                "or given(backend_config) and is_dictionary(backend_config)",
            ),
            Revision(
                "1.17.0",
                what="an operand of type future",
                uses="0 < size([x for x in inputs if is_future(x)])",
            ),
            Revision(
                "1.18.0",
                form=2,
                what="result_tilings",
                uses="given(result_tilings) and 0 < size(result_tilings)",
                adds=("result_tilings",),
            ),
        ),
        example='%result = stablehlo.custom_call @foo(%input) {backend_config = "bar"} '
        ": (tensor<f64>) -> tensor<f64>",
    ),
    OpDef(
        name="stablehlo.composite",
        doc="Represents an operation that the function `decomposition` composes of others.",
        section="composite",
        source_labels=None,
        inputs=(
            Operand("inputs", ANY_TENSOR | TOKEN | TUPLE, variadic=True),
            Attr("name", "string", type="constant of type `string`"),
            Attr("composite_attributes", "dict", type="attribute dictionary", optional=True),
            Attr("decomposition", "symbol", type="constant of type `string`"),
            Attr("version", "i32", type="constant of type `si32`", optional=True, default="0"),
            Body("composite_regions", variadic=True),
        ),
        outputs=(Result("results", ANY_TENSOR | TOKEN | TUPLE, variadic=True),),
        constraints=rules(
            ("C1", "is_namespaced_op_name(name)"),
            ("C2", "is_defined_in_parent_scope(decomposition)"),
            Constraint(
                "C3",
                "size(inputs) = size(input_types(decomposition)) "
                "and identical(type(inputs...), input_types(decomposition)...)",
                spec="`types(inputs...) == input_types(decomposition)`",
                why="typo",
            ),
            Constraint(
                "C4",
                "size(results) = size(output_types(decomposition)) "
                "and identical(type(results...), output_types(decomposition)...)",
                spec="`types(results...) == output_types(decomposition)`",
                why="typo",
            ),
        ),
        form="$name operands (` ` `(` $composite_regions^ `)`)? attr-dict "
        "`:` functional-type(operands, results)",
        traits=frozenset({"composite", "recursive_effects", "received"}),
        cost=NO_TRAFFIC,
        callee="decomposition",
        since="0.19.0",
        revisions=(Revision("1.14.0", form=2, what="regions", uses="0 < size(composite_regions)"),),
        example='%result = stablehlo.composite "my_namespace.my_op" %a, %b '
        '{composite_attributes = {my_attribute = "my_value"}, decomposition = @my_op} '
        ": (tensor<f32>, tensor<f32>) -> tensor<f32>",
    ),
    OpDef(
        name="stablehlo.optimization_barrier",
        doc="Prevents compilers from moving operations across it.",
        section="optimization_barrier",
        inputs=(Operand("operand", TENSOR | PER_TENSOR_QUANTIZED_TENSOR | TOKEN, variadic=True),),
        outputs=(Result("result", TENSOR | PER_TENSOR_QUANTIZED_TENSOR | TOKEN, variadic=True),),
        constraints=rules(
            ("C1", "type(operand...) = type(result...)"),
            upstream("U1", "identical(type(operand...), type(result...))"),
        ),
        form="attr-dict custom<pairwise_operands>($operand, type($operand), type($result))",
        traits=frozenset({"pure", "identity", "moves_data"}),
        sharding=ShardingRule(flow="operands"),
        cost=NO_TRAFFIC,
        example="%result:2 = stablehlo.optimization_barrier %a, %b : tensor<f32>, tensor<f32>",
    ),
    OpDef(
        name="stablehlo.after_all",
        doc="Orders the operations that produce its inputs before those that depend on its result.",
        section="after_all",
        inputs=(Operand("inputs", TOKEN, variadic=True),),
        outputs=(Result("result", TOKEN),),
        form="$inputs attr-dict `:` "
        "custom<variadic_same_operands_and_result_type>($inputs, type($inputs), type($result))",
        traits=frozenset({"pure"}),
        cost=NO_TRAFFIC,
        example="%result = stablehlo.after_all %a, %b : !stablehlo.token",
    ),
    OpDef(
        name="stablehlo.create_token",
        doc="Creates a token without dependencies.",
        outputs=(Result("output", TOKEN),),
        form="attr-dict `:` type(results)",
        traits=frozenset({"pure"}),
        cost=NO_TRAFFIC,
        deprecated="stablehlo.after_all without inputs",
        example="%output = stablehlo.create_token : !stablehlo.token",
    ),
)
