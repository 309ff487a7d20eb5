"""Errors at an offset of a program's text, raised by readers and reported as diagnostics."""

from __future__ import annotations


class SourceError(Exception):
    """An error at an offset of a program's text.

    Args:
        offset: The character at which the error starts.
        message: The problem, and what was expected.
        *notes: Hints, such as a similar name.
        code: The code of the diagnostic: "parse", "ssa" or "type".
    """

    def __init__(self, offset: int, message: str, *notes: str, code: str = "parse") -> None:
        super().__init__(message)
        self.offset = offset
        self.message = message
        self.notes = notes
        self.code = code


class TypeMismatch(SourceError):
    """A use of a value with a type other than its own; the program can be built nevertheless.

    Args:
        offset: The character at which the use starts.
        message: The problem, and what was expected.
    """

    def __init__(self, offset: int, message: str) -> None:
        super().__init__(offset, message, code="ssa")
