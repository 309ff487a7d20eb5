"""The pass `cse`: common subexpression elimination (CSE)."""

from __future__ import annotations

from collections.abc import Hashable

from stablehlo_py.ir.core import Block, Module, Operation, Value
from stablehlo_py.opset.definition import has_trait
from stablehlo_py.opset.effects import is_dead, is_pure
from stablehlo_py.transforms.equal_ops import share_equal
from stablehlo_py.transforms.pass_definition import Options, Pass


def _run(module: Module, options: Options) -> None:
    share_equal(module.op, _key, is_dead)


def _key(op: Operation) -> Hashable | None:
    """Return what two pure ops with equal results have in common: all but names and locations."""
    if not op.results or not is_pure(op) or has_trait(op.name, "terminator"):
        return None
    return _structure(op, {})


def _structure(op: Operation, numbers: dict[Value, int]) -> Hashable:
    """Describe an op; `numbers` has the numbers of the values defined inside of it."""
    for result in op.results:
        numbers[result] = len(numbers)
    return (
        op.name,
        tuple([numbers.get(value, value) for value in op.operands]),
        tuple([result.type for result in op.results]),
        tuple(sorted(op.properties.items(), key=lambda item: item[0])),
        tuple(sorted(op.attributes.items(), key=lambda item: item[0])),
        tuple([tuple([_block(block, numbers) for block in region.blocks]) for region in op.regions]),
    )


def _block(block: Block, numbers: dict[Value, int]) -> Hashable:
    for argument in block.arguments:
        numbers[argument] = len(numbers)
    types = tuple([argument.type for argument in block.arguments])
    return (types, tuple([_structure(op, numbers) for op in block.ops]))


PASS = Pass(
    "cse",
    "Common subexpression elimination: ops that repeat an earlier one use its results instead.",
    _run,
)
