"""Cloning: deep copies of operations, with their regions, and of modules."""

from __future__ import annotations

from copy import copy

from stablehlo_py.ir.core import Block, Module, Operation, Region, Value

ValueMap = dict[Value, Value]


def clone_module(module: Module) -> Module:
    """Return a deep copy of a module; see `Module.clone`."""
    made = copy(module)
    made.op = clone_op(module.op)
    for name, value in vars(made).items():
        if isinstance(value, list | dict):
            setattr(made, name, copy(value))
    return made


def clone_op(op: Operation, values: ValueMap | None = None) -> Operation:
    """Return a deep copy of an operation, which is in no block.

    Args:
        op: The operation.
        values: What to use in place of values from outside of the operation; others are used themselves. The
            results, block arguments and results of nested operations are added to it, each with its copy.

    Returns:
        The copy, with the names, attributes, locations and positions of the original.
    """
    values = {} if values is None else values
    blocks: dict[Block, Block] = {}
    made = _copy(op, values)
    pending, copies = [(op, made)], [(op, made)]
    while pending:
        old, new = pending.pop()
        new.regions = tuple([_copied_region(region, new, values, blocks) for region in old.regions])
        nested = zip(old.blocks, new.blocks, strict=True)
        pairs = [pair for a, b in nested for pair in zip(a.ops, b.ops, strict=True)]
        copies += pairs
        pending += [pair for pair in pairs if pair[0].regions]
    for old, new in copies:  # a block may use values of later ones
        new.use_operands([values.get(value, value) for value in old.operands])
        if old.successors:
            new.successors = tuple([blocks.get(block, block) for block in old.successors])
    return made


def _copy(op: Operation, values: ValueMap) -> Operation:
    """Return a copy of an operation without operands, successors and regions."""
    made = Operation(
        op.name,
        result_types=[result.type for result in op.results],
        properties=op.properties,
        attributes=op.attributes,
        location=op.location,
        offset=op.offset,
        end=op.end,
    )
    made.origin = op.origin
    for old, new in zip(op.results, made.results, strict=True):
        new.name = old.name
        values[old] = new
    return made


def _copied_region(region: Region, parent: Operation, values: ValueMap, blocks: dict[Block, Block]) -> Region:
    """Return a copy of a region, with copies of its operations that have no operands and regions yet."""
    made = Region(offset=region.offset)
    made.parent = parent
    for block in region.blocks:
        types = [argument.type for argument in block.arguments]
        copied = blocks[block] = made.add_block(Block(types, block.label, block.offset))
        for argument, new in zip(block.arguments, copied.arguments, strict=True):
            new.name, new.location, new.offset = argument.name, argument.location, argument.offset
            values[argument] = new
        for op in block.ops:
            copied.append(_copy(op, values))
    return made
