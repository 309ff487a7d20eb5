"""Comparison of arrays with expected ones: tolerances, largest errors, histogram of ULP errors."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from stablehlo_py.ir.element_types import ElementType, element_type_of, value_range

Array = np.ndarray[Any, np.dtype[Any]]


@dataclass(frozen=True, slots=True)
class Tolerance:
    """The tolerance of a comparison: `atol + rtol * |expected|`, as in NumPy's `allclose`, or `ulp`.

    Each of `rtol` and `atol` has its default if it is not given. If only `ulp` is given, it alone applies.

    Attributes:
        rtol: The relative tolerance (default: 1e-5, or 4 ULP of a type narrower than f32; 0 for integers).
        atol: The absolute tolerance (default: a tenth of `rtol` times the largest expected magnitude,
            at least 1e-8; 0 for integers).
        ulp: The tolerance in units in the last place.
        floor: The absolute error of floats that is within tolerance in any case; see `error_floor`.
    """

    rtol: float | None = None
    atol: float | None = None
    ulp: int | None = None
    floor: float = 0.0

    def allowed(self, expected: Array, exact: bool) -> Array | None:
        """Return the allowed absolute error of each element; None if only `ulp` applies."""
        given = self.rtol is not None or self.atol is not None
        if self.ulp is not None and not given:
            return None
        sizes = np.abs(_wide(expected))
        rtol, atol = self.rtol, self.atol
        if rtol is None:
            rtol = 0.0 if exact else max(1e-5, 4 * _epsilon(expected.dtype))
        if atol is None:
            largest = float(sizes[np.isfinite(sizes)].max(initial=0.0))
            atol = 0.0 if exact else max(1e-8, rtol / 10 * largest)
        allowed: Array = atol + rtol * sizes
        return allowed

    def rounded(self, epsilon: float) -> Tolerance:
        """Return the tolerance of values that were rounded to a type with another epsilon.

        Args:
            epsilon: The distance from 1 to the next number of the type.
        """
        if self.rtol is not None or self.atol is not None:
            return self
        return Tolerance(rtol=(4 if self.ulp is None else self.ulp) * epsilon, floor=self.floor)


@dataclass(frozen=True, slots=True)
class ArrayComparison:
    """The comparison of two arrays. Errors are maxima over the elements that are finite in both.

    Attributes:
        ok: Whether all elements are within tolerance.
        size: The number of elements.
        wrong: The number of elements out of tolerance.
        max_abs: The largest absolute error.
        max_rel: The largest relative error.
        max_ulp: The largest error in units in the last place.
        index: The index of the worst element.
        actual: The worst element.
        expected: Its expected value.
        histogram: The number of elements by error in ULP: `0`, `1`, `2`, `3-4`, `5-8`, ..., and `not finite`
            if only one of them is finite.
        problem: Why the arrays cannot be compared, or "".
    """

    ok: bool
    size: int = 0
    wrong: int = 0
    max_abs: float = 0.0
    max_rel: float = 0.0
    max_ulp: int = 0
    index: tuple[int, ...] = ()
    actual: str = ""
    expected: str = ""
    histogram: dict[str, int] | None = None
    problem: str = ""

    def to_dict(self) -> dict[str, Any]:
        """Convert to plain data."""
        return asdict(self)


def error_floor(results: Iterable[Any], share: float) -> float:
    """Return a share of the largest magnitude of the floats among results.

    Rounding errors of a gradient that is zero otherwise are small beside the other results, not beside it.
    """
    arrays = [np.asarray(x) for x in results if hasattr(x, "dtype") and x.dtype.kind != "V"]
    sizes = [np.abs(_wide(x)) for x in arrays if not _is_exact(x.dtype)]
    return share * max([float(x[np.isfinite(x)].max(initial=0.0)) for x in sizes], default=0.0)


def compare_arrays(actual: Any, expected: Any, tolerance: Tolerance | None = None) -> ArrayComparison:
    """Compare two arrays. NaNs are equal to each other, as are infinities of the same sign.

    Args:
        actual: The array.
        expected: The expected array, of the same shape and a compatible type.
        tolerance: The tolerance.

    Returns:
        The comparison; if shapes or types do not match, with `problem`.
    """
    actual, expected = np.asarray(actual), np.asarray(expected)
    problem = _problem(actual, expected)
    if problem:
        return ArrayComparison(False, problem=problem)
    with np.errstate(all="ignore"):
        return _compare(actual, expected, tolerance or Tolerance())


def worst_elements(
    actual: Array, expected: Array, count: int
) -> tuple[tuple[tuple[int, ...], str, str], ...]:
    """Return the elements with the largest errors, worst first; elements finite in only one array come first.

    Args:
        actual: The array.
        expected: The expected array, of the same shape and type.
        count: The number of elements.

    Returns:
        The index, the element and the expected element of each; equal elements are left out.
    """
    with np.errstate(all="ignore"):
        same = _same(actual, expected)
        finite = np.isfinite(_wide(actual)) & np.isfinite(_wide(expected))
        sizes = np.abs(_wide(expected))
        errors = np.abs(_wide(actual) - _wide(expected)) / np.where(sizes > 0, sizes, 1.0)
        score = np.where(same, 0.0, np.where(finite, errors, np.inf)).reshape(-1)
    order = np.argsort(-score, kind="stable")[:count]
    places = [tuple(map(int, np.unravel_index(int(i), actual.shape))) for i in order if score[i] > 0]
    return tuple([(place, str(actual[place]), str(expected[place])) for place in places])


def _compare(actual: Array, expected: Array, tolerance: Tolerance) -> ArrayComparison:
    if expected.dtype.kind == "V" or actual.dtype != expected.dtype:
        expected = (
            expected.view(actual.dtype) if expected.dtype.kind == "V" else expected.astype(actual.dtype)
        )
    exact = _is_exact(actual.dtype)
    ulps = _ulps(actual, expected)
    finite = np.isfinite(_wide(actual)) & np.isfinite(_wide(expected))
    errors = ulps.astype(np.float64) if exact else np.abs(_wide(actual) - _wide(expected))
    errors = np.where(finite, errors, 0.0)
    sizes = np.abs(_wide(expected))
    relative = np.where(finite & (errors > 0), errors / np.where(sizes > 0, sizes, 1.0), 0.0)
    allowed = tolerance.allowed(expected, exact)
    within = np.zeros(actual.shape, bool) if allowed is None else errors <= allowed
    if tolerance.ulp is not None:
        within |= ulps <= tolerance.ulp
    if tolerance.floor and not exact:
        within |= errors <= tolerance.floor
    good = (finite & within) | _same(actual, expected)
    worst = _worst(good, errors, relative, finite)
    wrong = int(np.count_nonzero(~good))
    return ArrayComparison(
        ok=not wrong,
        size=actual.size,
        wrong=wrong,
        max_abs=float(errors.max(initial=0.0)),
        max_rel=float(relative.max(initial=0.0)),
        max_ulp=int(np.where(finite, ulps, 0).max(initial=0)),
        index=worst,
        actual=str(actual[worst]) if actual.size else "",
        expected=str(expected[worst]) if actual.size else "",
        histogram=_histogram(ulps, finite, _same(actual, expected)),
    )


def _problem(actual: Array, expected: Array) -> str:
    if actual.shape != expected.shape:
        return f"expected shape {list(expected.shape)}, got {list(actual.shape)}"
    raw = expected.dtype.kind == "V" and expected.dtype.itemsize == actual.dtype.itemsize
    if (
        actual.dtype != expected.dtype
        and not raw
        and not np.can_cast(expected.dtype, actual.dtype, "same_kind")
    ):
        return f"expected elements of type {expected.dtype}, got {actual.dtype}"
    return ""


def _same(actual: Array, expected: Array) -> Array:
    same: Array = (actual == expected) | (np.isnan(_wide(actual)) & np.isnan(_wide(expected)))
    return same


def _wide(array: Array) -> Array:
    """Convert to float64 or complex128, in which errors are computed."""
    return array.astype(np.complex128 if array.dtype.kind == "c" else np.float64)


def _worst(good: Array, errors: Array, relative: Array, finite: Array) -> tuple[int, ...]:
    """Return the index of the worst element: finite in only one array, or of the largest error."""
    if not good.size:
        return ()
    lost = ~good & ~finite
    score = np.where(lost, np.inf, np.where(good, relative * 1e-300, relative))
    score = score if score.any() else errors
    return tuple(map(int, np.unravel_index(int(np.argmax(score)), good.shape)))


def _epsilon(dtype: np.dtype[Any]) -> float:
    format = _row(dtype).format
    return float(np.finfo(dtype).eps) if format is None else 2.0 ** (1 - format.significand)


# Units in the last place -------------------------------------------------------------------------------


def _ulps(actual: Array, expected: Array) -> Array:
    """Return the error of each element in units in the last place; for complex, the larger of both parts."""
    if actual.dtype.kind == "c":
        return np.maximum(_ulps(actual.real, expected.real), _ulps(actual.imag, expected.imag))
    a, b = _ordered(actual), _ordered(expected)
    return np.where(a > b, a - b, b - a)


def _ordered(array: Array) -> Array:
    """Map elements to unsigned integers monotonically, with adjacent values one apart."""
    row = _row(array.dtype)
    if _is_exact(array.dtype):
        signed = value_range(row.type)[0] < 0
        wide = array.astype(np.int64).view(np.uint64) if signed else array.astype(np.uint64)
        return wide ^ np.uint64(1 << 63) if signed else wide
    bits = np.ascontiguousarray(array).view(f"u{array.dtype.itemsize}").reshape(array.shape).astype(np.uint64)
    assert row.format is not None
    if not row.format.signed:
        return bits
    sign_at = row.width - 1
    magnitude, half = bits & np.uint64((1 << sign_at) - 1), np.uint64(1 << sign_at)
    return np.where(bits >> np.uint64(sign_at) & np.uint64(1), half - magnitude, half + magnitude)


def _row(dtype: np.dtype[Any]) -> ElementType:
    row = element_type_of(dtype.newbyteorder("="))
    assert row is not None
    return row


def _is_exact(dtype: np.dtype[Any]) -> bool:
    return _row(dtype).literal in ("boolean", "integer")


def _histogram(ulps: Array, finite: Array, same: Array) -> dict[str, int]:
    """Count elements by their error in units in the last place, in bins of doubling width."""
    found: dict[str, int] = {}
    errors = np.where(same, 0, ulps)[finite | same]
    low, high = 0, 0
    while errors.size:
        inside = errors <= high
        label = str(high) if low == high else f"{low}-{high}"
        found[label] = int(np.count_nonzero(inside))
        errors = errors[~inside]
        low, high = high + 1, max(1, 2 * high)
    lost = int(np.count_nonzero(~(finite | same)))
    return found | ({"not finite": lost} if lost else {})
