"""Regions: blocks, their arguments and labels."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence, Set
from typing import Any

from stablehlo_py.ir.core import Block, Operation, Region
from stablehlo_py.ir.locations import Location
from stablehlo_py.ir.types import TensorType
from stablehlo_py.opset.definition import OpDef, has_trait, lookup
from stablehlo_py.syntax.errors import SourceError
from stablehlo_py.syntax.lalr.parse_loop import Node
from stablehlo_py.syntax.read.context import ReadContext
from stablehlo_py.syntax.read.locations import location_of
from stablehlo_py.syntax.read.operation_state import Argument, RegionNode
from stablehlo_py.syntax.read.types import type_of
from stablehlo_py.syntax.read.value_scopes import ValueScope

MAX_REGIONS = 64  # maximum depth of nested regions


class RegionReader:
    """Reader of the regions of operations: their blocks, and the names visible in them.

    Args:
        context: The program's tokens.
        skipped: Names of values in unparsable text, whose uses are not reported.
        read_op: Appends the operation of a tree to a block of a parent.

    Attributes:
        scope: The names of values at the operation being read.
    """

    def __init__(
        self, context: ReadContext, skipped: Set[str], read_op: Callable[[Node, Block, Operation], None]
    ) -> None:
        self.scope = ValueScope(skipped)
        self._context = context
        self._skipped = skipped
        self._read_op = read_op
        self._blocks: dict[str, Block] = {}  # of the region being read
        self._depth = 0

    def read(self, op: Operation, node: Node | None, entry: list[Argument] | None, isolated: bool) -> Region:
        """Return a region of an operation.

        Args:
            op: The operation.
            node: The region's tree; None for an empty region.
            entry: The arguments that the op's form gives to the first block.
            isolated: Whether values from outside are invisible in the region.

        Raises:
            SourceError: The region is nested too deep.
        """
        region = Region()
        region.parent = op
        if node is None:
            return region
        if self._depth >= MAX_REGIONS:
            raise self._context.error(node, f"regions are nested deeper than {MAX_REGIONS}")
        scope, blocks = self.scope, self._blocks
        self._blocks = {}
        self._depth += 1
        if isolated:
            self.scope = ValueScope(self._skipped)
        self.scope.enter()
        self._fill(region, node, entry or [], op)
        if isolated:
            self.close()
        self.scope.leave()
        self.scope, self._blocks = scope, blocks
        self._depth -= 1
        return region

    def close(self) -> None:
        """Report the values of the scope that are used but not defined."""
        self._context.parser_state.errors += self.scope.close()

    def successor(self, token: int) -> Block:
        """Return the block of the current region that a label names."""
        name = self._context.text(token)
        return self._blocks.setdefault(name, Block(label=name[1:], offset=self._context.start(token)))

    def _fill(self, region: Region, node: Node, entry: list[Argument], op: Operation) -> None:
        _, body, *blocks = node
        has_block = len(body) > 1 or entry or (op.is_module and not blocks)
        if has_block:
            first = region.add_block(Block())
            self._add_arguments(first, entry)
            for item in body[1:]:
                self._read_op(item, first, op)
        for _, label, inputs, ops in blocks:
            block = region.add_block(self._labelled(label))
            self._add_arguments(block, self._block_arguments(inputs))
            for item in ops[1:]:
                self._read_op(item, block, op)
        for name, block in self._blocks.items():
            if block.parent is None:
                message = f"reference to an undefined block {name}"
                self._context.report(SourceError(block.offset, message, code="ssa"))

    def _labelled(self, token: int) -> Block:
        """Return the block that a label starts."""
        name, offset = self._context.text(token), self._context.start(token)
        block = self._blocks.setdefault(name, Block(label=name[1:]))
        if block.parent is not None:
            self._context.report(SourceError(offset, f"redefinition of block '{name}'", code="ssa"))
            block = Block(label=name[1:])
        block.offset = offset
        return block

    def _block_arguments(self, node: Node | None) -> list[Argument]:
        """Return the arguments in a block's label."""
        found = []
        for entry in node[1:] if node is not None else ():
            if entry is None:
                continue
            if entry[0] != "func_input":
                message = "expected a name such as %arg0 before the type"
                self._context.report(self._context.error(entry, message))
                continue
            _, token, child, _, location = entry
            try:
                found.append(Argument(token, type_of(self._context, child), location))
            except SourceError as error:
                self._context.report(error)
                self.scope.poison([self._context.text(token)])
        return found

    def _add_arguments(self, block: Block, arguments: Sequence[Argument]) -> None:
        context = self._context
        values = block.add_arguments([argument.type for argument in arguments])
        for argument, value in zip(arguments, values, strict=True):
            value.location = self._location(argument.location)
            assert argument.token is not None  # only arguments of declarations have no names
            name = context.text(argument.token)
            value.name = name[1:]
            value.offset = context.start(argument.token)
            if "#" in name:
                context.report(context.error(argument.token, "result number not allowed in argument list"))
            error = self.scope.define(name, value, value.offset)
            if error is not None:
                context.report(error)

    def _location(self, token: int | None) -> Location | None:
        return None if token is None else self._context.attempt(lambda: location_of(self._context, token))


def add_terminators(op: Operation, definition: OpDef, nodes: Iterable[RegionNode]) -> None:
    """Add the terminators that the pretty form of an op omits.

    Args:
        op: The op.
        definition: Its definition.
        nodes: The trees of its regions, of which a region may have none.
    """
    for region, body, (node, _) in zip(op.regions, definition.bodies, nodes, strict=False):
        if not body.terminator or node is None:
            continue
        block = region.blocks[-1] if region.blocks else region.add_block(Block())
        last = lookup(block.ops[-1].name) if block.ops else None
        if last is None or "terminator" not in last.traits:
            block.insert(len(block.ops), Operation(body.terminator, offset=op.offset, end=op.offset))


def applied_region(context: ReadContext, op: Operation, token: int) -> Region:
    """Return the region of a reduction in the form `applies`, with one op on an element and the accumulator.

    Args:
        context: The program's tokens.
        op: The reduction.
        token: The token of the applied op's name.

    Raises:
        SourceError: The op cannot be applied.
    """
    name = context.text(token)
    if not has_trait(name, "commutative"):
        message = "expected the inner-op to be a commutative binary-op with one result, such as stablehlo.add"
        raise context.error(token, message)
    operand = op.operands[0].type if op.operands else None
    if not isinstance(operand, TensorType):
        raise SourceError(op.offset, "expected a tensor as the first operand's type of a reduction")
    scalar = TensorType((), operand.element_type)
    block = Block((scalar, scalar))
    place: dict[str, Any] = {"location": op.location, "offset": op.offset, "end": op.end}
    inner = block.append(Operation(name, block.arguments, (scalar,), **place))
    block.append(Operation(f"{op.name.partition('.')[0]}.return", inner.results, (), **place))
    return Region([block])


def names_and_regions(node: Node, context: ReadContext) -> tuple[set[str], list[Node]]:
    """Return the names of values in an operation's tree outside of its regions, and the regions.

    Args:
        node: The tree.
        context: The program's tokens.
    """
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
