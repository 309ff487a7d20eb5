"""What a report shows of a program."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from stablehlo_py.analysis.memory import Timeline
from stablehlo_py.analysis.report import Analysis
from stablehlo_py.diagnostics.diagnostic import Diagnostic, RunError
from stablehlo_py.ir.core import Module
from stablehlo_py.reports.graph import Graph
from stablehlo_py.reports.profile_html import ProfileData


@dataclass(frozen=True)
class Run:
    """A run of a program.

    Attributes:
        profile: Its profile.
        checks: The plain data of the differences of its results from expected ones.
        against: The file of the expected results, or "".
        notes: What was left out of the run.
    """

    profile: ProfileData
    checks: Sequence[Mapping[str, Any]] = ()
    against: str = ""
    notes: Sequence[str] = ()

    @property
    def seconds(self) -> float:
        """The time in ops."""
        return self.profile.warm


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
        memory: The live memory of its entry function.
        graph: Its graph.
        run: A run of it.
        comparison: The plain data of a comparison with another run.
        devices: The plain data of what devices hold and send, of a program with a mesh.
        schedule: The plain data of the memory of a scheduled module of HLO.
    """

    name: str
    text: str
    module: Module | None
    diagnostics: Sequence[Diagnostic]
    first_line: int = 1
    analysis: Analysis | None = None
    memory: Timeline | None = None
    graph: Graph | None = None
    run: Run | None = None
    comparison: Mapping[str, Any] | None = None
    devices: Mapping[str, Any] | None = None
    schedule: Mapping[str, Any] | None = None

    def add(self, *diagnostics: Diagnostic) -> None:
        """Add diagnostics, in the order of the text."""
        found = [*self.diagnostics, *diagnostics]
        self.diagnostics = sorted(found, key=lambda each: (each.line, each.column))

    def add_failure(self, error: RunError) -> None:
        """Add the error of a run as a diagnostic of the code `run`."""
        found = error.diagnostic or Diagnostic("error", "run", str(error), 0, 0)
        self.add(replace(found, code="run"))

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
