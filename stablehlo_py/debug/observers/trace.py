"""Trace: a summary of the results of every op."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from stablehlo_py.diagnostics.arrays import array_summary
from stablehlo_py.diagnostics.origin import python_line
from stablehlo_py.interpreter.observer import Moment, Observer


@dataclass(frozen=True, slots=True)
class TraceRow:
    """The summary of a result of an op.

    Attributes:
        value: The name of the result.
        op: The name of the op.
        type: The type of the result.
        line: The line of the op in the program.
        origin: The Python source position of the op, or "".
        iterations: The iteration of each enclosing loop, from 0, the outermost first.
        process: The replica and partition.
        min: The minimum of the finite elements; None if there are none.
        mean: Their mean, or None.
        max: Their maximum, or None.
        nans: The number of NaNs.
        infinities: The number of infinities.
    """

    value: str
    op: str
    type: str
    line: int
    origin: str
    iterations: tuple[int, ...]
    process: tuple[int, int]
    min: float | int | None
    mean: float | int | None
    max: float | int | None
    nans: int
    infinities: int

    def to_dict(self) -> dict[str, Any]:
        """Convert to plain data."""
        return asdict(self)


class Trace(Observer):
    """Calls a function with a TraceRow for each op result.

    Args:
        emit: The function, such as `rows.append`.
    """

    def __init__(self, emit: Callable[[TraceRow], Any]) -> None:
        self._emit = emit

    def after(self, moment: Moment, operands: tuple[Any, ...], results: tuple[Any, ...]) -> None:
        """Emit a row for each result of an op."""
        op, line = moment.op, moment.module.line(moment.op)
        for value, result in zip(op.results, results, strict=True):
            arrays = isinstance(result, np.ndarray | np.generic)
            numbers: dict[str, Any] = array_summary(result) if arrays else {}
            nans = int(np.count_nonzero(np.isnan(result))) if numbers.get("nonfinite") else 0
            self._emit(
                TraceRow(
                    value=str(value),
                    op=op.name,
                    type=str(value.type),
                    line=line,
                    origin=python_line(op),
                    iterations=moment.iterations,
                    process=moment.process,
                    min=numbers.get("min"),
                    mean=numbers.get("mean"),
                    max=numbers.get("max"),
                    nans=nans,
                    infinities=numbers.get("nonfinite", 0) - nans,
                )
            )
