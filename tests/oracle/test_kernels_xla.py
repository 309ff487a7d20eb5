"""Kernels against XLA: JAX functions, lowered to StableHLO, run here and by XLA on the same arrays."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import stablehlo_py as shlo

jaxlib = pytest.importorskip("jaxlib")
with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    import jax
    import jax.numpy as jnp
    from jax import lax

Array = np.ndarray[Any, np.dtype[Any]]
RNG = np.random.default_rng(7)


def floats(*shape: int, dtype: str = "float32") -> Array:
    return RNG.normal(size=shape).astype(dtype)


def integers(*shape: int, low: int = -9, high: int = 9, dtype: str = "int32") -> Array:
    return RNG.integers(low, high, shape).astype(dtype)


def agrees(
    function: Callable[..., Any], *arrays: Array, tolerance: float = 2e-5, platform: str = "cpu"
) -> None:
    """Asserts that the function's StableHLO (as JAX writes it for a platform) gives here what XLA gives."""
    with warnings.catch_warnings(), jax.enable_x64(True):
        warnings.simplefilter("ignore")
        lowered = jax.jit(function, keep_unused=True).trace(*arrays).lower(lowering_platforms=(platform,))
        expected = jax.tree.leaves(jax.jit(function)(*arrays))
    module = shlo.parse(lowered.as_text())
    assert [d.message for d in shlo.verify(module) if d.severity == "error"] == []
    results = shlo.run(module, arrays)
    assert len(results) == len(expected)
    for result, wanted in zip(results, map(np.asarray, expected), strict=True):
        assert result.dtype == wanted.dtype
        wide = np.complex128 if wanted.dtype.kind == "c" else np.float64
        np.testing.assert_allclose(result.astype(wide), wanted.astype(wide), rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize(
    ("equation", "shapes"),
    [
        ("bij,bjk->bik", [(3, 4, 5), (3, 5, 6)]),
        ("bshd,bthd->bhst", [(2, 5, 3, 4), (2, 7, 3, 4)]),
        ("ij,kj->ik", [(4, 5), (6, 5)]),
        ("ijk,jil->kl", [(2, 3, 4), (3, 2, 5)]),
        ("i,j->ij", [(3,), (4,)]),
        ("ij,ij->", [(3, 4), (3, 4)]),
        ("bi,bi->b", [(8, 5), (8, 5)]),
    ],
)
@pytest.mark.parametrize("dtype", ["float32", "float64", "bfloat16", "float16", "int8", "int32", "complex64"])
def test_products(equation: str, shapes: list[tuple[int, ...]], dtype: str) -> None:
    operands = [integers(*shape).astype(jnp.dtype(dtype)) for shape in shapes]
    agrees(lambda a, b: jnp.einsum(equation, a, b), *operands)


def test_product_of_narrow_integers_into_wide_ones() -> None:
    numbers = (((1,), (0,)), ((), ()))
    a, b = (
        integers(9, 200, low=-128, high=127, dtype="int8"),
        integers(200, 8, low=-128, high=127, dtype="int8"),
    )
    agrees(lambda a, b: lax.dot_general(a, b, numbers, preferred_element_type="int32"), a, b)


def convolve(x: Any, w: Any, layout: tuple[str, str, str] = ("NHWC", "HWIO", "NHWC"), **given: Any) -> Any:
    return lax.conv_general_dilated(
        x, w, dimension_numbers=layout, **{"window_strides": (1, 1), "padding": "SAME"} | given
    )


CONVOLUTIONS: dict[str, dict[str, Any]] = {
    "plain": {},
    "valid": {"padding": "VALID"},
    "strided": {"window_strides": (2, 3)},
    "padded": {"padding": [(2, 0), (1, 3)]},
    "lhs dilated": {"lhs_dilation": (2, 3), "padding": [(1, 2), (2, 2)]},
    "rhs dilated": {"rhs_dilation": (2, 1)},
    "everything": {
        "window_strides": (2, 1),
        "lhs_dilation": (3, 2),
        "rhs_dilation": (1, 2),
        "padding": [(2, 1), (0, 3)],
    },
}


@pytest.mark.parametrize("given", CONVOLUTIONS.values(), ids=CONVOLUTIONS)
@pytest.mark.parametrize("groups", [1, 2, 4])
def test_convolutions(given: dict[str, Any], groups: int) -> None:
    x, w = floats(2, 9, 8, 4), floats(3, 2, 4 // groups, 8)
    agrees(lambda x, w: convolve(x, w, feature_group_count=groups, **given), x, w)


@pytest.mark.parametrize("given", CONVOLUTIONS.values(), ids=CONVOLUTIONS)
@pytest.mark.parametrize("groups", [1, 4])
@pytest.mark.parametrize("layout", [("NHWC", "HWIO", "NHWC"), ("NCHW", "OIHW", "NCHW")])
def test_gradients_of_convolutions(given: dict[str, Any], groups: int, layout: tuple[str, str, str]) -> None:
    x, w = floats(2, 9, 8, 4), floats(3, 2, 4 // groups, 8)
    if layout[0] == "NCHW":
        x, w = np.ascontiguousarray(x.transpose(0, 3, 1, 2)), np.ascontiguousarray(w.transpose(3, 2, 0, 1))

    def loss(x: Any, w: Any) -> Any:
        return (convolve(x, w, layout, feature_group_count=groups, **given) ** 2).sum()

    # XLA on a CPU gets negative padding wrong in float32, and gradients have some
    agrees(jax.grad(loss, (0, 1)), x.astype("float64"), w.astype("float64"))


@pytest.mark.parametrize("dtype", ["float64", "int8", "int32", "complex64"])
@pytest.mark.parametrize("rank", [0, 1, 3])
def test_convolutions_of_other_ranks_and_types(rank: int, dtype: str) -> None:
    x, w = (integers(2, 3, *(6,) * rank).astype(dtype), integers(4, 3, *(2,) * rank).astype(dtype))
    agrees(lambda x, w: lax.conv_general_dilated(x, w, (2,) * rank, [(1, 0)] * rank), x, w)


AXES = (None, 0, 1, 2)
SEVERAL_AXES = ((0, 1), (1, 2), (0, 2))
REDUCTIONS = [(r, a) for r in (jnp.argmax, jnp.argmin) for a in AXES] + [
    (r, a) for r in (jnp.sum, jnp.max, jnp.min, jnp.prod, jnp.any, jnp.mean) for a in (*AXES, *SEVERAL_AXES)
]


@pytest.mark.parametrize(("reduce", "axis"), REDUCTIONS)
def test_reductions(reduce: Any, axis: Any) -> None:
    agrees(lambda x: reduce(x, axis=axis), floats(4, 5, 6))
    agrees(lambda x: reduce(x, axis=axis), integers(4, 5, 17, dtype="int8"))


@pytest.mark.parametrize("dtype", ["float32", "int32"])
def test_reduction_with_a_body_of_several_operations(dtype: str) -> None:
    x = integers(5, 33).astype(dtype)
    agrees(lambda x: lax.reduce(x, np.array(0, dtype), lambda a, b: jnp.maximum(abs(a), abs(b)), (1,)), x)


@pytest.mark.parametrize("cumulative", [lax.cumsum, lax.cumprod, lax.cummax, lax.cummin, lax.cumlogsumexp])
@pytest.mark.parametrize("reverse", [False, True])
def test_cumulative_reductions(cumulative: Any, reverse: bool) -> None:
    agrees(lambda x: cumulative(x, axis=1, reverse=reverse), floats(3, 50) / 4)


@pytest.mark.parametrize(("operation", "init"), [(lax.add, 0), (lax.max, -np.inf), (lax.mul, 1)])
@pytest.mark.parametrize("window", [(1, 3, 3), (2, 5, 1), (1, 9, 9)])
@pytest.mark.parametrize("dilations", [(1, 1), (2, 1), (1, 2)])
def test_windows(operation: Any, init: float, window: tuple[int, ...], dilations: tuple[int, int]) -> None:
    base, inner = ((1, d, d) for d in dilations)
    padding = [(0, 1), (2, 8), (8, 3)]
    x = floats(3, 12, 11)
    agrees(
        lambda x: lax.reduce_window(x, np.float32(init), operation, window, (1, 2, 1), padding, base, inner),
        x,
    )


def test_gradient_of_pooling() -> None:
    def loss(x: Any) -> Any:
        return (lax.reduce_window(x, -jnp.inf, lax.max, (1, 3, 3, 1), (1, 2, 2, 1), "SAME") ** 2).sum()

    agrees(jax.grad(loss), floats(2, 9, 10, 3))


INDEXINGS: dict[str, Callable[..., Any]] = {
    "rows": lambda x, i: x[i],
    "columns": lambda x, i: x[:, i],
    "pairs": lambda x, i: x[i, i[::-1]],
    "negative": lambda x, i: x[-i],
    "windows": lambda x, i: jax.vmap(lambda k: lax.dynamic_slice(x, (k, k), (2, 3)))(i),
    "along an axis": lambda x, i: jnp.take_along_axis(x, (jnp.arange(5)[:, None] + i) % 6, 1),
    "along the first axis": lambda x, i: jnp.take_along_axis(x, i[:, None] % 5 + jnp.zeros(6, int), 0),
    "filled": lambda x, i: x.at[i * 3].get(mode="fill", fill_value=-1),
}


@pytest.mark.parametrize("index", INDEXINGS.values(), ids=INDEXINGS)
def test_gathers(index: Callable[..., Any]) -> None:
    agrees(index, floats(5, 6), integers(7, low=0, high=5))


UPDATES: dict[str, Callable[..., Any]] = {
    "add": lambda x, i, u: x.at[i].add(u),
    "add to columns": lambda x, i, u: x.at[:, i].add(u[:, :5].T),
    "add to elements": lambda x, i, u: x.at[i, i[::-1]].add(u[:, 0]),
    "multiply": lambda x, i, u: x.at[i].multiply(u),
    "maximum": lambda x, i, u: x.at[i].max(u),
    "out of bounds": lambda x, i, u: x.at[i * 3 - 4].add(u),
    "apply": lambda x, i, u: x.at[i].apply(jnp.sin),
    "set": lambda x, i, u: x.at[jnp.unique(i, size=2, fill_value=4)].set(u[:2]),
    "gradient of a gather": lambda x, i, u: jax.grad(lambda x: (x[i] * u).sum())(x),
}


@pytest.mark.parametrize("update", UPDATES.values(), ids=UPDATES)
def test_scatters(update: Callable[..., Any]) -> None:
    agrees(update, floats(5, 6), integers(7, low=0, high=5), floats(7, 6))


SORTS: dict[str, Callable[..., Any]] = {
    "ascending": jnp.sort,
    "descending": lambda x: -jnp.sort(-x),
    "first axis": lambda x: jnp.sort(x, axis=0),
    "order": lambda x: jnp.argsort(x, axis=-1),
    "descending order": lambda x: jnp.argsort(x, axis=-1, descending=True),
    "two keys": lambda x: lax.sort((jnp.round(x), x, lax.iota("int32", x.size).reshape(x.shape)), num_keys=2),
    "ranks": lambda x: jnp.median(x, axis=1),
    "largest": lambda x: lax.top_k(x, 3),
    "distinct": lambda x: jnp.unique(x, size=4),
}


@pytest.mark.parametrize("order", SORTS)
@pytest.mark.parametrize("dtype", ["float32", "float64", "int32", "int8"])
def test_sorts(order: str, dtype: str) -> None:
    values = integers(4, 60).astype(dtype)
    if dtype.startswith("float"):
        values[0, :4] = np.nan, -0.0, 0.0, np.inf
    agrees(SORTS[order], values)


def definite(dtype: str) -> Array:
    a = floats(3, 20, 20) + (1j * floats(3, 20, 20) if "complex" in dtype else 0)
    matrices: Array = (a @ a.conj().swapaxes(1, 2) + 20 * np.eye(20)).astype(dtype)
    return matrices


DTYPES = ["float32", "float64", "complex64", "complex128"]


@pytest.mark.parametrize("dtype", DTYPES)
def test_cholesky(dtype: str) -> None:
    matrices = definite(dtype)
    matrices[1] = -matrices[1]
    agrees(lambda a: lax.linalg.cholesky(a), matrices, tolerance=1e-3, platform="tpu")


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("left_side", [False, True])
@pytest.mark.parametrize("lower", [False, True])
@pytest.mark.parametrize("conjugate", [False, True])
def test_triangular_solve(dtype: str, left_side: bool, lower: bool, conjugate: bool) -> None:
    options = {"left_side": left_side, "lower": lower, "transpose_a": conjugate, "conjugate_a": conjugate}
    b = floats(3, 20, 2) if left_side else floats(3, 2, 20)
    agrees(
        lambda a, b: lax.linalg.triangular_solve(a, b, **options),
        definite(dtype),
        b.astype(dtype),
        tolerance=1e-3,
        platform="tpu",
    )


@pytest.mark.parametrize("dtype", DTYPES)
def test_fourier_transforms(dtype: str) -> None:
    x = definite(dtype)
    if "complex" in dtype:
        agrees(lambda x: (jnp.fft.fft(x), jnp.fft.ifft2(x), jnp.fft.fftn(x)), x, tolerance=1e-2)
    else:
        agrees(lambda x: (jnp.fft.rfft2(x), jnp.fft.irfft2(jnp.fft.rfft2(x))), x, tolerance=1e-2)
