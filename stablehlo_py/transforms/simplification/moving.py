"""Simplification of ops that move data: broadcasts, reshapes, transposes, slices, concatenations."""

from __future__ import annotations

from collections.abc import Sequence

from stablehlo_py.ir.core import Operation, OpResult, Value
from stablehlo_py.ir.types import TensorType
from stablehlo_py.notation.environment import Environment
from stablehlo_py.transforms.rewriter import Rewriter, constant_elements
from stablehlo_py.transforms.rules.rule import Rule

CONCATENATE = "stablehlo.concatenate"


def _flatten(rewriter: Rewriter, op: Operation, names: Environment) -> bool | None:
    """Concatenate the operands of operands that are concatenations along the same dimension, used once."""
    found: list[Value] = []
    for value in op.operands:
        inner = value.op if isinstance(value, OpResult) else None
        is_inner = (
            inner is not None
            and inner.name == CONCATENATE
            and len(value.uses) == 1
            and inner.properties["dimension"] == op.properties["dimension"]
        )
        found += inner.operands if inner is not None and is_inner else (value,)
    if found == list(op.operands):
        return None
    rewriter.set_operands(op, found)
    return True


def _drop_empty(rewriter: Rewriter, op: Operation, names: Environment) -> bool | None:
    """Drop operands of size 0 along the dimension, if others are left."""
    axis = names["d"]
    kept = [value for value in op.operands if value.type.shape[axis] != 0]
    if not kept or len(kept) == len(op.operands):
        return None
    rewriter.set_operands(op, kept)
    return True


def _slice_of_concatenation(rewriter: Rewriter, op: Operation, names: Environment) -> Sequence[Value] | None:
    """Slice only the operands that the slice reads."""
    axis, start, limit = names["d"], list(names["start"]), list(names["limit"])
    if not isinstance(op.result.type, TensorType) or not op.result.type.is_static:
        return None
    inputs: list[Value] = list(names["xs"])
    sizes = [value.type.shape[axis] for value in inputs]
    if None in sizes:
        return None
    ends = [sum(sizes[: i + 1]) for i in range(len(sizes))]
    read = [i for i, end in enumerate(ends) if end > start[axis] and end - sizes[i] < limit[axis]]
    if not read or limit[axis] <= start[axis]:
        return None
    subset = inputs[read[0] : read[-1] + 1]
    whole: Value = names["c"]
    if len(subset) == len(inputs) or (len(subset) > 1 and len(whole.uses) > 1):
        return None
    offset = ends[read[0]] - sizes[read[0]]
    start[axis] -= offset
    limit[axis] -= offset
    joined = rewriter.value(CONCATENATE, subset, dimension=axis)
    inputs_of_slice = {"start_indices": start, "limit_indices": limit, "strides": names["strides"]}
    return rewriter.create("stablehlo.slice", [joined], inputs_of_slice, [op.result.type]).results


def _gather_to_slice(rewriter: Rewriter, op: Operation, names: Environment) -> Sequence[Value] | None:
    """Slice, where the start indices are one constant index."""
    index = constant_elements(names["i"])
    operand: Value = names["x"]
    if index is None or index.ndim > 1 or index.size != len(names["map"]):
        return None
    assert isinstance(operand.type, TensorType)
    shape, sizes = operand.type.shape, list(names["sizes"])
    start = [0] * len(shape)
    for axis, value in zip(names["map"], index.reshape(-1).tolist(), strict=True):
        start[axis] = min(max(int(value), 0), (shape[axis] or 0) - sizes[axis])
    limit = [a + n for a, n in zip(start, sizes, strict=True)]
    inputs = {"start_indices": start, "limit_indices": limit, "strides": [1] * len(start)}
    result = rewriter.create("stablehlo.slice", [operand], inputs).result
    if result.type is op.result.type:
        return [result]
    return [rewriter.value("stablehlo.reshape", [result], type=op.result.type)]


RULES = (
    Rule(
        "reverse-nothing",
        "stablehlo.reverse %x, dimensions = d",
        "%x",
        condition="d = []",
        example="%r = stablehlo.reverse %x, dims = [] : tensor<2x3xf32>",
        merge=False,
    ),
    Rule(
        "reverse-empty",
        "stablehlo.reverse %x, dimensions = d",
        "%x",
        condition="is_static(x) and size(x) = 0",
        example="%r = stablehlo.reverse %x, dims = [1] : tensor<2x0xf32>",
        merge=False,
    ),
    Rule(
        "reverse-size-one",
        "stablehlo.reverse %x, dimensions = d",
        "%x",
        condition="is_static(x) and (for i in d : dim(x, i) = 1)",
        example="%r = stablehlo.reverse %x, dims = [0] : tensor<1x3xf32>",
        merge=False,
    ),
    Rule(
        "reverse-splat",
        """
        %x = stablehlo.constant
        stablehlo.reverse %x, dimensions = d
        """,
        "%x",
        condition="is_splat(x)",
        example="""
            %x = stablehlo.constant dense<1.0> : tensor<2xf32>
            %r = stablehlo.reverse %x, dims = [0] : tensor<2xf32>
        """,
        merge=False,
    ),
    Rule(
        "broadcast-same-type",
        "stablehlo.broadcast_in_dim %x, broadcast_dimensions = d",
        "%x",
        condition="identical(r, x) and d = range(size(d))",
        example="%r = stablehlo.broadcast_in_dim %x, dims = [0, 1] : (tensor<2x3xf32>) -> tensor<2x3xf32>",
    ),
    Rule(
        "broadcast-broadcast",
        """
        %y = stablehlo.broadcast_in_dim %x, broadcast_dimensions = inner
        stablehlo.broadcast_in_dim %y, broadcast_dimensions = outer
        """,
        "stablehlo.broadcast_in_dim %x, broadcast_dimensions = [outer[i] for i in inner]",
        condition="not is_static(y) or not (is_sorted(inner...) and size(y) = size(x))",
        example="""
            %y = stablehlo.broadcast_in_dim %x, dims = [0] : (tensor<2xf32>) -> tensor<2x3xf32>
            %r = stablehlo.broadcast_in_dim %y, dims = [1, 2] : (tensor<2x3xf32>) -> tensor<4x2x3xf32>
        """,
    ),
    Rule(
        "broadcast-to-reshape",
        "stablehlo.broadcast_in_dim %x, broadcast_dimensions = d",
        "stablehlo.reshape %x",
        condition="is_static(x) and is_sorted(d...) and size(r) = size(x)",
        example="%r = stablehlo.broadcast_in_dim %x, dims = [1] : (tensor<2xf32>) -> tensor<1x2xf32>",
        benefit=1,
    ),
    Rule(
        "broadcast-to-transpose",
        "stablehlo.broadcast_in_dim %x, broadcast_dimensions = d",
        "stablehlo.transpose %x, permutation = inverse_permutation(d)",
        condition="is_static(x) and size(r) = size(x) and rank(r) = rank(x)",
        example="%r = stablehlo.broadcast_in_dim %x, dims = [1, 0] : (tensor<2x3xf32>) -> tensor<3x2xf32>",
    ),
    Rule(
        "reshape-same-type",
        "stablehlo.reshape %x",
        "%x",
        condition="identical(r, x)",
        example="%r = stablehlo.reshape %x : (tensor<2x3xf32>) -> tensor<2x3xf32>",
    ),
    Rule(
        "reshape-reshape",
        """
        %y = stablehlo.reshape %x
        stablehlo.reshape %y
        """,
        "stablehlo.reshape %x",
        example="""
            %y = stablehlo.reshape %x : (tensor<2x3xf32>) -> tensor<6xf32>
            %r = stablehlo.reshape %y : (tensor<6xf32>) -> tensor<3x2xf32>
        """,
    ),
    Rule(
        "transpose-nothing",
        "stablehlo.transpose %x, permutation = p",
        "%x",
        condition="p = range(size(p)) and identical(r, x)",
        example="%r = stablehlo.transpose %x, dims = [0, 1] : (tensor<2x3xf32>) -> tensor<2x3xf32>",
    ),
    Rule(
        "transpose-transpose",
        """
        %y = stablehlo.transpose %x, permutation = p
        stablehlo.transpose %y, permutation = q
        """,
        "stablehlo.transpose %x, permutation = [p[i] for i in q]",
        example="""
            %y = stablehlo.transpose %x, dims = [1, 2, 0] : (tensor<2x3x4xf32>) -> tensor<3x4x2xf32>
            %r = stablehlo.transpose %y, dims = [1, 0, 2] : (tensor<3x4x2xf32>) -> tensor<4x3x2xf32>
        """,
    ),
    Rule(
        "transpose-to-reshape",
        "stablehlo.transpose %x, permutation = p",
        "stablehlo.reshape %x",
        condition="is_static(x) and is_static(r) and [i for i in p if dim(x, i) != 1] = "
        "[i for i in axes(x) if dim(x, i) != 1]",
        example="%r = stablehlo.transpose %x, dims = [1, 0] : (tensor<1x3xf32>) -> tensor<3x1xf32>",
        doc="Dimensions of size 1 do not matter to the order of elements.",
        merge=False,
    ),
    Rule(
        "slice-everything",
        "stablehlo.slice %x",
        "%x",
        condition="is_static(x) and identical(r, x)",
        example="%r = stablehlo.slice %x [0:2, 0:3] : (tensor<2x3xf32>) -> tensor<2x3xf32>",
    ),
    Rule(
        "slice-of-concatenate",
        """
        %c = stablehlo.concatenate %xs..., dimension = d
        stablehlo.slice %c, start_indices = start, limit_indices = limit, strides = strides
        """,
        _slice_of_concatenation,
        example="""
            %c = stablehlo.concatenate %x, %y, dim = 0 : (tensor<2x5xf32>, tensor<1x5xf32>) -> tensor<3x5xf32>
            %r = stablehlo.slice %c [0:1, 0:5] : (tensor<3x5xf32>) -> tensor<1x5xf32>
        """,
        merge=False,
    ),
    Rule(
        "concatenate-one",
        "stablehlo.concatenate %xs...",
        "%xs[0]",
        condition="size(xs) = 1 and identical(r, xs[0])",
        example="%r = stablehlo.concatenate %x, dim = 0 : (tensor<2xf32>) -> tensor<2xf32>",
        merge=False,
    ),
    Rule(
        "concatenate-empty",
        "stablehlo.concatenate %xs..., dimension = d",
        _drop_empty,
        example="""
            %r = stablehlo.concatenate %x, %y, dim = 0 : (tensor<2xf32>, tensor<0xf32>) -> tensor<2xf32>
        """,
    ),
    Rule(
        "concatenate-concatenate",
        "stablehlo.concatenate %xs..., dimension = d",
        _flatten,
        example="""
            %c = stablehlo.concatenate %x, %y, dim = 0 : (tensor<2xf32>, tensor<1xf32>) -> tensor<3xf32>
            %r = stablehlo.concatenate %c, %x, dim = 0 : (tensor<3xf32>, tensor<2xf32>) -> tensor<5xf32>
        """,
    ),
    Rule(
        "pad-nothing",
        "stablehlo.pad %x, %v, edge_padding_low = low, edge_padding_high = high, interior_padding = inside",
        "%x",
        condition="identical(r, x) and (for n in low ++ high ++ inside : n = 0)",
        example="""
            %r = stablehlo.pad %x, %v, low = [0], high = [0], interior = [0]
              : (tensor<2xf32>, tensor<f32>) -> tensor<2xf32>
        """,
        merge=False,
    ),
    Rule(
        "pad-empty",
        "stablehlo.pad %x, %v",
        "stablehlo.broadcast_in_dim %v, broadcast_dimensions = []",
        condition="is_static(x) and size(x) = 0 and is_static(r)",
        example="""
            %r = stablehlo.pad %x, %v, low = [1], high = [2], interior = [0]
              : (tensor<0xf32>, tensor<f32>) -> tensor<3xf32>
        """,
        merge=False,
    ),
    Rule(
        "iota-size-one",
        "stablehlo.iota iota_dimension = d",
        "stablehlo.constant 0",
        condition="dim(r, d) = 1 and is_static(r)",
        example="%r = stablehlo.iota dim = 1 : tensor<2x1xi32>",
        merge=False,
    ),
    Rule(
        "iota-to-broadcast",
        "stablehlo.iota iota_dimension = d",
        """
        %i = stablehlo.iota iota_dimension = 0 : tensor([dim(r, d)], element_type(r))
        stablehlo.broadcast_in_dim %i, broadcast_dimensions = [d]
        """,
        condition="rank(r) > 1",
        example="%r = stablehlo.iota dim = 1 : tensor<2x3xi32>",
        merge=False,
    ),
    Rule(
        "gather-to-slice",
        """
        stablehlo.gather %x, %i, start_index_map = map, slice_sizes = sizes, index_vector_dim = 0
        """,
        _gather_to_slice,
        condition="is_static(x) and is_constant(i)",
        example="""
            %i = stablehlo.constant dense<[1, 2]> : tensor<2xi32>
            %r = "stablehlo.gather"(%x, %i) <{
              dimension_numbers = #stablehlo.gather<
                offset_dims = [0], collapsed_slice_dims = [0], start_index_map = [0, 1]>,
              slice_sizes = array<i64: 1, 2>}> : (tensor<3x5xf32>, tensor<2xi32>) -> tensor<2xf32>
        """,
        doc="A gather of one constant index is a slice.",
        merge=False,
    ),
)
