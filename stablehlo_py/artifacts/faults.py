"""What is wrong with a binary file, and where; what in a program cannot be written to one."""

from __future__ import annotations

from stablehlo_py.diagnostics.diagnostic import Diagnostic, ParseError
from stablehlo_py.ir.core import Operation


class Fault(Exception):
    """A fault of a file at a byte offset; it becomes a ParseError at the boundary of the package."""

    def __init__(self, offset: int, message: str, *notes: str) -> None:
        super().__init__(message)
        self.offset = offset
        self.message = message
        self.notes = notes

    def error(self, name: str) -> ParseError:
        """The error for the user of the file called `name`."""
        message = f"byte {self.offset}: {self.message}"
        return ParseError(name, [Diagnostic("error", "artifact", message, 0, 0, self.notes)])


class Unwritable(Exception):
    """Something in a program that a file cannot hold, with the op that has it."""

    def __init__(self, op: Operation, message: str, *notes: str) -> None:
        super().__init__(message)
        self.op = op
        self.message = message
        self.notes = notes
