"""Quantized `dot`, `dot_general` and `convolution` on integers, with corrections for the zero points.

With storage elements l and r, their zero points zl and zr, and `scale = scale_l * scale_r / scale_result`:

    result = dot(l, r) * scale + (zero_point_result - offset * scale)
    offset = zr * sum(l) + zl * sum(r) - zl * zr * contracted size
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np

from stablehlo_py.ir.attributes import Attribute, DenseArrayAttr, DenseElementsAttr, StructAttr
from stablehlo_py.ir.core import Block, Operation, Region, Value
from stablehlo_py.ir.types import QuantizedType, TensorType
from stablehlo_py.opset.definition import lookup
from stablehlo_py.opset.op_inputs import make_properties
from stablehlo_py.transforms.quantization.arithmetic import (
    F32,
    I32,
    I64,
    broadcast,
    convert,
    per_slice,
    with_element,
)
from stablehlo_py.transforms.rewriter import Rewriter

_MATRIX_PRODUCT = {
    "lhs_batching_dimensions": [],
    "rhs_batching_dimensions": [],
    "lhs_contracting_dimensions": [1],
    "rhs_contracting_dimensions": [0],
}
_IMAGES = 4  # the rank of images of two spatial dimensions
_TOLERANCE = 0.001  # relative difference up to which scales count as equal


@dataclass(frozen=True, slots=True)
class Dimensions:
    """The roles of the dimensions of a dot product; contracted dimensions include a convolution's window."""

    lhs_batch: tuple[int, ...]
    lhs_summed: tuple[int, ...]
    rhs_batch: tuple[int, ...]
    rhs_summed: tuple[int, ...]
    start: int  # the first dimension of the product that the right-hand side has


def dot_dimensions(op: Operation) -> Dimensions:
    """Return the dimensions of a `dot` of matrices or a `dot_general`."""
    numbers = op.attribute("dot_dimension_numbers")
    fields: dict[str, Any] = dict(numbers.fields) if isinstance(numbers, StructAttr) else _MATRIX_PRODUCT
    lhs_batch, lhs_contracting, rhs_batch, rhs_contracting = (
        tuple(fields.get(f"{side}_{role}_dimensions", ()))
        for side in ("lhs", "rhs")
        for role in ("batching", "contracting")
    )
    start = len(op.operands[0].type.shape) - len(lhs_contracting)
    return Dimensions(lhs_batch, lhs_contracting, rhs_batch, rhs_contracting, start)


def convolution_dimensions(op: Operation, rhs: QuantizedType, result: QuantizedType) -> Dimensions | None:
    """Return the dimensions of a convolution that can be computed on integers, None for another one.

    Its layout is NHWC and HWIO, with two or three spatial dimensions, or NCHW and OIHW. It has no
    `lhs_dilation`, and the right-hand side has no zero point. Quantization of the right-hand side per axis is
    per output feature, with scales proportional to the scales of the result.
    """
    zero_points = rhs.zero_points if rhs.dimension is None else rhs.zero_points + result.zero_points
    rank = len(op.operands[1].type.shape)
    found = op.attribute("dimension_numbers")
    if (
        any(zero_points)
        or any(each != 1 for each in _numbers(op, "lhs_dilation"))
        or rank not in (_IMAGES, _IMAGES + 1)
    ):
        return None
    fields = dict(found.fields) if isinstance(found, StructAttr) else {}
    if rank not in (_IMAGES, _IMAGES + 1) or not _is_regular(fields, rank):
        return None
    if rhs.dimension is not None:
        ratios = np.divide(result.scales, rhs.scales)
        if rhs.dimension != fields["kernel_output_feature_dimension"]:
            return None
        if (abs(ratios / ratios[0] - 1) > _TOLERANCE).any():
            return None
    lhs_summed = (*fields["input_spatial_dimensions"], fields["input_feature_dimension"])
    rhs_summed = (*fields["kernel_spatial_dimensions"], fields["kernel_input_feature_dimension"])
    return Dimensions((0,), lhs_summed, (), rhs_summed, fields["output_feature_dimension"])


def _is_regular(fields: Mapping[str, Any], rank: int) -> bool:
    """Test whether images are NHWC and kernels HWIO, also in three dimensions, or NCHW and OIHW."""
    last = rank - 1
    feature, spatial = last, tuple(range(1, last))
    kernel = (last - 1, last, tuple(range(last - 1)))
    if fields.get("input_feature_dimension") == 1 and rank == _IMAGES:
        feature, spatial = 1, tuple(range(2, rank))
        kernel = (1, 0, spatial)
    return dict(fields) == {
        "input_batch_dimension": 0,
        "input_feature_dimension": feature,
        "input_spatial_dimensions": spatial,
        "kernel_input_feature_dimension": kernel[0],
        "kernel_output_feature_dimension": kernel[1],
        "kernel_spatial_dimensions": kernel[2],
        "output_batch_dimension": 0,
        "output_feature_dimension": feature,
        "output_spatial_dimensions": spatial,
    }


def hybrid_dot(rewriter: Rewriter, op: Operation, rhs: QuantizedType) -> Sequence[Value]:
    """Dequantize the weights of a product with floating-point activations.

    A barrier keeps later passes from folding the dequantized weights into a constant.
    """
    activations, weights = op.operands
    assert isinstance(op.result.type, TensorType)
    weights = rewriter.create("stablehlo.optimization_barrier", [weights]).result
    scales = per_slice(rewriter, rhs, rhs.scales, F32)
    zero_points = per_slice(rewriter, rhs, rhs.zero_points, F32)
    weights = convert(rewriter, weights, F32)
    if any(rhs.zero_points):
        weights = broadcast(rewriter, "subtract", weights, zero_points, rhs.dimension)
    weights = broadcast(rewriter, "multiply", weights, scales, rhs.dimension)
    return rewriter.insert(_like(op, op.name, [activations, weights], op.result.type, {})).results


def integer_dot(
    rewriter: Rewriter,
    op: Operation,
    dimensions: Dimensions,
    types: tuple[QuantizedType, QuantizedType, QuantizedType],
) -> Value:
    """Compute a quantized product on integers.

    Args:
        rewriter: The rewriter.
        op: The op, whose operands are storage elements.
        dimensions: The dimensions of the product.
        types: The quantized types of the operands and the result. The left-hand side has one scale; if the
            right-hand side has several, it has no zero points.

    Returns:
        The i32 elements of the result, before they are clamped.
    """
    left, right, result = types
    lhs, rhs = op.operands
    lhs, product = _product(rewriter, op, left, dimensions)
    zero_points = (left.zero_points[0], right.zero_points[0] if right.dimension is None else 0)
    offset = _offset(rewriter, lhs, rhs, product, zero_points, dimensions)
    scale = left.scales[0] * right.scales[0] / result.scales[0]
    if abs(scale - 1) > _TOLERANCE:
        constant = rewriter.constant(scale, TensorType((), F32))
        product = _scaled(rewriter, product, constant)
        offset = None if offset is None else _scaled(rewriter, offset, constant)
    zero = result.zero_points[0] if result.dimension is None else 0
    added = rewriter.constant(zero, TensorType((), I32))
    if offset is not None:
        added = broadcast(rewriter, "subtract", added, offset, type=product.type)
    return broadcast(rewriter, "add", product, added)


def _scaled(rewriter: Rewriter, value: Value, scale: Value) -> Value:
    return convert(rewriter, broadcast(rewriter, "multiply", convert(rewriter, value, F32), scale), I32)


def _product(
    rewriter: Rewriter, op: Operation, left: QuantizedType, dimensions: Dimensions
) -> tuple[Value, Value]:
    """Return the left-hand side, padded with its zero point, and the product of storage elements."""
    lhs, rhs = op.operands
    type = with_element(op.result.type, I32)
    if op.name != "stablehlo.convolution":
        inputs = {} if op.attribute("dot_dimension_numbers") else _MATRIX_PRODUCT
        return lhs, rewriter.insert(_like(op, "stablehlo.dot_general", [lhs, rhs], type, inputs)).result
    padding = [int(n) for n in _numbers(op, "padding")]
    if not any(padding):
        return lhs, rewriter.insert(_like(op, op.name, [lhs, rhs], type, {})).result
    zero = rewriter.constant(left.zero_points[0], TensorType((), left.storage_type))
    spatial = dimensions.lhs_summed[:-1]
    edges = np.zeros((2, len(spatial) + 2), np.int64)
    edges[:, spatial] = np.reshape(padding, (-1, 2)).T
    lhs = rewriter.value(
        "stablehlo.pad",
        [lhs, zero],
        edge_padding_low=edges[0].tolist(),
        edge_padding_high=edges[1].tolist(),
        interior_padding=[0] * len(edges[0]),
    )
    unpadded = {"padding": np.zeros((len(spatial), 2), np.int64)}
    return lhs, rewriter.insert(_like(op, op.name, [lhs, rhs], type, unpadded)).result


def _like(
    op: Operation, name: str, operands: Sequence[Value], type: TensorType, inputs: Mapping[str, Any]
) -> Operation:
    """Return an op with the attributes of another one, some of them changed."""
    definition = lookup(name)
    assert definition is not None
    changed: Mapping[str, Attribute] = make_properties(definition, inputs) if inputs else {}
    return Operation(name, operands, [type], {**op.properties, **changed}, dict(op.attributes))


def _offset(
    rewriter: Rewriter,
    lhs: Value,
    rhs: Value,
    product: Value,
    zero_points: tuple[int, int],
    dimensions: Dimensions,
) -> Value | None:
    """Return what zero points add to a product, or None if there are none."""
    left, right = zero_points
    sizes = _Sizes(rewriter, product)
    offset = None
    if right:
        start = len(dimensions.lhs_batch)
        part = _sum(rewriter, lhs, right, dimensions.lhs_summed)
        offset = sizes.broadcast(part, lhs, dimensions.lhs_summed, dimensions.lhs_batch, start)
    if left:
        part = _sum(rewriter, rhs, left, dimensions.rhs_summed)
        part = sizes.broadcast(part, rhs, dimensions.rhs_summed, dimensions.rhs_batch, dimensions.start)
        offset = part if offset is None else rewriter.value("stablehlo.add", [offset, part])
    if offset is not None and left and right:
        count = _contracted_size(rewriter, rhs, dimensions.rhs_summed, left * right)
        offset = broadcast(rewriter, "subtract", offset, count)
    return offset


def _sum(rewriter: Rewriter, value: Value, factor: int, dimensions: tuple[int, ...]) -> Value:
    """Sum elements over dimensions in i32, times a factor."""
    scalar = TensorType((), I32)
    value = convert(rewriter, value, I32)
    zero = rewriter.constant(0, scalar)
    block = Block([scalar, scalar])
    total = block.append(Operation("stablehlo.add", block.arguments, [scalar]))
    block.append(Operation("stablehlo.return", total.results))
    shape = tuple(size for index, size in enumerate(value.type.shape) if index not in dimensions)
    reduced = rewriter.create(
        "stablehlo.reduce",
        [value, zero],
        {"dimensions": sorted(dimensions)},
        [TensorType(shape, I32)],
        [Region([block])],
    )
    return broadcast(rewriter, "multiply", reduced.result, rewriter.constant(factor, scalar))


def _contracted_size(rewriter: Rewriter, rhs: Value, dimensions: tuple[int, ...], factor: int) -> Value:
    """Return the product of sizes, times a factor, as a scalar i32."""
    scalar = TensorType((), I32)
    sizes = [rhs.type.shape[index] for index in dimensions]
    dynamic = rewriter.constant(1, scalar)
    for index, size in zip(dimensions, sizes, strict=True):
        if size is None:
            found = rewriter.value("stablehlo.get_dimension_size", [rhs], dimension=index)
            dynamic = rewriter.value("stablehlo.multiply", [dynamic, found])
    static = rewriter.constant(factor * prod(size for size in sizes if size is not None), scalar)
    return rewriter.value("stablehlo.multiply", [static, dynamic]) if None in sizes else static


class _Sizes:
    """Broadcasts to the shape of a product, whose dynamic sizes are computed once."""

    def __init__(self, rewriter: Rewriter, product: Value) -> None:
        self._rewriter = rewriter
        self._product = product
        self._sizes: Value | None = None

    def broadcast(
        self, part: Value, operand: Value, summed: tuple[int, ...], batch: tuple[int, ...], start: int
    ) -> Value:
        """Broadcast sums over an operand's dimensions.

        Args:
            part: The sums.
            operand: The operand.
            summed: The dimensions that were summed.
            batch: Its batch dimensions, which come first in the product, in this order.
            start: The dimension of the product where the operand's other dimensions start.
        """
        kept = [index for index in range(len(operand.type.shape)) if index not in summed]
        others = iter(range(start, start + len(kept)))
        dimensions = [batch.index(index) if index in batch else next(others) for index in kept]
        type = self._product.type
        assert isinstance(type, TensorType)
        if type.is_static:
            return self._rewriter.value(
                "stablehlo.broadcast_in_dim", [part], broadcast_dimensions=dimensions, type=type
            )
        if self._sizes is None:
            self._sizes = self._all_sizes(type)
        return self._rewriter.value(
            "stablehlo.dynamic_broadcast_in_dim",
            [part, self._sizes],
            broadcast_dimensions=dimensions,
            type=type,
        )

    def _all_sizes(self, type: TensorType) -> Value:
        rewriter, one = self._rewriter, TensorType((1,), I64)
        sizes = []
        for index, size in enumerate(type.shape):
            if size is None:
                found = rewriter.value("stablehlo.get_dimension_size", [self._product], dimension=index)
                sizes.append(rewriter.value("stablehlo.reshape", [convert(rewriter, found, I64)], type=one))
            else:
                sizes.append(rewriter.constant(size, one))
        return rewriter.value("stablehlo.concatenate", sizes, dimension=0)


def _numbers(op: Operation, name: str) -> list[Any]:
    """Return the elements of an array attribute; [] if it is absent."""
    found = op.attribute(name)
    return list(np.ravel(found.value)) if isinstance(found, DenseArrayAttr | DenseElementsAttr) else []
