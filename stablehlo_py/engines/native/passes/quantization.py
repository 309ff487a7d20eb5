"""Type legalization: ops on quantized elements compute on the numbers that the elements represent.

The slots of quantized arrays hold elements of the storage type. So ops that move elements are native without
a change. An op that computes becomes the specification's `dequantize_op_quantize`, in steps that are fused; a
product sums up integers. The formulas are those of `kernels/quantized.py`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from stablehlo_py.engines.native.lower.contraction import CONVOLUTION, DOT
from stablehlo_py.engines.native.lower.records import is_native_type, is_on_numbers
from stablehlo_py.engines.native.passes.plan_writer import Form, PlanWriter, with_element, with_forms
from stablehlo_py.engines.native.passes.tracing import Traced, give
from stablehlo_py.interpreter.plan import Plan, Step
from stablehlo_py.ir.element_types import numpy_dtype
from stablehlo_py.ir.types import FloatType, QuantizedType, TensorType, Type
from stablehlo_py.kernels.quantized import expressed, is_quantized, on_integers, on_numbers, sums_of

CONVERSIONS = ("stablehlo.uniform_quantize", "stablehlo.uniform_dequantize")
_ORDERED = tuple([f"stablehlo.{name}" for name in ("clamp", "compare", "maximum", "minimum")])
_NARROW = 16  # bits of integers whose differences and products with a scale f32 keeps apart
_F32, _F64 = FloatType("f32"), FloatType("f64")


def compute_on_numbers(plan: Plan[Step]) -> Plan[Step]:
    """Return a plan whose native steps on quantized elements compute on numbers."""
    return with_forms(plan, _form_of, quantized=True)


def _form_of(step: Step) -> Form:
    return _on_storage if any(body.on_elements for body in step.plans) else _on_numbers


def _on_numbers(writer: PlanWriter, step: Step) -> bool:
    """An op that computes on the numbers that its operands represent."""
    types = [writer.plan.types[slot] for slot in (*step.ins, *step.outs)]
    if not is_on_numbers(step, types) or not all(is_native_type(expressed(type)) for type in types):
        return False
    if step.name in _ORDERED and _keeps_order(types):
        writer.change(step, definition=None)
        return True
    if len(step.outs) != 1 or step.keywords.get("accumulation_type") is not None:
        return False
    *operands, result = types
    sums = sums_of(step.name, step.keywords, *operands) if len(operands) == 2 else None
    if sums is not None:
        return give(writer, step, on_integers(_applied(writer, step, sums.element), sums, types))
    number = expressed(writer.plan.tensor(step.outs[0])).element_type
    if step.name not in (DOT, CONVOLUTION):
        return give(writer, step, on_numbers(_applied(writer, step, number), operands, [result], False))
    product = _applied(writer, step, _F64 if number is _F64 else _F32)

    def rounded(*factors: Traced) -> Any:
        return product(*factors).astype(numpy_dtype(number))

    return give(writer, step, on_numbers(rounded, operands, [result], False))


def _applied(writer: PlanWriter, step: Step, element: Type) -> Callable[..., Any]:
    """The op as a function of numbers; a product of numbers of the type of its result."""

    def call(*numbers: Traced) -> Traced:
        if step.name in CONVERSIONS:
            return numbers[0]
        if step.name in (DOT, CONVOLUTION):
            numbers = tuple([each.astype(numpy_dtype(element)) for each in numbers])
        made = writer.slot(with_element(writer.plan.tensor(step.outs[0]), element))
        writer.change(step, ins=tuple([each.slot for each in numbers]), outs=(made,))
        return Traced(writer, step, made)

    return call


def _on_storage(writer: PlanWriter, step: Step) -> bool:
    """A step whose functions select among storage elements."""
    bodies = {
        name: body if isinstance(body, tuple) else _of_storage(body) for name, body in step.bodies.items()
    }
    writer.change(step, bodies=bodies, definition=None)
    return any(old is not new for old, new in zip(step.plans, writer.plan.steps[-1].plans, strict=True))


def _keeps_order(types: Sequence[Type]) -> bool:
    """Test whether quantized operands are of one type, and their storage is in the order of the numbers."""
    found = {type.element_type for type in types if isinstance(type, TensorType) and is_quantized(type)}
    elements = [type.element_type for type in types if isinstance(type, TensorType)]
    (q, *others) = found
    assert isinstance(q, QuantizedType)
    one = not others and all(element is q for element in elements[:-1])
    narrow = numpy_dtype(q).itemsize * 8 <= _NARROW
    finite = bool(max(q.scales) * 2.0 ** (_NARROW + 1) < np.finfo(np.float32).max)
    return one and narrow and finite and q.expressed_type in (_F32, _F64)


def _of_storage(body: Plan[Step]) -> Plan[Step]:
    """Return a function on elements that works on storage elements instead of quantized elements."""
    steps = [_chosen(body, step) for step in body.steps]
    same = all(a is b for a, b in zip(steps, body.steps, strict=True))
    return body if same else replace(body, steps=steps)


def _chosen(body: Plan[Step], step: Step) -> Step:
    types = [body.types[slot] for slot in (*step.ins, *step.outs)]
    if step.name in _ORDERED and is_on_numbers(step, types) and _keeps_order(types):
        return replace(step, definition=None)
    return step
