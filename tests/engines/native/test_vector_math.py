"""Vector math: functions of the IR against wider arithmetic, at special values and random bits."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import pytest

pytest.importorskip("llvmlite", reason="needs the extra native")

from stablehlo_py.engines.native.arithmetic import special_functions, vector_math
from stablehlo_py.engines.native.arithmetic.llvm_ir import Builder
from stablehlo_py.engines.native.jit import object_code
from stablehlo_py.engines.native.library import Library, new_sync

DRAWN = 20_000


def module(name: str, type: str, fast: bool) -> str:
    """A module whose `apply` applies a function to the elements behind its first pointer."""
    declarations: dict[str, str] = {}
    b = Builder(declarations)
    source, target = b.value("%args", "ptr"), b.value("%scratch", "ptr")
    flag = b.alloca("i8")
    b.store(b.constant(0, "i8"), flag, b.constant(0, "i64"))
    if fast:
        b.broken = flag
    count = b.load("i64", b.value("%sync", "ptr"), b.constant(0, "i64"))
    with b.loop(b.constant(0, "i64"), count) as i:
        function = getattr(vector_math, name, None) or getattr(special_functions, name)
        b.store(function(b.load(type, source, i)), target, i)
    failed = b.load("i8", flag, b.constant(0, "i64")).convert("zext", "i64")
    b.store(failed, b.value("%sync", "ptr"), b.constant(1, "i64"))
    parameters = "ptr noalias %args, ptr noalias %scratch, ptr %sync"
    head = f"define void @apply({parameters}) nounwind {{"
    return "\n".join([*declarations.values(), head, "entry:", *b.allocas, *b.lines, "  ret void", "}"])


@cache
def compiled(name: str, type: str, fast: bool) -> Library:
    return Library([object_code(module(name, type, fast))])


def apply(name: str, x: np.ndarray, fast: bool = False) -> tuple[np.ndarray, bool]:
    """What the IR's function gives, and whether an assumption of the fast path failed."""
    found = np.empty_like(x)
    sync = new_sync()
    sync[0] = x.size
    type = "float" if x.dtype == np.float32 else "double"
    run = ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * 3)(compiled(name, type, fast).address("apply"))
    run(x.ctypes.data, found.ctypes.data, sync.ctypes.data)
    return found, bool(sync[1])


def inputs(dtype: Any) -> np.ndarray:
    """Numbers about 0 and 1, special ones, and random bits."""
    rng, info = np.random.default_rng(5), np.finfo(dtype)
    word = np.uint32 if dtype == np.float32 else np.uint64
    bits = rng.integers(0, np.iinfo(word).max, DRAWN, dtype=word, endpoint=True).view(dtype)
    special = [0.0, -0.0, np.inf, -np.inf, np.nan, 1, -1, info.max, -info.max, info.tiny, -info.tiny]
    special += [info.smallest_subnormal, 1 - info.epsneg, 1 + info.eps, -1 + info.epsneg, 0.5, 0.625, 0.25]
    special += [88.72, 88.73, -87.3, -103.9, -104.5, 709.7, 710.0, -745.0, -746.0, 18.0, 9.1, 22.0]
    near = [rng.normal(size=DRAWN), rng.normal(size=DRAWN) * 20, rng.uniform(-1, 1, DRAWN) * 1e-3]
    return np.concatenate([np.array(special, dtype), bits, *[x.astype(dtype) for x in near]])


def ulps(found: np.ndarray, expected: np.ndarray) -> np.ndarray:
    """How far results are from exact ones, in units of their last place; NaN equals NaN."""
    info = np.finfo(found.dtype)
    rounded = expected.astype(found.dtype)
    exponent = np.frexp(np.maximum(np.abs(rounded), info.tiny))[1] - 1
    unit = np.ldexp(found.dtype.type(info.eps), np.where(np.isfinite(rounded), exponent, 0))
    apart = np.abs(found.astype(expected.dtype) - expected) / unit
    same = (found == rounded) | (np.isnan(found) & np.isnan(rounded))
    return np.where(
        same, np.minimum(np.nan_to_num(apart, nan=0.0, posinf=0.0), 0.5), np.nan_to_num(apart, nan=np.inf)
    )


def logistic(x: np.ndarray) -> np.ndarray:
    return 1 / (1 + np.exp(-x))


# In ULPs of f32 and f64, beside the bounds of the differential tests.
EXACT: dict[str, tuple[Callable[[np.ndarray], np.ndarray], float, float]] = {
    "exp": (np.exp, 2, 2),
    "expm1": (np.expm1, 2, 2),
    "log": (np.log, 2, 2),
    "log1p": (np.log1p, 3, 3),
    "tanh": (np.tanh, 4, 3),
    "logistic": (logistic, 3, 3),
    "sin": (np.sin, 2, 2),
    "cos": (np.cos, 2, 2),
    "tan": (np.tan, 4, 2),
    "cosh": (np.cosh, 66, 514),  # exponents are rounded: 2**-18 at 88, 2**-44 at 709, of at most two
    "sinh": (np.sinh, 66, 514),
}


@pytest.mark.parametrize("fast", [False, True])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("name", EXACT)
def test_accuracy(name: str, dtype: Any, fast: bool) -> None:
    function, single, double = EXACT[name]
    x = inputs(dtype)
    if fast and name in ("sin", "cos", "tan"):
        x = x[np.abs(x) < 1e5]
    with np.errstate(all="ignore"):
        expected = function(x.astype(np.float64 if dtype == np.float32 else np.longdouble))
        found, failed = apply(name, x, fast)
        apart = ulps(found, expected)
    worst = int(np.argmax(apart))
    bound = single if dtype == np.float32 else double
    assert apart[worst] <= bound, (x[worst], found[worst], expected[worst])
    zero = (found == 0) & (x == 0)
    assert np.array_equal(np.signbit(found[zero]), np.signbit(expected[zero]))
    assert not failed


def test_a_large_angle_breaks_the_assumption_of_the_fast_path() -> None:
    assert apply("sin", np.array([1e6], np.float32), fast=True)[1]
    assert not apply("sin", np.array([1e6], np.float32), fast=False)[1]


def test_angles_of_any_size() -> None:
    """Against 60 digits, where f64 has none left."""
    mpmath = pytest.importorskip("mpmath", reason="needs the extra oracle")
    rng = np.random.default_rng(9)
    x = np.ldexp(rng.uniform(1, 2, 300), rng.integers(17, 128, 300)).astype(np.float32)
    with mpmath.workdps(60):
        for name in ("sin", "cos"):
            expected = np.array([float(getattr(mpmath, name)(mpmath.mpf(float(v)))) for v in x])
            assert ulps(apply(name, x)[0], expected).max() <= 2


def test_erf() -> None:
    special = pytest.importorskip("scipy.special", reason="needs the extra scipy")
    x = inputs(np.float32)
    with np.errstate(all="ignore"):
        assert ulps(apply("erf", x)[0], special.erf(x.astype(np.float64))).max() <= 3
        inside = x[np.abs(x) < 1]
        found, expected = apply("erf_inv", inside)[0], special.erfinv(inside.astype(np.float64))
        assert ulps(found, expected).max() <= 8
    ends = np.array([1, -1, 2, np.nan], np.float32)
    np.testing.assert_array_equal(apply("erf_inv", ends)[0], [np.inf, -np.inf, np.nan, np.nan])
