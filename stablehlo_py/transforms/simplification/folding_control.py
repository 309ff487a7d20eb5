"""Folding of ops with regions: reductions to constants, loops that do not run, known branches."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from stablehlo_py.ir.core import Operation, Value
from stablehlo_py.ir.types import TensorType
from stablehlo_py.notation.environment import Environment
from stablehlo_py.opset.constants import constant_attribute, is_number
from stablehlo_py.opset.effects import is_dead, is_pure
from stablehlo_py.transforms.rewriter import Rewriter
from stablehlo_py.transforms.rules.fitting import can_fit, fit_types
from stablehlo_py.transforms.rules.rule import Rule

ASSUME_PURE = "assume-no-undeclared-side-effects"
_LOGICAL = ("stablehlo.and", "stablehlo.or")


def _constant_reduction(rewriter: Rewriter, op: Operation, names: Environment) -> Sequence[Value] | None:
    """Make splats of the constants that the body of a reduction returns."""
    returned = rewriter.ops(op.regions[0].block)[-1].operands
    found = [constant_attribute(value) for value in returned]
    types = [result.type for result in op.results]
    if any(each is None for each in found) or not is_pure(op):
        return None
    if not all(isinstance(type, TensorType) and type.is_static for type in types):
        return None
    return [
        rewriter.constant(each.data[0], type)
        for each, type in zip(found, types, strict=True)
        if each is not None
    ]


def _logical_of_splats(rewriter: Rewriter, op: Operation, names: Environment) -> bool | None:
    """Apply the body of a reduction of splats by `and` or `or` to their elements."""
    block = op.regions[0].block
    ops = rewriter.ops(block)
    splats = [constant_attribute(value) for value in op.operands]
    if len(ops) != 2 or ops[0].name not in _LOGICAL or not any(arg.uses for arg in block.arguments):
        return None
    if any(splat is None or not splat.is_splat for splat in splats):
        return None
    rewriter.at(ops[0])
    for argument, splat in zip(block.arguments, splats, strict=True):
        assert splat is not None
        made = rewriter.constant(np.asarray(splat.data[0]), argument.type)
        rewriter.touched += [use.op for use in argument.uses]
        argument.replace_all_uses(made)
    rewriter.modified(op)
    return True


def never_runs(rewriter: Rewriter, op: Operation) -> bool:
    """Test whether the condition of a loop is the constant false."""
    condition = rewriter.ops(op.regions[0].block)[-1]
    return len(condition.operands) == 1 and is_number(condition.operands[0], 0)


def _skip_loop(rewriter: Rewriter, op: Operation, names: Environment) -> bool | None:
    """Use the operands of a loop that never runs. The loop stays until it is dead."""
    if not any(result.uses for result in op.results) or not never_runs(rewriter, op):
        return None
    fitting = fit_types(rewriter, op, op.operands)
    if fitting is None:
        return None
    for result, operand in zip(op.results, fitting, strict=True):
        assert operand is not None
        rewriter.touched += [use.op for use in result.uses]
        result.replace_all_uses(operand)
    rewriter.modified(op)
    return True


def _erase_loop(rewriter: Rewriter, op: Operation, names: Environment) -> Sequence[None] | None:
    """Erase an unused loop that never runs, unless an op in it is known to have side effects.

    The option `assume-no-undeclared-side-effects` allows it: calls are taken to have none.
    """
    if not rewriter.options.get(ASSUME_PURE) or any(result.uses for result in op.results) or is_dead(op):
        return None
    if not never_runs(rewriter, op) or not is_pure(op, calls=True):
        return None
    return [None] * len(op.results)


def _known_branch(rewriter: Rewriter, op: Operation, names: Environment) -> Sequence[Value] | None:
    """Inline the branch that a constant selects; the last one, if the index is out of range."""
    index = constant_attribute(op.operands[0])
    if index is None or not index.is_splat or not any(result.uses for result in op.results):
        return None
    chosen = int(index.data[0])
    if not 0 <= chosen < len(op.regions):
        chosen = len(op.regions) - 1
    block = op.regions[chosen].block
    if not can_fit(op, rewriter.ops(block)[-1].operands):
        return None
    return rewriter.inline(block)


RULES = (
    Rule(
        "reduce-to-constant",
        "%r... = stablehlo.reduce %xs..., %inits...",
        _constant_reduction,
        condition="is_static(xs[0]) and size(xs[0]) > 0",
        example="""
            %c = stablehlo.constant dense<5> : tensor<i32>
            %r = stablehlo.reduce(%x init: %i) across dimensions = [0]
              : (tensor<2x3xi32>, tensor<i32>) -> tensor<3xi32>
              reducer(%a: tensor<i32>, %b: tensor<i32>) {
              stablehlo.return %c : tensor<i32>
            }
        """,
        merge=False,
    ),
    Rule(
        "reduce-splats-logically",
        "%r... = stablehlo.reduce %xs..., %inits...",
        _logical_of_splats,
        example="""
            %t = stablehlo.constant dense<true> : tensor<i1>
            %x = stablehlo.constant dense<false> : tensor<3xi1>
            %r = stablehlo.reduce(%x init: %t) across dimensions = [0]
              : (tensor<3xi1>, tensor<i1>) -> tensor<i1>
              reducer(%a: tensor<i1>, %b: tensor<i1>) {
              %s = stablehlo.and %a, %b : tensor<i1>
              stablehlo.return %s : tensor<i1>
            }
        """,
    ),
    Rule(
        "while-false",
        "%r... = stablehlo.while %xs...",
        _skip_loop,
        example="""
            %r = stablehlo.while(%i = %x) : tensor<i32>
            cond {
              %c = stablehlo.constant dense<false> : tensor<i1>
              stablehlo.return %c : tensor<i1>
            } do {
              %next = stablehlo.add %i, %i : tensor<i32>
              stablehlo.return %next : tensor<i32>
            }
        """,
    ),
    Rule(
        "while-false-unused",
        "%r... = stablehlo.while %xs...",
        _erase_loop,
    ),
    Rule(
        "case-constant",
        "%r... = stablehlo.case %i",
        _known_branch,
        example="""
            %i = stablehlo.constant dense<1> : tensor<i32>
            %r = "stablehlo.case"(%i) ({
              stablehlo.return %x : tensor<2xf32>
            }, {
              %y = stablehlo.negate %x : tensor<2xf32>
              stablehlo.return %y : tensor<2xf32>
            }) : (tensor<i32>) -> tensor<2xf32>
        """,
        merge=False,
    ),
)
