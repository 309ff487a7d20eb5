"""Shapes and attributes that fit each other, for ops whose constraints chance alone would not meet.

Each function draws what one op needs, by the names of its inputs: an operand's shape (a list of them where
it is variadic), or an array for an operand that XLA wants as a constant; an attribute's value; and under
"result" a result's shape where the constraints leave it open. What is not given is drawn by its kind.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import ml_dtypes
import numpy as np
from elements import Array

from stablehlo_py.kernels.numerics import kind
from stablehlo_py.opset.definition import OpDef

Rng = np.random.Generator
Hints = dict[str, Any]
Shape = tuple[int, ...]
MANY = 80  # elements, for an op whose elements do not see each other


def draw_shape(rng: Rng, low: int = 0, high: int = 4, least: int = 0) -> Shape:
    """A shape of `low` to `high` dimensions; sizes are small, sometimes 0 or 1."""
    rank = int(rng.integers(low, high + 1))
    sizes = rng.choice([0, 1, 2, 3, 4, 5], rank, p=[0.04, 0.16, 0.2, 0.2, 0.2, 0.2])
    return tuple(int(max(least, size)) for size in sizes)


def hints(rng: Rng, definition: OpDef) -> Hints:
    """What an op needs: its own function's draw, or one shape for all operands."""
    if definition.name.startswith("chlo.broadcast_"):
        return loose(rng)
    made = SHAPES.get(definition.name)
    if made:
        return made(rng)
    many = "elementwise" in definition.traits and rng.random() < 0.7
    return {"": (MANY,) if many else draw_shape(rng)}


def subset(rng: Rng, count: int, of: int) -> list[int]:
    return sorted(rng.choice(of, count, replace=False).tolist()) if count else []


def arranged(rng: Rng, sizes: list[int]) -> tuple[Shape, list[int]]:
    """The sizes in some order, and where each of them went."""
    order = rng.permutation(len(sizes)).tolist()
    return tuple(sizes[i] for i in order), [order.index(i) for i in range(len(sizes))]


def dot_general(rng: Rng) -> Hints:
    batch, contracted = (list(draw_shape(rng, 0, 2)) for _ in range(2))
    nb, nc = len(batch), len(contracted)
    found: Hints = {}
    for side in ("lhs", "rhs"):
        shape, at = arranged(rng, batch + contracted + list(draw_shape(rng, 0, 2)))
        found[side] = shape
        found[f"{side}_batching_dimensions"] = tuple(at[:nb])
        found[f"{side}_contracting_dimensions"] = tuple(at[nb : nb + nc])
    return found


def dot(rng: Rng) -> Hints:
    k = draw_shape(rng, 1, 1)
    return {"lhs": draw_shape(rng, 0, 1) + k, "rhs": k + draw_shape(rng, 0, 1)}


def einsum(rng: Rng) -> Hints:
    a, b, c = draw_shape(rng, 3, 3)
    return {"lhs": (a, b), "rhs": (b, c), "einsum_config": "ab,bc->ac", "result": (a, c)}


def unary_einsum(rng: Rng) -> Hints:
    a, b = draw_shape(rng, 2, 2)
    return {"operand": (a, b), "einsum_config": "ab->ba", "result": (b, a)}


def convolution(rng: Rng) -> Hints:
    spatial = int(rng.integers(0, 3))
    groups, batches = ((1, 1), (2, 1), (1, 2))[rng.integers(0, 3)]
    features, outputs = int(rng.integers(1, 3)), 2 * int(rng.integers(1, 3))
    lhs, lhs_at = arranged(
        rng, [2 * int(rng.integers(1, 3)), features * groups, *rng.integers(1, 6, spatial).tolist()]
    )
    rhs, rhs_at = arranged(rng, [features, outputs, *rng.integers(1, 4, spatial).tolist()])
    out_at = rng.permutation(2 + spatial).tolist()
    return {
        "lhs": lhs,
        "rhs": rhs,
        "input_batch_dimension": lhs_at[0],
        "input_feature_dimension": lhs_at[1],
        "input_spatial_dimensions": tuple(lhs_at[2:]),
        "kernel_input_feature_dimension": rhs_at[0],
        "kernel_output_feature_dimension": rhs_at[1],
        "kernel_spatial_dimensions": tuple(rhs_at[2:]),
        "output_batch_dimension": out_at[0],
        "output_feature_dimension": out_at[1],
        "output_spatial_dimensions": tuple(out_at[2:]),
        "feature_group_count": groups,
        "batch_group_count": batches,
        "window_strides": tuple(rng.integers(1, 3, spatial).tolist()),
        "lhs_dilation": tuple(rng.integers(1, 3, spatial).tolist()),
        "rhs_dilation": tuple(rng.integers(1, 3, spatial).tolist()),
        "window_reversal": tuple(rng.integers(0, 2, spatial).astype(bool).tolist()),
        "padding": rng.integers(-1, 4, (spatial, 2)),
    }


def gather(rng: Rng) -> Hints:
    operand = draw_shape(rng, 1, 4, least=1)
    rank = len(operand)
    sizes = [int(rng.integers(1, size + 1)) for size in operand]
    mapped = rng.permutation(rank)[: rng.integers(0, rank + 1)].tolist()
    collapsed = subset(rng, int(rng.integers(0, rank + 1)), rank)
    for d in collapsed:
        sizes[d] = 1
    batch = draw_shape(rng, 0, 2)
    at = int(rng.integers(0, len(batch) + 1))
    offsets = subset(rng, rank - len(collapsed), len(batch) + rank - len(collapsed))
    return {
        "operand": operand,
        "start_indices": (*batch[:at], len(mapped), *batch[at:]),
        "offset_dims": tuple(offsets),
        "collapsed_slice_dims": tuple(collapsed),
        "operand_batching_dims": (),
        "start_indices_batching_dims": (),
        "start_index_map": tuple(mapped),
        "index_vector_dim": at,
        "slice_sizes": tuple(sizes),
    }


def dynamic_gather(rng: Rng) -> Hints:
    found = gather(rng)
    return found | {"slice_sizes": np.array(found["slice_sizes"])}


def gather_in_batches(rng: Rng) -> Hints:
    """A gather from each slice of a batch."""
    size, rows, columns = draw_shape(rng, 3, 3, least=1)
    return {
        "operand": (rows, size, columns),
        "start_indices": (size, 3, 1),
        "offset_dims": (2,),
        "collapsed_slice_dims": (0,),
        "operand_batching_dims": (1,),
        "start_indices_batching_dims": (0,),
        "start_index_map": (0,),
        "index_vector_dim": 2,
        "slice_sizes": (1, 1, columns),
    }


def scatter(rng: Rng) -> Hints:
    """A gather backwards: what would be gathered is scattered.

    At least one dimension is indexed: XLA takes only the last update of those to an empty index.
    """
    found = gather_in_batches(rng) if rng.random() < 0.3 else gather(rng)
    if not found["start_index_map"]:
        found = gather_in_batches(rng)
    sizes = [s for d, s in enumerate(found["slice_sizes"]) if d not in found["collapsed_slice_dims"]]
    sizes = [s for d, s in enumerate(sizes) if not found["operand_batching_dims"]] or sizes[-1:]
    indices, at = found["start_indices"], found["index_vector_dim"]
    batch = list(indices[:at] + indices[at + 1 :])
    offsets = found["offset_dims"]
    updates = [sizes.pop(0) if d in offsets else batch.pop(0) for d in range(len(batch) + len(offsets))]
    count = int(rng.integers(1, 3))
    return {
        "inputs": [found["operand"]] * count,
        "scatter_indices": indices,
        "updates": [tuple(updates)] * count,
        "update_window_dims": offsets,
        "inserted_window_dims": found["collapsed_slice_dims"],
        "input_batching_dims": found["operand_batching_dims"],
        "scatter_indices_batching_dims": found["start_indices_batching_dims"],
        "scatter_dims_to_operand_dims": found["start_index_map"],
        "index_vector_dim": at,
        "indices_are_sorted": False,
        "unique_indices": False,
    }


def reduce(rng: Rng) -> Hints:
    """Over one dimension or more: without, XLA leaves out the initial value, which is no identity here."""
    shape, count = draw_shape(rng, 1), int(rng.integers(1, 3))
    axes = rng.permutation(len(shape))[: rng.integers(1, len(shape) + 1)]
    return {
        "inputs": [shape] * count,
        "init_values": [()] * count,
        "dimensions": tuple(sorted(axes.tolist())),
    }


def window(rng: Rng, shape: Shape) -> Hints:
    rank = len(shape)
    return {
        "window_dimensions": tuple(int(rng.integers(1, size + 2)) for size in shape),
        "window_strides": tuple(rng.integers(1, 4, rank).tolist()),
        "padding": rng.integers(0, 3, (rank, 2)),
    }


def reduce_window(rng: Rng) -> Hints:
    shape, count = draw_shape(rng), int(rng.integers(1, 3))
    return window(rng, shape) | {
        "inputs": [shape] * count,
        "init_values": [()] * count,
        "base_dilations": tuple(rng.integers(1, 3, len(shape)).tolist()),
        "window_dilations": tuple(rng.integers(1, 3, len(shape)).tolist()),
    }


def select_and_scatter(rng: Rng) -> Hints:
    shape = draw_shape(rng, 1, 3, least=1)
    found = window(rng, shape)
    largest = np.array(found["window_dimensions"])[:, None] - 1  # XLA chooses where there is only padding
    found["padding"] = np.minimum(found["padding"], largest)
    padded = np.array(shape) + found["padding"].sum(axis=1)
    sizes = (padded - found["window_dimensions"]) // found["window_strides"] + 1
    return found | {"operand": shape, "source": tuple(np.maximum(sizes, 0).tolist()), "init_value": ()}


def batch_norm(*vectors: str) -> Callable[[Rng], Hints]:
    def draw(rng: Rng) -> Hints:
        shape = draw_shape(rng, 1, 4, least=1)
        axis = int(rng.integers(0, len(shape)))
        given = dict.fromkeys(vectors, (shape[axis],))
        return {"operand": shape, "grad_output": shape, "feature_index": axis, "epsilon": 0.125, **given}

    return draw


def broadcast_in_dim(rng: Rng) -> Hints:
    result = draw_shape(rng)
    axes = rng.permutation(len(result))[: rng.integers(0, len(result) + 1)].tolist()
    operand = tuple(1 if rng.random() < 0.3 else result[d] for d in axes)
    return {"operand": operand, "broadcast_dimensions": tuple(axes), "result": result}


def dynamic_broadcast_in_dim(rng: Rng) -> Hints:
    found = broadcast_in_dim(rng)
    known = {"known_expanding_dimensions": None, "known_nonexpanding_dimensions": None}
    return found | known | {"output_dimensions": np.array(found["result"], np.int64)}


def reshape(rng: Rng) -> Hints:
    shape = draw_shape(rng)
    result = rng.permutation([*shape, 1]).tolist()
    if len(shape) > 1 and rng.random() < 0.5:
        result = [shape[0] * shape[1], *shape[2:]]
    return {"operand": shape, "result": tuple(int(size) for size in result)}


def dynamic_reshape(rng: Rng) -> Hints:
    found = reshape(rng)
    return found | {"output_shape": np.array(found["result"], np.int64)}


def iota(rng: Rng) -> Hints:
    shape = draw_shape(rng, 1)
    return {"iota_dimension": int(rng.integers(0, len(shape))), "result": shape}


def dynamic_iota(rng: Rng) -> Hints:
    found = iota(rng)
    return found | {"output_shape": np.array(found["result"], np.int64)}


def transpose(rng: Rng) -> Hints:
    shape = draw_shape(rng)
    return {"operand": shape, "permutation": tuple(rng.permutation(len(shape)).tolist())}


def reverse(rng: Rng) -> Hints:
    shape = draw_shape(rng)
    return {
        "operand": shape,
        "dimensions": tuple(subset(rng, int(rng.integers(0, len(shape) + 1)), len(shape))),
    }


def slice_of(rng: Rng) -> Hints:
    shape = draw_shape(rng)
    start = [int(rng.integers(0, size + 1)) for size in shape]
    limit = [int(rng.integers(low, size + 1)) for low, size in zip(start, shape, strict=True)]
    strides = rng.integers(1, 4, len(shape)).tolist()
    return {
        "operand": shape,
        "start_indices": tuple(start),
        "limit_indices": tuple(limit),
        "strides": tuple(strides),
    }


def real_dynamic_slice(rng: Rng) -> Hints:
    found = slice_of(rng)
    sizes = [
        -(-(limit - start) // stride)
        for start, limit, stride in zip(
            found["start_indices"], found["limit_indices"], found["strides"], strict=True
        )
    ]
    constants = {k: np.array(v, np.int64) for k, v in found.items() if k != "operand"}
    return found | constants | {"result": tuple(sizes)}


def pad(rng: Rng) -> Hints:
    shape = draw_shape(rng)
    rank = len(shape)
    return {
        "operand": shape,
        "padding_value": (),
        "edge_padding_low": tuple(rng.integers(-2, 3, rank).tolist()),
        "edge_padding_high": tuple(rng.integers(-2, 3, rank).tolist()),
        "interior_padding": tuple(rng.integers(0, 3, rank).tolist()),
    }


def dynamic_pad(rng: Rng) -> Hints:
    found = pad(rng)
    amounts = {
        k: np.array(v, np.int64) for k, v in found.items() if k.endswith(("low", "high", "interior_padding"))
    }
    low, high, interior = amounts.values()
    sizes = np.array(found["operand"], np.int64)
    result = sizes + low + high + np.maximum(sizes - 1, 0) * interior
    return found | amounts | {"result": tuple(np.maximum(result, 0).tolist())}


def concatenate(rng: Rng) -> Hints:
    shape = draw_shape(rng, 1)
    axis = int(rng.integers(0, len(shape)))
    parts = [(*shape[:axis], int(rng.integers(0, 4)), *shape[axis + 1 :]) for _ in range(rng.integers(1, 4))]
    return {"inputs": parts, "dimension": axis}


def dynamic_slice(rng: Rng) -> Hints:
    shape = draw_shape(rng)
    sizes = tuple(int(rng.integers(0, size + 1)) for size in shape)
    return {"operand": shape, "update": sizes, "slice_sizes": sizes, "start_indices": [()] * len(shape)}


def sort(rng: Rng) -> Hints:
    shape = draw_shape(rng, 1)
    return {
        "inputs": [shape] * int(rng.integers(1, 3)),
        "dimension": int(rng.integers(0, len(shape))),  # XLA does not sort along a negative one
        "is_stable": True,
    }


def cholesky(rng: Rng) -> Hints:
    n = int(rng.integers(1, 5))
    return {"a": (*draw_shape(rng, 0, 1), n, n)}


def triangular_solve(rng: Rng) -> Hints:
    n, m = int(rng.integers(1, 5)), int(rng.integers(1, 4))
    batch, left = draw_shape(rng, 0, 1), bool(rng.integers(0, 2))
    return {"a": (*batch, n, n), "b": (*batch, n, m) if left else (*batch, m, n), "left_side": left}


def fft(rng: Rng) -> Hints:
    kind = str(rng.choice(["FFT", "IFFT", "RFFT", "IRFFT"]))
    lengths = tuple(rng.integers(1, 9, rng.integers(1, 4)).tolist())
    last = lengths[-1] // 2 + 1 if kind == "IRFFT" else lengths[-1]
    shape = (*draw_shape(rng, 0, 1), *lengths[:-1], last)
    return {"operand": shape, "fft_type": kind, "fft_length": lengths}


def rng_bit_generator(rng: Rng) -> Hints:
    kind = str(rng.choice(["DEFAULT", "THREE_FRY", "PHILOX"]))
    return {"initial_state": (2,), "rng_algorithm": kind, "result": draw_shape(rng)}


def select(rng: Rng) -> Hints:
    shape = draw_shape(rng)
    return {"": shape, "pred": shape if rng.random() < 0.5 else ()}


def clamp(rng: Rng) -> Hints:
    shape = draw_shape(rng)
    return {"": shape} | {name: shape if rng.random() < 0.5 else () for name in ("min", "max")}


def loose(rng: Rng) -> Hints:
    """Shapes that broadcast together, of equal or of different rank."""
    shape = draw_shape(rng)
    return {"lhs": shape[int(rng.integers(0, len(shape) + 1)) :], "": shape, "broadcast_dimensions": None}


def top_k(rng: Rng) -> Hints:
    shape = draw_shape(rng, 1, least=1)
    return {"operand": shape, "k": int(rng.integers(1, shape[-1] + 1))}


def map_over(rng: Rng) -> Hints:
    shape = draw_shape(rng)
    return {"": shape, "dimensions": tuple(range(len(shape)))}


def bitcast_convert(rng: Rng) -> Hints:
    """Elements as wide, wider or narrower: the last dimension stays, goes or comes."""
    shape = draw_shape(rng, 0, 2)
    parts = int(rng.choice([2, 4, 8, 16, 32]))
    longer = (*shape, parts)
    operand, result = ((shape, shape), (shape, longer), (longer, shape))[rng.integers(0, 3)]
    return {"operand": operand, "result": result}


def dynamic_conv(rng: Rng) -> Hints:
    found = convolution(rng)
    ends = [
        (found[side][d] - 1) * step + 1
        for side, steps in (("lhs", "lhs_dilation"), ("rhs", "rhs_dilation"))
        for d, step in zip(
            found["input_spatial_dimensions" if side == "lhs" else "kernel_spatial_dimensions"],
            found[steps],
            strict=True,
        )
    ]
    rank = len(found["window_strides"])
    padded = np.array(ends[:rank], np.int64) + found["padding"].sum(axis=1)
    sizes = (padded - np.array(ends[rank:], np.int64)) // np.array(found["window_strides"], np.int64) + 1
    result = [0] * (rank + 2)
    result[found["output_batch_dimension"]] = (
        found["lhs"][found["input_batch_dimension"]] // found["batch_group_count"]
    )
    result[found["output_feature_dimension"]] = found["rhs"][found["kernel_output_feature_dimension"]]
    for at, size in zip(found["output_spatial_dimensions"], sizes.tolist(), strict=True):
        result[at] = max(size, 0)
    return found | {"result": tuple(result)}


def ragged_dot(rng: Rng) -> Hints:
    groups, rows, inner, columns = rng.integers(1, 5, 4).tolist()
    none = dict.fromkeys(("lhs_batching_dimensions", "rhs_batching_dimensions"), ())
    return none | {
        "lhs": (rows, inner),
        "rhs": (groups, inner, columns),
        "group_sizes": (groups,),
        "lhs_contracting_dimensions": (1,),
        "rhs_contracting_dimensions": (1,),
        "lhs_ragged_dimensions": (0,),
        "rhs_group_dimensions": (0,),
        "result": (rows, columns),
    }


def reduce_precision(rng: Rng) -> Hints:
    """With a mantissa: without, XLA makes infinity of NaN in f32 and f64, and not in narrower types."""
    exponent, mantissa = rng.integers(1, 9), rng.integers(1, 12)
    return {"": (MANY,), "exponent_bits": int(exponent), "mantissa_bits": int(mantissa)}


def torch_index_select(rng: Rng) -> Hints:
    shape, index = draw_shape(rng, 1, 3, least=1), draw_shape(rng, 1, 1)
    at = int(rng.integers(0, len(shape)))
    result = (*shape[:at], *index, *shape[at + 1 :])
    return {"operand": shape, "index": index, "dim": at, "batch_dims": 0, "result": result}


def constant(rng: Rng) -> Hints:
    shape = draw_shape(rng)
    return {"": shape, "result": shape}


def scan(rng: Rng) -> Hints:
    shape = draw_shape(rng, 1, 3)
    axis = int(rng.integers(0, len(shape)))
    return {
        "inputs": [shape], "inits": [(*shape[:axis], *shape[axis + 1 :])], "dimension": axis,
        "scan_dim_size": None, "result": shape,
    }  # fmt: skip


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


def of_order(low: float, high: float) -> Prepare:
    """Orders between bounds, half of them integers, and arguments with poles among them.

    XLA's series has no value for large orders, and loses digits beside negative arguments.
    """

    def prepare(rng: Rng, found: Hints, arrays: list[Array]) -> list[Array]:
        if kind(arrays[0].dtype) != "f":
            return arrays
        order = np.asarray(rng.uniform(low, high, arrays[0].shape))
        order = np.where(rng.random(order.shape) < 0.7, np.round(order), order)
        x = np.exp(rng.uniform(-2, 4, arrays[1].shape))
        poles = rng.choice([0.0, -0.0, -1.0, -2.0, -7.0, -np.inf, np.inf, np.nan], x.shape)
        return [order, np.where(rng.random(x.shape) < 0.2, poles, x)]

    return prepare


def in_bounds(rng: Rng, found: Hints, arrays: list[Array]) -> list[Array]:
    operand, index = arrays
    return [operand, np.asarray(rng.integers(0, operand.shape[found["dim"]], index.shape))]


def small_exponent(rng: Rng, found: Hints, arrays: list[Array]) -> list[Array]:
    """XLA reads six bits of an integer's exponent."""
    base, exponent = arrays
    if kind(exponent.dtype) not in "iu":
        return arrays
    return [base, exponent.astype(np.int64) % min(64, ml_dtypes.iinfo(exponent.dtype).max + 1)]


PREPARED: dict[str, Prepare] = {
    "stablehlo.scatter": windows_in_or_out,
    "stablehlo.torch_index_select": in_bounds,
    **dict.fromkeys(("stablehlo.power", "chlo.broadcast_power"), small_exponent),
    **dict.fromkeys(("chlo.zeta", "chlo.broadcast_zeta"), of_order(-3, 20)),
    **dict.fromkeys(("chlo.polygamma", "chlo.broadcast_polygamma"), of_order(0.6, 5)),
    "stablehlo.cholesky": positive_definite,
    "stablehlo.triangular_solve": well_conditioned,
    "stablehlo.batch_norm_inference": positive_variance,
    "stablehlo.batch_norm_grad": positive_variance,
}
SHAPES: dict[str, Callable[[Rng], Hints]] = {
    "stablehlo.dot_general": dot_general,
    "stablehlo.dot": dot,
    "stablehlo.einsum": einsum,
    "stablehlo.unary_einsum": unary_einsum,
    "stablehlo.convolution": convolution,
    "stablehlo.dynamic_conv": dynamic_conv,
    "chlo.ragged_dot": ragged_dot,
    "stablehlo.map": map_over,
    "stablehlo.torch_index_select": torch_index_select,
    "stablehlo.constant": constant,
    "stablehlo.reduce_precision": reduce_precision,
    "chlo.scan": scan,
    "stablehlo.bitcast_convert": bitcast_convert,
    "stablehlo.gather": lambda rng: (gather, gather_in_batches)[rng.integers(0, 2)](rng),
    "stablehlo.dynamic_gather": dynamic_gather,
    "stablehlo.scatter": scatter,
    "stablehlo.reduce": reduce,
    "stablehlo.reduce_window": reduce_window,
    "stablehlo.select_and_scatter": select_and_scatter,
    "stablehlo.batch_norm_grad": batch_norm("scale", "mean", "variance"),
    "stablehlo.batch_norm_inference": batch_norm("scale", "offset", "mean", "variance"),
    "stablehlo.batch_norm_training": batch_norm("scale", "offset"),
    "stablehlo.broadcast_in_dim": broadcast_in_dim,
    "stablehlo.dynamic_broadcast_in_dim": dynamic_broadcast_in_dim,
    "stablehlo.reshape": reshape,
    "stablehlo.dynamic_reshape": dynamic_reshape,
    "stablehlo.iota": iota,
    "stablehlo.dynamic_iota": dynamic_iota,
    "stablehlo.transpose": transpose,
    "stablehlo.reverse": reverse,
    "stablehlo.slice": slice_of,
    "stablehlo.real_dynamic_slice": real_dynamic_slice,
    "stablehlo.pad": pad,
    "stablehlo.dynamic_pad": dynamic_pad,
    "stablehlo.concatenate": concatenate,
    "stablehlo.dynamic_slice": dynamic_slice,
    "stablehlo.dynamic_update_slice": dynamic_slice,
    "stablehlo.sort": sort,
    "stablehlo.cholesky": cholesky,
    "stablehlo.triangular_solve": triangular_solve,
    "stablehlo.fft": fft,
    "stablehlo.rng_bit_generator": rng_bit_generator,
    "stablehlo.select": select,
    "stablehlo.clamp": clamp,
    "chlo.top_k": top_k,
}
