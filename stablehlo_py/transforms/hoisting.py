"""Hoisting of constants: equal constants of a function are merged, at the start of its body."""

from __future__ import annotations

from collections.abc import Hashable

from stablehlo_py.ir.core import Block, Operation, Region, erase_all
from stablehlo_py.opset.definition import has_trait
from stablehlo_py.transforms.constants import constant_key


def hoist_constants(function: Operation) -> None:
    """Move the constants of a function to the start of its body, and merge equal ones.

    The order is the order of MLIR's greedy rewriter: constants at the start stay there, and each other
    constant is moved in front of them. A constant inside of a region that captures nothing is moved to the
    start of the region. Constants of Shardy stay where they are: they belong to the shardings of their users.

    Args:
        function: A function with a body.
    """
    pending = list(function.regions)
    while pending:
        region = pending.pop()
        if region.blocks:
            pending += _hoist(region)


def _hoist(region: Region) -> list[Region]:
    """Hoist the constants of a region; return the regions inside that capture nothing."""
    entry = region.blocks[0]
    first: dict[Hashable, Operation] = {}
    moved: list[Operation] = []
    equal: list[Operation] = []
    at_start = True  # whether there were only constants before this op
    isolated: list[Region] = []
    for op in _walk(region, isolated):
        key = None if op.name.startswith("sdy.") else constant_key(op)
        if key is None:
            at_start = False
            continue
        known = first.setdefault(key, op)
        if known is not op:
            op.result.replace_all_uses(known.result)
            equal.append(op)
        elif not at_start:
            moved.append(op)
    erase_all(equal)
    _move_to_front(entry, moved)
    return isolated


def _walk(region: Region, isolated: list[Region]) -> list[Operation]:
    """Return the ops inside of a region in preorder; isolated ops are noted, without their regions."""
    found: list[Operation] = []
    pending = [op for block in reversed(region.blocks) for op in reversed(block.ops)]
    while pending:
        op = pending.pop()
        found.append(op)
        if has_trait(op.name, "single_op_body"):  # constants stay in the regions of that op
            isolated += [each for block in op.blocks for inner in block.ops for each in inner.regions]
        elif has_trait(op.name, "isolated"):
            isolated += op.regions
        else:
            pending += [inner for block in reversed(op.blocks) for inner in reversed(block.ops)]
    return found


def _move_to_front(entry: Block, ops: list[Operation]) -> None:
    """Move ops to the front of a block, each in front of those before it."""
    gone = set(ops)
    for block in {op.parent for op in ops if op.parent is not None}:
        block.ops = [op for op in block.ops if op not in gone]
    for op in ops:
        op.parent = entry
    entry.ops = [*reversed(ops), *entry.ops]
