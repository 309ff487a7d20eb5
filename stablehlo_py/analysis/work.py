"""Operation counts of single ops, as in XLA's cost analysis.

A multiply-add is two operations. Transcendental functions are counted separately, one per element. Data
movement and constants have no operations.
"""

from __future__ import annotations

from collections.abc import Callable
from math import gcd, prod
from typing import Any, NamedTuple

from stablehlo_py.analysis.inputs import attribute
from stablehlo_py.analysis.sizes import dimensions, elements, size_of
from stablehlo_py.ir.core import Operation, Region
from stablehlo_py.notation.attribute_functions import einsum_labels
from stablehlo_py.opset.definition import has_trait, lookup
from stablehlo_py.opset.op_inputs import groups
from stablehlo_py.opset.traits import WorkRule

_MOST_POSITIONS = 1 << 16  # of a window and of the result that are looked at one by one


class Work(NamedTuple):
    """A number of arithmetic operations and of transcendental functions."""

    flops: int = 0
    transcendentals: int = 0

    def times(self, count: int) -> Work:
        """Return the work of `count` executions."""
        return Work(self.flops * count, self.transcendentals * count)

    def plus(self, other: Work) -> Work:
        """Return the sum."""
        return Work(self.flops + other.flops, self.transcendentals + other.transcendentals)


OfBody = Callable[[Region], Work]


def op_work(op: Operation, of_body: OfBody) -> Work:
    """Count the operations of an op, including functions that it applies to elements.

    Args:
        op: The op. Calls and control flow count as 0.
        of_body: Returns the work of one call of a function on elements.

    Returns:
        The work of one execution.
    """
    definition = lookup(op.name)
    if definition is None:
        return Work()
    if definition.cost.work:
        return _RULES[definition.cost.work](op, of_body)
    return _elementwise(op, of_body) if "elementwise" in definition.traits else Work()


def _elementwise(op: Operation, of_body: OfBody) -> Work:
    count = _sum(op.results)
    return Work(0, count) if has_trait(op.name, "transcendental") else Work(count, 0)


def _sum(values: Any) -> int:
    return sum(elements(value.type) for value in values)


def _shape(op: Operation, operand: int) -> tuple[int, ...]:
    return dimensions(op.operands[operand].type)


# Products


def _contraction(op: Operation, of_body: OfBody) -> Work:
    contracted = [size_of(_shape(op, 0), d) for d in attribute(op, "lhs_contracting_dimensions")]
    return Work(2 * _sum(op.results) * prod(contracted))


def _matrix_product(op: Operation, of_body: OfBody) -> Work:
    return Work(2 * _sum(op.results) * size_of(_shape(op, 0), -1))


def _einsum(op: Operation, of_body: OfBody) -> Work:
    """Count a multiply-add per combination of indices; nothing for a configuration that is malformed."""
    shapes = [dimensions(value.type) for value in op.operands]
    labels = einsum_labels(str(attribute(op, "einsum_config")), list(map(len, shapes)))
    sizes: dict[str, int] = {}
    for names, shape in zip(labels, shapes, strict=False):  # the last labels are those of the result
        for name, size in zip(names, shape, strict=True):
            sizes[name] = max(size, sizes.get(name, 0))
    return Work((2 if len(shapes) > 1 else 1) * prod(sizes.values())) if labels else Work()


def _ragged_contraction(op: Operation, of_body: OfBody) -> Work:
    """Count a multiply-add per element of `lhs` and non-contracted element of one group of `rhs`."""
    shape = _shape(op, 1)
    numbers = ("rhs_batching_dimensions", "rhs_contracting_dimensions", "rhs_group_dimensions")
    used = {d for name in numbers for d in attribute(op, name) or ()}
    return Work(2 * _sum(op.operands[:1]) * prod(n for d, n in enumerate(shape) if d not in used))


def _convolution(op: Operation, of_body: OfBody) -> Work:
    """Count multiply-adds, except those with padding and with the holes of a dilated input."""
    image, kernel, output = _shape(op, 0), _shape(op, 1), dimensions(op.results[0].type)
    positions = 1
    for axis, d in enumerate(attribute(op, "output_spatial_dimensions")):
        i = attribute(op, "input_spatial_dimensions")[axis]
        k = attribute(op, "kernel_spatial_dimensions")[axis]
        positions *= _positions(op, axis, size_of(image, i), size_of(kernel, k), size_of(output, d))
    inputs = size_of(kernel, attribute(op, "kernel_input_feature_dimension"))
    outputs = size_of(output, attribute(op, "output_feature_dimension"))
    batch = size_of(image, attribute(op, "input_batch_dimension")) // attribute(op, "batch_group_count")
    return Work(2 * positions * inputs * outputs * batch)


def _positions(op: Operation, axis: int, image: int, kernel: int, output: int) -> int:
    """Count the pairs of kernel and output positions along an axis that hit an input element.

    All pairs are counted where there are very many of both, or the padding is an operand.
    """
    if (op.attribute("padding") is None and len(op.operands) > 2) or min(kernel, output) > _MOST_POSITIONS:
        return kernel * output
    padding = attribute(op, "padding")
    low = int(padding[axis][0]) if axis < len(padding) else 0
    sides = [(output, _of_axis(op, "window_strides", axis)), (kernel, _of_axis(op, "rhs_dilation", axis))]
    (count, step), (others, stride) = sorted(sides)
    dilation = _of_axis(op, "lhs_dilation", axis)
    return sum(_hits(low - at * step, others, stride, image, dilation) for at in range(count))


def _hits(start: int, count: int, stride: int, image: int, dilation: int) -> int:
    """Count the numbers i below `count` for which i * stride is `start` plus an element's place."""
    common = gcd(stride, dilation)
    if start % common:
        return 0
    period = dilation // common
    first = start // common * pow(stride // common, -1, period) % period
    low = max(-(-start // stride), 0)
    high = min((start + (image - 1) * dilation) // stride, count - 1)
    return max((high - first) // period - (low - 1 - first) // period, 0)


def _of_axis(op: Operation, name: str, axis: int) -> int:
    """Return the stride or dilation of a spatial dimension, by default 1."""
    values = attribute(op, name)
    return int(values[axis]) if axis < len(values) else 1


# Functions applied to elements


def _reduction(op: Operation, of_body: OfBody) -> Work:
    """Count one call of the body per input element, except the first of each output element."""
    combined = elements(op.operands[0].type) - elements(op.results[0].type)
    return of_body(op.regions[0]).times(max(combined, 0))


def _map(op: Operation, of_body: OfBody) -> Work:
    return of_body(op.regions[0]).times(elements(op.results[0].type))


def _window_reduction(op: Operation, of_body: OfBody) -> Work:
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


def _combination(op: Operation, of_body: OfBody) -> Work:
    """Count a reducing collective: one call of the body per input element."""
    body = of_body(op.regions[0]) if op.regions else Work(1)
    return body.times(_sum(op.operands))


# Algorithms


def _sort(op: Operation, of_body: OfBody) -> Work:
    count = elements(op.operands[0].type)
    return Work(count * _log2_ceiling(count))


def _log2_ceiling(number: int) -> int:
    return (max(number, 1) - 1).bit_length()


def _fft(op: Operation, of_body: OfBody) -> Work:
    """Count eight operations per complex multiply-add and level, on the larger side of a real transform."""
    levels = sum(max(n, 1).bit_length() - 1 for n in attribute(op, "fft_length"))
    size = max(elements(op.operands[0].type), elements(op.results[0].type))
    return Work(8 * levels * size)


def _cholesky(op: Operation, of_body: OfBody) -> Work:
    shape = _shape(op, 0)
    return Work(prod(shape) * size_of(shape, -1) // 3)


def _triangular_solve(op: Operation, of_body: OfBody) -> Work:
    """Count a multiply-add per element of `b` and row of `a`."""
    return Work(2 * size_of(_shape(op, 0), -1) * elements(op.operands[1].type))


def _random(op: Operation, of_body: OfBody) -> Work:
    return Work(0, _sum(op.results))


def _normalization(op: Operation, of_body: OfBody) -> Work:
    definition = lookup(op.name)
    assert definition is not None
    features = size_of(_shape(op, 0), attribute(op, "feature_index"))
    return Work(definition.cost.flops * elements(op.operands[0].type), features)


_RULES: dict[WorkRule, Callable[[Operation, OfBody], Work]] = {
    "elementwise": _elementwise,
    "contraction": _contraction,
    "matrix_product": _matrix_product,
    "einsum": _einsum,
    "ragged_contraction": _ragged_contraction,
    "convolution": _convolution,
    "reduction": _reduction,
    "map": _map,
    "window_reduction": _window_reduction,
    "select_and_scatter": _select_and_scatter,
    "scatter": _scatter,
    "combination": _combination,
    "sort": _sort,
    "fft": _fft,
    "cholesky": _cholesky,
    "triangular_solve": _triangular_solve,
    "random": _random,
    "normalization": _normalization,
}
