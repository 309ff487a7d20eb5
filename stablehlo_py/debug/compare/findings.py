"""What a comparison finds: ops with errors of their own, the cause first."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from stablehlo_py.debug.compare.errors import ValueDifference
from stablehlo_py.diagnostics.diagnostic import StablehloError
from stablehlo_py.ir.printing import html_of


@dataclass(frozen=True, slots=True)
class OpDifference:
    """An op whose results differ on equal operands: the error is its own, not inherited.

    Attributes:
        op: The name of the op.
        line: Its line in the first program.
        column: Its column.
        text: That line of the program.
        other_line: The line of its counterpart in the second program; 0 if there is none.
        other_text: That line.
        origin: The source position that the location of the op names, and its callers.
        iterations: The iteration of each enclosing loop, from 0, the outermost first.
        process: The replica and partition.
        details: How the two ops differ, such as an attribute.
        ok: Whether the error is within tolerance.
        results: The errors of the results on equal operands.
        operands: The accumulated errors of the operands, up to this op.
        accumulated: The accumulated errors of the results.
    """

    op: str
    line: int
    column: int
    text: str
    other_line: int
    other_text: str
    origin: tuple[str, ...]
    iterations: tuple[int, ...]
    process: tuple[int, int]
    details: tuple[str, ...]
    ok: bool
    results: tuple[ValueDifference, ...]
    operands: tuple[ValueDifference, ...] = ()
    accumulated: tuple[ValueDifference, ...] = ()

    @property
    def size(self) -> float:
        """The size of the error, for ordering."""
        return max([value.size for value in self.results], default=0.0)

    def to_dict(self) -> dict[str, Any]:
        """Convert to plain data."""
        plain = ("op", "line", "column", "text", "other_line", "other_text", "ok")
        lists = ("origin", "iterations", "process", "details")
        values = ("results", "operands", "accumulated")
        return (
            {name: getattr(self, name) for name in plain}
            | {name: list(getattr(self, name)) for name in lists}
            | {name: [value.to_dict() for value in getattr(self, name)] for name in values}
        )


@dataclass(slots=True)
class Comparison:
    """The comparison of two runs.

    Attributes:
        first: The first op whose error is not explained by the errors of its operands, or None.
        others: The other ops with errors of their own, the largest first.
        results: The errors of the program's results, where they were compared.
        ops: The number of executions of ops whose results were compared.
        unmatched: The number of executions of ops without a counterpart.
        unmatched_lines: The lines of these ops.
        other_unmatched_lines: The lines of the ops of the second program without a counterpart.
        changes: The differences in the text of matched ops, if no error was found.
        error: Why the second run failed, or None.
        notes: Remarks on the comparison.
    """

    first: OpDifference | None = None
    others: list[OpDifference] = field(default_factory=list)
    results: list[ValueDifference] = field(default_factory=list)
    ops: int = 0
    unmatched: int = 0
    unmatched_lines: list[int] = field(default_factory=list)
    other_unmatched_lines: list[int] = field(default_factory=list)
    changes: list[str] = field(default_factory=list)
    error: StablehloError | None = None
    notes: list[str] = field(default_factory=list)

    @property
    def covers(self) -> bool:
        """Whether an op, or a result of the program, was compared."""
        return bool(self.ops or self.results)

    @property
    def ok(self) -> bool:
        """Whether no op and no result is out of tolerance, both runs succeed, and something was compared."""
        small = self.first is None or self.first.ok
        return small and self.covers and self.error is None and all(value.ok for value in self.results)

    def _repr_html_(self) -> str:
        return html_of(self)

    def to_dict(self) -> dict[str, Any]:
        """Convert to plain data."""
        return {
            "ok": self.ok,
            "first": None if self.first is None else self.first.to_dict(),
            "others": [found.to_dict() for found in self.others],
            "results": [value.to_dict() for value in self.results],
            "ops": self.ops,
            "unmatched": self.unmatched,
            "unmatched_lines": self.unmatched_lines,
            "other_unmatched_lines": self.other_unmatched_lines,
            "changes": self.changes,
            "error": None if self.error is None else str(self.error),
            "notes": self.notes,
        }
