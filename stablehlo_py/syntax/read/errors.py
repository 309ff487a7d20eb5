"""What the readers of a program raise."""

from __future__ import annotations


class Fault(Exception):
    """One thing that is wrong with a program, at a character of it."""

    def __init__(self, offset: int, message: str, *notes: str, code: str = "parse") -> None:
        super().__init__(message)
        self.offset = offset
        self.message = message
        self.notes = notes
        self.code = code


class Mismatch(Fault):
    """A value is used as of another type than it has. The program can be built all the same."""

    def __init__(self, offset: int, message: str) -> None:
        super().__init__(offset, message, code="ssa")
