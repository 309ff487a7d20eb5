"""Judge: whether results differ by more than the rounding of other, equivalent ops explains."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from stablehlo_py.debug.compare.conditioning import FACTOR, TRIALS, largest_error, nudged
from stablehlo_py.debug.compare.errors import ValueDifference, value_error
from stablehlo_py.debug.compare.precision import float_types, significand
from stablehlo_py.debug.compare_arrays import Tolerance
from stablehlo_py.diagnostics.diagnostic import RunError
from stablehlo_py.interpreter.entry import entries
from stablehlo_py.ir.core import Module

# Of the largest magnitude, by the bits of the narrowest float type of a program. XLA's own passes change
# results by up to a tenth of this.
_TOLERANCES = ((53, 1e-6), (24, 1e-3), (0, 3e-2))
_LEAST = 1e-8  # the least absolute tolerance of floats
Run = Callable[[Sequence[Any]], list[Any]]


class Judge:
    """Compares results with the results of the program before all passes.

    Args:
        module: The program.
        inputs: Its inputs, in order.
        run: Runs it.
        tolerance: The tolerance of floats relative to the largest magnitude of a result; by default by type.
    """

    def __init__(self, module: Module, inputs: Sequence[Any], run: Run, tolerance: float | None) -> None:
        self._bits = _narrowest(module)
        self._inputs, self._run, self._tolerance = inputs, run, tolerance
        self._expected = run(inputs)
        self._changes: list[float] | None = None

    def differences(self, module: Module, results: Sequence[Any]) -> list[ValueDifference]:
        """Return the results that differ, for integers at all, for floats by more than rounding explains.

        Args:
            module: The program that returned the results.
            results: The results.

        Raises:
            RunError: If the program returns another number of results.
        """
        if len(results) != len(self._expected):
            raise RunError(f"{len(results)} results, expected {len(self._expected)}")
        results = [_typed(mine, theirs) for mine, theirs in zip(results, self._expected, strict=True)]
        rtol = self._tolerance
        if rtol is None:
            bits = min(self._bits, _narrowest(module))
            rtol = next(each for least, each in _TOLERANCES if bits >= least)
        ((where, name),) = entries(module)[:1]
        last = where.functions[name].regions[0].blocks[0].terminator
        assert last is not None
        found = []
        for i, (value, mine, theirs) in enumerate(zip(last.operands, results, self._expected, strict=True)):
            error = value_error(value, mine, theirs, _tolerance(theirs, rtol))
            if not error.ok and not self._is_explained(i, mine, theirs):
                found.append(replace(error, name=f"{i} ({error.name})"))
        return found

    def _is_explained(self, index: int, mine: Any, theirs: Any) -> bool:
        """Test whether inputs that differ in the last place change a result as much as its error."""
        error = largest_error(mine, theirs)
        if not np.isfinite(error):
            return False
        if self._changes is None:
            generator = np.random.default_rng(0)
            trials = [self._run([nudged(x, generator, None) for x in self._inputs]) for _ in range(TRIALS)]
            self._changes = [
                max(map(largest_error, [a] * TRIALS, b))
                for a, *b in zip(self._expected, *trials, strict=True)
            ]
        return error <= FACTOR * self._changes[index] < np.inf


def _typed(given: Any, expected: Any) -> Any:
    """Return an array of a file, which has no name for types such as bf16, with its element type."""
    array, dtype = np.asarray(given), np.asarray(expected).dtype
    return array.view(dtype) if array.dtype.kind == "V" and array.dtype.itemsize == dtype.itemsize else given


def _narrowest(module: Module) -> int:
    return min(map(significand, set(float_types(module.op))), default=53)


def _tolerance(expected: Any, rtol: float) -> Tolerance:
    """Return the tolerance of a result."""
    array = np.asarray(expected)
    if array.dtype.kind in "iub" or "int" in array.dtype.name:
        return Tolerance()
    sizes = np.abs(array.astype(np.complex128))
    return Tolerance(rtol=0.0, atol=max(_LEAST, rtol * float(sizes[np.isfinite(sizes)].max(initial=0.0))))
