"""What a shadow run finds: a row for each op, the parts of name scopes, and what was not shadowed."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, fields, is_dataclass
from typing import Any

from stablehlo_py.ir.core import Operation
from stablehlo_py.ir.element_types import FLOATS
from stablehlo_py.rounding.measures import Measures
from stablehlo_py.rounding.parts import BEYOND

_LOST = 0.1  # the relative error of results without a digit
_GROWTH = 1e3  # the least growth of errors that no op explains


@dataclass(slots=True)
class ShadowRow:
    """The rounding errors of an op, of its execution with the largest error.

    Norms of arrays are root mean squares, and errors are relative to the result of the wide program.

    Attributes:
        operation: The op.
        op: The name of the op.
        value: The name of the result.
        type: The element type of the result.
        line: The line in the program.
        source: The Python source position, or "".
        scope: The name in the location, such as `jit(f)/layer_0/dot_general`, or "".
        error: The error of the result.
        introduced: The error that the op makes on the operands of the program.
        carried: The error that the wide op has on the operands of the program.
        amplification: `carried` relative to the largest error of an operand; 0 without one.
        cancelled: The bits by which the largest term of a sum, difference or product exceeds the result.
        largest: The largest error of an element, relative to it.
        overflow: The number of elements that are infinite or NaN where the wide op on these operands is not.
        underflow: The number of elements below the smallest normal number of the type.
        flushed: The number of these that became zero.
        iterations: The iterations of the enclosing loops in which the error is largest, the outermost first.
        executions: The number of executions.
        contribution: How much of the results' error goes away if the op alone introduces none; less than 0
            if its errors make up for others.
        diverged: The number of elements of discrete results for which the wide program has others.
        map: What the run was asked to make of the result and the wide one, such as a map of errors; or None.
    """

    operation: Operation
    op: str
    value: str
    type: str
    line: int
    source: str
    scope: str
    error: float = 0.0
    introduced: float = 0.0
    carried: float = 0.0
    amplification: float = 0.0
    cancelled: float = 0.0
    largest: float = 0.0
    overflow: int = 0
    underflow: int = 0
    flushed: int = 0
    iterations: tuple[int, ...] = ()
    executions: int = 0
    contribution: float = 0.0
    diverged: int = 0
    map: Any = None

    @property
    def ulp(self) -> float:
        """The error in units in the last place of 1 of the type."""
        return self.error / 2.0 ** (1 - FLOATS[self.type].significand) if self.type in FLOATS else 0.0

    @property
    def digits(self) -> float:
        """The significant decimal digits of the result, at most those of the type."""
        most = FLOATS[self.type].significand * math.log10(2) if self.type in FLOATS else math.inf
        return min(most, max(0.0, -math.log10(self.error))) if self.error else most

    def adds(self, found: Measures) -> bool:
        """Count an execution; return whether it has the largest error."""
        self.executions += 1
        self.overflow += found.overflow
        self.underflow += found.underflow
        self.flushed += found.flushed
        return found.error > self.error or (found.error == self.error and self.executions == 1)

    def put(self, found: Measures, operand: float, cancelled: float, iterations: tuple[int, ...]) -> None:
        """Put the measures of an execution, with the largest error of an operand."""
        self.error, self.introduced, self.carried = found.error, found.introduced, found.carried
        self.amplification = found.carried / operand if operand else 0.0
        self.cancelled, self.largest, self.iterations = cancelled, found.largest, iterations

    def to_dict(self) -> dict[str, Any]:
        """Convert to plain data; infinities are strings."""
        hidden = ("operation", "map")
        names = [each.name for each in fields(self) if each.name not in hidden]
        return {name: plain(getattr(self, name)) for name in (*names, "ulp", "digits")}


@dataclass(slots=True)
class Shadow:
    """The rounding errors of a run.

    Attributes:
        wide: The name of the wide type, or "random": errors are then the standard deviations of runs whose
            ops round up or down at random.
        rows: The rows, by contribution to the results.
        parts: How much of the results' error goes away if the ops of a name scope introduce none.
        errors: The error of each result; None of one that is not of floats.
        results: The results of the program.
        unshadowed: The number of ops that ran as they are, by reason and name of the op.
        predicted: The largest error of a result that the parts of the ops make together.
    """

    wide: str
    rows: list[ShadowRow] = field(default_factory=list)
    parts: dict[str, float] = field(default_factory=dict)
    errors: list[float | None] = field(default_factory=list)
    results: list[Any] = field(default_factory=list)
    unshadowed: dict[tuple[str, str], int] = field(default_factory=dict)
    predicted: float = 0.0

    @property
    def is_chaotic(self) -> bool:
        """Whether errors grow over many ops until nothing of the results is left.

        No op explains such an error: contributions grow beyond it, or no op amplifies by half of the decades
        by which the result's error exceeds those that ops introduce.
        """
        if not _LOST <= self._largest < math.inf:
            return False
        own = max((row.introduced for row in self.rows), default=0.0)
        steepest = max((row.amplification for row in self.rows), default=0.0)
        grows = own > 0 and self._largest / own > max(_GROWTH, steepest**2)
        return grows or self.predicted > BEYOND * self._largest

    @property
    def _largest(self) -> float:
        return max([error for error in self.errors if error is not None], default=0.0)

    @property
    def warning(self) -> str:
        """One line on a chaotic program, or ""."""
        if not self.is_chaotic:
            return ""
        found = "the program is chaotic: errors grow over many ops until no digit of the results is left"
        return f"{found}; contributions of single ops are no predictions"

    @property
    def diverged(self) -> list[ShadowRow]:
        """The rows of ops whose discrete results are others in the wide program."""
        return [row for row in self.rows if row.diverged]

    def scopes(self) -> list[tuple[str, float]]:
        """Return the contribution of each name scope to the results, the largest first."""
        return sorted(self.parts.items(), key=lambda item: -item[1])

    @property
    def note(self) -> str:
        """One line on what was not shadowed, or ""."""
        if not self.unshadowed:
            return ""
        reasons: dict[str, list[str]] = {}
        for (reason, name), count in self.unshadowed.items():
            reasons.setdefault(reason, []).append(f"{name} ({count})" if count > 1 else name)
        return "not shadowed: " + "; ".join(f"{reason}: {', '.join(x)}" for reason, x in reasons.items())

    def to_dict(self) -> dict[str, Any]:
        """Convert to plain data."""
        return {
            "wide": self.wide,
            "errors": plain(self.errors),
            "ops": [row.to_dict() for row in self.rows],
            "scopes": [{"scope": name, "contribution": part} for name, part in self.scopes()],
            "note": self.note,
            "chaotic": self.is_chaotic,
        }


def plain(value: Any) -> Any:
    """Return a value as JSON has it: records as objects, infinite numbers as strings."""
    if isinstance(value, list):
        return [*map(plain, value)]
    if isinstance(value, float):
        return value if math.isfinite(value) else str(value)
    return asdict(value) if is_dataclass(value) and not isinstance(value, type) else value


def by_contribution(rows: Sequence[ShadowRow]) -> list[ShadowRow]:
    """Return rows with the largest contributions first; of equal ones, those with the largest own errors."""
    return sorted(rows, key=lambda row: (-row.contribution, -row.introduced, -row.error, row.line))
