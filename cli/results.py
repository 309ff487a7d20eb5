"""What a command found in the files that it was given: data that passes between processes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from stablehlo_py import Diagnostic


@dataclass(slots=True)
class ModuleResult:
    """What was found in one module, and how much of it there is (0 where it cannot be read)."""

    first_line: int = 1
    diagnostics: list[Diagnostic] = field(default_factory=list)
    functions: int = 0
    ops: int = 0
    seconds: float = 0.0


@dataclass(slots=True)
class FileResult:
    """What was found in one file; `lines` are the lines that diagnostics are about, by number."""

    file: str
    modules: list[ModuleResult]
    lines: dict[int, str] = field(default_factory=dict)

    @property
    def diagnostics(self) -> Iterator[Diagnostic]:
        return (diagnostic for module in self.modules for diagnostic in module.diagnostics)

    def count(self, severity: str) -> int:
        """How many diagnostics are of a severity."""
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
    seconds: float = 0.0  # from the start to the end, whatever the number of processes

    def add(self, result: FileResult) -> None:
        self.files += 1
        self.modules += len(result.modules)
        self.functions += sum(module.functions for module in result.modules)
        self.ops += sum(module.ops for module in result.modules)
        self.errors += result.count("error")
        self.warnings += result.count("warning")
