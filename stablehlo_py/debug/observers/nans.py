"""NaN check: find the op that produces the first NaN or infinity."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from stablehlo_py.diagnostics.diagnostic import Diagnostic, RunError
from stablehlo_py.diagnostics.origin import origin, python_line
from stablehlo_py.interpreter.observer import Moment, Observer
from stablehlo_py.ir.core import Operation, Value
from stablehlo_py.ir.element_types import element_type_of
from stablehlo_py.opset.definition import has_trait


@dataclass(frozen=True, slots=True)
class Made:
    """The NaN or infinity that an op produced.

    Attributes:
        op: The name of the op.
        value: The name of the result.
        index: The index of the element.
        element: The element.
        count: The number of elements that became NaN or infinite.
        size: The number of elements of the result.
        operands: The elements of the operands at `index`, by name; the range of an operand that does not
            correspond element by element.
        iterations: The iteration of each enclosing loop, from 0, the outermost first.
        process: The replica and partition.
        line: The line of the op in the program.
        origin: The Python source position of the op, or "".
    """

    op: str
    value: str
    index: tuple[int, ...]
    element: float | complex
    count: int
    size: int
    operands: dict[str, Any]
    iterations: tuple[int, ...]
    process: tuple[int, int]
    line: int
    origin: str

    def to_dict(self) -> dict[str, Any]:
        """Convert to plain data."""
        found = {"element": str(self.element)}
        return asdict(self) | found | {"operands": {name: str(x) for name, x in self.operands.items()}}


class NanCheck(Observer):
    """Stops the run with a RunError at the first op that produces a NaN or infinity.

    An op produces a NaN if none of its operands has one, and an infinity if all operands are finite; for
    elementwise ops this is decided per element.

    Attributes:
        found: The NaN or infinity, or None.
        checked: The number of ops that produced neither.
    """

    def __init__(self) -> None:
        self.start()

    def start(self) -> None:
        """Reset the results of the previous run."""
        self.checked = 0
        self.found: Made | None = None

    def after(self, moment: Moment, operands: tuple[Any, ...], results: tuple[Any, ...]) -> None:
        """Check the results of an op; raise RunError for a NaN or infinity."""
        if has_trait(moment.op.name, "received") or has_trait(moment.op.name, "runs_bodies"):
            return
        for value, result in zip(moment.op.results, results, strict=True):
            if _is_float(result) and not np.isfinite(result).all():
                made = _made(moment.op, operands, np.asarray(result))
                if made.any():
                    self.found = _describe(moment, value, operands, np.asarray(result), made)
                    raise _error(moment, self.found)
        self.checked += 1


def _is_float(value: Any) -> bool:
    """Test whether a value is an array of floating-point or complex numbers, including ml_dtypes types."""
    dtype = getattr(value, "dtype", None)
    row = None if dtype is None else element_type_of(dtype)
    return row is not None and row.literal in ("float", "complex")


def _made(op: Operation, operands: tuple[Any, ...], result: Any) -> Any:
    """Mark the elements of a result that became NaN or infinite in this op."""
    given = [np.asarray(x) for x in operands if _is_float(x)]
    if _is_elementwise(op, operands, result):
        unknown = np.zeros((), bool) | sum((np.isnan(x) for x in given), np.zeros((), bool))
        infinite = np.zeros((), bool) | sum((~np.isfinite(x) for x in given), np.zeros((), bool))
    else:
        unknown = np.bool_(any(np.isnan(x).any() for x in given))
        infinite = np.bool_(any(not np.isfinite(x).all() for x in given))
    is_nan = np.isnan(result)
    return (is_nan & ~unknown) | (~is_nan & ~np.isfinite(result) & ~infinite)


def _is_elementwise(op: Operation, operands: tuple[Any, ...], result: Any) -> bool:
    shapes = {np.shape(x) for x in operands} - {()}
    return has_trait(op.name, "elementwise") and shapes <= {result.shape}


def _describe(moment: Moment, value: Value, operands: tuple[Any, ...], result: Any, made: Any) -> Made:
    op = moment.op
    index = tuple(map(int, np.argwhere(made)[0]))
    return Made(
        op=op.name,
        value=str(value),
        index=index,
        element=result[index],
        count=int(np.count_nonzero(made)),
        size=result.size,
        operands=_elements_there(op, operands, result, index),
        iterations=moment.iterations,
        process=moment.process,
        line=moment.module.line(op),
        origin=python_line(op),
    )


def _elements_there(
    op: Operation, operands: tuple[Any, ...], result: Any, index: tuple[int, ...]
) -> dict[str, Any]:
    """Return each operand's element at an index, or its range if the op is not elementwise."""
    there = _is_elementwise(op, operands, result)
    found: dict[str, Any] = {}
    for value, operand in zip(op.operands, map(np.asarray, operands), strict=False):
        if there and operand.ndim:
            found[str(value)] = operand[index]
        elif operand.size == 1:
            found[str(value)] = operand.reshape(-1)[0]
        elif operand.size and _is_float(operand) and operand.dtype.kind != "c":
            found[str(value)] = f"from {np.min(operand)} to {np.max(operand)}"
    return found


def _error(moment: Moment, made: Made) -> RunError:
    where = f" at {list(made.index)}" if made.index else ""
    rest = f" (and {made.count - 1} more of {made.size} elements)" if made.count > 1 else ""
    kind = "a NaN" if np.isnan(made.element) else "an infinity"
    message = f"{made.op} produces {kind}: {made.value} is {made.element}{where}{rest}"
    line, column = moment.module.position(moment.op)
    diagnostic = Diagnostic("error", "nan", message, line, column, tuple(_notes(moment, made)))
    return RunError(message, diagnostic)


def _notes(moment: Moment, made: Made) -> Iterator[str]:
    for name, element in made.operands.items():
        yield f"{name} is {element}"
    if made.iterations:
        nested = " (of nested loops, the outermost first)" if len(made.iterations) > 1 else ""
        yield f"in iteration {', '.join(map(str, made.iterations))} of the loop, counted from 0{nested}"
    if made.process != (0, 0):
        yield "on replica {}, partition {}".format(*made.process)
    yield from origin(moment.op.location)
