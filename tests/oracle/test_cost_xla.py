"""Counts of operations compared with XLA's cost analysis."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import stablehlo_py as shlo

pytest.importorskip("jaxlib")
jax = pytest.importorskip("jax")
jnp, lax = jax.numpy, jax.lax

X = np.ones((4, 6), np.float32)
IMAGE, KERNEL = np.ones((2, 9, 8, 4), np.float32), np.ones((3, 3, 4, 6), np.float32)
DIMENSIONS = ("NHWC", "HWIO", "NHWC")


def conv(x: Any, k: Any, **options: Any) -> Any:
    return lax.conv_general_dilated(
        x, k, options.pop("strides", (1, 1)), dimension_numbers=DIMENSIONS, **options
    )


PROGRAMS: dict[str, tuple[Any, ...]] = {
    "matmul": (lambda x: lax.dot(x, x.T), X),
    "batched": (lambda x: jnp.einsum("bij,bkj->bik", x, x), np.ones((3, 4, 5), np.float32)),
    "elementwise": (lambda x: x * x + x, X),
    "transcendental": (lambda x: jnp.exp(x) + lax.tanh(x) * lax.rsqrt(x), X),
    "select": (lambda x: lax.select(x > 0, x, -x), X),
    "integers": (lambda x: x & 3, np.ones(7, np.int32)),
    "sum": (lambda x: lax.reduce_sum_p.bind(x, axes=(1,), out_sharding=None), X),
    "max": (lambda x: lax.reduce_max_p.bind(x, axes=(0, 1), out_sharding=None), X),
    "pool": (lambda x: lax.reduce_window(x, -jnp.inf, lax.max, (2, 3), (1, 2), "VALID"), X),
    "valid convolution": (lambda x, k: conv(x, k, padding="VALID"), IMAGE, KERNEL),
    "same convolution": (lambda x, k: conv(x, k, padding="SAME"), IMAGE, KERNEL),
    "strided convolution": (lambda x, k: conv(x, k, padding="SAME", strides=(2, 2)), IMAGE, KERNEL),
    "dilated convolution": (
        lambda x, k: conv(x, k, padding=((2, 1), (3, 0)), lhs_dilation=(2, 3), rhs_dilation=(1, 2)),
        IMAGE,
        KERNEL,
    ),
    "grouped convolution": (
        lambda x, k: conv(x, k, padding="SAME", feature_group_count=2),
        IMAGE,
        KERNEL[:, :, :2],
    ),
    "fft": (lambda x: jnp.fft.fft(x), np.ones(16, np.complex64)),
    "sort": (lambda x: lax.sort(x, dimension=0), np.ones(20, np.float32)),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_operations(name: str) -> None:
    function, *inputs = PROGRAMS[name]
    lowered = jax.jit(function).lower(*inputs)
    expected = lowered.cost_analysis()
    found = shlo.analyze(shlo.parse(lowered.as_text())).functions["main"].cost
    assert found.flops == expected.get("flops", 0)
    assert found.transcendentals == expected.get("transcendentals", 0)
