"""Errors of arrays: a quick test against a tolerance, and a description of errors above it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from stablehlo_py.debug.compare_arrays import ArrayComparison, Tolerance, compare_arrays, worst_elements
from stablehlo_py.debug.error_map import ErrorMap, error_map
from stablehlo_py.ir.core import Value

Array = np.ndarray[Any, np.dtype[Any]]
_WORST = 5  # elements that are described
_QUICK = 1e-6  # of the largest magnitude: within the default tolerance of f32 and wider types


@dataclass(frozen=True, slots=True)
class ValueDifference:
    """The error of a value: the comparison of one run's array with the other's.

    Attributes:
        name: The name of the value, such as `%3`.
        type: The type of the value.
        comparison: The comparison; None if the arrays are equal bit by bit.
        worst: The worst elements: index, the value in the first run, the value in the second run.
        map: Where the array is wrong; None if it is within tolerance.
    """

    name: str
    type: str
    comparison: ArrayComparison | None
    worst: tuple[tuple[tuple[int, ...], str, str], ...] = ()
    map: ErrorMap | None = None

    @property
    def ok(self) -> bool:
        """Whether the error is within tolerance."""
        return self.comparison is None or self.comparison.ok

    @property
    def size(self) -> float:
        """The size of the error, for ordering: infinite if the arrays cannot be compared."""
        if self.comparison is None:
            return 0.0
        lost = (self.comparison.histogram or {}).get("not finite", 0)
        return float("inf") if self.comparison.problem or lost else self.comparison.max_rel

    def to_dict(self) -> dict[str, Any]:
        """Convert to plain data."""
        found = None if self.comparison is None else self.comparison.to_dict()
        worst = [{"index": list(i), "first": a, "second": b} for i, a, b in self.worst]
        plain = {"name": self.name, "type": self.type, "ok": self.ok, "error": found, "worst": worst}
        return plain | ({"map": self.map.to_dict()} if self.map is not None else {})


def same_bits(a: Any, b: Any) -> bool:
    """Test whether two values are equal bit by bit: arrays, tuples of them, or tokens."""
    if a is b:
        return True
    if isinstance(a, tuple) and isinstance(b, tuple):
        return len(a) == len(b) and all(map(same_bits, a, b))
    if not (isinstance(a, np.ndarray | np.generic) and isinstance(b, np.ndarray | np.generic)):
        return a is None and b is None
    if a.dtype != b.dtype or a.shape != b.shape:
        return False
    if a.dtype.kind in "biu":
        return bool(np.array_equal(a, b))
    return bool(np.array_equal(_bits(a), _bits(b)))


def _bits(array: Any) -> Array:
    """Return the elements as unsigned integers; of a strided array, without a copy where possible."""
    array = np.asarray(array)
    if array.dtype.kind == "c":
        return np.stack([_bits(array.real), _bits(array.imag)])
    bits: Array = np.atleast_1d(array).view(f"u{array.dtype.itemsize}")
    return bits


def is_small(a: Array, b: Array) -> bool:
    """Test whether an error is certainly within the default tolerance, without a detailed comparison."""
    if a.dtype not in (np.float32, np.float64) or a.dtype != b.dtype or a.shape != b.shape or not a.size:
        return False
    with np.errstate(all="ignore"):
        limit = _QUICK * np.max(np.abs(b))
        return bool(np.max(np.abs(a - b)) <= limit < np.inf)  # an infinite one would allow any error


def value_error(value: Value, mine: Any, theirs: Any, tolerance: Tolerance) -> ValueDifference:
    """Compare the arrays of a value.

    Args:
        value: The value.
        mine: Its array in the first run.
        theirs: Its array in the second run.
        tolerance: The tolerance.
    """
    if same_bits(mine, theirs):
        return ValueDifference(str(value), str(value.type), None)
    comparison = compare_arrays(mine, theirs, tolerance)
    worst = () if comparison.problem else worst_elements(np.asarray(mine), np.asarray(theirs), _WORST)
    wrong_at = None if comparison.ok or comparison.problem else error_map(mine, theirs)
    return ValueDifference(str(value), str(value.type), comparison, worst, wrong_at)
