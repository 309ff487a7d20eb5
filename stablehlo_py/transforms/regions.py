"""Regions: order of ops, what is defined inside, removal of arguments."""

from __future__ import annotations

from collections.abc import Iterable

from stablehlo_py.ir.core import Block, BlockArgument, Operation, OpResult, Region, Value


def postorder(root: Operation) -> list[Operation]:
    """Return an op and all ops inside of it, each after those inside of it."""
    found: list[Operation] = []
    pending = [(root, False)]
    while pending:
        op, is_left = pending.pop()
        if is_left or not op.regions:
            found.append(op)
            continue
        pending.append((op, True))
        pending += [(inner, False) for block in reversed(op.blocks) for inner in reversed(block.ops)]
    return found


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
