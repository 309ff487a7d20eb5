"""Constants: equal ones of a block are merged."""

from __future__ import annotations

from stablehlo_py.ir.core import Operation, erase_all
from stablehlo_py.opset.definition import has_trait


def share_constants(root: Operation) -> bool:
    """Merge equal constants inside of an op, where the first is in the same block or in one around it.

    Args:
        root: The op, whose regions capture no values from around it.

    Returns:
        Whether there were any.
    """
    gone: list[Operation] = []
    pending: list[tuple[Operation, dict[tuple[object, ...], Operation]]] = [(root, {})]
    while pending:
        around, known = pending.pop()
        for block in around.blocks:
            seen = dict(known) if len(around.blocks) > 1 else known
            for op in block.ops:
                if has_trait(op.name, "constant") and len(op.results) == 1:
                    first = seen.setdefault(_key(op), op)
                    if first is not op:
                        op.result.replace_all_uses(first.result)
                        gone.append(op)
                elif op.regions:
                    inherits = not has_trait(op.name, "isolated")
                    pending.append((op, dict(seen) if inherits else {}))
    erase_all(gone)
    return bool(gone)


def _key(op: Operation) -> tuple[object, ...]:
    properties = tuple(sorted(op.properties.items()))
    return (op.name, op.result.type, properties, tuple(sorted(op.attributes.items())))
