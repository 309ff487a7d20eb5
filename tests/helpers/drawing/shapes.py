"""Random shapes and attributes for ops whose constraints random choice rarely satisfies."""

from __future__ import annotations

from collections.abc import Callable

from stablehlo_py.opset.definition import OpDef
from tests.helpers.drawing import moves, products, regions
from tests.helpers.drawing.sizes import MANY, Hints, Rng, draw_shape

SHAPES: dict[str, Callable[[Rng], Hints]] = {
    "stablehlo.dot_general": products.dot_general,
    "stablehlo.dot": products.dot,
    "stablehlo.einsum": products.einsum,
    "stablehlo.convolution": products.convolution,
    "stablehlo.map": regions.map_over,
    "stablehlo.torch_index_select": regions.torch_index_select,
    "stablehlo.constant": moves.constant,
    "stablehlo.reduce_precision": moves.reduce_precision,
    "stablehlo.bitcast_convert": moves.bitcast_convert,
    "stablehlo.gather": lambda rng: (regions.gather, regions.gather_in_batches)[rng.integers(0, 2)](rng),
    "stablehlo.dynamic_gather": regions.dynamic_gather,
    "stablehlo.scatter": regions.scatter,
    "stablehlo.reduce": regions.reduce,
    "stablehlo.reduce_window": regions.reduce_window,
    "stablehlo.select_and_scatter": regions.select_and_scatter,
    "stablehlo.batch_norm_grad": regions.batch_norm("scale", "mean", "variance"),
    "stablehlo.batch_norm_inference": regions.batch_norm("scale", "offset", "mean", "variance"),
    "stablehlo.batch_norm_training": regions.batch_norm("scale", "offset"),
    "stablehlo.broadcast_in_dim": moves.broadcast_in_dim,
    "stablehlo.dynamic_broadcast_in_dim": moves.dynamic_broadcast_in_dim,
    "stablehlo.reshape": moves.reshape,
    "stablehlo.dynamic_reshape": moves.dynamic_reshape,
    "stablehlo.iota": moves.iota,
    "stablehlo.dynamic_iota": moves.dynamic_iota,
    "stablehlo.transpose": moves.transpose,
    "stablehlo.reverse": moves.reverse,
    "stablehlo.slice": moves.slice_of,
    "stablehlo.real_dynamic_slice": moves.real_dynamic_slice,
    "stablehlo.pad": moves.pad,
    "stablehlo.dynamic_pad": moves.dynamic_pad,
    "stablehlo.concatenate": moves.concatenate,
    "stablehlo.dynamic_slice": moves.dynamic_slice,
    "stablehlo.dynamic_update_slice": moves.dynamic_slice,
    "stablehlo.sort": regions.sort,
    "stablehlo.cholesky": products.cholesky,
    "stablehlo.triangular_solve": products.triangular_solve,
    "stablehlo.fft": products.fft,
    "stablehlo.rng_bit_generator": products.rng_bit_generator,
    "stablehlo.select": moves.select,
    "stablehlo.clamp": moves.clamp,
    "chlo.top_k": regions.top_k,
}


def hints(rng: Rng, definition: OpDef) -> Hints:
    """What an op needs: its own function's draw, or one shape for all operands."""
    if definition.name.startswith("chlo.broadcast_"):
        return moves.loose(rng)
    made = SHAPES.get(definition.name)
    if made:
        return made(rng)
    many = "elementwise" in definition.traits and rng.random() < 0.7
    return {"": (MANY,) if many else draw_shape(rng)}
