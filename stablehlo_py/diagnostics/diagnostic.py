"""What is told to the user: diagnostics, and one error type per phase."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from stablehlo_py.diagnostics.origin import Frame
    from stablehlo_py.ir.core import Module

Severity = Literal["error", "warning", "note"]


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """One finding about a program.

    `code` is stable and names the rule: `dot_general.C12`, `parse`, `ssa`, `type`. `line` and
    `column` count from 1 and are where the op, type or token starts; 0 where there is no text.
    `notes` are further lines: a formula's values, where a value was defined, a suggestion, the
    Python location of the op. `end_column` is where an underline ends, 0 if unknown. `origin` are the
    positions that the op's location names, as data: where it was made, then the callers.
    """

    severity: Severity
    code: str
    message: str
    line: int
    column: int
    notes: tuple[str, ...] = ()
    end_column: int = 0
    origin: tuple[Frame, ...] = ()

    def __str__(self) -> str:
        return "\n".join([f"{self.line}:{self.column}: {self.severity}: {self.message}", *self.notes])


class StablehloError(Exception):
    """Base of every error that this package raises for a user to read."""


class ParseError(StablehloError):
    """The text is not a program. `diagnostics` has every error that was found.

    `module` is the program where all that is wrong is that values are used as of other types than
    they have; None otherwise.
    """

    def __init__(self, name: str, diagnostics: Sequence[Diagnostic], module: Module | None = None) -> None:
        super().__init__("\n".join(f"{name}:{d}" for d in diagnostics))
        self.name = name
        self.diagnostics = list(diagnostics)
        self.module = module


class RunError(StablehloError):
    """The program failed at run time, or its inputs do not fit. `diagnostic` says where."""

    def __init__(self, message: str, diagnostic: Diagnostic | None = None) -> None:
        super().__init__(message)
        self.diagnostic = diagnostic


class Unsupported(RunError):
    """The program is valid, and something in it is not ours to run."""


class InternalError(StablehloError):
    """A bug of this package: please report it with the program that shows it."""

    def __init__(self, message: str) -> None:
        super().__init__(f"internal error (please report it with the program): {message}")
