"""The search for the op that makes the first NaN or infinity."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from stablehlo_py.diagnostics import Diagnostic, RunError
from stablehlo_py.ir.core import Operation, Value
from stablehlo_py.observer import Moment, Observer
from stablehlo_py.opset.definition import lookup
from stablehlo_py.origin import origin
from stablehlo_py.where import value_name

# Ops that pass on what is made elsewhere: in their regions, in functions, in bits, outside of the program.
PASSING = frozenset(
    {
        "chlo.scan",
        "func.call",
        "shape.assuming",
        "stablehlo.async_done",
        "stablehlo.async_start",
        "stablehlo.bitcast_convert",
        "stablehlo.case",
        "stablehlo.composite",
        "stablehlo.if",
        "stablehlo.infeed",
        "stablehlo.recv",
        "stablehlo.while",
    }
)


class NanCheck(Observer):
    """Ends the run with a RunError at the first op that makes a NaN or an infinity.

    An op makes a NaN if none of its operands is one, and an infinity if all of its operands are finite;
    for elementwise ops this is decided element by element. `checked` counts the ops that made neither.
    """

    def __init__(self) -> None:
        self.checked = 0

    def start(self) -> None:
        self.checked = 0

    def after(self, moment: Moment, operands: tuple[Any, ...], results: tuple[Any, ...]) -> None:
        if moment.op.name in PASSING:
            return
        for value, result in zip(moment.op.results, results, strict=True):
            if _is_float(result) and not np.isfinite(result).all():
                made = _made(moment.op, operands, np.asarray(result))
                if made.any():
                    raise _found(moment, value, operands, np.asarray(result), made)
        self.checked += 1


def _is_float(value: Any) -> bool:
    """Whether a value is an array of floating-point or complex numbers, those of ml_dtypes included."""
    dtype = getattr(value, "dtype", None)
    if dtype is None or dtype.kind in "biu":
        return False
    return dtype.kind in "fc" or "float" in dtype.name


def _made(op: Operation, operands: tuple[Any, ...], result: Any) -> Any:
    """Where a result is a NaN or infinite, and its operands are not the reason."""
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
    definition = lookup(op.name)
    shapes = {np.shape(x) for x in operands} - {()}
    return definition is not None and "elementwise" in definition.traits and shapes <= {result.shape}


def _found(moment: Moment, value: Value, operands: tuple[Any, ...], result: Any, made: Any) -> RunError:
    op, module = moment.op, moment.module
    index = tuple(map(int, np.argwhere(made)[0]))
    count = int(np.count_nonzero(made))
    where = f" at {list(index)}" if index else ""
    rest = f", the first of {count} among {result.size} elements" if count > 1 else ""
    message = f"{value_name(value)} is {result[index]}{where}{rest}"
    notes = [*_operand_notes(op, operands, result, index), *_place_notes(moment)]
    line, column = module.source.position(op.offset) if op.offset >= 0 else (0, 0)
    text = f"{op.name} makes a {'NaN' if np.isnan(result[index]) else 'value that is infinite'}: {message}"
    return RunError(text, Diagnostic("error", "nan", text, line, column, tuple(notes)))


def _operand_notes(
    op: Operation, operands: tuple[Any, ...], result: Any, index: tuple[int, ...]
) -> Iterator[str]:
    """Each operand's element there, or its range where the result depends on several."""
    there = _is_elementwise(op, operands, result)
    for value, operand in zip(op.operands, operands, strict=False):
        if there:
            element = np.asarray(operand)[index if np.shape(operand) else ()]
            yield f"{value_name(value)} is {element}{f' at {list(index)}' if np.shape(operand) else ''}"
        elif np.size(operand) == 1:
            yield f"{value_name(value)} is {np.asarray(operand).reshape(-1)[0]}"
        elif _is_float(operand) and np.asarray(operand).dtype.kind != "c" and np.size(operand):
            least, largest = np.min(operand), np.max(operand)
            yield f"{value_name(value)} : {value.type} has elements from {least} to {largest}"


def _place_notes(moment: Moment) -> Iterator[str]:
    if moment.iterations:
        loops = ", ".join(map(str, moment.iterations))
        nested = " (of nested loops, the outermost first)" if len(moment.iterations) > 1 else ""
        yield f"in iteration {loops} of the loop, counted from 0{nested}"
    if moment.process != (0, 0):
        yield f"on replica {moment.process[0]}, partition {moment.process[1]}"
    yield from origin(moment.op.location)
