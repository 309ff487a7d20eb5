"""Results of checking files; picklable, since they pass between processes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import field

from stablehlo_py.diagnostics.diagnostic import Diagnostic, Severity
from stablehlo_py.ir.records import dataclass
from stablehlo_py.linter.options import SEVERITIES


@dataclass(slots=True)
class ModuleResult:
    """The diagnostics and the size of a module; sizes are 0 if it cannot be parsed."""

    first_line: int = 1
    diagnostics: list[Diagnostic] = field(default_factory=list)
    functions: int = 0
    ops: int = 0
    seconds: float = 0.0


@dataclass(slots=True)
class FileResult:
    """The results of a file.

    Attributes:
        file: Its path.
        modules: The results of its modules.
        lines: The source lines that diagnostics refer to, by number.
    """

    file: str
    modules: list[ModuleResult]
    lines: dict[int, str] = field(default_factory=dict)

    @property
    def diagnostics(self) -> Iterator[Diagnostic]:
        """The diagnostics of all modules."""
        return (diagnostic for module in self.modules for diagnostic in module.diagnostics)

    def count(self, severity: str) -> int:
        """Count the diagnostics of a severity."""
        return sum(diagnostic.severity == severity for diagnostic in self.diagnostics)


@dataclass(slots=True)
class Totals:
    """Sums over files."""

    files: int = 0
    modules: int = 0
    functions: int = 0
    ops: int = 0
    errors: int = 0
    warnings: int = 0
    seconds: float = 0.0  # elapsed time, not the sum over processes
    notes: int = 0

    def add(self, result: FileResult) -> None:
        """Add the result of a file."""
        self.files += 1
        self.modules += len(result.modules)
        self.functions += sum(module.functions for module in result.modules)
        self.ops += sum(module.ops for module in result.modules)
        self.errors += result.count("error")
        self.warnings += result.count("warning")
        self.notes += result.count("note")

    def fails(self, fail_on: Severity) -> bool:
        """Test whether there is a diagnostic of severity `fail_on` or higher."""
        counts = (self.errors, self.warnings, self.notes)
        return any(counts[: SEVERITIES.index(fail_on) + 1])
