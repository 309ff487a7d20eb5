"""Kernels of the `check` dialect: assertions on results; a failed one raises RunError."""

from __future__ import annotations

from typing import Any

import numpy as np

from stablehlo_py.diagnostics.diagnostic import RunError
from stablehlo_py.kernels.grid.process import current
from stablehlo_py.kernels.numeric import numerics as n
from stablehlo_py.kernels.registry import Array, kernel
from stablehlo_py.kernels.targets.registry import custom_call

TOLERANCE = 1e-3
EQ_TOLERANCE = 1e-4  # absolute, of the custom call check.eq on floats


@kernel("check.expect_eq")
def expect_eq(lhs: Array, rhs: Array) -> tuple[()]:
    """Assert that elements are equal; NaN equals NaN (check.expect_eq)."""
    return _require(_same(lhs, rhs), lhs, rhs, "are not equal")


@kernel("check.expect_eq_const")
def expect_eq_const(lhs: Array, *, value: Array) -> tuple[()]:
    """Assert that elements equal a constant (check.expect_eq_const)."""
    return expect_eq(lhs, value)  # type: ignore[no-any-return]


@kernel("check.expect_almost_eq")
def expect_almost_eq(lhs: Array, rhs: Array, *, tolerance: float | None = TOLERANCE) -> tuple[()]:
    """Assert that elements differ by at most an absolute tolerance (check.expect_almost_eq)."""
    limit = TOLERANCE if tolerance is None else tolerance
    near = _each_part(lhs, rhs, lambda a, b: np.abs(_number(a) - _number(b)) <= limit)
    return _require(near | _same(lhs, rhs), lhs, rhs, f"differ by more than {limit}")


@kernel("check.expect_almost_eq_const")
def expect_almost_eq_const(lhs: Array, *, value: Array, tolerance: float | None = TOLERANCE) -> tuple[()]:
    """Assert that elements are within a tolerance of a constant (check.expect_almost_eq_const)."""
    return expect_almost_eq(lhs, value, tolerance=tolerance)  # type: ignore[no-any-return]


@kernel("check.expect_close")
def expect_close(
    actual: Array, expected: Array, *, max_ulp_difference: int = 3, min_ulp_difference: int = 0
) -> tuple[()]:
    """Assert bounds on the largest distance between elements, in ULPs (check.expect_close)."""
    far = _each_part(actual, expected, lambda a, b: ulp_distance(a, b) <= max_ulp_difference)
    limits = f"are more than {max_ulp_difference} ULPs apart"
    _require(far | _same(actual, expected), actual, expected, limits)
    if min_ulp_difference:
        furthest = _each_part(actual, expected, lambda a, b: ulp_distance(a, b) >= min_ulp_difference)
        if not furthest.any():
            raise RunError(f"no elements are {min_ulp_difference} ULPs apart or more")
    return ()


@kernel("check.expect_serialized_eq")
def expect_serialized_eq(expected: Array, *, probe_id: str, iter: int = 0) -> tuple[()]:
    """Assert that an iteration of a probe recorded these elements (check.expect_serialized_eq)."""
    seen = current().grid.probes[probe_id]
    if iter >= len(seen):
        raise RunError(f"probe {probe_id} ran {len(seen)} times; iteration {iter} does not exist")
    return expect_eq(seen[iter], expected)  # type: ignore[no-any-return]


def ulp_distance(a: Array, b: Array) -> Array:
    """Return the distance between elements, in units in the last place.

    Args:
        a: Floating-point elements.
        b: Elements of the same type and shape.

    Returns:
        uint64 array of the number of steps between neighboring floats; the largest uint64 where one is NaN.
    """
    x, y = _position(a), _position(b)
    distance = np.where(x > y, x - y, y - x).view(np.uint64)
    far = np.isnan(_number(a)) | np.isnan(_number(b))
    return np.where(far, np.uint64(2**64 - 1), distance)


def _position(x: Array) -> Array:
    """Return the signed index of each float among the floats of its type, as int64; both zeros are 0."""
    word = n.unsigned(x.dtype)
    width = n.bits(x.dtype)
    pattern = x.view(word).astype(np.uint64)
    size = (pattern & np.uint64((1 << width - 1) - 1)).view(np.int64)
    return np.where((pattern >> np.uint64(width - 1)) & np.uint64(1), -size, size)


def _number(x: Array) -> Array:
    return x.astype(np.float64)


def _each_part(a: Array, b: Array, test: Any) -> Array:
    """Apply `test` to elements, or to the real and imaginary parts of complex ones."""
    _require_same_shape(a, b)
    if a.dtype.kind == "c":
        return np.asarray(test(a.real, b.real) & test(a.imag, b.imag))
    return np.asarray(test(a, b))


def _same(a: Array, b: Array) -> Array:
    """True where elements are equal; NaN equals NaN."""
    _require_same_shape(a, b)
    if a.dtype.kind == "c":
        return np.asarray(_same(a.real, b.real) & _same(a.imag, b.imag))
    if n.dtype_kind(a.dtype) != "f":
        return np.asarray(a == b)
    x, y = a.astype(n.wide(a.dtype)), b.astype(n.wide(b.dtype))
    return np.asarray((x == y) | (np.isnan(x) & np.isnan(y)))


def _require_same_shape(a: Array, b: Array) -> None:
    if a.shape != b.shape:
        raise RunError(f"shapes differ: {list(a.shape)} and {list(b.shape)}")


def _require(holds: Array, actual: Array, expected: Array, claim: str) -> tuple[()]:
    """Raise RunError, which shows the first failing elements, unless all elements hold."""
    if holds.all():
        return ()
    failing = np.argwhere(~holds)
    first = tuple(failing[0].tolist())
    raise RunError(
        f"{len(failing)} of {holds.size} elements {claim}; the first at {list(first)}: "
        f"{actual[first]}, expected {expected[first]}"
    )


# The same assertions as custom calls, as in programs exported by JAX

_PAIR = "X, X ->"


@custom_call("check.expect_eq", on_host=True, signature=_PAIR)
def call_expect_eq(actual: Array, expected: Array) -> tuple[()]:
    """Custom call check.expect_eq: assert that elements are equal."""
    return expect_eq(actual, expected)  # type: ignore[no-any-return]


@custom_call("check.eq", on_host=True, signature=_PAIR + " i1[]")
def call_eq(expected: Array, actual: Array) -> Array:
    """Custom call check.eq: assert that integers are equal, and floats within EQ_TOLERANCE."""
    exact = n.dtype_kind(expected.dtype) not in "fc"
    expect_eq(actual, expected) if exact else expect_almost_eq(actual, expected, tolerance=EQ_TOLERANCE)
    return np.array(True)


@custom_call("check.expect_almost_eq", on_host=True, signature=_PAIR)
def call_expect_almost_eq(actual: Array, expected: Array, *, tolerance: float = TOLERANCE) -> tuple[()]:
    """Custom call check.expect_almost_eq: assert that elements differ by at most an absolute tolerance."""
    return expect_almost_eq(actual, expected, tolerance=tolerance)  # type: ignore[no-any-return]


@custom_call("check.expect_close", on_host=True, signature=_PAIR)
def call_expect_close(
    actual: Array, expected: Array, *, max_ulp_difference: int = 3, min_ulp_difference: int = 0
) -> tuple[()]:
    """Custom call check.expect_close: assert bounds on the largest distance between elements, in ULPs."""
    return expect_close(  # type: ignore[no-any-return]
        actual, expected, max_ulp_difference=max_ulp_difference, min_ulp_difference=min_ulp_difference
    )
