"""Errors in binary files, and programs that cannot be written to one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from stablehlo_py.diagnostics.diagnostic import Diagnostic, ParseError

if TYPE_CHECKING:
    from stablehlo_py.ir.core import Operation


class Fault(Exception):
    """An error at a byte offset of a file; the package's public functions raise it as a ParseError.

    Args:
        offset: The byte offset.
        message: The problem, and what was expected.
        *notes: Hints.
    """

    def __init__(self, offset: int, message: str, *notes: str) -> None:
        super().__init__(message)
        self.offset = offset
        self.message = message
        self.notes = notes

    def error(self, name: str) -> ParseError:
        """Return the ParseError for a file.

        Args:
            name: The name of the file.
        """
        message = f"byte {self.offset:d}: {self.message}"
        return ParseError(name, [Diagnostic("error", "artifact", message, 0, 0, self.notes)])


class Unwritable(Exception):
    """Part of a program that a file format cannot represent.

    Args:
        op: The op that contains it.
        message: The problem.
        *notes: Hints.
    """

    def __init__(self, op: Operation, message: str, *notes: str) -> None:
        super().__init__(message)
        self.op = op
        self.message = message
        self.notes = notes
