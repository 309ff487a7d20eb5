"""Editing of regions: arguments, and what is defined inside."""

from __future__ import annotations

from collections.abc import Iterable

from stablehlo_py.ir.core import Block, BlockArgument, OpResult, Region, Value


def is_defined_in(value: Value, region: Region) -> bool:
    """Test whether a value is an argument or result in a region, or in one nested in it."""
    block: Block | None = None
    if isinstance(value, BlockArgument):
        block = value.block
    elif isinstance(value, OpResult):
        block = value.op.parent
    while block is not None:
        if block.parent is region:
            return True
        around = block.parent_op
        block = around.parent if around is not None else None
    return False


def drop_arguments(block: Block, indices: Iterable[int]) -> None:
    """Remove arguments of a block, which must be unused.

    Raises:
        ValueError: If one is used.
    """
    gone = set(indices)
    if any(block.arguments[i].uses for i in gone):
        raise ValueError("an argument is still used; replace its uses first")
    block.arguments = tuple([argument for argument in block.arguments if argument.index not in gone])
    for index, argument in enumerate(block.arguments):
        argument.index = index
