"""What every op gave, in short."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from stablehlo_py.diagnostics.origin import python_line
from stablehlo_py.diagnostics.render import array_summary
from stablehlo_py.interpreter.observer import Moment, Observer


@dataclass(frozen=True, slots=True)
class TraceRow:
    """A result of an op: its value's name and type, where it is, and a summary of its elements.

    `min`, `mean` and `max` are of the finite elements, None where there are none or they have no order.
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
        return asdict(self)


class Trace(Observer):
    """Gives a row for each result of each op to a function, as soon as it is there; `rows.append` will do."""

    def __init__(self, emit: Callable[[TraceRow], Any]) -> None:
        self._emit = emit

    def after(self, moment: Moment, operands: tuple[Any, ...], results: tuple[Any, ...]) -> None:
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
