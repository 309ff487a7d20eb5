"""The pass `stablehlo-canonicalize-dynamism`: replaces dynamic ops whose shapes are constant."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from stablehlo_py.ir.attributes import ArrayAttr, DenseElementsAttr
from stablehlo_py.ir.core import Module, Operation, Value
from stablehlo_py.ir.types import TensorType, Type
from stablehlo_py.notation.environment import Environment
from stablehlo_py.transforms.greedy_driver import apply_rules
from stablehlo_py.transforms.hoisting import hoist_constants
from stablehlo_py.transforms.pass_definition import Options, Pass
from stablehlo_py.transforms.refinement.result_types import SHAPE_OPERANDS, shape_operands
from stablehlo_py.transforms.refinement.shape_folding import integers, sizes_beside_start
from stablehlo_py.transforms.rewriter import Rewriter, constant_elements
from stablehlo_py.transforms.rules.rule import Rule


def _run(module: Module, options: Options) -> None:
    for function in module.functions.values():
        if not function.blocks:
            continue
        hoist_constants(function)
        apply_rules(module, function, RULES, options, share=False)
        hoist_constants(function)


def _is_static(type: Type) -> bool:
    return isinstance(type, TensorType) and type.is_static


def _constants(names: Environment, *operands: str) -> list[list[int]] | None:
    """Return the elements of operands that are constants of integers; None if one is not."""
    found = [integers(names[name]) for name in operands]
    return None if None in found else [elements for elements in found if elements is not None]


def _replaced(
    rewriter: Rewriter, op: Operation, name: str, operands: Sequence[Value], inputs: dict[str, Any]
) -> Sequence[Value]:
    """Create another op with the same result types and discardable attributes."""
    types = [result.type for result in op.results]
    return rewriter.create(name, operands, inputs, types, attributes=op.attributes).results


def _custom_call(rewriter: Rewriter, op: Operation, names: Environment) -> Sequence[Value] | None:
    """Drop the operands of a custom call that are the shapes of its results."""
    if shape_operands(rewriter.module, op) is None or not all(_is_static(r.type) for r in op.results):
        return None
    indices = op.attribute(SHAPE_OPERANDS)
    assert isinstance(indices, DenseElementsAttr)
    gone = {int(i) for i in indices.value}
    kept = [value for i, value in enumerate(op.operands) if i not in gone]
    inputs: dict[str, Any] = {n: p for n, p in op.properties.items() if n != SHAPE_OPERANDS}
    layouts = inputs.get("operand_layouts")
    if isinstance(layouts, ArrayAttr):
        inputs["operand_layouts"] = ArrayAttr(
            tuple([layout for i, layout in enumerate(layouts.value) if i not in gone])
        )
    attributes = {n: a for n, a in op.attributes.items() if n != SHAPE_OPERANDS}
    types = [result.type for result in op.results]
    return rewriter.create(op.name, kept, inputs, types, attributes=attributes).results


def _broadcast(rewriter: Rewriter, op: Operation, names: Environment) -> Sequence[Value] | None:
    """Broadcast a static operand to a static type."""
    if _constants(names, "shape") is None:
        return None
    dims = {"broadcast_dimensions": op.properties["broadcast_dimensions"]}
    return _replaced(rewriter, op, "stablehlo.broadcast_in_dim", [names["x"]], dims)


def _convolution(rewriter: Rewriter, op: Operation, names: Environment) -> Sequence[Value] | None:
    """Convolve with constant padding."""
    padding = constant_elements(names["padding"])
    if padding is None:
        return None
    inputs = {**op.properties, "padding": padding.astype("int64").reshape(-1, 2).tolist()}
    return _replaced(rewriter, op, "stablehlo.convolution", op.operands[:2], inputs)


def _gather(rewriter: Rewriter, op: Operation, names: Environment) -> Sequence[Value] | None:
    """Gather slices of constant sizes."""
    sizes = _constants(names, "sizes")
    if sizes is None:
        return None
    inputs = {**op.properties, "slice_sizes": sizes[0]}
    return _replaced(rewriter, op, "stablehlo.gather", op.operands[:2], inputs)


def _iota(rewriter: Rewriter, op: Operation, names: Environment) -> Sequence[Value] | None:
    """Fill a tensor of static type."""
    if _constants(names, "shape") is None:
        return None
    return _replaced(rewriter, op, "stablehlo.iota", (), op.properties)


def _pad(rewriter: Rewriter, op: Operation, names: Environment) -> Sequence[Value] | None:
    """Pad by constant amounts."""
    amounts = _constants(names, "low", "high", "inside")
    if amounts is None:
        return None
    inputs = dict(zip(("edge_padding_low", "edge_padding_high", "interior_padding"), amounts, strict=True))
    return _replaced(rewriter, op, "stablehlo.pad", op.operands[:2], inputs)


def _reshape(rewriter: Rewriter, op: Operation, names: Environment) -> Sequence[Value] | None:
    """Reshape to a static type."""
    if _constants(names, "shape") is None:
        return None
    return _replaced(rewriter, op, "stablehlo.reshape", [names["x"]], {})


def _slice(rewriter: Rewriter, op: Operation, names: Environment) -> Sequence[Value] | None:
    """Slice at constant positions."""
    bounds = _constants(names, "start", "limit", "strides")
    if bounds is None:
        return None
    inputs = dict(zip(("start_indices", "limit_indices", "strides"), bounds, strict=True))
    return _replaced(rewriter, op, "stablehlo.slice", [names["x"]], inputs)


def _dynamic_slice(rewriter: Rewriter, op: Operation, names: Environment) -> Sequence[Value] | None:
    """Slice with constant sizes and strides of one: the limit is the start plus a constant."""
    start = names["start"]
    sizes, strides = sizes_beside_start(start, names["limit"]), integers(names["strides"])
    if sizes is None or strides is None or any(n != 1 for n in strides):
        return None
    vector = TensorType((1,), start.type.element_type)
    starts: list[Value] = []
    for i in range(len(sizes)):
        bounds = {"start_indices": [i], "limit_indices": [i + 1], "strides": [1]}
        one = rewriter.create("stablehlo.slice", [start], bounds, [vector]).result
        starts.append(rewriter.value("stablehlo.reshape", [one], type=TensorType((), vector.element_type)))
    return _replaced(rewriter, op, "stablehlo.dynamic_slice", [names["x"], *starts], {"slice_sizes": sizes})


RULES = (
    Rule(
        "custom-call-shape-operands",
        "stablehlo.custom_call %inputs...",
        _custom_call,
        example="""
            %s = stablehlo.constant dense<[1, 2]> : tensor<2xi64>
            %r = stablehlo.custom_call @foo(%x, %s) {indices_of_shape_operands = dense<[1]> : tensor<1xi64>}
              : (tensor<4xf32>, tensor<2xi64>) -> tensor<1x2xf32>
        """,
        merge=False,
    ),
    Rule(
        "dynamic-broadcast-constant",
        "stablehlo.dynamic_broadcast_in_dim %x, %shape",
        _broadcast,
        condition="is_static(x) and is_static(r)",
        example="""
            %shape = stablehlo.constant dense<[3, 4]> : tensor<2xi64>
            %r = stablehlo.dynamic_broadcast_in_dim %x, %shape, dims = [1]
              : (tensor<4xf32>, tensor<2xi64>) -> tensor<3x4xf32>
        """,
        merge=False,
    ),
    Rule(
        "dynamic-conv-constant",
        "stablehlo.dynamic_conv %x, %w, %padding",
        _convolution,
        example="""
            %padding = stablehlo.constant dense<1> : tensor<2x2xi32>
            %r = "stablehlo.dynamic_conv"(%x, %w, %padding) <{batch_group_count = 1 : i64,
              dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>,
              feature_group_count = 1 : i64}>
              : (tensor<1x4x4x1xf32>, tensor<3x3x1x1xf32>, tensor<2x2xi32>) -> tensor<1x4x4x1xf32>
        """,
        merge=False,
    ),
    Rule(
        "dynamic-gather-constant",
        "stablehlo.dynamic_gather %x, %indices, %sizes",
        _gather,
        example="""
            %sizes = stablehlo.constant dense<[1, 4]> : tensor<2xi64>
            %r = "stablehlo.dynamic_gather"(%x, %indices, %sizes) <{dimension_numbers = #stablehlo.gather<
              offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>}>
              : (tensor<3x4xf32>, tensor<2xi64>, tensor<2xi64>) -> tensor<2x4xf32>
        """,
        merge=False,
    ),
    Rule(
        "dynamic-iota-constant",
        "stablehlo.dynamic_iota %shape",
        _iota,
        condition="is_static(r)",
        example="""
            %shape = stablehlo.constant dense<[2, 3]> : tensor<2xi64>
            %r = stablehlo.dynamic_iota %shape, dim = 1 : (tensor<2xi64>) -> tensor<2x3xi32>
        """,
        merge=False,
    ),
    Rule(
        "dynamic-pad-constant",
        "stablehlo.dynamic_pad %x, %v, %low, %high, %inside",
        _pad,
        example="""
            %low = stablehlo.constant dense<[0, 1]> : tensor<2xi64>
            %inside = stablehlo.constant dense<[1, 0]> : tensor<2xi64>
            %r = stablehlo.dynamic_pad %x, %v, %low, %low, %inside
              : (tensor<2x3xf32>, tensor<f32>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>) -> tensor<3x5xf32>
        """,
        merge=False,
    ),
    Rule(
        "dynamic-reshape-constant",
        "stablehlo.dynamic_reshape %x, %shape",
        _reshape,
        condition="is_static(r)",
        example="""
            %shape = stablehlo.constant dense<[3, 2]> : tensor<2xi64>
            %r = stablehlo.dynamic_reshape %x, %shape : (tensor<6xf32>, tensor<2xi64>) -> tensor<3x2xf32>
        """,
        merge=False,
    ),
    Rule(
        "real-dynamic-slice-constant",
        "stablehlo.real_dynamic_slice %x, %start, %limit, %strides",
        _slice,
        example="""
            %start = stablehlo.constant dense<[1]> : tensor<1xi64>
            %limit = stablehlo.constant dense<[4]> : tensor<1xi64>
            %strides = stablehlo.constant dense<[2]> : tensor<1xi64>
            %r = stablehlo.real_dynamic_slice %x, %start, %limit, %strides
              : (tensor<5xf32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<2xf32>
        """,
        merge=False,
        benefit=1,
    ),
    Rule(
        "real-dynamic-slice-constant-size",
        "stablehlo.real_dynamic_slice %x, %start, %limit, %strides",
        _dynamic_slice,
        example="""
            %size = stablehlo.constant dense<[2]> : tensor<1xi64>
            %limit = stablehlo.add %start, %size : tensor<1xi64>
            %strides = stablehlo.constant dense<[1]> : tensor<1xi64>
            %r = stablehlo.real_dynamic_slice %x, %start, %limit, %strides
              : (tensor<5xf32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<2xf32>
        """,
        merge=False,
    ),
)

PASS = Pass(
    "stablehlo-canonicalize-dynamism",
    "Replaces dynamic ops by static ones where their shape operands are constants.",
    _run,
)
