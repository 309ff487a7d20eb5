"""What converts an op: the computation of its instructions, and the instructions of values before it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from stablehlo_py.hlo.literals import Literal
from stablehlo_py.hlo.module import Computation, Instruction
from stablehlo_py.hlo.names import UniqueNames
from stablehlo_py.hlo.shapes import tuple_of
from stablehlo_py.ir.captures import captures
from stablehlo_py.ir.core import Operation, Region, Value
from stablehlo_py.ir.types import Type
from stablehlo_py.layout.shape import Shape

Captured = Sequence[Value]
# A region, the values that it takes from outside in one tuple with its arguments (None: each argument is a
# parameter), and those of them that it returns in one tuple with its results (None: its result is no tuple).
MakeRegion = Callable[["Scope", Region, Captured | None, Captured | None], Computation]


class Unwritable(Exception):
    """An op that HLO has no form for; the message says why."""


def shape_of(type: Type) -> Shape:
    """Return the shape of a type; raise Unwritable if HLO has none."""
    try:
        shape = Shape.of_type(type)
    except ValueError as error:
        raise Unwritable(str(error)) from None
    if shape.is_array and None in shape.dimensions:
        raise Unwritable(f"the size of {type} is not known: specialize it, as with shlo opt --dim")
    return shape


class Scope:
    """The computation that is being made.

    Args:
        computation: The computation.
        names: The names of instructions in the module.
        make_region: Makes a computation of a region.
        make_function: Returns the computation of a function.
        outer: The scope around, whose constants may be copied.
    """

    def __init__(
        self,
        computation: Computation,
        names: UniqueNames,
        make_region: MakeRegion,
        make_function: Callable[[str], Computation],
        outer: Scope | None = None,
    ) -> None:
        self.computation = computation
        self.names = names
        self.make_region = make_region
        self.make_function = make_function
        self.outer = outer
        self.values: dict[Value, Instruction] = {}
        self.metadata: dict[str, Any] = {}

    def emit(
        self,
        opcode: str,
        shape: Shape,
        operands: Sequence[Instruction] = (),
        attributes: dict[str, Any] | None = None,
        value: int | Literal | None = None,
    ) -> Instruction:
        """Add an instruction."""
        given = {name: each for name, each in (attributes or {}).items() if each is not None}
        if self.metadata:
            given["metadata"] = self.metadata
        made = Instruction(self.names.unique(opcode), opcode, shape, tuple(operands), given, value)
        self.computation.instructions.append(made)
        return made

    def value(self, value: Value) -> Instruction:
        """Return the instruction of a value; a constant of a computation around is copied."""
        found = self.values.get(value)
        if found is not None:
            return found
        outer = self.outer
        while outer is not None:
            source = outer.values.get(value)
            if source is not None and source.opcode == "constant":
                made = self.values[value] = self.emit("constant", source.shape, value=source.value)
                return made
            outer = outer.outer
        raise Unwritable("a region that is applied to elements uses a value from outside")

    def operands(self, op: Operation) -> list[Instruction]:
        """Return the instructions of an op's operands."""
        return [self.value(operand) for operand in op.operands]

    def tuple(self, parts: Sequence[Instruction]) -> Instruction:
        """Return the tuple of instructions."""
        return self.emit("tuple", tuple_of(tuple([part.shape for part in parts])), parts)

    def elements(self, whole: Instruction) -> list[Instruction]:
        """Return the elements of a tuple."""
        return [
            self.emit("get-tuple-element", shape, [whole], {"index": number})
            for number, shape in enumerate(whole.shape.tuple_shapes)
        ]

    def results(self, op: Operation, made: Instruction) -> None:
        """Record what an op returns: an instruction, or the elements of a tuple."""
        is_one = len(op.results) == 1 and made.shape == shape_of(op.results[0].type)
        parts = [made] if is_one else self.elements(made)
        self.values.update(zip(op.results, parts, strict=True))


def result_shape(op: Operation) -> Shape:
    """Return the shape of an op's result, or of the tuple of its results."""
    shapes = [shape_of(result.type) for result in op.results]
    return shapes[0] if len(shapes) == 1 else tuple_of(tuple(shapes))


def captured(*regions: Region) -> list[Value]:
    """Return the values from outside that regions of one block use, in the order of their first use."""
    blocks = [block for region in regions for block in region.blocks]
    own = {argument for block in blocks for argument in block.arguments}
    return [value for value in captures([op for block in blocks for op in block.ops]) if value not in own]
