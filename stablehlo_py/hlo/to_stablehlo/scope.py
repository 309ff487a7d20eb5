"""What converts an instruction: the place of its ops, and the values of instructions before it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from stablehlo_py.hlo.attribute_rows import inputs_from
from stablehlo_py.hlo.literals import Literal
from stablehlo_py.hlo.module import Computation, Instruction
from stablehlo_py.hlo.to_stablehlo.values import Tree, leaves, tree_of, types_of
from stablehlo_py.ir.attributes import ELIDED, Attribute, DenseElementsAttr, DenseResourceAttr
from stablehlo_py.ir.core import Block, Region, Value
from stablehlo_py.ir.element_types import storage_dtype
from stablehlo_py.ir.locations import Location
from stablehlo_py.ir.op_builder import OpBuilder
from stablehlo_py.ir.types import TensorType, Type
from stablehlo_py.opset.definition import lookup
from stablehlo_py.opset.op_inputs import make_properties

Body = Callable[[Computation, Sequence[Tree], OpBuilder], Tree]


class Unconvertible(Exception):
    """An instruction that is not converted; the message says why."""


class Scope:
    """Where ops are made, and the values of the instructions that are converted so far.

    Args:
        builder: Where ops are made.
        body: Converts the instructions of a computation, for arguments, and returns the value of its root.
        function: Returns the name of the function that a computation is.
    """

    def __init__(self, builder: OpBuilder, body: Body, function: Callable[[Computation], str]) -> None:
        self.builder = builder
        self.body = body
        self.function = function
        self.trees: dict[int, Tree] = {}
        self.location: Location | None = None
        self.offset = -1

    def at(self, builder: OpBuilder) -> Scope:
        """Return the same instruction with another place for its ops."""
        found = Scope(builder, self.body, self.function)
        found.location, found.offset = self.location, self.offset
        return found

    def tree(self, instruction: Instruction) -> Tree:
        """Return the value of an instruction."""
        return self.trees[id(instruction)]

    def value(self, instruction: Instruction) -> Value:
        """Return the value of an instruction that is an array or a token."""
        found = self.tree(instruction)
        if not isinstance(found, Value):
            raise Unconvertible(f"operand {instruction.name} must be an array or a token, got a tuple")
        return found

    def operands(self, instruction: Instruction) -> list[Value]:
        """Return the values of an instruction's operands, those of tuples one by one."""
        return [value for operand in instruction.operands for value in leaves(self.tree(operand))]

    def create(
        self,
        name: str,
        operands: Sequence[Value],
        types: Sequence[Type],
        inputs: Mapping[str, Any] | None = None,
        regions: Sequence[Region] = (),
        attributes: Mapping[str, Attribute] | None = None,
    ) -> Sequence[Value]:
        """Create an op at the place of the instruction; `inputs` are by the names of the definition."""
        definition = lookup(name)
        assert definition is not None, name
        try:
            properties = make_properties(definition, inputs or {})
        except ValueError as error:
            raise Unconvertible(str(error)) from None
        op = self.builder.create(name, operands, types, properties, regions, attributes, self.location)
        op.offset = op.end = self.offset
        return op.results

    def made(
        self,
        instruction: Instruction,
        name: str,
        operands: Sequence[Value],
        inputs: Mapping[str, Any] | None = None,
        regions: Sequence[Region] = (),
        attributes: Mapping[str, Attribute] | None = None,
    ) -> Tree:
        """Create the op whose results are those of an instruction."""
        types = types_of(instruction.shape)
        return tree_of(
            instruction.shape, iter(self.create(name, operands, types, inputs, regions, attributes))
        )

    def one(
        self, name: str, operands: Sequence[Value], type: Type, inputs: Mapping[str, Any] | None = None
    ) -> Value:
        """Create an op with one result."""
        (value,) = self.create(name, operands, [type], inputs)
        return value

    def constant(self, value: Any, type: Type) -> Value:
        """Create a constant."""
        if not isinstance(type, TensorType) or not type.is_static:
            raise Unconvertible(f"it needs a constant of type {type}, which is not static")
        return self.builder.constant(value, type)

    def inline(self, computation: Computation, arguments: Sequence[Tree]) -> Tree:
        """Convert a computation in this place."""
        return self.body(computation, arguments, self.builder)

    def region(self, computation: Computation, given: Sequence[Tree] | None = None) -> Region:
        """Return a computation as a region; its arguments are the parameters, unless values are given."""
        shapes = [parameter.shape for parameter in computation.parameters] if given is None else []
        block = Block([type for shape in shapes for type in types_of(shape)])
        values: Iterator[Value] = iter(block.arguments)
        arguments = [tree_of(shape, values) for shape in shapes] if given is None else given
        builder = OpBuilder(block)
        builder.create("stablehlo.return", leaves(self.body(computation, arguments, builder)))
        return Region([block])


def inputs_of(instruction: Instruction) -> dict[str, Any]:
    """Return the inputs of the op that an instruction becomes."""
    shapes = [operand.shape.dimensions for operand in instruction.operands]
    return inputs_from(instruction.opcode, instruction.attributes, shapes)


def plain(scope: Scope, instruction: Instruction, operands: Sequence[Value] | None = None) -> Tree:
    """Convert an instruction to the op of its row."""
    name = instruction.row.op
    if not name:
        return opaque(scope, instruction)
    regions = [scope.region(computation) for _, computation in instruction.called]
    given = scope.operands(instruction) if operands is None else operands
    return scope.made(instruction, name, given, inputs_of(instruction), regions)


def opaque(scope: Scope, instruction: Instruction) -> Tree:
    """Convert an instruction to a custom call that nothing implements: an error when it is run."""
    inputs = {"call_target_name": f"hlo.{instruction.opcode}"}
    return scope.made(instruction, "stablehlo.custom_call", scope.operands(instruction), inputs)


def literal_value(scope: Scope, literal: Literal) -> Tree:
    """Create the constants of a literal."""
    if literal.shape.is_tuple:
        return tuple([literal_value(scope, part) for part in literal.parts])
    type = literal.shape.to_type()
    assert isinstance(type, TensorType)
    if literal.array is None:
        return scope.one("stablehlo.constant", [], type, {"value": DenseResourceAttr(ELIDED, type)})
    data = literal.array.reshape(-1).astype(storage_dtype(type.element_type), copy=True)
    data.flags.writeable = False
    return scope.one("stablehlo.constant", [], type, {"value": DenseElementsAttr(type, data)})
