"""Values, operations, blocks, regions and modules.

An operation belongs to a block, a block to a region, and a region to an operation, up to the module.
Mutations maintain the use lists, `Value.uses`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from stablehlo_py.ir.attributes import Attribute, FloatAttr, IntegerAttr, StringAttr
from stablehlo_py.ir.locations import UNKNOWN, DeferredLocation, Location, LocationField, Source
from stablehlo_py.ir.printing import Shown, html_of, text_of
from stablehlo_py.ir.trees import Convention
from stablehlo_py.ir.types import Type

MODULE = "builtin.module"
FUNCTION = "func.func"


class Use(NamedTuple):
    """A use of a value: an operation and the index of the operand."""

    op: Operation
    position: int


class Value:
    """An SSA value, defined by an operation or as a block argument.

    Attributes:
        type: The type.
        name: The name in the source text, without `%`; None if it has none. Printers may assign other names.
        uses: The uses.

    As text, it is `%name`; without a name, an argument is named after its index, a result after its op.
    """

    __slots__ = ("name", "type", "uses")

    def __init__(self, type: Type, name: str | None = None) -> None:
        self.type = type
        self.name = name
        self.uses: dict[Use, None] = {}  # in order, as a set: a value may have very many

    def replace_all_uses(self, other: Value) -> None:
        """Replace all uses of this value by another value."""
        uses, self.uses = self.uses, {}
        for op in dict.fromkeys([use.op for use in uses]):
            op.operands = tuple([other if operand is self else operand for operand in op.operands])
        other.uses.update(uses)

    def __str__(self) -> str:
        return f"%{self.name or 'value'}"

    def __repr__(self) -> str:
        return f"<{self}: {self.type}>"


class OpResult(Value):
    """The `index`-th result of `op`."""

    __slots__ = ("index", "op")

    def __init__(self, type: Type, op: Operation, index: int, name: str | None = None) -> None:
        self.type = type
        self.name = name
        self.uses = {}
        self.op = op
        self.index = index

    def __str__(self) -> str:
        if self.name is not None:
            return f"%{self.name}"
        suffix = f"#{self.index}" if len(self.op.results) > 1 else ""
        return f"%{self.op.name.rpartition('.')[2]}{suffix}"


class BlockArgument(Value):
    """The `index`-th argument of `block`: an input of a function or region."""

    __slots__ = ("_location", "block", "index", "offset")
    location = LocationField()

    def __init__(
        self,
        type: Type,
        block: Block,
        index: int,
        name: str | None = None,
        location: Location | DeferredLocation | None = None,
        offset: int = -1,
    ) -> None:
        super().__init__(type, name)
        self.block = block
        self.index = index
        self._location = location
        self.offset = offset

    def __str__(self) -> str:
        return f"%arg{self.index}" if self.name is None else f"%{self.name}"


class Operation(Shown):
    """An operation.

    Attributes:
        name: The full name, such as `stablehlo.add`.
        operands: The operands.
        results: The results.
        properties: The inherent attributes, which the op's definition lists (`<{...}>` in the generic form).
        attributes: The discardable attributes (`{...}`).
        regions: The regions.
        location: The location; None if the text has no `loc(...)`.
        offset, end: The offsets of the op's name and end in `Module.source`; -1 if it was not parsed.
        origin: The offset of the op from which a pass made this one, if it was not parsed; else -1.
        parent: The block that contains the op, if any.
    """

    __slots__ = (
        "_location", "attributes", "end", "name", "offset", "operands", "origin", "parent", "properties",
        "regions", "results", "successors",
    )  # fmt: skip
    location = LocationField()

    def __init__(
        self,
        name: str,
        operands: Sequence[Value] = (),
        result_types: Sequence[Type] = (),
        properties: Mapping[str, Attribute] | None = None,
        attributes: Mapping[str, Attribute] | None = None,
        regions: Sequence[Region] = (),
        successors: Sequence[Block] = (),
        location: Location | DeferredLocation | None = None,
        offset: int = -1,
        end: int = -1,
    ) -> None:
        self.name = name
        self.operands: tuple[Value, ...] = tuple(operands)
        if len(result_types) == 1:  # of most operations; faster
            self.results: tuple[OpResult, ...] = (OpResult(result_types[0], self, 0),)
        else:
            self.results = tuple([OpResult(t, self, i) for i, t in enumerate(result_types)])
        self.properties: dict[str, Attribute] = dict(properties) if properties else {}
        self.attributes: dict[str, Attribute] = dict(attributes) if attributes else {}
        self.regions: tuple[Region, ...] = tuple(regions)
        self.successors: tuple[Block, ...] = tuple(successors)
        self.parent: Block | None = None
        self._location = location
        self.offset = offset
        self.end = end
        self.origin = -1
        for index, value in enumerate(self.operands):
            value.uses[tuple.__new__(Use, (self, index))] = None  # faster than `Use(...)`
        for region in self.regions:
            region.parent = self

    @property
    def result(self) -> OpResult:
        """The result of an operation with a single result."""
        (result,) = self.results
        return result

    @property
    def parent_op(self) -> Operation | None:
        """The operation whose region contains this one."""
        return self.parent.parent_op if self.parent else None

    @property
    def blocks(self) -> list[Block]:
        """The blocks of the regions, in order."""
        return [block for region in self.regions for block in region.blocks]

    @property
    def entry_block(self) -> Block:
        """The first block of the first region, such as the body of a function."""
        return self.regions[0].blocks[0]

    @property
    def is_module(self) -> bool:
        """Test whether this is a `builtin.module`."""
        return self.name == MODULE

    @property
    def is_function(self) -> bool:
        """Test whether this is a function with a symbol name."""
        return self.name == FUNCTION

    @property
    def function(self) -> Operation | None:
        """The function that this operation is or belongs to; None outside of functions."""
        op: Operation | None = self
        while op is not None and op.name != FUNCTION:
            op = op.parent_op
        return op

    def attribute(self, name: str) -> Attribute | None:
        """Return a property or attribute by name, or None."""
        return self.properties.get(name) or self.attributes.get(name)

    def python_value(self, name: str) -> object:
        """Return the Python value of a simple attribute (a number or string), or None."""
        found = self.attribute(name)
        return found.value if isinstance(found, IntegerAttr | FloatAttr | StringAttr) else None

    def set_operand(self, index: int, value: Value) -> None:
        """Set the `index`-th operand."""
        del self.operands[index].uses[Use(self, index)]
        value.uses[Use(self, index)] = None
        self.operands = (*self.operands[:index], value, *self.operands[index + 1 :])

    def use_operands(self, values: Sequence[Value]) -> None:
        """Replace all operands, whose number may change."""
        for index, value in enumerate(self.operands):
            del value.uses[Use(self, index)]
        self.operands = tuple(values)
        for index, value in enumerate(values):
            value.uses[Use(self, index)] = None

    def walk(self) -> Iterator[Operation]:
        """Yield this operation and all nested operations, in preorder."""
        stack: list[Iterator[Operation]] = [iter((self,))]
        while stack:
            for op in stack[-1]:
                yield op
                if op.regions:
                    stack.append(inner for block in op.blocks for inner in list(block.ops))
                    break
            else:
                stack.pop()

    def erase(self) -> None:
        """Remove the operation from its block and drop the uses of its operands; see also `erase_all`.

        Raises:
            ValueError: If a result is still used.
        """
        _let_go([self])
        if self.parent:
            self.parent.ops.remove(self)
            self.parent = None


def erase_all(ops: Sequence[Operation]) -> None:
    """Erase operations, in one pass over each of their blocks.

    Raises:
        ValueError: If an operation outside of `ops` uses one of their results; nothing is erased then.
    """
    _let_go(ops)
    gone = set(ops)
    for block in {op.parent for op in ops if op.parent}:
        block.ops = [op for op in block.ops if op not in gone]
    for op in ops:
        op.parent = None


def _let_go(ops: Sequence[Operation]) -> None:
    """Drop the uses of the operands of operations and their nested operations; see `erase_all` for errors."""
    gone = {inner for op in ops for inner in op.walk()}
    for op in ops:
        if any(use.op not in gone for result in op.results for use in result.uses):
            raise ValueError(f"{op.name} is still used; replace its uses first")
    for op in gone:
        op.use_operands(())


class Block:
    """A list of operations with arguments; `label` is the name in the text (`bb0`), None if implicit."""

    __slots__ = ("arguments", "label", "offset", "ops", "parent")

    def __init__(
        self, argument_types: Sequence[Type] = (), label: str | None = None, offset: int = -1
    ) -> None:
        self.arguments: tuple[BlockArgument, ...] = ()
        self.ops: list[Operation] = []
        self.parent: Region | None = None
        self.label = label
        self.offset = offset
        self.add_arguments(argument_types)

    @property
    def parent_op(self) -> Operation | None:
        """The operation whose region contains this block."""
        return self.parent.parent if self.parent else None

    def add_argument(
        self, type: Type, name: str | None = None, location: Location | None = None
    ) -> BlockArgument:
        """Append an argument and return it."""
        (argument,) = self.add_arguments([type])
        argument.name, argument.location = name, location
        return argument

    def add_arguments(self, types: Iterable[Type]) -> list[BlockArgument]:
        """Append arguments without names at once, in linear time, and return them."""
        made = [BlockArgument(type, self, i) for i, type in enumerate(types, len(self.arguments))]
        self.arguments += tuple(made)
        return made

    def append(self, op: Operation) -> Operation:
        """Append an operation and return it."""
        op.parent = self
        self.ops.append(op)
        return op

    def insert(self, index: int, op: Operation) -> Operation:
        """Insert an operation before the `index`-th one and return it."""
        op.parent = self
        self.ops.insert(index, op)
        return op

    @property
    def terminator(self) -> Operation | None:
        """The last operation; None if the block is empty."""
        return self.ops[-1] if self.ops else None


class Region:
    """A list of blocks; the first one is the entry block."""

    __slots__ = ("blocks", "offset", "parent")

    def __init__(self, blocks: Sequence[Block] = (), offset: int = -1) -> None:
        self.blocks: list[Block] = list(blocks)
        self.parent: Operation | None = None
        self.offset = offset
        for block in self.blocks:
            block.parent = self

    @property
    def block(self) -> Block:
        """The block of a region with a single block."""
        (block,) = self.blocks
        return block

    def add_block(self, block: Block) -> Block:
        """Append a block and return it."""
        block.parent = self
        self.blocks.append(block)
        return block


class Module:
    """A program: a `builtin.module` operation, its source text and its resources.

    Attributes:
        name: The name of the source.
        resources: The bytes of each key of `{-# dialect_resources #-}`, whose text is `resource_text`.
        comments: The comments, as pairs (offset, text).
        old_spellings: The uses of the syntax of earlier releases, as pairs (offset, text).
        misspellings: The uses of the EBNF's syntax that upstream's parser rejects, as such pairs.
        unused_aliases: The aliases that nothing in the text refers to: names with types or attributes.
        short_floats: The hexadecimal literals with fewer digits than the specification asks for.
        container: The metadata of a binary file; empty for text. Positions refer to its printed text.
        weights: The `.npy` files of arguments of `@main` that are stored with the program, by index.
        tensors: The values of arguments that were constants before the pass `externalize`, by name.
        convention: The trees of arguments and results of the function that `@main` was exported from.
    """

    def __init__(self, op: Operation | None = None, source: Source | None = None) -> None:
        self.op = op or Operation(MODULE, regions=[Region([Block()])], location=UNKNOWN)
        self._source: Source | Callable[[Module], Source] = source or Source("<built>", "")
        self.name = self._source.name
        self.container: Mapping[str, Any] = {}
        self.weights: Mapping[int, Path] = {}
        self.tensors: Mapping[str, Any] = {}
        self.convention: Convention | None = None
        self.resources: Mapping[str, bytes | memoryview] = {}
        self.resource_alignments: dict[str, int] = {}
        self.resource_text: str | None = None
        self.unused_aliases: list[tuple[str, Any]] = []
        self.comments: list[tuple[int, str]] = []
        self.old_spellings: list[tuple[int, str]] = []
        self.misspellings: list[tuple[int, str]] = []
        self.short_floats: list[tuple[int, str]] = []

    @property
    def source(self) -> Source:
        """The source text, or the printed text of a module without one."""
        if isinstance(self._source, Source):
            return self._source
        self._source = self._source(self)
        return self._source

    def defer_source(self, name: str, make: Callable[[Module], Source]) -> None:
        """Set the name of the source, and a function that creates its text on first access."""
        self._source, self.name = make, name

    @property
    def body(self) -> Block:
        """The block of the module."""
        return self.op.regions[0].block

    @property
    def functions(self) -> dict[str, Operation]:
        """The `func.func` operations by name, in order."""
        return {str(op.python_value("sym_name")): op for op in self.body.ops if op.is_function}

    def walk(self) -> Iterator[Operation]:
        """Yield all operations, in preorder."""
        return self.op.walk()

    def position(self, place: Operation | Block | BlockArgument) -> tuple[int, int]:
        """Return the position of an operation, block or block argument in the text.

        An implicit block has the position of its parent operation.

        Returns:
            Line and column, from 1; of what it was made from or what is around it, if it was not parsed.
        """
        around: Operation | Block | BlockArgument | None = place
        source = self.source  # printing assigns the offsets
        while around is not None and around.offset < 0:
            if isinstance(around, Operation) and around.origin >= 0:
                return source.position(around.origin)
            around = around.block if isinstance(around, BlockArgument) else around.parent_op
        return (0, 0) if around is None else source.position(around.offset)

    def line(self, place: Operation | Block | BlockArgument) -> int:
        """Return the line of an operation, block or block argument in the text; 0 if it was not parsed."""
        return self.position(place)[0]

    def clone(self) -> Module:
        """Return a deep copy: operations, names, locations, positions, comments, aliases and resources."""
        from stablehlo_py.ir.cloning import clone_module

        return clone_module(self)

    def __str__(self) -> str:
        return text_of(self)

    def __repr__(self) -> str:
        return f"<Module {self.name!r} of {', '.join(self.functions) or 'no functions'}>"

    def _repr_html_(self) -> str:
        return html_of(self)
