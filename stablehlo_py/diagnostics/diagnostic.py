"""Diagnostics and errors: one error type per phase."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal, NamedTuple

from stablehlo_py.ir.printing import html_of
from stablehlo_py.ir.records import dataclass

if TYPE_CHECKING:
    from stablehlo_py.ir.core import Module

Severity = Literal["error", "warning", "note"]


class Frame(NamedTuple):
    """A position in a file, and the enclosing function if the location has it."""

    file: str
    line: int
    column: int
    function: str = ""

    @property
    def place(self) -> str:
        """The position as text: `model.py:12:5`, or `model.py:12` without a column."""
        return f"{self.file}:{self.line}" + (f":{self.column}" if self.column else "")

    def __str__(self) -> str:
        return f"{self.place}, in {self.function}" if self.function else self.place


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """An error, warning or note about a program.

    Attributes:
        severity: "error", "warning" or "note".
        code: The stable name of the rule: `dot_general.C12`, `parse`, `ssa`, `type`.
        message: The message, one line.
        line: The line, from 1, where the op, type or token starts; 0 without source text.
        column: The column, from 1; 0 without source text.
        notes: Further lines: the values of a formula, where a value was defined, a suggestion, the Python
            source location of the op.
        end_column: The column after the end of the underlined text, or 0 if unknown.
        origin: The source positions in the op's location: where it was created, then the callers.
        spec_only: Whether the specification's text alone demands the rule, and upstream's verifier does not.
    """

    severity: Severity
    code: str
    message: str
    line: int
    column: int
    notes: tuple[str, ...] = ()
    end_column: int = 0
    origin: tuple[Frame, ...] = ()
    spec_only: bool = False

    def __str__(self) -> str:
        return "\n".join([f"{self.line}:{self.column}: {self.severity}: {self.message}", *self.notes])

    def _repr_html_(self) -> str:
        return html_of(self)


class Diagnostics(list[Diagnostic]):
    """Diagnostics that an interactive session shows one below the other."""

    def __repr__(self) -> str:
        return "\n".join(map(str, self)) or "[]"

    def _repr_html_(self) -> str:
        return "".join([each._repr_html_() for each in self]) or "<p>no diagnostics</p>"


class StablehloError(Exception):
    """Base class of the errors of this package."""


class ParseError(StablehloError):
    """A syntax error, or a use of a value with a different type.

    Attributes:
        name: The name of the text.
        diagnostics: Every error that was found.
        module: The module, if its only errors are uses of values with other types than they have;
            otherwise None.
    """

    def __init__(self, name: str, diagnostics: Sequence[Diagnostic], module: Module | None = None) -> None:
        super().__init__("\n".join(f"{name}:{d}" for d in diagnostics))
        self.name = name
        self.diagnostics = list(diagnostics)
        self.module = module


class SerializationError(StablehloError):
    """A program that a binary format, or a version of it, cannot hold. `diagnostics` say what and where."""

    def __init__(self, name: str, diagnostics: Sequence[Diagnostic]) -> None:
        super().__init__("\n".join(f"{name}:{d}" for d in diagnostics))
        self.name = name
        self.diagnostics = list(diagnostics)


class TransformError(StablehloError):
    """A pass cannot be applied to a program. `diagnostics` say why and where.

    Attributes:
        name: The name of the program.
        diagnostics: The reasons.
    """

    def __init__(self, name: str, diagnostics: Sequence[Diagnostic]) -> None:
        super().__init__("\n".join(f"{name}:{d}" for d in diagnostics))
        self.name = name
        self.diagnostics = list(diagnostics)


class RunError(StablehloError):
    """A failure at run time, or inputs that do not match the program.

    Attributes:
        diagnostic: The error with its position, or None.
    """

    def __init__(self, message: str, diagnostic: Diagnostic | None = None) -> None:
        super().__init__(message)
        self.diagnostic = diagnostic


class Unsupported(RunError):
    """The program is valid, but uses something that cannot be run here."""


class RunWarning(UserWarning):
    """Part of a program was left out of a run, because no result depends on it."""


class InternalError(StablehloError):
    """A bug in this package; please report it with the program that triggers it."""

    def __init__(self, message: str) -> None:
        super().__init__(f"internal error (please report it with the program): {message}")
