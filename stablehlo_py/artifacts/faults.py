"""What is wrong with a binary file, and where."""

from __future__ import annotations

from stablehlo_py.diagnostics.diagnostic import Diagnostic, ParseError


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
