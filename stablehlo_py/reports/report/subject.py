"""What a report shows of a program."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from stablehlo_py.analysis.report import Analysis
from stablehlo_py.diagnostics.diagnostic import Diagnostic
from stablehlo_py.ir.core import Module


@dataclass
class Subject:
    """A program, and what was found about it.

    Attributes:
        name: The name of its file, and the line that it begins at if it is not the first of the file.
        text: Its text; "" if the file cannot be read.
        module: The module; None if the text cannot be parsed.
        diagnostics: The diagnostics of the verifier and the linter.
        first_line: The number of the first line of the text.
        analysis: The analysis of a valid program.
    """

    name: str
    text: str
    module: Module | None
    diagnostics: Sequence[Diagnostic]
    first_line: int = 1
    analysis: Analysis | None = None

    def count(self, severity: str) -> int:
        """Count the diagnostics of a severity."""
        return sum(each.severity == severity for each in self.diagnostics)

    @property
    def sizes(self) -> tuple[int, int]:
        """The number of functions, and of ops without modules and functions."""
        if self.module is None:
            return 0, 0
        ops = [op for op in self.module.walk() if not op.is_module]
        functions = sum(op.is_function for op in ops)
        return functions, len(ops) - functions
