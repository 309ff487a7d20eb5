"""The pass `cse`: common subexpression elimination (CSE)."""

from __future__ import annotations

from collections.abc import Hashable

from stablehlo_py.ir.core import Block, Module, Operation, Value, erase_all
from stablehlo_py.opset.definition import has_trait
from stablehlo_py.opset.effects import is_dead, is_pure
from stablehlo_py.transforms.pass_definition import Options, Pass

Known = dict[Hashable, Operation]


def _run(module: Module, options: Options) -> None:
    gone: list[Operation] = []
    pending: list[tuple[Operation, Known]] = [(module.op, {})]
    while pending:
        around, known = pending.pop()
        for block in around.blocks:
            # One of several blocks need not dominate the others.
            seen = dict(known) if len(around.blocks) > 1 else known
            pending += _share(block, seen, gone)
    erase_all(gone)


def _share(block: Block, known: Known, gone: list[Operation]) -> list[tuple[Operation, Known]]:
    """Use the results of the first of equal ops; return the ops with regions and what is known there."""
    inside: list[tuple[Operation, Known]] = []
    for op in block.ops:
        if is_dead(op):
            gone.append(op)
            continue
        key = _key(op) if op.results and is_pure(op) and not has_trait(op.name, "terminator") else None
        first = known.setdefault(key, op) if key is not None else op
        if first is not op:
            for result, same in zip(op.results, first.results, strict=True):
                result.replace_all_uses(same)
            gone.append(op)
        elif op.regions:
            inside.append((op, {} if has_trait(op.name, "isolated") else dict(known)))
    return inside


def _key(op: Operation) -> Hashable:
    """Return what two ops with equal results have in common: all but names and locations."""
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
