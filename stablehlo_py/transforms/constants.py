"""Constants: equal ones of a block are merged."""

from __future__ import annotations

from collections.abc import Hashable

from stablehlo_py.ir.core import Operation
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


def constant_key(op: Operation) -> Hashable | None:
    """Return what constants that may be merged have in common; None for another op."""
    if len(op.results) != 1 or not has_trait(op.name, "constant"):
        return None
    properties = tuple(sorted(op.properties.items()))
    return (op.name, op.result.type, properties, tuple(sorted(op.attributes.items())))
