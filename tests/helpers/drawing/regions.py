"""Random ops with regions, with indices or along a dimension."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from tests.helpers.drawing.sizes import FEW, Hints, Rng, Shape, draw_few, draw_shape, subset


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


def torch_index_select(rng: Rng) -> Hints:
    shape, index = draw_shape(rng, 1, 3, least=1), draw_shape(rng, 1, 1)
    at = int(rng.integers(0, len(shape)))
    result = (*shape[:at], *index, *shape[at + 1 :])
    return {"operand": shape, "index": index, "dim": at, "batch_dims": 0, "result": result}


def reduce(rng: Rng) -> Hints:
    """Over one dimension or more: without, XLA leaves out the initial value, which is no identity here."""
    shape, count = draw_few(rng, 1), int(rng.integers(1, 3))
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
    shape, count = draw_few(rng), int(rng.integers(1, 3))
    return window(rng, shape) | {
        "inputs": [shape] * count,
        "init_values": [()] * count,
        "base_dilations": tuple(rng.integers(1, 3, len(shape)).tolist()),
        "window_dilations": tuple(rng.integers(1, 3, len(shape)).tolist()),
    }


def select_and_scatter(rng: Rng) -> Hints:
    """With padding only around few elements, which are then distinct (see `values.distinct`).

    Where rows of a window are padding, XLA may take another of equal elements; where all are, any.
    """
    shape = draw_shape(rng, 1, 3, least=1)
    found = window(rng, shape)
    largest = np.array(found["window_dimensions"])[:, None] - 1
    found["padding"] = np.minimum(found["padding"], largest) * (np.prod(shape) <= FEW)
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


def map_over(rng: Rng) -> Hints:
    shape = draw_shape(rng)
    return {"": shape, "dimensions": tuple(range(len(shape)))}


def sort(rng: Rng) -> Hints:
    shape = draw_shape(rng, 1)
    return {
        "inputs": [shape] * int(rng.integers(1, 3)),
        "dimension": int(rng.integers(-1, len(shape))),  # along -2, XLA sorts in some runs only
        "is_stable": True,
    }


def top_k(rng: Rng) -> Hints:
    shape = draw_shape(rng, 1, least=1)
    return {"operand": shape, "k": int(rng.integers(1, shape[-1] + 1))}
