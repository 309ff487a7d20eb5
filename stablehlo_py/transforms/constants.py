"""Constants: equal ones of a block are merged, or those of a function are moved to its start."""

from __future__ import annotations

from collections.abc import Hashable

from stablehlo_py.ir.core import Module, Operation
from stablehlo_py.opset.definition import has_trait
from stablehlo_py.transforms.equal_ops import share_equal


def share_constants(root: Operation) -> bool:
    """Merge equal constants inside of an op, where the first is in the same block or in one around it.

    Args:
        root: The op, whose regions capture no values from around it.

    Returns:
        Whether there were any.
    """
    return share_equal(root, _key)


def hoist_constants(module: Module) -> None:
    """Move constants to the start of their functions, and merge equal ones, as upstream's greedy driver does.

    Each one is moved in front of all others, unless it is behind one that is in place. Constants of Shardy
    stay where they are: they belong to the shardings of their users.
    """
    for function in module.functions.values():
        if not function.regions or not function.regions[0].blocks:
            continue
        entry, found = function.regions[0].blocks[0], dict[Hashable, Operation]()
        for op in list(function.walk()):
            key = None if op.name.startswith("sdy.") else _key(op)
            if key is None or op.parent is None:
                continue
            if key in found:
                op.result.replace_all_uses(found[key].result)
                op.erase()
                continue
            found[key] = op
            at = op.parent.ops.index(op)
            is_in_place = op.parent is entry and (at == 0 or entry.ops[at - 1] in found.values())
            if not is_in_place:
                del op.parent.ops[at]
                entry.insert(0, op)


def _key(op: Operation) -> Hashable | None:
    if len(op.results) != 1 or not has_trait(op.name, "constant"):
        return None
    properties = tuple(sorted(op.properties.items()))
    return (op.name, op.result.type, properties, tuple(sorted(op.attributes.items())))
