"""Values, operations, blocks, regions and modules.

An operation takes values and gives values; it lives in a block, blocks in a region, regions in an
operation, up to the module. `Value.uses` is kept current by every change made through this API.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from stablehlo_py.ir.attributes import Attribute, FloatAttr, IntegerAttr, StringAttr
from stablehlo_py.ir.locations import UNKNOWN, Location, Source
from stablehlo_py.ir.printing import text_of
from stablehlo_py.ir.types import Type

MODULE = "builtin.module"
FUNCTION = "func.func"


class Use(NamedTuple):
    """One place where a value is an operand."""

    op: Operation
    position: int


class Value:
    """What an operation or a block gives: it has a type and uses.

    `name` is the author's name without `%` (None where there was none); printers may choose others. As text
    it is `%name`; without a name, an argument is called by its position, and a result by its op.
    """

    __slots__ = ("name", "type", "uses")

    def __init__(self, type: Type, name: str | None = None) -> None:
        self.type = type
        self.name = name
        self.uses: list[Use] = []

    def replace_all_uses(self, other: Value) -> None:
        """Makes every operation that uses this value use `other` instead."""
        for op, index in list(self.uses):
            op.set_operand(index, other)

    def __str__(self) -> str:
        return f"%{self.name or 'value'}"


class OpResult(Value):
    """The `index`-th result of `op`."""

    __slots__ = ("index", "op")

    def __init__(self, type: Type, op: Operation, index: int, name: str | None = None) -> None:
        self.type = type
        self.name = name
        self.uses = []
        self.op = op
        self.index = index

    def __str__(self) -> str:
        if self.name is not None:
            return f"%{self.name}"
        place = f"#{self.index}" if len(self.op.results) > 1 else ""
        return f"%{self.op.name.rpartition('.')[2]}{place}"


class BlockArgument(Value):
    """The `index`-th argument of `block`: a function's or a region's input."""

    __slots__ = ("block", "index", "location", "offset")

    def __init__(
        self,
        type: Type,
        block: Block,
        index: int,
        name: str | None = None,
        location: Location | None = None,
        offset: int = -1,
    ) -> None:
        super().__init__(type, name)
        self.block = block
        self.index = index
        self.location = location
        self.offset = offset

    def __str__(self) -> str:
        return f"%arg{self.index}" if self.name is None else f"%{self.name}"


class Operation:
    """An operation: its full name, operands, results, properties, attributes and regions.

    `properties` are the attributes that the op's definition lists (`<{...}>` in the generic form),
    `attributes` the others (`{...}`). `location` is None where the text has no `loc(...)`. `offset`
    and `end` are the characters of the op's name and of its end in `Module.source`, -1 if built.
    """

    __slots__ = (
        "attributes",
        "end",
        "location",
        "name",
        "offset",
        "operands",
        "parent",
        "properties",
        "regions",
        "results",
        "successors",
    )

    def __init__(
        self,
        name: str,
        operands: Sequence[Value] = (),
        result_types: Sequence[Type] = (),
        properties: Mapping[str, Attribute] | None = None,
        attributes: Mapping[str, Attribute] | None = None,
        regions: Sequence[Region] = (),
        successors: Sequence[Block] = (),
        location: Location | None = None,
        offset: int = -1,
        end: int = -1,
    ) -> None:
        self.name = name
        self.operands: tuple[Value, ...] = tuple(operands)
        self.results: tuple[OpResult, ...] = tuple([OpResult(t, self, i) for i, t in enumerate(result_types)])
        self.properties: dict[str, Attribute] = dict(properties) if properties else {}
        self.attributes: dict[str, Attribute] = dict(attributes) if attributes else {}
        self.regions: tuple[Region, ...] = tuple(regions)
        self.successors: tuple[Block, ...] = tuple(successors)
        self.parent: Block | None = None
        self.location = location
        self.offset = offset
        self.end = end
        for index, value in enumerate(self.operands):
            value.uses.append(Use(self, index))
        for region in self.regions:
            region.parent = self

    @property
    def result(self) -> OpResult:
        """The only result."""
        (result,) = self.results
        return result

    @property
    def parent_op(self) -> Operation | None:
        """The operation whose region holds this one."""
        return self.parent.parent_op if self.parent else None

    @property
    def blocks(self) -> list[Block]:
        """The blocks of its regions, in order."""
        return [block for region in self.regions for block in region.blocks]

    @property
    def is_module(self) -> bool:
        """Whether it is a module, which holds functions."""
        return self.name == MODULE

    @property
    def is_function(self) -> bool:
        """Whether it is a function with a name."""
        return self.name == FUNCTION

    @property
    def function(self) -> Operation | None:
        """The function that this operation is, or is in; None outside of one."""
        op: Operation | None = self
        while op is not None and op.name != FUNCTION:
            op = op.parent_op
        return op

    def attribute(self, name: str) -> Attribute | None:
        """A property or attribute by name, None if absent."""
        return self.properties.get(name) or self.attributes.get(name)

    def python_value(self, name: str) -> object:
        """The Python value of a simple attribute (number, string), None if absent."""
        found = self.attribute(name)
        return found.value if isinstance(found, IntegerAttr | FloatAttr | StringAttr) else None

    def set_operand(self, index: int, value: Value) -> None:
        """Makes `value` the `index`-th operand."""
        old = self.operands[index]
        old.uses.remove(Use(self, index))
        value.uses.append(Use(self, index))
        self.operands = (*self.operands[:index], value, *self.operands[index + 1 :])

    def walk(self) -> Iterator[Operation]:
        """This operation and all inside it, each before what it contains, in textual order."""
        stack: list[Iterator[Operation]] = [iter((self,))]
        while stack:
            op = next(stack[-1], None)
            if op is None:
                stack.pop()
                continue
            yield op
            if op.regions:
                stack.append(inner for block in op.blocks for inner in list(block.ops))

    def erase(self) -> None:
        """Removes the operation from its block and from its operands' uses; `erase_all` removes many.

        Raises ValueError if a result is still used.
        """
        _let_go([self])
        if self.parent:
            self.parent.ops.remove(self)
            self.parent = None

    def __repr__(self) -> str:
        return f"<{self.name}, {len(self.operands)} operands, {len(self.results)} results>"


def erase_all(ops: Sequence[Operation]) -> None:
    """Removes operations as `erase` does, in one pass over each of their blocks.

    Raises ValueError, and removes none, if an operation that stays uses one of their results.
    """
    _let_go(ops)
    gone = set(ops)
    for block in {op.parent for op in ops if op.parent}:
        block.ops = [op for op in block.ops if op not in gone]
    for op in ops:
        op.parent = None


def _let_go(ops: Sequence[Operation]) -> None:
    """Takes operations, and all inside them, from the uses of their operands. Raises ValueError as above."""
    gone = {inner for op in ops for inner in op.walk()}
    for op in ops:
        if any(use.op not in gone for result in op.results for use in result.uses):
            raise ValueError(f"{op.name} is still used; replace its results first")
    for value in {value for op in gone for value in op.operands}:
        value.uses = [use for use in value.uses if use.op not in gone]
    for op in gone:
        op.operands = ()


class Block:
    """A list of operations with arguments; `label` is the author's name (`bb0`), None if implicit."""

    __slots__ = ("arguments", "label", "offset", "ops", "parent")

    def __init__(
        self, argument_types: Sequence[Type] = (), label: str | None = None, offset: int = -1
    ) -> None:
        arguments = [BlockArgument(t, self, i) for i, t in enumerate(argument_types)]
        self.arguments: tuple[BlockArgument, ...] = tuple(arguments)
        self.ops: list[Operation] = []
        self.parent: Region | None = None
        self.label = label
        self.offset = offset

    @property
    def parent_op(self) -> Operation | None:
        """The operation whose region holds this block."""
        return self.parent.parent if self.parent else None

    def add_argument(
        self, type: Type, name: str | None = None, location: Location | None = None
    ) -> BlockArgument:
        """Appends an argument and returns it."""
        argument = BlockArgument(type, self, len(self.arguments), name, location)
        self.arguments = (*self.arguments, argument)
        return argument

    def append(self, op: Operation) -> Operation:
        """Puts `op` at the end and returns it."""
        op.parent = self
        self.ops.append(op)
        return op

    def insert(self, index: int, op: Operation) -> Operation:
        """Puts `op` before the `index`-th operation and returns it."""
        op.parent = self
        self.ops.insert(index, op)
        return op

    @property
    def terminator(self) -> Operation | None:
        """The last operation, None if the block is empty."""
        return self.ops[-1] if self.ops else None


class Region:
    """A list of blocks, the first of which is entered."""

    __slots__ = ("blocks", "offset", "parent")

    def __init__(self, blocks: Sequence[Block] = (), offset: int = -1) -> None:
        self.blocks: list[Block] = list(blocks)
        self.parent: Operation | None = None
        self.offset = offset
        for block in self.blocks:
            block.parent = self

    @property
    def block(self) -> Block:
        """The only block."""
        (block,) = self.blocks
        return block

    def add_block(self, block: Block) -> Block:
        """Puts `block` at the end and returns it."""
        block.parent = self
        self.blocks.append(block)
        return block


class Module:
    """A program: the `builtin.module` operation, the text it came from, and its resources.

    `resources` maps the keys of `{-# dialect_resources #-}` to the bytes behind them, and
    `resource_text` keeps the section as it was written. `comments` are (offset, text) pairs,
    and so are `old_spellings`: the places where the text is as earlier releases wrote it. `misspellings` are
    those where it is as the specification's EBNF has it and upstream's parser does not.

    A module from a binary file has `container`, what the file says of it besides the program, and no text:
    it is printed when `source` is first asked for, and its positions are those in that text.
    """

    def __init__(self, op: Operation | None = None, source: Source | None = None) -> None:
        self.op = op or Operation(MODULE, regions=[Region([Block()])], location=UNKNOWN)
        source = source or Source("<built>", "")
        self._source: Source | Callable[[Module], Source] = source
        self._name = source.name
        self.container: Mapping[str, Any] = {}
        self.resources: Mapping[str, bytes | memoryview] = {}
        self.resource_alignments: dict[str, int] = {}
        self.resource_text: str | None = None
        self.comments: list[tuple[int, str]] = []
        self.old_spellings: list[tuple[int, str]] = []
        self.misspellings: list[tuple[int, str]] = []

    @property
    def name(self) -> str:
        """The name of the module's source."""
        return self._name

    @property
    def source(self) -> Source:
        """The text that the module came from, or that stands for it."""
        if isinstance(self._source, Source):
            return self._source
        self._source = self._source(self)
        return self._source

    @source.setter
    def source(self, source: Source) -> None:
        self._source, self._name = source, source.name

    def defer_source(self, name: str, make: Callable[[Module], Source]) -> None:
        """Leaves the text, under a name, to a function that makes it once it is asked for."""
        self._source, self._name = make, name

    @property
    def body(self) -> Block:
        """The module's block."""
        return self.op.regions[0].block

    @property
    def functions(self) -> dict[str, Operation]:
        """The module's `func.func` operations by name, in order."""
        return {str(op.python_value("sym_name")): op for op in self.body.ops if op.is_function}

    def walk(self) -> Iterator[Operation]:
        """All operations, each before what it contains, in textual order."""
        return self.op.walk()

    def position(self, place: Operation | Block | BlockArgument) -> tuple[int, int]:
        """Line and column, from 1, of a place in the text; (0, 0) for what was built and not parsed.

        What has no text of its own, such as an implicit block, is where the operation around it is.
        """
        source = self.source  # printing it gives the offsets
        around: Operation | Block | BlockArgument | None = place
        while around is not None and around.offset < 0:
            match around:
                case BlockArgument(block=block):
                    around = block
                case Block():
                    around = around.parent_op
                case Operation():
                    around = None
        return source.position(around.offset) if around is not None else (0, 0)

    def line(self, place: Operation | Block | BlockArgument) -> int:
        """The line of a place in the text; 0 for what was built."""
        return self.position(place)[0]

    def __str__(self) -> str:
        return text_of(self)
