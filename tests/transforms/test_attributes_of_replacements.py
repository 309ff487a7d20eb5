"""What replaces an op has its discardable attributes where upstream's rule merges them, and only there."""

from __future__ import annotations

import pytest

import stablehlo_py as shlo
from stablehlo_py.ir.attributes import UnitAttr
from stablehlo_py.ir.core import Operation
from stablehlo_py.transforms.greedy_driver import apply_rules
from stablehlo_py.transforms.registry import all_rules
from stablehlo_py.transforms.rewriter import Rewriter
from stablehlo_py.transforms.rules.example import example_module

RULES = {rule.name: rule for rule in all_rules()}
WITHOUT_EXAMPLE = {"buffer-of-tensor-of-buffer", "listed-replica-groups", "while-false-unused"}
# Rules that keep attributes: as upstream's patterns do, `MergeDiscardableAttributes` in
# StablehloAggressiveSimplificationPatterns.td and StablehloAggressiveSimplification.cpp.
MERGING = """
    add-zero add-zero-float and-ones broadcast-broadcast broadcast-same-type broadcast-to-reshape
    broadcast-to-transpose convert-same-type dynamic-broadcast-broadcast dynamic-broadcast-nonexpanding
    dynamic-broadcast-of-reshape dynamic-broadcast-to-own-shape dynamic-gather-constant-sizes
    dynamic-pad-constant dynamic-reshape-reshape dynamic-slice-constant dynamic-update-slice-empty
    dynamic-update-slice-whole multiply-one multiply-zero or-ones or-zero real-dynamic-slice-constant
    real-dynamic-slice-constant-size reshape-reshape reshape-same-type select-of-not
    shape-of-dynamic-reshape slice-everything subtract-zero subtract-zero-float transpose-nothing
    transpose-transpose
    add-constant-left and-constant-left maximum-constant-left minimum-constant-left multiply-constant-left
    or-constant-left xor-constant-left
"""
# The op is changed in place, or replaced by one like it; ops that other passes of ours expand.
ALIKE = """
    compare-eq-constant-left compare-ge-constant-left compare-gt-constant-left compare-le-constant-left
    compare-lt-constant-left compare-ne-constant-left concatenate-empty concatenate-concatenate
    custom-call-backend-config custom-call-shape-operands dot-to-dot-general empty-tensor
    reduce-splats-logically sort-dimension while-false while-invariants
    cast-and-back complex-exponential complex-log complex-log-plus-one complex-sqrt
    batch-norm-constant broadcast-constant-left product-plus-constant-times-constant product-plus-constants
    product-times-constant convolution-of-factor-and-term factor-of-lhs factor-of-rhs
    term-of-lhs term-of-rhs
"""
KEEPING = {*MERGING.split(), *ALIKE.split()}


def marked(example: str) -> shlo.Module:
    """An example whose ops have an attribute, and in which ops define what were arguments."""
    module = example_module(example)
    block = module.functions["main"].regions[0].block
    for number, op in enumerate(block.ops[:-1]):
        op.attributes[f"op.{number}"] = UnitAttr()
    rewriter = Rewriter(module).at(block.ops[0])
    for argument in block.arguments:
        barrier = Operation("stablehlo.optimization_barrier", [], [argument.type])
        argument.replace_all_uses(barrier.result)
        barrier.use_operands([argument])
        rewriter.insert(barrier)
    rewriter.flush()
    return module


def attributes(module: shlo.Module) -> set[str]:
    return {name for op in module.walk() for name in op.attributes if name.startswith("op.")}


@pytest.mark.parametrize("name", [name for name in RULES if name not in WITHOUT_EXAMPLE])
def test_attributes(name: str) -> None:
    module = marked(RULES[name].example)
    before = attributes(module)
    options = {"fold-op-element-limit": 1000}
    assert apply_rules(module, module.op, [RULES[name]], options, erase_dead=False, share=False)
    assert (attributes(module) == before) == (name in KEEPING)


def test_names_are_of_rules() -> None:
    assert set(RULES) >= KEEPING | WITHOUT_EXAMPLE
