"""Type legalization: products of narrow elements are computed in f32, f64, i32 or i64.

Tiles of products (`schedule/tile.py`) have elements of one of these types. Narrow floats are added up in f32
and rounded once. Sums of products of narrow integers are exact in f32 or f64 where none can be larger than
their significands hold; then they are converted, and wrap. Others are sums of i32 or i64, which wrap.
Conversions are fused with what is around them.
"""

from __future__ import annotations

from dataclasses import replace
from math import prod

from stablehlo_py.engines.native.lower.contraction import CONVOLUTION, DOT, contracted_extents
from stablehlo_py.engines.native.lower.registry import is_lowered
from stablehlo_py.engines.native.passes.layouts import assign_layouts
from stablehlo_py.engines.native.passes.plan_writer import (
    CONVERT,
    PlanWriter,
    is_native_with,
    with_element,
    with_types,
)
from stablehlo_py.interpreter.plan import Plan, Step
from stablehlo_py.ir.types import FloatType, IntegerType, TensorType, Type

_F32, _F64 = FloatType("f32"), FloatType("f64")
_I32, _I64 = IntegerType(32), IntegerType(64)
_SIGNIFICANDS = {_F32: 24, _F64: 53}  # bits
_EXACT: dict[Type, Type] = {_F32: _I32, _F64: _I64}  # the integers that exact sums are converted to


def widen_products(plan: Plan[Step]) -> Plan[Step]:
    """Return a plan whose products of narrow elements are of wide ones, where they are native then."""
    writer = PlanWriter(plan)
    for step in plan.steps:
        if step.name in (DOT, CONVOLUTION):
            _product(writer, step)
        else:
            writer.add_with_bodies(step, widen_products)
    return writer.plan if writer.changed else plan


def _product(writer: PlanWriter, step: Step) -> None:
    plan = writer.plan
    types = [plan.types[slot] for slot in (*step.ins, *step.outs)]
    wide = _wide_element(plan, step)
    tensors = [type for type in types if isinstance(type, TensorType)]
    if wide is None or len(tensors) != len(types) or all(type.element_type is wide for type in tensors):
        writer.add(step)
        return
    widened = [with_element(type, wide) for type in tensors]
    if not is_native_product(plan, step, widened) or not _converts(writer, step, tensors, widened):
        writer.add(step)
        return
    wide = widened[-1].element_type
    element = widened[0].element_type
    ins = tuple([writer.converted(step, slot, element) for slot in step.ins])
    (out,) = step.outs
    if widened[-1] is tensors[-1]:
        writer.change(step, ins=ins)
        return
    made = writer.slot(widened[-1])
    writer.change(step, ins=ins, outs=(made,))
    for between in _steps_back(plan, step, wide)[:-1]:
        made = writer.converted(step, made, between)
    writer.insert(CONVERT, step, (made,), out, elementwise=True)


def is_native_product(plan: Plan[Step], step: Step, types: list[TensorType]) -> bool:
    """Test whether a product of other types could be part of a region, in any layout."""
    laid = _laid_out(plan, step, types)
    return all(is_lowered(laid, part) for part in laid.steps)


def _laid_out(plan: Plan[Step], step: Step, types: list[TensorType]) -> Plan[Step]:
    alone, probe = with_types(plan, step, types, step.keywords)
    alone.steps.append(probe)
    return assign_layouts(replace(alone, outputs=probe.outs))


def _converts(writer: PlanWriter, step: Step, types: list[TensorType], widened: list[TensorType]) -> bool:
    """Test whether there are native conversions of the operands and of the result."""
    probe = Step(CONVERT, step.op, (0,), (1,), elementwise=True)
    pairs = [*zip(types[:-1], widened[:-1], strict=True), (widened[-1], types[-1])]
    return all(is_native_with(writer.plan, probe, pair, {}) for pair in pairs)


def _wide_element(plan: Plan[Step], step: Step) -> Type | None:
    """The element in which a product is computed; None where that is not exact, or there is none."""
    if step.keywords.get("accumulation_type") is not None:
        return None
    types = [plan.types[slot] for slot in (*step.ins, *step.outs)]
    elements = [type.element_type for type in types if isinstance(type, TensorType) and type.is_static]
    if len(elements) != len(types):
        return None
    if all(isinstance(element, FloatType) for element in elements):
        return _F64 if elements[-1] is _F64 else _F32
    return _wide_integer(plan, step, elements)


def _wide_integer(plan: Plan[Step], step: Step, elements: list[Type]) -> Type | None:
    """The element for products of integers; None if they are of i32 or i64 as they are, or no integers."""
    widths = [element.width for element in elements if isinstance(element, IntegerType)]
    if len(widths) != len(elements) or min(widths) < 2:
        return None
    if len(set(elements)) == 1 and widths[0] >= 32:
        return None
    bits, short = _bits_of_sums(plan, step, elements), widths[-1] <= 32
    if bits <= _SIGNIFICANDS[_F32]:
        return _F32
    return _I32 if short else _F64 if bits <= _SIGNIFICANDS[_F64] else _I64


def _bits_of_sums(plan: Plan[Step], step: Step, elements: list[Type]) -> int:
    """How many bits the largest sum of products of integers may have, with all smaller ones."""
    if step.name == DOT:
        terms = prod(contracted_extents(plan, step))
    else:
        kernel = plan.shape_of(step.ins[1])
        terms = prod(kernel) // max(1, kernel[step.keywords["kernel_output_feature_dimension"]])
    largest = prod([_magnitude(element) for element in elements[:-1]]) * terms
    return max(0, largest - 1).bit_length()


def _magnitude(element: Type) -> int:
    """The largest absolute value of an integer type."""
    assert isinstance(element, IntegerType)
    return (1 << element.width) - 1 if element.signedness == "u" else 1 << (element.width - 1)


def _steps_back(plan: Plan[Step], step: Step, wide: Type) -> list[Type]:
    """The elements that a result is converted to, the last one being its own: integers wrap."""
    element = plan.tensor(step.outs[0]).element_type
    exact = _EXACT.get(wide, element)
    return [element] if isinstance(element, FloatType) or element is exact else [exact, element]
