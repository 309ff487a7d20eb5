"""Simplification of dynamic ops whose shapes are static after all."""

from __future__ import annotations

from collections.abc import Sequence

from stablehlo_py.ir.core import Operation, OpResult, Value
from stablehlo_py.ir.types import I64, TensorType
from stablehlo_py.notation.environment import Environment
from stablehlo_py.opset.definition import lookup
from stablehlo_py.transforms.rewriter import Rewriter, constant_elements
from stablehlo_py.transforms.rules.rule import Rule


def integers(value: Value) -> list[int] | None:
    """Return the elements of a constant of integers; None for another value."""
    found = constant_elements(value)
    return None if found is None or found.dtype.kind not in "iu" else [int(x) for x in found.reshape(-1)]


def _broadcast_of_constant_shape(
    rewriter: Rewriter, op: Operation, names: Environment
) -> Sequence[Value] | None:
    """Broadcast to the shape that a constant states."""
    shape, of = integers(names["s"]), op.result.type
    if shape is None or not isinstance(of, TensorType):
        return None
    type = TensorType(tuple(shape), of.element_type)
    inputs = {"broadcast_dimensions": names["d"]}
    return rewriter.create("stablehlo.broadcast_in_dim", [names["x"]], inputs, [type]).results


def _iota_to_broadcast(rewriter: Rewriter, op: Operation, names: Environment) -> Sequence[Value]:
    """Broadcast an iota of one dimension."""
    shape: Value = names["s"]
    axis, of = names["d"], op.result.type
    assert isinstance(shape.type, TensorType) and isinstance(of, TensorType)
    is_index = str(shape.type.element_type) == "index"
    cast = "arith.index_cast" if is_index else "stablehlo.convert"
    sizes = rewriter.value(cast, [shape], type=TensorType(shape.type.shape, I64))
    bounds = {"start_indices": [axis], "limit_indices": [axis + 1], "strides": [1]}
    size = rewriter.create("stablehlo.slice", [sizes], bounds).result
    type = TensorType((of.shape[axis],), of.element_type)
    row = rewriter.value("stablehlo.dynamic_iota", [size], type=type, iota_dimension=0)
    inputs = {"broadcast_dimensions": [axis]}
    return rewriter.create("stablehlo.dynamic_broadcast_in_dim", [row, shape], inputs, [of]).results


def _reshape_again(rewriter: Rewriter, op: Operation, names: Environment) -> Sequence[Value] | None:
    """Drop a reshape to the shape that an elementwise op's operand was reshaped to."""
    value: Value = names["x"]
    if not isinstance(value, OpResult) or not value.op.operands or value.type is not op.result.type:
        return None
    definition = lookup(value.op.name)
    first = value.op.operands[0]
    if definition is None or "elementwise" not in definition.traits or not isinstance(first, OpResult):
        return None
    if first.op.name != op.name or first.op.operands[1] is not names["s"]:
        return None
    return [value]


def _to_slice(rewriter: Rewriter, op: Operation, names: Environment) -> Sequence[Value] | None:
    """Slice at the constant start indices, clamped as the op clamps them."""
    operand, sizes = names["x"], names["sizes"]
    starts = [integers(value) for value in names["starts"]]
    start = []
    for at, extent, size in zip(starts, operand.type.shape, sizes, strict=True):
        if at is None:
            return None
        start.append(min(max(at[0], 0), extent - size))
    limit = [a + n for a, n in zip(start, sizes, strict=True)]
    inputs = {"start_indices": start, "limit_indices": limit, "strides": [1] * len(start)}
    return rewriter.create("stablehlo.slice", [operand], inputs, [op.result.type]).results


def _to_dynamic_slice(rewriter: Rewriter, op: Operation, names: Environment) -> Sequence[Value] | None:
    """Slice sizes that are constant: the limit is the start plus a constant."""
    start, limit = names["start"], names["limit"]
    strides = integers(names["strides"])
    if strides is None or any(n != 1 for n in strides):
        return None
    if not isinstance(limit, OpResult) or limit.op.name != "stablehlo.add" or start not in limit.op.operands:
        return None
    a, b = limit.op.operands
    sizes = integers(b if a is start else a)
    if sizes is None:
        return None
    starts = []
    scalar = TensorType((), start.type.element_type)
    for i in range(len(sizes)):
        inputs = {"start_indices": [i], "limit_indices": [i + 1], "strides": [1]}
        one = rewriter.create("stablehlo.slice", [start], inputs).result
        starts.append(rewriter.value("stablehlo.reshape", [one], type=scalar))
    operands = [names["x"], *starts]
    return rewriter.create(
        "stablehlo.dynamic_slice", operands, {"slice_sizes": sizes}, [op.result.type]
    ).results


RULES = (
    Rule(
        "dynamic-broadcast-static",
        "stablehlo.dynamic_broadcast_in_dim %x, %s, broadcast_dimensions = d",
        "stablehlo.broadcast_in_dim %x, broadcast_dimensions = d",
        condition="is_static(x) and is_static(r)",
        example="""
            %s = stablehlo.constant dense<[3, 2]> : tensor<2xi64>
            %r = stablehlo.dynamic_broadcast_in_dim %x, %s, dims = [1]
              : (tensor<2xf32>, tensor<2xi64>) -> tensor<3x2xf32>
        """,
        merge=False,
    ),
    Rule(
        "dynamic-broadcast-constant-shape",
        "stablehlo.dynamic_broadcast_in_dim %x, %s, broadcast_dimensions = d",
        _broadcast_of_constant_shape,
        condition="is_static(x) and is_constant(s)",
        example="""
            %s = stablehlo.constant dense<[3, 2]> : tensor<2xi64>
            %r = stablehlo.dynamic_broadcast_in_dim %x, %s, dims = [1]
              : (tensor<2xf32>, tensor<2xi64>) -> tensor<?x2xf32>
        """,
        merge=False,
    ),
    Rule(
        "dynamic-broadcast-broadcast",
        """
        %y = stablehlo.dynamic_broadcast_in_dim %x, %t, broadcast_dimensions = inner
        stablehlo.dynamic_broadcast_in_dim %y, %s, broadcast_dimensions = outer
        """,
        "stablehlo.dynamic_broadcast_in_dim %x, %s, broadcast_dimensions = [outer[i] for i in inner]",
        example="""
            %t = stablehlo.constant dense<[2, 3]> : tensor<2xi64>
            %s = stablehlo.constant dense<[4, 2, 3]> : tensor<3xi64>
            %y = stablehlo.dynamic_broadcast_in_dim %x, %t, dims = [0]
              : (tensor<2xf32>, tensor<2xi64>) -> tensor<?x?xf32>
            %r = stablehlo.dynamic_broadcast_in_dim %y, %s, dims = [1, 2]
              : (tensor<?x?xf32>, tensor<3xi64>) -> tensor<?x?x?xf32>
        """,
    ),
    Rule(
        "dynamic-broadcast-nonexpanding",
        """
        stablehlo.dynamic_broadcast_in_dim %x, %s, broadcast_dimensions = d, known_nonexpanding_dimensions = n
        """,
        "stablehlo.convert %x : r",
        condition="d = range(size(d)) and size(n) = rank(r)",
        example="""
            %s = stablehlo.constant dense<[7]> : tensor<1xi64>
            %r = "stablehlo.dynamic_broadcast_in_dim"(%x, %s) <{
              broadcast_dimensions = array<i64: 0>, known_nonexpanding_dimensions = array<i64: 0>}>
              : (tensor<7xf32>, tensor<1xi64>) -> tensor<?xf32>
        """,
        doc="The conversion keeps the type of the result.",
    ),
    Rule(
        "dynamic-broadcast-of-reshape",
        """
        %y = stablehlo.dynamic_reshape %x, %s
        stablehlo.dynamic_broadcast_in_dim %y, %s, broadcast_dimensions = d
        """,
        "stablehlo.dynamic_reshape %x, %s",
        condition="d = range(size(d))",
        example="""
            %s = stablehlo.constant dense<[3, 2]> : tensor<2xi64>
            %y = stablehlo.dynamic_reshape %x, %s : (tensor<6xf32>, tensor<2xi64>) -> tensor<?x?xf32>
            %r = stablehlo.dynamic_broadcast_in_dim %y, %s, dims = [0, 1]
              : (tensor<?x?xf32>, tensor<2xi64>) -> tensor<?x?xf32>
        """,
    ),
    Rule(
        "dynamic-broadcast-to-own-shape",
        """
        %s = shape.shape_of %x
        stablehlo.dynamic_broadcast_in_dim %x, %s, broadcast_dimensions = d
        """,
        "%x",
        condition="d = range(size(d)) and identical(r, x)",
        example="""
            %s = shape.shape_of %x : tensor<2xf32> -> tensor<1xindex>
            %r = stablehlo.dynamic_broadcast_in_dim %x, %s, dims = [0]
              : (tensor<2xf32>, tensor<1xindex>) -> tensor<2xf32>
        """,
    ),
    Rule(
        "dynamic-gather-constant-sizes",
        """
        %s = stablehlo.constant value = sizes
        stablehlo.dynamic_gather %x, %i, %s
        """,
        "stablehlo.gather %x, %i, slice_sizes = values(sizes) like %r",
        example="""
            %s = stablehlo.constant dense<[1, 4]> : tensor<2xi64>
            %r = "stablehlo.dynamic_gather"(%x, %i, %s) <{
              dimension_numbers = #stablehlo.gather<
                offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>}>
              : (tensor<3x4xf32>, tensor<2xi64>, tensor<2xi64>) -> tensor<2x4xf32>
        """,
    ),
    Rule(
        "dynamic-pad-constant",
        "stablehlo.dynamic_pad %x, %v, %low, %high, %inside",
        """
        stablehlo.pad %x, %v, edge_padding_low = values(constant_value(low)),
          edge_padding_high = values(constant_value(high)), interior_padding = values(constant_value(inside))
        """,
        condition="is_constant(low) and is_constant(high) and is_constant(inside)",
        example="""
            %low = stablehlo.constant dense<[0, 1]> : tensor<2xi64>
            %inside = stablehlo.constant dense<[1, 0]> : tensor<2xi64>
            %r = stablehlo.dynamic_pad %x, %v, %low, %low, %inside
              : (tensor<2x3xf32>, tensor<f32>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>) -> tensor<3x5xf32>
        """,
    ),
    Rule(
        "dynamic-iota-static",
        "stablehlo.dynamic_iota %s, iota_dimension = d",
        "stablehlo.iota iota_dimension = d",
        condition="is_static(r)",
        example="""
            %s = stablehlo.constant dense<[4]> : tensor<1xi64>
            %r = stablehlo.dynamic_iota %s, dim = 0 : (tensor<1xi64>) -> tensor<4xi32>
        """,
        merge=False,
    ),
    Rule(
        "dynamic-iota-to-broadcast",
        "stablehlo.dynamic_iota %s, iota_dimension = d",
        _iota_to_broadcast,
        condition="rank(r) > 1",
        example="""
            %s = stablehlo.constant dense<[4, 2]> : tensor<2xi32>
            %r = stablehlo.dynamic_iota %s, dim = 1 : (tensor<2xi32>) -> tensor<4x?xi32>
        """,
        merge=False,
    ),
    Rule(
        "dynamic-reshape-static",
        "stablehlo.dynamic_reshape %x, %s",
        "stablehlo.reshape %x",
        condition="is_static(r)",
        example="""
            %s = stablehlo.constant dense<[3, 2]> : tensor<2xi64>
            %r = stablehlo.dynamic_reshape %x, %s : (tensor<6xf32>, tensor<2xi64>) -> tensor<3x2xf32>
        """,
        merge=False,
    ),
    Rule(
        "dynamic-reshape-reshape",
        """
        %y = stablehlo.dynamic_reshape %x, %t
        stablehlo.dynamic_reshape %y, %s
        """,
        "stablehlo.dynamic_reshape %x, %s",
        example="""
            %t = stablehlo.constant dense<[6]> : tensor<1xi64>
            %s = stablehlo.constant dense<[3, 2]> : tensor<2xi64>
            %y = stablehlo.dynamic_reshape %x, %t : (tensor<2x3xf32>, tensor<1xi64>) -> tensor<?xf32>
            %r = stablehlo.dynamic_reshape %y, %s : (tensor<?xf32>, tensor<2xi64>) -> tensor<?x?xf32>
        """,
    ),
    Rule(
        "dynamic-reshape-again",
        "stablehlo.dynamic_reshape %x, %s",
        _reshape_again,
        example="""
            %s = stablehlo.constant dense<[3, 2]> : tensor<2xi64>
            %y = stablehlo.dynamic_reshape %v, %s : (tensor<6xf32>, tensor<2xi64>) -> tensor<?x?xf32>
            %x = stablehlo.add %y, %y : tensor<?x?xf32>
            %r = stablehlo.dynamic_reshape %x, %s : (tensor<?x?xf32>, tensor<2xi64>) -> tensor<?x?xf32>
        """,
        merge=False,
    ),
    Rule(
        "shape-of-dynamic-reshape",
        """
        %y = stablehlo.dynamic_reshape %x, %s
        shape.shape_of %y
        """,
        "%s",
        condition="identical(r, s)",
        example="""
            %s = shape.const_shape [3, 2] : tensor<2xindex>
            %y = stablehlo.dynamic_reshape %x, %s : (tensor<6xf32>, tensor<2xindex>) -> tensor<?x?xf32>
            %r = shape.shape_of %y : tensor<?x?xf32> -> tensor<2xindex>
        """,
    ),
    Rule(
        "dynamic-slice-constant",
        "stablehlo.dynamic_slice %x, %starts..., slice_sizes = sizes",
        _to_slice,
        condition="is_static(x)",
        example="""
            %i = stablehlo.constant dense<7> : tensor<i64>
            %r = stablehlo.dynamic_slice %x, %i, sizes = [2] : (tensor<4xf32>, tensor<i64>) -> tensor<2xf32>
        """,
    ),
    Rule(
        "real-dynamic-slice-constant",
        "stablehlo.real_dynamic_slice %x, %start, %limit, %strides",
        """
        stablehlo.slice %x, start_indices = values(constant_value(start)),
          limit_indices = values(constant_value(limit)), strides = values(constant_value(strides))
        """,
        condition="is_constant(start) and is_constant(limit) and is_constant(strides)",
        example="""
            %start = stablehlo.constant dense<[1]> : tensor<1xi64>
            %limit = stablehlo.constant dense<[4]> : tensor<1xi64>
            %strides = stablehlo.constant dense<[2]> : tensor<1xi64>
            %r = stablehlo.real_dynamic_slice %x, %start, %limit, %strides
              : (tensor<5xf32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<2xf32>
        """,
    ),
    Rule(
        "real-dynamic-slice-constant-size",
        "stablehlo.real_dynamic_slice %x, %start, %limit, %strides",
        _to_dynamic_slice,
        example="""
            %start = stablehlo.convert %i : (tensor<1xi32>) -> tensor<1xi64>
            %size = stablehlo.constant dense<[2]> : tensor<1xi64>
            %limit = stablehlo.add %start, %size : tensor<1xi64>
            %strides = stablehlo.constant dense<[1]> : tensor<1xi64>
            %r = stablehlo.real_dynamic_slice %x, %start, %limit, %strides
              : (tensor<5xf32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<2xf32>
        """,
    ),
    Rule(
        "dynamic-update-slice-empty",
        "stablehlo.dynamic_update_slice %x, %u, %starts...",
        "%x",
        condition="is_static(u) and size(u) = 0",
        example="""
            %u = stablehlo.constant dense<> : tensor<0xf32>
            %r = stablehlo.dynamic_update_slice %x, %u, %i
              : (tensor<4xf32>, tensor<0xf32>, tensor<i64>) -> tensor<4xf32>
        """,
    ),
    Rule(
        "dynamic-update-slice-whole",
        "stablehlo.dynamic_update_slice %x, %u, %starts...",
        "%u",
        condition="is_static(x) and identical(x, u) and (for s in starts : is_zero(s))",
        example="""
            %i = stablehlo.constant dense<0> : tensor<i64>
            %r = stablehlo.dynamic_update_slice %x, %u, %i
              : (tensor<4xf32>, tensor<4xf32>, tensor<i64>) -> tensor<4xf32>
        """,
    ),
    Rule(
        "get-dimension-size-static",
        "stablehlo.get_dimension_size %x, dimension = d",
        lambda rewriter, op, names: [rewriter.constant(names["x"].type.shape[names["d"]], op.result.type)],
        condition="is_known(dim(x, d))",
        example="%r = stablehlo.get_dimension_size %x, dim = 1 : (tensor<2x3xf32>) -> tensor<i32>",
        doc="The size is the constant.",
        merge=False,
    ),
)
