"""The pass `stablehlo-canonicalize-dynamism`: replaces dynamic ops whose shapes are constant."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from stablehlo_py.ir.attributes import ArrayAttr, DenseElementsAttr, StructAttr
from stablehlo_py.ir.core import Module, Operation, Value
from stablehlo_py.ir.types import TensorType
from stablehlo_py.notation.environment import Environment
from stablehlo_py.opset.constants import constant_attribute
from stablehlo_py.transforms.greedy_driver import apply_rules
from stablehlo_py.transforms.hoisting import hoist_constants
from stablehlo_py.transforms.pass_definition import Options, Pass
from stablehlo_py.transforms.refinement.result_types import SHAPE_OPERANDS, shape_operands
from stablehlo_py.transforms.rewriter import Rewriter
from stablehlo_py.transforms.rules.rule import Rule
from stablehlo_py.transforms.simplification import dynamic
from stablehlo_py.verifier.constraints import ConstraintChecker


def _run(module: Module, options: Options) -> None:
    for function in module.functions.values():
        if function.blocks:
            hoist_constants(function)
            apply_rules(module, function, RULES, options, share=False)
            hoist_constants(function)


def _custom_call(rewriter: Rewriter, op: Operation, names: Environment) -> Sequence[Value] | None:
    """Drop the operands of a custom call that are the shapes of its results."""
    types = [result.type for result in op.results]
    if shape_operands(rewriter.module, op) is None:
        return None
    if not all(isinstance(type, TensorType) and type.is_static for type in types):
        return None
    indices = op.attribute(SHAPE_OPERANDS)
    assert isinstance(indices, DenseElementsAttr)
    gone = {int(i) for i in indices.value}
    inputs: dict[str, Any] = dict(op.properties)
    layouts = inputs.get("operand_layouts")
    if isinstance(layouts, ArrayAttr):
        inputs["operand_layouts"] = ArrayAttr(tuple(_others(layouts.value, gone)))
    stated = inputs.get("output_operand_aliases")
    if isinstance(stated, ArrayAttr):
        aliases = [alias for alias in stated.value if isinstance(alias, StructAttr)]
        if any(alias["operand_index"] in gone for alias in aliases):
            return None
        inputs["output_operand_aliases"] = ArrayAttr(tuple([_moved(alias, gone) for alias in aliases]))
    attributes = {name: value for name, value in op.attributes.items() if name != SHAPE_OPERANDS}
    return rewriter.create(op.name, _others(op.operands, gone), inputs, types, attributes=attributes).results


def _others(values: Sequence[Any], gone: set[int]) -> list[Any]:
    return [value for i, value in enumerate(values) if i not in gone]


def _moved(alias: StructAttr, gone: set[int]) -> StructAttr:
    """Return an alias of an operand in front of which operands are gone."""
    index = alias["operand_index"]
    place = index - sum(i < index for i in gone)
    fields = [(name, place if name == "operand_index" else value) for name, value in alias.fields]
    return StructAttr(alias.name, tuple(fields))


def _convolution(rewriter: Rewriter, op: Operation, names: Environment) -> Sequence[Value] | None:
    """Convolve with constant padding, unless the result has another shape: running the program reports it."""
    padding = constant_attribute(names["padding"])
    assert padding is not None
    inputs = {**op.properties, "padding": padding.value.astype("int64").reshape(-1, 2).tolist()}
    types = [op.result.type]
    made = rewriter.create("stablehlo.convolution", op.operands[:2], inputs, types)
    if any(d.severity == "error" for d in ConstraintChecker(rewriter.module).check(made)):
        rewriter.erase(made)
        return None
    return made.results


_SHARED = (
    "dynamic-gather-constant-sizes",
    "dynamic-pad-constant",
    "real-dynamic-slice-constant",
    "real-dynamic-slice-constant-size",
)
_KEEPS_ATTRIBUTES = "real-dynamic-slice-constant-size"  # the only one of upstream's patterns

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
        doc="Drops the operands that are the shapes of the results.",
        merge=False,
    ),
    Rule(
        "dynamic-broadcast-constant",
        "stablehlo.dynamic_broadcast_in_dim %x, %s, broadcast_dimensions = d",
        "stablehlo.broadcast_in_dim %x, broadcast_dimensions = d",
        condition="is_static(x) and is_static(r) and is_constant(s)",
        example="""
            %s = stablehlo.constant dense<[3, 4]> : tensor<2xi64>
            %r = stablehlo.dynamic_broadcast_in_dim %x, %s, dims = [1]
              : (tensor<4xf32>, tensor<2xi64>) -> tensor<3x4xf32>
        """,
        merge=False,
    ),
    Rule(
        "dynamic-conv-constant",
        "stablehlo.dynamic_conv %x, %w, %padding",
        _convolution,
        condition="is_constant(padding)",
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
        "dynamic-iota-constant",
        "stablehlo.dynamic_iota %s, iota_dimension = d",
        "stablehlo.iota iota_dimension = d",
        condition="is_static(r) and is_constant(s) and not is_boolean(r)",
        example="""
            %s = stablehlo.constant dense<[2, 3]> : tensor<2xi64>
            %r = stablehlo.dynamic_iota %s, dim = 1 : (tensor<2xi64>) -> tensor<2x3xi32>
        """,
        merge=False,
    ),
    Rule(
        "dynamic-reshape-constant",
        "stablehlo.dynamic_reshape %x, %s",
        "stablehlo.reshape %x",
        condition="is_static(r) and is_constant(s)",
        example="""
            %s = stablehlo.constant dense<[3, 2]> : tensor<2xi64>
            %r = stablehlo.dynamic_reshape %x, %s : (tensor<6xf32>, tensor<2xi64>) -> tensor<3x2xf32>
        """,
        merge=False,
    ),
    *[replace(rule, merge=rule.name == _KEEPS_ATTRIBUTES) for rule in dynamic.RULES if rule.name in _SHARED],
)

PASS = Pass(
    "stablehlo-canonicalize-dynamism",
    "Replaces dynamic ops by static ones where their shape operands are constants.",
    _run,
    rules=RULES,
)
