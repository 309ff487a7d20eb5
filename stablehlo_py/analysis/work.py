"""The arithmetic of single ops, counted as XLA's cost analysis counts it.

A multiplication and an addition are two operations. Transcendental functions are counted apart, one for
an element. What only moves or makes data counts nothing.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from math import prod
from typing import Any, NamedTuple

import numpy as np

from stablehlo_py.analysis.inputs import attribute
from stablehlo_py.analysis.sizes import dimensions, elements
from stablehlo_py.ir.core import Operation, Region
from stablehlo_py.opset.definition import has_trait, lookup
from stablehlo_py.opset.op_inputs import groups


class Work(NamedTuple):
    """Arithmetic operations, and transcendental functions."""

    flops: int = 0
    transcendentals: int = 0

    def times(self, count: int) -> Work:
        return Work(self.flops * count, self.transcendentals * count)

    def plus(self, other: Work) -> Work:
        return Work(self.flops + other.flops, self.transcendentals + other.transcendentals)


OfBody = Callable[[Region], Work]

TRANSCENDENTAL = frozenset(
    {
        "atan2",
        "cbrt",
        "cosine",
        "exponential",
        "exponential_minus_one",
        "log",
        "log_plus_one",
        "logistic",
        "power",
        "rsqrt",
        "sine",
        "sqrt",
        "tan",
        "tanh",
        "_asin_acos_kernel",
        "acos",
        "acosh",
        "asin",
        "asinh",
        "atan",
        "atanh",
        "bessel_i1e",
        "cosh",
        "sinh",
        "digamma",
        "erf",
        "erf_inv",
        "erfc",
        "lgamma",
        "polygamma",
        "zeta",
    }
)
# Operations on each element, by the specification's formulas.
BATCH_NORM = {"batch_norm_inference": 4, "batch_norm_training": 8, "batch_norm_grad": 12}


def op_work(op: Operation, of_body: OfBody) -> Work:
    """The work of an op by itself, that of the functions which it applies to elements included.

    `of_body` is the work of one call of such a function. Calls and control flow count nothing.
    """
    rule = _RULES.get(op.name)
    if rule is not None:
        return rule(op, of_body)
    name = op.name.rpartition(".")[2].removeprefix("broadcast_")
    spreads = op.name.startswith("chlo.broadcast_")
    if has_trait(op.name, "elementwise") or (spreads and lookup(op.name) is not None):
        return _each(_sum(op.results), name)
    return Work()


def _each(count: int, name: str) -> Work:
    return Work(0, count) if name in TRANSCENDENTAL else Work(count, 0)


def _sum(values: Any) -> int:
    return sum(elements(value.type) for value in values)


def _shape(op: Operation, operand: int) -> tuple[int, ...]:
    return dimensions(op.operands[operand].type)


# Products


def _dot_general(op: Operation, of_body: OfBody) -> Work:
    contracted = [_shape(op, 0)[d] for d in attribute(op, "lhs_contracting_dimensions")]
    return Work(2 * _sum(op.results) * prod(contracted))


def _dot(op: Operation, of_body: OfBody) -> Work:
    return Work(2 * _sum(op.results) * _shape(op, 0)[-1])


def _einsum(op: Operation, of_body: OfBody) -> Work:
    """One multiplication and addition for each assignment of the indices, dots for dimensions without one."""
    terms = str(attribute(op, "einsum_config")).split("->")[0].split(",")
    sizes: dict[str, int] = {}
    for position, term in enumerate(terms):
        shape = _shape(op, position)
        letters = re.findall(r"\.\.\.|\w", term)
        spread = len(shape) - (len(letters) - 1) if "..." in letters else 0
        names = [n for x in letters for n in ([f"...{i}" for i in range(spread)] if x == "..." else [x])]
        sizes.update(zip(names, shape, strict=False))
    return Work((2 if len(terms) > 1 else 1) * prod(sizes.values()))


def _ragged_dot(op: Operation, of_body: OfBody) -> Work:
    """Each element of `lhs` meets a row of one group's `rhs`, whichever dimension is ragged."""
    shape = _shape(op, 1)
    numbers = ("rhs_batching_dimensions", "rhs_contracting_dimensions", "rhs_group_dimensions")
    used = {d for name in numbers for d in attribute(op, name) or ()}
    return Work(2 * _sum(op.operands[:1]) * prod(n for d, n in enumerate(shape) if d not in used))


def _convolution(op: Operation, of_body: OfBody) -> Work:
    """Padding and the holes of a dilated input are not multiplied."""
    image, kernel, output = _shape(op, 0), _shape(op, 1), dimensions(op.results[0].type)
    positions = 1
    for axis, d in enumerate(attribute(op, "output_spatial_dimensions")):
        i = attribute(op, "input_spatial_dimensions")[axis]
        k = attribute(op, "kernel_spatial_dimensions")[axis]
        positions *= _positions(op, axis, image[i], kernel[k], output[d])
    inputs = kernel[attribute(op, "kernel_input_feature_dimension")]
    outputs = output[attribute(op, "output_feature_dimension")]
    batch = image[attribute(op, "input_batch_dimension")] // attribute(op, "batch_group_count")
    return Work(2 * positions * inputs * outputs * batch)


def _positions(op: Operation, axis: int, image: int, kernel: int, output: int) -> int:
    """How many pairs of a place in the kernel and one in the result meet an element of the input."""
    if op.name == "stablehlo.dynamic_conv":
        return kernel * output  # the padding is known when it runs
    stride, dilation = _of_axis(op, "window_strides", axis), _of_axis(op, "lhs_dilation", axis)
    padding = attribute(op, "padding")
    low = int(padding[axis][0]) if axis < len(padding) else 0
    at = np.arange(output)[:, None] * stride - low + np.arange(kernel) * _of_axis(op, "rhs_dilation", axis)
    inside = (at >= 0) & (at <= (image - 1) * dilation) & (at % dilation == 0)
    return int(np.count_nonzero(inside))


def _of_axis(op: Operation, name: str, axis: int) -> int:
    """A stride or dilation of a spatial dimension: 1 where the list is empty."""
    values = attribute(op, name)
    return int(values[axis]) if axis < len(values) else 1


# Functions applied to elements


def _reduce(op: Operation, of_body: OfBody) -> Work:
    """All elements but the first of each result are combined with what came before."""
    combined = elements(op.operands[0].type) - elements(op.results[0].type)
    return of_body(op.regions[0]).times(max(combined, 0))


def _map(op: Operation, of_body: OfBody) -> Work:
    return of_body(op.regions[0]).times(elements(op.results[0].type))


def _reduce_window(op: Operation, of_body: OfBody) -> Work:
    window = prod(attribute(op, "window_dimensions"))
    return of_body(op.regions[0]).times(elements(op.results[0].type) * max(window - 1, 0))


def _select_and_scatter(op: Operation, of_body: OfBody) -> Work:
    source = elements(op.operands[1].type)
    window = prod(attribute(op, "window_dimensions") or ())
    selecting = of_body(op.regions[0]).times(source * max(window - 1, 0))
    return selecting.plus(of_body(op.regions[1]).times(source))


def _scatter(op: Operation, of_body: OfBody) -> Work:
    definition = lookup(op.name)
    assert definition is not None
    updates = groups(op, "operand", op.operands, definition.operands)[2]
    return of_body(op.regions[0]).times(elements(updates[0].type))


def _combining(op: Operation, of_body: OfBody) -> Work:
    """A collective that combines what processes have: once for each element that one of them gives."""
    body = of_body(op.regions[0]) if op.regions else Work(1)
    return body.times(_sum(op.operands))


# Algorithms


def _sort(op: Operation, of_body: OfBody) -> Work:
    count = elements(op.operands[0].type)
    return Work(count * _log2_ceiling(count))


def _log2_ceiling(number: int) -> int:
    return (max(number, 1) - 1).bit_length()


def _fft(op: Operation, of_body: OfBody) -> Work:
    """Eight operations for a complex multiplication and addition, on the larger side of a real transform."""
    levels = sum(max(n, 1).bit_length() - 1 for n in attribute(op, "fft_length"))
    size = max(elements(op.operands[0].type), elements(op.results[0].type))
    if attribute(op, "fft_type") == "RFFT":
        size = elements(op.operands[0].type)
    return Work(8 * levels * size)


def _cholesky(op: Operation, of_body: OfBody) -> Work:
    shape = _shape(op, 0)
    return Work(prod(shape) * shape[-1] // 3)


def _triangular_solve(op: Operation, of_body: OfBody) -> Work:
    """A multiplication and an addition for each element of `b` and row of `a`."""
    return Work(2 * _shape(op, 0)[-1] * elements(op.operands[1].type))


def _random(op: Operation, of_body: OfBody) -> Work:
    return Work(0, _sum(op.results))


def _batch_norm(op: Operation, of_body: OfBody) -> Work:
    each = BATCH_NORM[op.name.rpartition(".")[2]]
    features = _shape(op, 0)[attribute(op, "feature_index")]
    return Work(each * elements(op.operands[0].type), features)


_RULES: dict[str, Callable[[Operation, OfBody], Work]] = {
    "stablehlo.dot_general": _dot_general,
    "stablehlo.dot": _dot,
    "stablehlo.einsum": _einsum,
    "stablehlo.unary_einsum": _einsum,
    "chlo.ragged_dot": _ragged_dot,
    "stablehlo.convolution": _convolution,
    "stablehlo.dynamic_conv": _convolution,
    "stablehlo.reduce": _reduce,
    "stablehlo.map": _map,
    "stablehlo.reduce_window": _reduce_window,
    "stablehlo.select_and_scatter": _select_and_scatter,
    "stablehlo.scatter": _scatter,
    "stablehlo.all_reduce": _combining,
    "stablehlo.reduce_scatter": _combining,
    "stablehlo.collective_reduce": _combining,
    "stablehlo.cross-replica-sum": _combining,
    "stablehlo.sort": _sort,
    "chlo.top_k": _sort,
    "stablehlo.fft": _fft,
    "stablehlo.cholesky": _cholesky,
    "stablehlo.triangular_solve": _triangular_solve,
    "stablehlo.rng": _random,
    "stablehlo.rng_bit_generator": _random,
    "stablehlo.batch_norm_inference": _batch_norm,
    "stablehlo.batch_norm_training": _batch_norm,
    "stablehlo.batch_norm_grad": _batch_norm,
}
