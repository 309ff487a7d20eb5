"""Custom-call targets of JAX and XLA; those of LAPACK are in `lapack`."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

from stablehlo_py.diagnostics.diagnostic import RunError
from stablehlo_py.ir.types import TensorType
from stablehlo_py.kernels import chlo, elementwise
from stablehlo_py.kernels.random import rng_bit_generator, three_fry_2x32
from stablehlo_py.kernels.registry import Array, Function
from stablehlo_py.kernels.sort import sort
from stablehlo_py.kernels.targets.registry import ANY, Kind, Values, custom_call
from stablehlo_py.kernels.window import reduce_window

# Annotations: the identity


_MARKS = ("Sharding", "LayoutConstraint", "annotate_device_placement", "xla.sdy.FuncResultSharding")


@custom_call(*_MARKS, attributes=ANY, signature="X -> X")
def mark(*inputs: Any) -> Values:
    """Return the inputs: annotations of layouts and shardings."""
    return inputs


# Assertions


@custom_call("shape_assertion", attributes={}, signature="i1[], int[]* ->")
def shape_assertion(holds: Array, *values: Array, error_message: str = "shape assertion failed") -> Values:
    """Fail unless the first input holds; the message refers to the other inputs as `{0}`, `{1}`, ..."""
    if not np.all(holds):
        raise RunError(fill_placeholders(error_message, values))
    return ()


def fill_placeholders(message: str, values: Sequence[Array]) -> str:
    """Replace `{0}`, `{1}`, ... in a message by values; placeholders without a value are kept."""

    def value(match: re.Match[str]) -> str:
        index = int(match[1])
        return str(values[index]) if index < len(values) else match[0]

    return re.sub(r"\{(\d+)\}", value, message)


@custom_call("stablehlo.shape_refinement_operand_wrapper", attributes={}, signature="T[*r], int[_]* -> T[*r]")
def refined_operand(operand: Any, *shape: Array) -> Any:
    """Return the first input, whose type is more specific than that of the result; see shape refinement."""
    return operand


# Random bits

_WORDS = "ui32[...], ui32[...], ui32[...], ui32[...] -> ui32[...], ui32[...]"


@custom_call(
    "cu_threefry2x32", "hip_threefry2x32", attributes=ANY, signature=_WORDS
)  # a text holds the size again
@custom_call(
    "cu_threefry2x32_ffi",
    "hip_threefry2x32_ffi",
    attributes={},
    signature=_WORDS,
    layout="rows",
    typed=True,
)
def threefry(key0: Array, key1: Array, x0: Array, x1: Array) -> tuple[Array, ...]:
    """Encrypt pairs of words with pairs of key words, elementwise, by Threefry-2x32."""
    return tuple(three_fry_2x32((key0, key1), (x0, x1)))


@custom_call("stablehlo.dynamic_rng_bit_generator", attributes={}, signature="S[s], int[_] -> S[s], _[*]")
def dynamic_random_bits(state: Array, shape: Array, *, rng_algorithm: str, result_types: Any) -> Values:
    """Run `rng_bit_generator` for a shape given as an input."""
    output = TensorType(tuple(shape.tolist()), result_types[1].element_type)
    found: Values = rng_bit_generator(state, rng_algorithm=rng_algorithm, output=output)
    return found


# Windows

_WINDOWS = "E[*r]*, E[]*, int[r], int[r], int[r], int[r], int[r, 2] -> E[*r]*"


@custom_call("stablehlo.dynamic_reduce_window", attributes={}, signature=_WINDOWS)
def dynamic_reduce_window(
    *inputs: Array, called_computations: tuple[Function, ...], result_types: Any
) -> Values:
    """Run `reduce_window` for windows given as inputs: dimensions, strides, dilations and padding."""
    values, padding = inputs[:-5], inputs[-1]
    count = len(values) // 2
    dimensions, strides, base_dilations, window_dilations = (tuple(x.tolist()) for x in inputs[-5:-1])
    found: Values = reduce_window(
        values[:count],
        values[count:],
        window_dimensions=dimensions,
        window_strides=strides,
        base_dilations=base_dilations,
        window_dilations=window_dilations,
        padding=padding,
        body=called_computations[0],
        results=result_types,
    )
    return found


# Top k


_TOP_K = partial(custom_call, attributes={"k": int, "largest": bool})


@_TOP_K("TopK", "topk", "mhlo.topk", signature="T[..., n] -> T[..., k], i32[..., k] where k <= n")
@_TOP_K("stablehlo.dynamic_top_k", signature="T[..., n], int[] -> T[..., k], i32[..., k] where k <= n")
def top_k(
    operand: Array,
    count: Array | None = None,
    *,
    k: int | None = None,
    largest: bool = True,
    result_types: Any,
) -> Values:
    """Return the largest elements of the last dimension (or smallest: `largest`) and their indices."""
    if k is None:
        k = int(count) if count is not None else result_types[0].shape[-1]
    return chlo.first_in_order(operand, k, largest)


_APPROXIMATE: dict[str, Kind] = {
    "reduction_dim": int,
    "top_k": int,
    "recall_target": float,
    "aggregate_to_topk": bool,
    "reduction_input_size_override": int,
    "is_fallback": bool,
    "log2_reduction": int,
    "to_apply_type": str,
}
_ORDERED = "E[*]* where 0 <= reduction_dim <= rank - 1"


@custom_call(
    "ApproxTopK",
    "PartialReduce",
    attributes=_APPROXIMATE,
    signature=f"E[...]*, E[]* -> {_ORDERED}",
)
def approximate_top_k(
    *inputs: Array, reduction_dim: int, called_computations: tuple[Function, ...], result_types: Any
) -> Values:
    """Return the first elements in the comparator's order; exact, with a recall of 1.

    The second half of the inputs are initial values, which an exact search does not use. The type of the
    results states how many there are, which the other attributes lead to.
    """
    size = result_types[0].shape[reduction_dim]
    return _first(inputs[: len(inputs) // 2], size, reduction_dim, called_computations[0])


@custom_call(
    "stablehlo.dynamic_approx_top_k",
    attributes=_APPROXIMATE,
    signature=f"E[...]*, E[]*, int[], int[_]* -> {_ORDERED}",
)
def dynamic_approximate_top_k(
    *inputs: Array, reduction_dim: int, called_computations: tuple[Function, ...]
) -> Values:
    """Run `approximate_top_k`; after the initial values come the number of elements and the result shapes."""
    count = len(inputs) // 3
    return _first(inputs[:count], int(inputs[2 * count]), reduction_dim, called_computations[0])


def _first(data: Sequence[Array], size: int, dimension: int, comparator: Function) -> Values:
    ordered = sort(tuple(data), dimension=dimension, is_stable=True, comparator=comparator)
    return tuple([np.take(x, range(size), axis=dimension) for x in ordered])


# CHLO ops, as exported by older versions of JAX


def _on_elements(row: elementwise.Row) -> Callable[[Array], Array]:
    return lambda operand: elementwise.choose(row, operand.dtype)(operand)


_TESTS = ("is_inf", "is_neg_inf", "is_pos_inf")

for _name, _row in chlo.UNARY.items():
    _result = "i1" if _name in _TESTS else "T"
    custom_call(f"mhlo.{_name}", attributes={}, signature=f"T[...] -> {_result}[...]")(_on_elements(_row))
