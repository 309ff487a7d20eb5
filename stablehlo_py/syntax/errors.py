"""Errors in a program's text, at an offset: raised while it is read, reported as diagnostics."""

from __future__ import annotations


class SourceError(Exception):
    """An error in a program, at an offset of its text.

    Args:
        offset: The character at which the error starts.
        message: What is wrong, and what was expected.
        *notes: What may help, such as a name that may have been meant.
        code: The code of the diagnostic: "parse", "ssa" or "type".
    """

    def __init__(self, offset: int, message: str, *notes: str, code: str = "parse") -> None:
        super().__init__(message)
        self.offset = offset
        self.message = message
        self.notes = notes
        self.code = code


class TypeMismatch(SourceError):
    """A value is used with a type other than its own; the program can be built all the same."""

    def __init__(self, offset: int, message: str) -> None:
        super().__init__(offset, message, code="ssa")
