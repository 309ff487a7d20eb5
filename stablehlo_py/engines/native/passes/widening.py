"""Type legalization: products of narrow elements are computed in f32, f64, i32 or i64.

Tiles of products (`schedule/tile.py`) have elements of one of these types. Narrow floats are added up in f32
and rounded once. Sums of products of narrow integers are computed in f32 or f64 if the largest sum is exact
there; the conversion of the result wraps. Other sums of integers are computed in i32 or i64, which wrap.
Conversions are fused with neighbouring steps.
"""

from __future__ import annotations

from math import prod

from stablehlo_py.engines.native.lower.contraction import CONVOLUTION, DOT, contracted_extents
from stablehlo_py.engines.native.passes.plan_writer import CONVERT, PlanWriter, with_element, with_forms
from stablehlo_py.interpreter.plan import Plan, Step
from stablehlo_py.ir.types import FloatType, IntegerType, Type

_F32, _F64 = FloatType("f32"), FloatType("f64")
_I32, _I64 = IntegerType(32), IntegerType(64)
_SIGNIFICANDS = {_F32: 24, _F64: 53}  # bits
_EXACT: dict[Type, Type] = {_F32: _I32, _F64: _I64}  # the integers that exact sums are converted to


def widen_products(plan: Plan[Step]) -> Plan[Step]:
    """Return a plan whose products of narrow elements are computed in a wide type, if this is native."""
    return with_forms(plan, lambda step: _widened if step.name in (DOT, CONVOLUTION) else None)


def _widened(writer: PlanWriter, step: Step) -> bool:
    """A product of wide elements, and the conversions of operands and result."""
    plan, (out,) = writer.plan, step.outs
    wide, type = _wide_element(plan, step), plan.tensor(out)
    if wide is None or all(plan.tensor(slot).element_type is wide for slot in (*step.ins, out)):
        return False
    ins = tuple([writer.converted(step, slot, wide) for slot in step.ins])
    made = out if type.element_type is wide else writer.slot(with_element(type, wide))
    writer.change(step, ins=ins, outs=(made,))
    if made != out:
        for between in _steps_back(plan, step, wide)[:-1]:
            made = writer.converted(step, made, between)
        writer.insert(CONVERT, step, (made,), out, elementwise=True)
    return True


def _wide_element(plan: Plan[Step], step: Step) -> Type | None:
    """The element in which a product is computed; None where that is not exact, or there is none."""
    if step.keywords.get("accumulation_type") is not None:
        return None
    elements = [plan.tensor(slot).element_type for slot in (*step.ins, *step.outs)]
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
    """The number of bits that hold every sum of products of integers."""
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
    """The element types that a result is converted to in turn, last its own: conversions of integers wrap."""
    element = plan.tensor(step.outs[0]).element_type
    exact = _EXACT.get(wide, element)
    return [element] if isinstance(element, FloatType) or element is exact else [exact, element]
