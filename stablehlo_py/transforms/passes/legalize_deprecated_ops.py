"""The pass `stablehlo-legalize-deprecated-ops`: deprecated ops become what replaces them."""

from __future__ import annotations

from collections.abc import Sequence

from stablehlo_py.diagnostics.diagnostic import TransformError
from stablehlo_py.ir.core import Block, Module, Operation, Region, Value
from stablehlo_py.ir.types import TensorType
from stablehlo_py.notation.environment import Environment
from stablehlo_py.transforms.greedy_driver import apply_rules
from stablehlo_py.transforms.pass_definition import Option, Options, Pass, diagnostic
from stablehlo_py.transforms.rewriter import Rewriter
from stablehlo_py.transforms.rules.rule import Rule

_WITHOUT_REPLACEMENT = ("stablehlo.map", "stablehlo.rng")


def _all_reduce(rewriter: Rewriter, op: Operation, names: Environment) -> Sequence[Value]:
    """Reduce by addition over the processes of each group."""
    assert isinstance(op.result.type, TensorType)
    scalar = TensorType((), op.result.type.element_type)
    block = Block([scalar, scalar])
    total = block.append(Operation("stablehlo.add", block.arguments, [scalar], location=op.location))
    block.append(Operation("stablehlo.return", total.results, location=op.location))
    inputs = {"replica_groups": op.properties["replica_groups"]}
    types = [op.result.type]
    return rewriter.create("stablehlo.all_reduce", op.operands, inputs, types, [Region([block])]).results


def _einsum(rewriter: Rewriter, op: Operation, names: Environment) -> Sequence[Value]:
    """Multiply by the scalar 1."""
    (operand,) = op.operands
    assert isinstance(operand.type, TensorType)
    one = rewriter.constant(1, TensorType((), operand.type.element_type))
    inputs = {"einsum_config": f",{names['c']}"}
    return rewriter.create("stablehlo.einsum", [one, operand], inputs, [op.result.type]).results


RULES = (
    Rule(
        "broadcast-to-broadcast-in-dim",
        "stablehlo.broadcast %x, broadcast_sizes = sizes",
        "stablehlo.broadcast_in_dim %x, broadcast_dimensions = range(size(sizes), rank(r))",
        example="%r = stablehlo.broadcast %x, sizes = [4, 3] : (tensor<2xf32>) -> tensor<4x3x2xf32>",
        merge=False,
    ),
    Rule(
        "create-token-to-after-all",
        "stablehlo.create_token",
        "stablehlo.after_all",
        example="%r = stablehlo.create_token : !stablehlo.token",
        merge=False,
    ),
    Rule(
        "cross-replica-sum-to-all-reduce",
        "stablehlo.cross-replica-sum %x",
        _all_reduce,
        example="""
            %r = "stablehlo.cross-replica-sum"(%x) <{replica_groups = dense<0> : tensor<1x1xi64>}>
              : (tensor<2xf32>) -> tensor<2xf32>
        """,
        merge=False,
    ),
    Rule(
        "dot-to-dot-general",
        "stablehlo.dot %x, %y",
        """
        stablehlo.dot_general %x, %y, lhs_contracting_dimensions = [rank(x) - 1],
          rhs_contracting_dimensions = [0], lhs_batching_dimensions = [], rhs_batching_dimensions = [] like %r
        """,
        condition="(if is_quantized(y) then zero_points(y) = 0) "
        "and (if is_per_axis_quantized(y) then quantization_dimension(y) != 0)",
        example="%r = stablehlo.dot %x, %y : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>",
    ),
    Rule(
        "unary-einsum-to-einsum",
        "stablehlo.unary_einsum %x, einsum_config = c",
        _einsum,
        example="""
            %r = "stablehlo.unary_einsum"(%x) <{einsum_config = "ab->a"}> : (tensor<2x3xf32>) -> tensor<2xf32>
        """,
        merge=False,
    ),
)


def _run(module: Module, options: Options) -> None:
    if options["fail-on-unused"]:
        left = [op for op in module.walk() if op.name in _WITHOUT_REPLACEMENT]
        message = "failed to legalize operation '{}': it is deprecated, and there is no replacement"
        found = [diagnostic(module, op, message.format(op.name)) for op in left]
        if found:
            raise TransformError(module.name, found)
    apply_rules(module, module.op, RULES, options, erase_dead=False, share=False)


PASS = Pass(
    "stablehlo-legalize-deprecated-ops",
    "Replaces deprecated ops by those that are to be used instead.",
    _run,
    (Option("fail-on-unused", True, "Refuse deprecated ops without a replacement: map, rng."),),
    rules=RULES,
)
