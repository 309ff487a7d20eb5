"""HLO as data: a module of computations, which are lists of instructions.

    HloModule       name, header attributes, tables of stack frames, computations, entry
      Computation   name, instructions, root, thread
        Instruction name, opcode, shape, operands, attributes, value; offset in the text

An instruction refers to its operands as instructions and to called computations as computations.
`attributes` has plain data by name, as the kind of the attribute says (`kinds`); `value` is the number of
a parameter or the literal of a constant. Of two positions, `offset` is where the text has the instruction
(`HloModule.source` maps it to line and column), and `attributes["metadata"]` says which line of the program
made it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from stablehlo_py.hlo.opcodes import Opcode, opcodes

if TYPE_CHECKING:
    from stablehlo_py.diagnostics.diagnostic import Diagnostic
    from stablehlo_py.hlo.literals import Literal
    from stablehlo_py.ir.locations import Source
    from stablehlo_py.layout.shape import Shape


class Instruction:
    """An instruction.

    Attributes:
        name: Its name, without `%`; unique in the module.
        opcode: The opcode.
        shape: The shape of its result.
        operands: The instructions whose results it takes.
        attributes: The attributes of the text by name, as plain data.
        value: The number of a parameter, the literal of a constant, else None.
        offset: Where its name is in the text.
    """

    __slots__ = ("attributes", "name", "offset", "opcode", "operands", "shape", "value")

    def __init__(
        self,
        name: str,
        opcode: str,
        shape: Shape,
        operands: tuple[Instruction, ...] = (),
        attributes: dict[str, Any] | None = None,
        value: int | Literal | None = None,
        offset: int = 0,
    ) -> None:
        self.name = name
        self.opcode = opcode
        self.shape = shape
        self.operands = operands
        self.attributes = _NONE if attributes is None else attributes
        self.value = value
        self.offset = offset

    @property
    def operand(self) -> Instruction:
        """Its operand, of an opcode that takes one."""
        (operand,) = self.operands
        return operand

    @property
    def row(self) -> Opcode:
        """The row of its opcode."""
        return opcodes()[self.opcode]

    @property
    def called(self) -> list[tuple[str, Computation]]:
        """The computations that it calls, by name of attribute; the body of a loop before its condition."""
        if not self.attributes:
            return []
        found = []
        for name, attribute in self.row.attributes.items():
            if attribute.kind == "computation" and name in self.attributes:
                found.append((name, self.attributes[name]))
            elif attribute.kind == "computations":
                found += [(name, each) for each in self.attributes.get(name, ())]
        found.sort(key=lambda pair: pair[0] == "condition")
        return found

    @property
    def predecessors(self) -> tuple[Instruction, ...]:
        """The instructions that are executed before it without being operands."""
        return tuple(self.attributes.get("control-predecessors", ()))

    @property
    def metadata(self) -> dict[str, Any]:
        """Where the program made it: `op_name`, `source_file`, `source_line` and others."""
        found: dict[str, Any] = self.attributes.get("metadata", {})
        return found

    def __repr__(self) -> str:
        operands = ", ".join(operand.name for operand in self.operands)
        return f"<{self.name} = {self.shape} {self.opcode}({operands})>"


_NONE: dict[str, Any] = {}  # of all instructions without attributes


class Computation:
    """A computation.

    Attributes:
        name: Its name, without `%`; unique in the module.
        instructions: The instructions, in the order of the text.
        root: The instruction whose result is that of the computation.
        thread: The thread that executes it, "main" for the usual one.
        offset: Where its name is in the text.
    """

    __slots__ = ("instructions", "name", "offset", "root", "thread")

    def __init__(self, name: str, offset: int = 0) -> None:
        self.name = name
        self.instructions: list[Instruction] = []
        self.root: Instruction
        self.thread = "main"
        self.offset = offset

    @property
    def parameters(self) -> list[Instruction]:
        """The parameters, by number."""
        found = [i for i in self.instructions if i.opcode == "parameter"]
        return sorted(found, key=lambda parameter: parameter.value)  # type: ignore[arg-type,return-value]

    def __repr__(self) -> str:
        return f"<computation {self.name}: {len(self.instructions)} instructions>"

    def post_order(self) -> list[Instruction]:
        """Return the instructions with operands before users, in the order of XLA's printer."""
        used = {id(operand) for instruction in self.instructions for operand in instruction.operands}
        order: list[Instruction] = []
        entered, left = set[int](), set[int]()
        for first in self.instructions:
            stack = [] if id(first) in used else [first]
            while stack:
                current = stack[-1]
                if id(current) not in entered:
                    entered.add(id(current))
                    stack += current.operands[::-1]
                    stack += current.predecessors
                    continue
                stack.pop()
                if id(current) not in left:
                    left.add(id(current))
                    order.append(current)
        return order


class HloModule:
    """A module.

    Attributes:
        name: Its name.
        computations: The computations, in the order of the text: called ones before callers.
        entry: The computation that is executed.
        attributes: The attributes of its first line, as plain data by name.
        frames: The tables of stack frames by name, each a list of rows, which count from 1.
        source: The text.
    """

    def __init__(self, name: str, source: Source) -> None:
        self.name = name
        self.computations: list[Computation] = []
        self.entry: Computation
        self.attributes: dict[str, Any] = {}
        self.frames: dict[str, list[Any]] = {}
        self.source = source

    @property
    def is_scheduled(self) -> bool:
        """Whether the order of instructions is that of their execution."""
        return bool(self.attributes.get("is_scheduled"))

    def instructions(self) -> Iterator[Instruction]:
        """Yield all instructions."""
        for computation in self.computations:
            yield from computation.instructions

    def position(self, instruction: Instruction) -> tuple[int, int]:
        """Return line and column of an instruction in the text."""
        return self.source.position(instruction.offset)

    def to_string(self, style: str = "default") -> str:
        """Print the module.

        Args:
            style: `default`, as XLA prints and dumps; `short_parsable`, with large constants and without
                metadata; or `canonical`, with names that depend on the contents alone.

        Returns:
            The text, which equals that of XLA's printer.

        Raises:
            ValueError: If the style is unknown.
        """
        from stablehlo_py.hlo.printer import print_module

        return print_module(self, style)

    def verify(self) -> list[Diagnostic]:
        """Check the shapes that the text states; return the errors in the order of the text."""
        from stablehlo_py.hlo.verifier import verify_hlo

        return verify_hlo(self)

    def __str__(self) -> str:
        return self.to_string()

    def __repr__(self) -> str:
        return f"<HloModule {self.name}: {len(self.computations)} computations>"

    def post_order(self) -> list[Computation]:
        """Return the computations, called ones before callers, in the order of XLA's printer."""
        called = {id(c) for i in self.instructions() for _, c in i.called}
        order: list[Computation] = []
        entered = set[int]()
        for first in self.computations:
            if id(first) in called:
                continue
            stack = [(first, iter(first.instructions))]
            while stack:
                computation, rest = stack[-1]
                instruction = next(rest, None)
                if instruction is None:
                    stack.pop()
                    order.append(computation)
                    continue
                for _, callee in instruction.called[::-1]:
                    if id(callee) not in entered:
                        entered.add(id(callee))
                        stack.append((callee, iter(callee.instructions)))
        return order
