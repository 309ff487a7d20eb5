"""Conditioning: whether the rounding of its operands explains the error of an op.

A sum whose terms cancel has a large relative error in every order of summation. Operands that differ in the
last place change such a sum by as much, which distinguishes it from a wrong op.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from stablehlo_py.debug.compare.precision import alike, epsilon, is_float, type_of
from stablehlo_py.debug.compare.sources import Results
from stablehlo_py.debug.subprograms import is_deterministic, subprogram
from stablehlo_py.diagnostics.diagnostic import StablehloError
from stablehlo_py.engines.program import compile_program
from stablehlo_py.ir.core import Module, Operation
from stablehlo_py.ir.types import FloatType

FACTOR = 4.0  # the error that is explained, in units of the largest change of a result
TRIALS = 3


class Conditioning:
    """Explains errors of the ops of a program.

    Args:
        module: The program.
    """

    def __init__(self, module: Module) -> None:
        self._module = module
        self._programs: dict[Operation, Any] = {}

    def explains(
        self,
        op: Operation,
        operands: Results,
        mine: Results,
        theirs: Results,
        rounding: FloatType | None = None,
    ) -> bool:
        """Test whether operands that differ in the last place change the results as much as their error.

        Args:
            op: The op.
            operands: Its operands.
            mine: The results.
            theirs: The results of the other run on the same operands.
            rounding: The type of whose last place the operands differ; by default their own.
        """
        given = operands[: len(op.operands)]
        if not any(map(is_float, given)) or not is_deterministic(op):
            return False
        errors = [largest_error(a, b) for a, b in zip(mine, theirs, strict=True)]
        if not all(np.isfinite(error) for error in errors):
            return False
        generator = np.random.default_rng(0)
        try:
            trials = [self._run(op, [nudged(x, generator, rounding) for x in given]) for _ in range(TRIALS)]
        except StablehloError:
            return False
        changes = [max(largest_error(a, trial[i]) for trial in trials) for i, a in enumerate(mine)]
        return all(error <= FACTOR * change for error, change in zip(errors, changes, strict=True))

    def _run(self, op: Operation, operands: list[Any]) -> list[Any]:
        if op not in self._programs:
            part = subprogram(self._module, [op], op.results, list(dict.fromkeys(op.operands)))
            self._programs[op] = part, compile_program(part.module, "main", engine="numpy")
        part, program = self._programs[op]
        values = dict(zip(op.operands, operands, strict=True))
        if any(value not in values for value in part.captured):
            raise StablehloError("the regions of the op capture other values")
        results: list[Any] = program.call([values[value] for value in part.captured])
        return results


def nudged(value: Any, generator: np.random.Generator, rounding: FloatType | None) -> Any:
    """Move elements of an array to a neighbouring number, at random, or keep them."""
    if not is_float(value):
        return value
    array = np.asarray(value)
    if rounding is not None or array.dtype.kind != "f":
        step = epsilon(rounding or type_of(array))
        factors = 1 + generator.choice([-step, 0.0, step], array.shape)
        return (array.astype(np.float64) * factors).astype(array.dtype)
    towards = np.where(generator.integers(0, 2, array.shape) == 0, -np.inf, np.inf).astype(array.dtype)
    return np.nextafter(array, towards)


def largest_error(a: Any, b: Any) -> float:
    """Return the largest difference of elements; infinite if one of them is not a number in both."""
    if not is_float(a) or not is_float(b) or np.shape(a) != np.shape(b):
        return float("inf")
    a, b = alike(np.asarray(a), np.asarray(b))
    with np.errstate(all="ignore"):
        same = (a == b) | (np.isnan(a) & np.isnan(b))
        errors = np.where(same, 0.0, np.abs(np.asarray(a, np.float64) - np.asarray(b, np.float64)))
    return float(np.max(errors, initial=0.0)) if not np.isnan(errors).any() else float("inf")
