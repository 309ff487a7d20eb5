"""Shardy, the dialect `sdy`: meshes of devices, and shardings of tensors over them."""

from __future__ import annotations

from stablehlo_py.ir.types import MemRefType, TensorType, UnrankedTensorType
from stablehlo_py.opset.classes import ANY, TypeClass
from stablehlo_py.opset.definition import (
    Attr,
    Body,
    Constraint,
    Input,
    OpDef,
    Operand,
    Result,
    define,
    upstream,
)
from stablehlo_py.opset.sharding_rule import POINTWISE, ShardingRule
from stablehlo_py.opset.shared.common import PURE
from stablehlo_py.opset.traits import DEFAULT_COST, NO_TRAFFIC, CostRule, Revision, Trait

RANKED = TypeClass("ranked tensor", lambda t: isinstance(t, TensorType))
STATIC = TypeClass("statically shaped tensor", lambda t: isinstance(t, TensorType) and t.is_static)
SHAPED = TypeClass("tensor or buffer", lambda t: isinstance(t, TensorType | UnrankedTensorType | MemRefType))
SHARDING = Attr("sharding", "struct sdy.sharding")
OUT_SHARDING = Attr("out_sharding", "struct sdy.sharding")
REDUCTION = Attr("reduction_op", "enum sdy.reduction_op", optional=True, default="sum")
KINDS_OF_REDUCTION = (Revision("1.18.0", what="reductions other than sums", adds=("reduction_op",)),)
TYPE_OF_RESULT = "attr-dict `:` custom<same_operands_and_result_type>(type($%s), type($result))"
IDENTITY: frozenset[Trait] = frozenset({"identity"})


def _same_type(operand: str) -> Constraint:
    return upstream("U1", f"identical(type({operand}), type(result))")


def _fits(sharding: str, value: str, first: int = 2, around: str = "") -> tuple[Constraint, ...]:
    """Return the constraints on a value's sharding, labelled from `first`, each prefixed with `around`."""
    formulas = (
        f"is_mesh_given({sharding})",
        f"num_dimensions({sharding}) = sharded_rank({sharding}, type({value}))",
        f"for a in used_axes({sharding}) : a in axes_of_mesh({sharding})",
        f"is_each_axis_used_once({sharding})",
        f"for a in used_axes({sharding}) : not a in manual_axes_around()",
    )
    return tuple([upstream(f"U{first + i}", around + formula) for i, formula in enumerate(formulas)])


def _all_fit(shardings: str, values: str, first: int, around: str = "") -> tuple[Constraint, ...]:
    """Return the constraints on the shardings of several values."""
    count = upstream(
        f"U{first}",
        f"{around}size({shardings}) = size({values}) or (size({values}) = 0 and size({shardings}) = 1)",
    )
    each = f"{around}for i in range(size({values})) : "
    return count, *_fits(f"{shardings}[i]", f"{values}[i]", first + 1, each)


def _shards(shardings: str, values: str, local: str, first: int) -> tuple[Constraint, ...]:
    """Return the constraints on the local shapes of a manual computation."""
    each = f"for i in range(size({values})) : "
    tensors = each + f"if is_tensor({values}[i]) then "
    counts = f"num_shards({shardings}[i], manual_axes)"
    formulas = (
        f"size({local}) = size({values})",
        each + f"are_manual_axes_first({shardings}[i], manual_axes)",
        tensors + f"shape({values}[i]) % {counts} = 0",
        tensors + f"shape({local}[i]) = shape({values}[i]) / {counts}",
        tensors + f"identical(element_type({local}[i]), element_type({values}[i]))",
    )
    return tuple([upstream(f"U{first + i}", formula) for i, formula in enumerate(formulas)])


def _resharded(
    name: str,
    doc: str,
    traits: frozenset[Trait],
    cost: CostRule = DEFAULT_COST,
    sharding: ShardingRule | None = None,
) -> OpDef:
    """Define `sharding_constraint` or `reshard`."""
    return OpDef(
        name=f"sdy.{name}",
        doc=doc,
        inputs=(Operand("input", ANY), SHARDING),
        outputs=(Result("result", ANY),),
        constraints=(_same_type("input"), *_fits("sharding", "input")),
        form=f"$input $sharding {TYPE_OF_RESULT % 'input'}",
        traits=traits,
        cost=cost,
        sharding=sharding,
        example=f'%0 = sdy.{name} %a <mesh<["x"=2]>, [{{"x"}}, {{}}]> : tensor<4x2xf32>',
    )


def _collective(
    name: str,
    doc: str,
    *inputs: Input,
    form: str = "",
    example: str = "",
    revisions: tuple[Revision, ...] = (),
) -> OpDef:
    """Define a collective along axes of a mesh, which preserves the global tensor."""
    return OpDef(
        name=f"sdy.{name}",
        doc=doc,
        inputs=(Operand("tensor", SHAPED), *inputs, OUT_SHARDING),
        outputs=(Result("result", SHAPED),),
        constraints=(_same_type("tensor"), *_fits("out_sharding", "tensor")),
        form=f"{form} $tensor `out_sharding` `` `=` `` $out_sharding {TYPE_OF_RESULT % 'tensor'}",
        traits=IDENTITY,
        example=f"%0 = sdy.{name} {example}%a out_sharding="
        '<mesh<["x"=2]>, [{"x"}, {}]> : tensor<4x2xf32>',
        revisions=revisions,
    )


define(
    OpDef(
        name="sdy.mesh",
        doc="Defines a mesh of devices: axes with their sizes, and the order of the devices.",
        inputs=(Attr("sym_name", "string"), Attr("mesh", "struct sdy.mesh")),
        where=(("devices", "device_ids(mesh)"),),
        constraints=(
            upstream("U1", "0 < axis_sizes(mesh)"),
            upstream("U2", "is_unique(axis_names(mesh))"),
            upstream("U3", "0 <= devices"),
            upstream("U4", "if is_empty(axis_names(mesh)) then size(devices) <= 1"),
            upstream(
                "U5",
                "if not is_empty(axis_names(mesh)) and not is_empty(devices) "
                "then size(devices) = product(axis_sizes(mesh)) and "
                "sorted(devices) = range(product(axis_sizes(mesh)))",
            ),
        ),
        form="custom<custom_call_target>($sym_name) `=` $mesh attr-dict",
        traits=frozenset({"symbol", "mesh"}),
        example='sdy.mesh @mesh = <["x"=2, "y"=4]>',
    ),
    _resharded(
        "sharding_constraint",
        "Constrains the sharding of a tensor.",
        IDENTITY,
        NO_TRAFFIC,
        POINTWISE,
    ),
    _resharded("reshard", "Changes the sharding of a tensor.", PURE | IDENTITY),
    OpDef(
        name="sdy.return",
        doc="Terminates the region of an op of this dialect and returns its outputs.",
        inputs=(Operand("results", ANY, variadic=True),),
        form="attr-dict ($results^ `:` type($results))?",
        traits=frozenset({"terminator", "pure"}),
        example="sdy.return %a : tensor<2xf32>",
    ),
    OpDef(
        name="sdy.manual_computation",
        doc="Executes its region on each device along axes of a mesh, on the device's shards of the tensors.",
        inputs=(
            Operand("tensors", ANY, variadic=True),
            Attr("in_shardings", "struct sdy.sharding_per_value"),
            Attr("out_shardings", "struct sdy.sharding_per_value"),
            Attr("manual_axes", "struct sdy.manual_axes"),
            Body("body", terminator="sdy.return"),
        ),
        outputs=(Result("results", ANY, variadic=True),),
        where=(
            ("ins", "shardings(in_shardings)"),
            ("outs", "shardings(out_shardings)"),
            ("axes", "names(manual_axes)"),
        ),
        constraints=(
            *_all_fit("ins", "tensors", 1),
            *_all_fit("outs", "results", 7),
            *_shards("ins", "tensors", "input_types(body)", 13),
            *_shards("outs", "results", "output_types(body)", 18),
            upstream(
                "U23",
                "for s in ins ++ outs : if not is_empty(axes_of_mesh(s)) "
                "then for a in axes : a in axes_of_mesh(s)",
            ),
            upstream("U24", "for a in axes : not a in manual_axes_around()"),
        ),
        form="`(` operands `)` "
        "`in_shardings` `` `=` `` custom<shardings>($in_shardings) "
        "`out_shardings` `` `=` `` custom<shardings>($out_shardings) "
        "`manual_axes` `` `=` `` $manual_axes custom<sharded_body>($body) attr-dict "
        "`:` functional-type(operands, results)",
        traits=frozenset({"isolated", "recursive_effects", "runs_bodies", "sharded_body"}),
        sharding=ShardingRule(flow="manual_body"),
        example='%0 = sdy.manual_computation(%a) in_shardings=[<mesh<["x"=2]>, [{"x"}]>] '
        'out_shardings=[<mesh<["x"=2]>, [{"x"}]>] manual_axes={"x"} (%b: tensor<2xf32>) {\n'
        "  sdy.return %b : tensor<2xf32>\n} : (tensor<4xf32>) -> tensor<4xf32>",
    ),
    OpDef(
        name="sdy.named_computation",
        doc="Executes its region, which has a name.",
        inputs=(
            Attr("name", "string"),
            Operand("operands", ANY, variadic=True),
            Attr("in_shardings", "struct sdy.sharding_per_value", optional=True),
            Attr("out_shardings", "struct sdy.sharding_per_value", optional=True),
            Body("body", terminator="sdy.return"),
        ),
        outputs=(Result("results", ANY, variadic=True),),
        constraints=(
            upstream("U1", "identical(type(operands...), input_types(body)...)"),
            upstream("U2", "identical(type(results...), output_types(body)...)"),
            *_all_fit("shardings(in_shardings)", "operands", 3, "if given(in_shardings) then "),
            *_all_fit("shardings(out_shardings)", "results", 9, "if given(out_shardings) then "),
        ),
        form="`<` $name `>` `` `(` $operands `)` "
        "(`in_shardings` `` `=` `` custom<shardings>($in_shardings)^)? "
        "(`out_shardings` `` `=` `` custom<shardings>($out_shardings)^)? "
        "custom<sharded_body>($body) attr-dict `:` functional-type(operands, results)",
        traits=frozenset({"isolated", "runs_bodies", "recursive_effects", "inline_body"}),
        sharding=ShardingRule(flow="body"),
        example='%0 = sdy.named_computation<"name">(%a) (%b: tensor<2xf32>) {\n'
        "  sdy.return %b : tensor<2xf32>\n} : (tensor<2xf32>) -> tensor<2xf32>",
    ),
    OpDef(
        name="sdy.constant",
        doc="Returns a constant, whose uses may have different shardings.",
        inputs=(Attr("value", "elements"),),
        outputs=(Result("output", STATIC),),
        constraints=(upstream("U1", "type(value) = type(output)"),),
        form="attr-dict custom<constant>($value, type($output))",
        traits=frozenset({"pure", "constant"}),
        cost=NO_TRAFFIC,
        example="%0 = sdy.constant dense<1> : tensor<2xi32>",
    ),
    OpDef(
        name="sdy.sharding_group",
        doc="Requires the same sharding of all tensors with the same group id.",
        inputs=(Operand("input", RANKED), Attr("group_id", "i64")),
        form="$input `group_id` `` `=` `` $group_id attr-dict `:` type($input)",
        traits=frozenset({"identity"}),
        cost=NO_TRAFFIC,
        example="sdy.sharding_group %a group_id=1 : tensor<2xf32>",
    ),
    OpDef(
        name="sdy.propagation_barrier",
        doc="Prevents the propagation of shardings in a direction.",
        inputs=(Operand("input", RANKED), Attr("allowed_direction", "enum sdy.propagation_direction")),
        outputs=(Result("result", RANKED),),
        constraints=(_same_type("input"), upstream("U2", "allowed_direction != BOTH")),
        form="$input `allowed_direction` `` `=` `` $allowed_direction "
        "attr-dict `:` custom<same_operands_and_result_type>(type($input), type($result))",
        traits=frozenset({"pure", "identity"}),
        cost=NO_TRAFFIC,
        example="%0 = sdy.propagation_barrier %a allowed_direction=FORWARD : tensor<2xf32>",
    ),
    OpDef(
        name="sdy.data_flow_edge",
        doc="Marks values that must have the same sharding: operands and results of an op.",
        inputs=(Operand("input", SHAPED), Attr("sharding", "struct sdy.sharding", optional=True)),
        outputs=(Result("result", SHAPED),),
        constraints=(_same_type("input"), *_fits("sharding", "input", 2, "if given(sharding) then ")),
        form=f"$input (`sharding` `` `=` `` $sharding^)? {TYPE_OF_RESULT % 'input'}",
        traits=frozenset({"identity"}),
        sharding=ShardingRule(early=True),
        cost=NO_TRAFFIC,
        example="%0 = sdy.data_flow_edge %a : tensor<2xf32>",
    ),
    OpDef(
        name="sdy.func_data_flow_edge",
        doc="Marks values that must have the same sharding: those of a function and of its callers.",
        inputs=(Operand("operand", SHAPED),),
        outputs=(Result("result", SHAPED),),
        constraints=(_same_type("operand"),),
        form=f"$operand {TYPE_OF_RESULT % 'operand'}",
        traits=frozenset({"identity"}),
        sharding=ShardingRule(early=True),
        cost=NO_TRAFFIC,
        example="%0 = sdy.func_data_flow_edge %a : tensor<2xf32>",
    ),
    _collective(
        "all_gather",
        "Gathers the shards of all devices along the axes.",
        Attr("gathering_axes", "struct sdy.list_of_axis_ref_lists"),
        form="$gathering_axes",
        example="[{}, {}] ",
    ),
    _collective(
        "all_slice",
        "Slices a tensor among the devices along the axes.",
        Attr("slicing_axes", "struct sdy.list_of_axis_ref_lists"),
        form="$slicing_axes",
        example='[{"x"}, {}] ',
    ),
    _collective(
        "all_to_all",
        "Moves sharding axes from one dimension to another.",
        Attr("params", "struct sdy.all_to_all_param_list"),
        form="$params",
        example='[{"x"}: 1->0] ',
    ),
    _collective("collective_permute", "Permutes the shards of the devices."),
    _collective(
        "all_reduce",
        "Reduces the tensors of the devices along the axes.",
        Attr("reduction_axes", "struct sdy.axis_ref_list"),
        REDUCTION,
        form="($reduction_op^)? $reduction_axes",
        example='{"x"} ',
        revisions=KINDS_OF_REDUCTION,
    ),
    _collective(
        "reduce_scatter",
        "Reduces the tensors of the devices along the axes, and scatters the result among them.",
        Attr("reduce_scatter_axes", "struct sdy.list_of_axis_ref_lists"),
        REDUCTION,
        form="($reduction_op^)? $reduce_scatter_axes",
        example='[{"x"}, {}] ',
        revisions=KINDS_OF_REDUCTION,
    ),
    _collective(
        "sharded_to_unreduced",
        "Converts shards along axes to unreduced terms of a sum.",
        Attr("axes", "struct sdy.list_of_axis_ref_lists"),
        form="$axes",
        example='[{"x"}, {}] ',
    ),
    _collective(
        "replicated_to_unreduced",
        "Converts replicas along axes to unreduced terms of a sum.",
        Attr("axes", "struct sdy.axis_ref_list"),
        form="$axes",
        example='{"x"} ',
    ),
)
