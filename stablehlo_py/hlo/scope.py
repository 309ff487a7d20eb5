"""Scopes: the names of a computation's instructions while it is read."""

from __future__ import annotations

from stablehlo_py.hlo.module import Computation, Instruction
from stablehlo_py.syntax.errors import SourceError


class Scope:
    """The names that are defined in a computation so far.

    Args:
        computation: The computation.
        parameters_from_operands: Whether undefined operands with shapes become parameters.
    """

    def __init__(self, computation: Computation, parameters_from_operands: bool = False) -> None:
        self.computation = computation
        self.names: dict[str, Instruction] = {}
        self.broken: set[str] = set()  # names of instructions with errors
        self.root: Instruction | None = None
        self.parameters: list[Instruction] = []
        self.parameters_from_operands = parameters_from_operands
        self.numbers: set[int] = set()

    def add_broken(self, name: str) -> None:
        """Record that an instruction could not be read; uses of it are no errors."""
        self.broken.add(name)

    def anonymous(self, opcode: str) -> str:
        """Return a name for a nested instruction."""
        name, number = f"{opcode}.anon", 0
        while name in self.names:
            number += 1
            name = f"{opcode}.anon.{number}"
        return name


class BrokenUse(SourceError):
    """A use of an instruction or computation with errors of its own."""
