"""Operands that are changed after they are drawn, for ops that require special values."""

from __future__ import annotations

from collections.abc import Callable

import ml_dtypes
import numpy as np

from stablehlo_py.debug.generate.elements import Array
from stablehlo_py.kernels.numeric.numerics import dtype_kind
from tests.helpers.drawing.sizes import FEW, Hints, Rng

Prepare = Callable[[Rng, Hints, list[Array]], list[Array]]


def is_narrow(array: Array) -> bool:
    return array.dtype.kind != "c" and array.dtype.itemsize < 4


def positive_definite(rng: Rng, found: Hints, arrays: list[Array]) -> list[Array]:
    """L L^T, and more on the diagonal; of integers, with 1 on the diagonal of L, in narrow types."""
    (a,) = (array.astype(np.complex128 if array.dtype.kind == "c" else np.float64) for array in arrays)
    if not is_narrow(arrays[0]):
        return [a @ np.conj(np.swapaxes(a, -1, -2)) + 2 * np.eye(a.shape[-1])]
    lower = np.tril(np.sign(a), -1) + np.eye(a.shape[-1])
    return [lower @ np.swapaxes(lower, -1, -2)]


def well_conditioned(rng: Rng, found: Hints, arrays: list[Array]) -> list[Array]:
    """With a large diagonal; in narrow types, with one element besides a diagonal of 1."""
    a, b = arrays
    n = a.shape[-1]
    if not is_narrow(a):
        return [a + np.asarray(4 * np.eye(n)).astype(a.dtype), b]
    only = np.arange(n * n).reshape(n, n) == rng.integers(0, n * n)
    return [np.where(np.eye(n), 1, np.sign(a.astype(np.float32)) * only), np.sign(b.astype(np.float32))]


def positive_variance(rng: Rng, found: Hints, arrays: list[Array]) -> list[Array]:
    at = 4 if len(arrays) == 5 and arrays[4].ndim == 1 else 3
    return [np.abs(array) if i == at else array for i, array in enumerate(arrays)]


def windows_in_or_out(rng: Rng, found: Hints, arrays: list[Array]) -> list[Array]:
    """Windows are in bounds or out of them, wholly: XLA leaves out those that are so in part."""
    count = len(found["inputs"])
    indices, at = arrays[count], found["index_vector_dim"]
    dropped = {*found["inserted_window_dims"], *found["input_batching_dims"]}
    window = iter([arrays[-1].shape[d] for d in found["update_window_dims"]])
    shape = arrays[0].shape
    sizes = [1 if d in dropped else next(window) for d in range(len(shape))]
    drawn = np.zeros(indices.shape, np.int64)
    for i, d in enumerate(found["scatter_dims_to_operand_dims"]):
        part = drawn if at == indices.ndim else np.moveaxis(drawn, at, -1)[..., i]
        outside = rng.choice([shape[d], shape[d] + 1, 100, -sizes[d], -100], part.shape)
        inside = rng.integers(0, shape[d] - sizes[d] + 1, part.shape)
        part[...] = np.where(rng.random(part.shape) < 0.15, outside, inside)
    least = 0 if indices.dtype.kind == "u" else -128
    return [*arrays[:count], np.maximum(drawn, least), *arrays[count + 1 :]]


def distinct(rng: Rng, found: Hints, arrays: list[Array]) -> list[Array]:
    """Few elements are distinct: in an order of their bits."""
    operand, *rest = arrays
    if operand.size > FEW or operand.dtype == np.bool_:
        return arrays
    low = 0 if dtype_kind(operand.dtype) == "u" or operand.dtype.name == "float8_e8m0fnu" else -(FEW // 2)
    numbers = rng.permutation(np.arange(low, low + FEW))[: operand.size].reshape(operand.shape)
    if operand.dtype.itemsize > 1 or dtype_kind(operand.dtype) != "f":
        return [numbers, *rest]
    sizes = np.arange(FEW + 1, dtype=np.uint8).view(operand.dtype).astype(np.float32)[np.abs(numbers)]
    return [np.copysign(sizes, numbers), *rest]


def of_order(low: float, high: float) -> Prepare:
    """Orders between bounds, most of them whole, and arguments with poles among them.

    Arguments are positive: XLA's series has no digits left at -10. Of order 0 they are above 2, as the
    function is 0 below, where XLA has an absolute error.
    """

    def prepare(rng: Rng, found: Hints, arrays: list[Array]) -> list[Array]:
        if dtype_kind(arrays[0].dtype) != "f":
            return arrays
        order = np.asarray(rng.uniform(low, high, arrays[0].shape))
        order = np.where(rng.random(order.shape) < 0.7, np.round(order), order)
        x = np.exp(rng.uniform(-2, 4, arrays[1].shape)) + 2 * (order == 0)
        poles = rng.choice([0.0, -0.0, -1.0, -2.0, -7.0, -np.inf, np.inf, np.nan], x.shape)
        return [order, np.where(rng.random(x.shape) < 0.2, poles, x)]

    return prepare


def in_bounds(rng: Rng, found: Hints, arrays: list[Array]) -> list[Array]:
    operand, index = arrays
    return [operand, np.asarray(rng.integers(0, operand.shape[found["dim"]], index.shape))]


def small_exponent(rng: Rng, found: Hints, arrays: list[Array]) -> list[Array]:
    """XLA reads six bits of an integer's exponent."""
    base, exponent = arrays
    if dtype_kind(exponent.dtype) not in "iu":
        return arrays
    return [base, exponent.astype(np.int64) % min(64, ml_dtypes.iinfo(exponent.dtype).max + 1)]


PREPARED: dict[str, Prepare] = {
    "stablehlo.scatter": windows_in_or_out,
    "stablehlo.select_and_scatter": distinct,
    "stablehlo.torch_index_select": in_bounds,
    **dict.fromkeys(("stablehlo.power", "chlo.broadcast_power"), small_exponent),
    **dict.fromkeys(("chlo.zeta", "chlo.broadcast_zeta"), of_order(-3, 20)),
    **dict.fromkeys(("chlo.polygamma", "chlo.broadcast_polygamma"), of_order(-1, 5)),
    "stablehlo.cholesky": positive_definite,
    "stablehlo.triangular_solve": well_conditioned,
    "stablehlo.batch_norm_inference": positive_variance,
    "stablehlo.batch_norm_grad": positive_variance,
}
