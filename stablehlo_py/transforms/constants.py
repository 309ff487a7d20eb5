"""Constants: equal ones of a block are merged, or those of a function are moved to its start."""

from __future__ import annotations

from collections.abc import Hashable

from stablehlo_py.ir.core import Block, Module, Operation, erase_all
from stablehlo_py.opset.definition import has_trait
from stablehlo_py.transforms.equal_ops import share_equal


def share_constants(root: Operation) -> bool:
    """Merge equal constants inside of an op, where the first is in the same block or in one around it.

    Args:
        root: The op, whose regions capture no values from around it.

    Returns:
        Whether there were any.
    """
    return share_equal(root, constant_key)


def hoist_constants(module: Module) -> None:
    """Move constants to the start of their functions, and merge equal ones, as upstream's greedy driver does.

    Each one is moved in front of all others, unless it is behind one that is in place. Constants of Shardy
    stay where they are: they belong to the shardings of their users.
    """
    for function in module.functions.values():
        if function.regions and function.regions[0].blocks:
            _hoist(function, function.regions[0].blocks[0])


def _hoist(function: Operation, entry: Block) -> None:
    found: dict[Hashable, Operation] = {}
    moved: list[Operation] = []
    equal: list[Operation] = []
    is_behind_constants = True  # whether nothing else of the entry block was in front
    for op in function.walk():
        key = None if op.name.startswith("sdy.") else constant_key(op)
        if key is None:
            is_behind_constants &= op.parent is not entry
        elif key in found:
            op.result.replace_all_uses(found[key].result)
            equal.append(op)
        else:
            found[key] = op
            if op.parent is not entry or not is_behind_constants:
                moved.append(op)
    erase_all(equal)
    gone = set(moved)
    for block in {op.parent for op in moved if op.parent is not None}:
        block.ops = [op for op in block.ops if op not in gone]
    entry.ops[:0] = reversed(moved)
    for op in moved:
        op.parent = entry


def constant_key(op: Operation) -> Hashable | None:
    """Return what constants that may be merged have in common; None for another op."""
    if len(op.results) != 1 or not has_trait(op.name, "constant"):
        return None
    properties = tuple(sorted(op.properties.items()))
    return (op.name, op.result.type, properties, tuple(sorted(op.attributes.items())))
