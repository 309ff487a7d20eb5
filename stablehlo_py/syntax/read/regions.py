"""Regions: blocks, their arguments and labels."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from stablehlo_py.ir.core import Block, Operation, Region
from stablehlo_py.ir.locations import Location
from stablehlo_py.ir.types import TensorType
from stablehlo_py.opset.definition import OpDef, lookup
from stablehlo_py.syntax.errors import SourceError
from stablehlo_py.syntax.forms.assembly_format import COMMUTATIVE
from stablehlo_py.syntax.lalr.parse_loop import Node
from stablehlo_py.syntax.read.context import ReadContext
from stablehlo_py.syntax.read.locations import location_of
from stablehlo_py.syntax.read.operation_state import Argument
from stablehlo_py.syntax.read.types import type_of
from stablehlo_py.syntax.read.value_scopes import ValueScope

if TYPE_CHECKING:
    from stablehlo_py.syntax.read.program import Builder

MAX_REGIONS = 64  # regions in one another


def build_region(
    builder: Builder, op: Operation, node: Node | None, entry: list[Argument] | None, isolated: bool
) -> Region:
    """A region of `op`; `entry` are the arguments that the op's form gives to the first block."""
    region = Region()
    region.parent = op
    if node is None:
        return region
    if builder.depth >= MAX_REGIONS:
        raise builder.context.error(node, f"more than {MAX_REGIONS} regions within one another")
    scope, blocks = builder.scope, builder.blocks
    builder.blocks = {}
    builder.depth += 1
    if isolated:
        builder.scope = ValueScope(builder.skipped)
    builder.scope.enter()
    _fill(builder, region, node, entry or [], op)
    if isolated:
        builder.parser_state.errors += builder.scope.close()
    builder.scope.leave()
    builder.scope, builder.blocks = scope, blocks
    builder.depth -= 1
    return region


def _fill(builder: Builder, region: Region, node: Node, entry: list[Argument], op: Operation) -> None:
    _, body, *blocks = node
    has_block = len(body) > 1 or entry or (op.is_module and not blocks)
    if has_block:
        first = region.add_block(Block())
        _add_arguments(builder, first, entry)
        for item in body[1:]:
            builder.append(item, first, op)
    for _, label, inputs, ops in blocks:
        block = region.add_block(_labelled(builder, label))
        _add_arguments(builder, block, _inputs(builder, inputs))
        for item in ops[1:]:
            builder.append(item, block, op)
    for name, block in builder.blocks.items():
        if block.parent is None:
            builder.note(SourceError(block.offset, f"reference to an undefined block {name}", code="ssa"))


def _labelled(builder: Builder, token: int) -> Block:
    """The block that a label begins."""
    name, offset = builder.context.text(token), builder.context.start(token)
    block = builder.blocks.setdefault(name, Block(label=name[1:]))
    if block.parent is not None:
        builder.note(SourceError(offset, f"redefinition of block '{name}'", code="ssa"))
        block = Block(label=name[1:])
    block.offset = offset
    return block


def _inputs(builder: Builder, node: Node | None) -> list[Argument]:
    """The arguments that a block's label lists."""
    found = []
    for entry in node[1:] if node is not None else ():
        if entry is None:
            continue
        if entry[0] != "func_input":
            builder.note(builder.context.error(entry, "expected a name such as %arg0 before the type"))
            continue
        _, token, child, _, location = entry
        try:
            found.append(Argument(token, type_of(builder.context, child), location))
        except SourceError as error:
            builder.note(error)
            builder.scope.poison([builder.context.text(token)])
    return found


def _add_arguments(builder: Builder, block: Block, arguments: Iterable[Argument]) -> None:
    context = builder.context
    for argument in arguments:
        value = block.add_argument(argument.type, None, _location(builder, argument.location))
        if argument.token is None:
            continue
        name = context.text(argument.token)
        value.name = name[1:]
        value.offset = context.start(argument.token)
        error = builder.scope.define(name, value, value.offset)
        if error is not None:
            builder.note(error)


def _location(builder: Builder, token: int | None) -> Location | None:
    return None if token is None else builder.attempt(lambda: location_of(builder.context, token))


def end_regions(op: Operation, definition: OpDef) -> None:
    """Adds the terminators that the pretty form of an op leaves out."""
    for region, body in zip(op.regions, definition.bodies, strict=False):
        if not body.terminator:
            continue
        block = region.blocks[-1] if region.blocks else region.add_block(Block())
        last = lookup(block.ops[-1].name) if block.ops else None
        if last is None or "terminator" not in last.traits:
            block.insert(len(block.ops), Operation(body.terminator, offset=op.offset, end=op.offset))


def applied_region(op: Operation, token: int, context: ReadContext) -> Region:
    """The region of a reduction that `applies` one op to an element and the accumulator."""
    name = context.text(token)
    if name not in COMMUTATIVE:
        message = "expected the inner-op to be a commutative binary-op with one result, such as stablehlo.add"
        raise context.error(token, message)
    operand = op.operands[0].type if op.operands else None
    if not isinstance(operand, TensorType):
        raise SourceError(op.offset, "input types missing in reduce-op function type")
    scalar = TensorType((), operand.element_type)
    block = Block((scalar, scalar))
    place: dict[str, Any] = {"location": op.location, "offset": op.offset, "end": op.end}
    inner = block.append(Operation(name, block.arguments, (scalar,), **place))
    block.append(Operation(f"{op.name.partition('.')[0]}.return", inner.results, (), **place))
    return Region([block])


def pieces(node: Node, context: ReadContext) -> tuple[set[str], list[Node]]:
    """The names of values in an operation's tree outside its regions, and the regions."""
    names: set[str] = set()
    regions: list[Node] = []
    pending: list[Any] = [node]
    while pending:
        child = pending.pop()
        if isinstance(child, int):
            text = context.text(child)
            names |= {text} if text[:1] == "%" else set()
        elif isinstance(child, tuple) and child[0] == "op_input_func":
            regions.append(child)
        elif isinstance(child, tuple):
            pending.extend(child[1:])
    return names, regions[::-1]
