"""Family M: programs for the devices of a mesh."""

from __future__ import annotations

from collections.abc import Iterator
from math import prod

from stablehlo_py.ir.attributes import IntegerAttr
from stablehlo_py.ir.core import BlockArgument, Operation, OpResult, Value
from stablehlo_py.ir.element_types import bit_width
from stablehlo_py.ir.types import TensorType, Type
from stablehlo_py.linter.context import LintContext
from stablehlo_py.linter.rule import Finding, Rule
from stablehlo_py.linter.settings import Settings
from stablehlo_py.opset.definition import lookup
from stablehlo_py.sharding.annotations import own_sharding_name, sharding_of
from stablehlo_py.sharding.mesh import has_mesh
from stablehlo_py.sharding.op_rules import rule_of
from stablehlo_py.sharding.uneven import uneven


def _replicated_values(context: LintContext, settings: Settings) -> Iterator[Finding]:
    if not has_mesh(context.module):
        return
    limit = settings.max_replicated_bytes
    for function in context.entries:
        for argument in function.entry_block.arguments if function.blocks else ():
            sharding, size = sharding_of(argument), _bytes(argument.type)
            if sharding is None or not sharding.is_replicated or size <= limit:
                continue
            if all(dim.is_closed for dim in sharding.dims):
                yield Finding(argument, f"{argument} of {size:,} bytes is replicated on every device")


def _bytes(type: Type) -> int:
    if not isinstance(type, TensorType):
        return 0
    return prod([1 if size is None else size for size in type.shape]) * bit_width(type.element_type) // 8


def _reshards_in_loops(context: LintContext, settings: Settings) -> Iterator[Finding]:
    for op in context.ops:
        if not own_sharding_name(op) or not _is_in_loop(op):
            continue
        before, after = sharding_of(op.operands[0]), sharding_of(op.results[0])
        if before is not None and after is not None and not after.is_like(before):
            yield Finding(op, f"{op.operands[0]} is resharded in each iteration of a loop")


def _is_in_loop(op: Operation) -> bool:
    around = op.parent_op
    while around is not None:
        definition = lookup(around.name)
        if definition is not None and definition.loop is not None:
            return True
        around = around.parent_op
    return False


def _uneven_dimensions(context: LintContext, settings: Settings) -> Iterator[Finding]:
    for each in uneven(context.module):
        yield Finding(each.where, str(each), (f"a size of {each.size + each.padding} would be even",))


def _gathered_weights(context: LintContext, settings: Settings) -> Iterator[Finding]:
    for op in context.having("communicates"):
        dimension = op.attribute("all_gather_dim")
        if not isinstance(dimension, IntegerAttr):
            continue
        for weight, result in zip(op.operands, op.results, strict=True):
            if _is_argument(weight) and result.uses and _is_summed(result, dimension.value):
                message = f"{weight} is gathered along dimension {dimension.value}, which is contracted then"
                yield Finding(op, message)


def _is_argument(value: Value) -> bool:
    around = value.block.parent_op if isinstance(value, BlockArgument) else None
    return around is not None and around.is_function


def _is_summed(value: OpResult, dimension: int) -> bool:
    """Test whether each use of a value sums over a dimension."""
    for use in value.uses:
        rule = rule_of(use.op)
        if rule is None or not set(rule.operands[use.position][dimension]) & set(rule.of_kind("reduction")):
            return False
    return True


_MESH = 'sdy.mesh @mesh = <["x"=4]>\n'
_LOOP = """%zero = stablehlo.constant dense<0> : tensor<i32>
  %ten = stablehlo.constant dense<10> : tensor<i32>
  %0:2 = stablehlo.while(%i = %zero, %a = %x) : tensor<i32>, tensor<8x8xf32>
  attributes {sdy.sharding = #sdy.sharding_per_value<[<@mesh, []>, <@mesh, [{"x"}, {}]>]>}
  cond {
    %1 = stablehlo.compare LT, %i, %ten : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  } do {
    %one = stablehlo.constant dense<1> : tensor<i32>
    %1 = stablehlo.add %i, %one : tensor<i32>
    %2 = sdy.sharding_constraint %a <@mesh, [SHARDING]> : tensor<8x8xf32>
    %3 = stablehlo.tanh %2 : tensor<8x8xf32>
    stablehlo.return %1, %3 : tensor<i32>, tensor<8x8xf32>
  }
  return %0#1 : tensor<8x8xf32>"""


def _looped(sharding: str) -> str:
    body = _LOOP.replace("SHARDING", sharding)
    return f"{_MESH}func.func @main(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {{\n  {body}\n}}\n"


def _sharded(type: str, sharding: str) -> str:
    argument = f"%x: {type} {{sdy.sharding = #sdy.sharding<@mesh, [{sharding}]>}}"
    return f"{_MESH}func.func @main({argument}) -> {type} {{\n  return %x : {type}\n}}\n"


_GROUPS = (
    "channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, "
    "replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, use_global_device_ids"
)

RULES = (
    Rule(
        code="M101",
        name="replicated-argument",
        summary="Large argument that every device of the mesh holds as a whole",
        why="Its memory does not become less with more devices.",
        remedy="divide it along an axis of the mesh.",
        bad=_sharded("tensor<8192x4096xf32>", "{}, {}"),
        good=_sharded("tensor<8192x4096xf32>", '{"x"}, {}'),
        check=_replicated_values,
        options=("max-replicated-bytes",),
    ),
    Rule(
        code="M102",
        name="reshard-in-loop",
        summary="Change of a sharding in the body of a loop",
        why="The devices communicate in each iteration.",
        remedy="give the carried value one sharding, before the loop.",
        bad=_looped('{}, {"x"}'),
        good=_looped('{"x"}, {}'),
        check=_reshards_in_loops,
    ),
    Rule(
        code="M103",
        name="uneven-dimension",
        summary="Dimension that the devices along its axes do not divide",
        why="The shards have to be padded, or the dimension stays whole.",
        remedy="choose a size that is a multiple of the number of devices, or other axes.",
        bad=_sharded("tensor<10x8xf32>", '{"x"}, {}'),
        good=_sharded("tensor<12x8xf32>", '{"x"}, {}'),
        check=_uneven_dimensions,
    ),
    Rule(
        code="M104",
        name="gathered-weight",
        summary="Argument that is gathered along a dimension that is contracted then",
        why="Each device receives and holds all of it, and computes the whole product.",
        remedy="contract the shards, and sum the products with `reduce_scatter` or `all_reduce`.",
        bad=f"""func.func @main(%x: tensor<2x8xf32>, %w: tensor<4x16xf32>) -> tensor<2x16xf32> {{
  %0 = "stablehlo.all_gather"(%w) <{{all_gather_dim = 0 : i64, {_GROUPS}}}>
    : (tensor<4x16xf32>) -> tensor<8x16xf32>
  %1 = stablehlo.dot_general %x, %0, contracting_dims = [1] x [0]
    : (tensor<2x8xf32>, tensor<8x16xf32>) -> tensor<2x16xf32>
  return %1 : tensor<2x16xf32>
}}
""",
        good=f"""func.func @main(%x: tensor<2x4xf32>, %w: tensor<4x16xf32>) -> tensor<2x8xf32> {{
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0]
    : (tensor<2x4xf32>, tensor<4x16xf32>) -> tensor<2x16xf32>
  %1 = "stablehlo.reduce_scatter"(%0) <{{scatter_dimension = 1 : i64, {_GROUPS}}}> ({{
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %2 = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %2 : tensor<f32>
  }}) : (tensor<2x16xf32>) -> tensor<2x8xf32>
  return %1 : tensor<2x8xf32>
}}
""",
        check=_gathered_weights,
    ),
)
