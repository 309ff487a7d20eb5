"""Origins: what passes make has the location and the position of what they make it from."""

from __future__ import annotations

from stablehlo_py.ir.core import BlockArgument, Operation


def derive(op: Operation, source: Operation | BlockArgument) -> Operation:
    """Give an operation the location and the position of its source, where it has none; return it."""
    op.location = op.location or source.location
    if op.offset < 0 and op.origin < 0:
        is_made = isinstance(source, Operation) and source.offset < 0
        op.origin = source.origin if is_made else source.offset  # type: ignore[union-attr]
    return op
