"""Judge: whether results differ by more than the rounding of other, equivalent ops explains."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from stablehlo_py.debug.compare.conditioning import FACTOR, TRIALS, largest_error, nudged
from stablehlo_py.debug.compare.errors import ValueDifference, value_error
from stablehlo_py.debug.compare.precision import computed_types, significand, types_among
from stablehlo_py.debug.compare_arrays import Tolerance
from stablehlo_py.diagnostics.diagnostic import RunError
from stablehlo_py.interpreter.entry import entries
from stablehlo_py.ir.core import Block, Module, Operation, Value
from stablehlo_py.ir.types import FloatType
from stablehlo_py.opset.calls import callee
from stablehlo_py.opset.definition import lookup

# Of the largest magnitude, by the bits of the narrowest float type that a result depends on. XLA's own passes
# change results by up to a tenth of this.
_TOLERANCES = ((53, 1e-6), (24, 1e-3), (0, 3e-2))
_WIDEST = _TOLERANCES[0][0]  # bits of f64
# Products of matrices may be computed in narrower types than a program states, as `precision` and `algorithm`
# of a dot say, but in no type narrower than bf16.
_PRODUCTS = ("contraction", "ragged_contraction", "convolution")
_NARROWEST_PRODUCT = 8  # bits of bf16
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
        self._bits = _by_result(module, computed_types)
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
        bits = map(min, self._bits, _by_result(module, _product_types))
        tolerances = [next(each for least, each in _TOLERANCES if n >= least) for n in bits]
        if self._tolerance is not None:
            tolerances = [self._tolerance] * len(results)
        values = _results(module)
        found = []
        for i, (value, mine, theirs) in enumerate(zip(values, results, self._expected, strict=True)):
            error = value_error(value, mine, theirs, _tolerance(theirs, tolerances[i]))
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


def _results(module: Module) -> Sequence[Value]:
    """Return the values that the main function of a module returns."""
    last = _main(module).terminator
    assert last is not None
    return last.operands


def _main(module: Module) -> Block:
    ((where, name),) = entries(module)[:1]
    return where.functions[name].entry_block


def _by_result(module: Module, types: Callable[[Operation], Iterable[FloatType]]) -> list[int]:
    """Return for each result the bits of the narrowest type among those that it depends on.

    Args:
        module: The program.
        types: Returns the types of an op that count.
    """
    block = _main(module)
    functions: dict[str, int] = {}

    def least(op: Operation) -> int:
        """Return the bits of an op, with what it contains and calls."""
        found = _WIDEST
        for each in op.walk():
            found = min([found, *map(significand, types(each))])
            name = callee(each)
            if name is not None and name not in functions:
                functions[name] = _WIDEST  # of a function that calls itself, what is known
                functions[name] = least(module.functions[name])
            found = min(found, functions.get(name or "", _WIDEST))
        return found

    known: dict[Value, int] = {
        value: min([_WIDEST, *map(significand, types_among([value]))]) for value in block.arguments
    }
    for op in block.ops:
        taken = [known.get(value, _WIDEST) for each in op.walk() for value in each.operands]
        known.update(dict.fromkeys(op.results, min([least(op), *taken])))
    return [known[value] for value in _results(module)]


def _product_types(op: Operation) -> list[FloatType]:
    """Return the float types of a product's operands; none for other ops."""
    definition = lookup(op.name)
    is_product = definition is not None and definition.cost.work in _PRODUCTS
    found = types_among(op.operands) if is_product else ()
    return [each for each in found if significand(each) >= _NARROWEST_PRODUCT]


def _tolerance(expected: Any, rtol: float) -> Tolerance:
    """Return the tolerance of a result."""
    array = np.asarray(expected)
    if array.dtype.kind in "iub" or "int" in array.dtype.name:
        return Tolerance()
    sizes = np.abs(array.astype(np.complex128))
    return Tolerance(rtol=0.0, atol=max(_LEAST, rtol * float(sizes[np.isfinite(sizes)].max(initial=0.0))))
