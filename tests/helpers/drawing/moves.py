"""Random ops that move elements, and elementwise ops with constraints of their own."""

from __future__ import annotations

import numpy as np

from tests.helpers.drawing.sizes import MANY, Hints, Rng, draw_shape, subset


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


def constant(rng: Rng) -> Hints:
    shape = draw_shape(rng)
    return {"": shape, "result": shape}


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


def bitcast_convert(rng: Rng) -> Hints:
    """Elements as wide, wider or narrower: the last dimension stays, goes or comes."""
    shape = draw_shape(rng, 0, 2)
    parts = int(rng.choice([2, 4, 8, 16, 32]))
    longer = (*shape, parts)
    operand, result = ((shape, shape), (shape, longer), (longer, shape))[rng.integers(0, 3)]
    return {"operand": operand, "result": result}


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


def reduce_precision(rng: Rng) -> Hints:
    """Not without a mantissa, nor e4m11: there XLA keeps NaN in narrow types, and all floats of 8 bits."""
    mantissa = rng.choice([1, 2, 3, 5, 7, 10, 12, 23, 40, 52, 60])
    return {"": (MANY,), "exponent_bits": int(rng.integers(1, 12)), "mantissa_bits": int(mantissa)}
