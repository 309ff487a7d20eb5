"""Type legalization: ops on quantized elements compute on the numbers that the elements represent.

The slots of quantized arrays hold elements of the storage type. So ops that move elements are native without
a change. An op that computes becomes the specification's `dequantize_op_quantize`, in steps that are fused; a
product sums up integers (`kernels/quantized.py`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from stablehlo_py.engines.native.lower.contraction import CONVOLUTION, DOT
from stablehlo_py.engines.native.lower.quantized import DEQUANTIZE, QUANTIZE
from stablehlo_py.engines.native.lower.records import is_native_type
from stablehlo_py.engines.native.lower.registry import is_lowered
from stablehlo_py.engines.native.passes.plan_writer import CONVERT, PlanWriter, is_native_with, with_element
from stablehlo_py.interpreter.plan import Plan, Step
from stablehlo_py.ir.element_types import numpy_dtype
from stablehlo_py.ir.types import FloatType, IntegerType, QuantizedType, TensorType, Type
from stablehlo_py.kernels.quantized import Sums, computes_on_numbers, expressed, is_quantized, sums_of
from stablehlo_py.kernels.registry import Array, Ints

CONVERSIONS = ("stablehlo.uniform_quantize", "stablehlo.uniform_dequantize")
_ORDERED = tuple([f"stablehlo.{name}" for name in ("clamp", "compare", "maximum", "minimum")])
_NARROW = 16  # bits of integers whose differences and products with a scale f32 keeps apart
_F32, _F64, _I32, _I64 = FloatType("f32"), FloatType("f64"), IntegerType(32), IntegerType(64)


def compute_on_numbers(plan: Plan[Step]) -> Plan[Step]:
    """Return a plan whose native steps on quantized elements compute on numbers."""
    writer = _Writer(plan)
    for step in plan.steps:
        types = [plan.types[slot] for slot in (*step.ins, *step.outs)]
        if step.definition is not None and computes_on_numbers(step.definition, types):
            writer.visit(step, types)
        elif any(body.on_elements for body in step.plans):
            writer.add_with_functions(step)
        else:
            writer.add_with_bodies(step, compute_on_numbers)
    return writer.plan if writer.changed else plan


class _Writer(PlanWriter):
    """The plan while it is written, with the numbers that quantized slots represent."""

    def __init__(self, plan: Plan[Step]) -> None:
        super().__init__(plan)
        self._numbers: dict[int, int] = {}
        self._parameters: dict[tuple[object, ...], int] = {}

    def add_with_functions(self, step: Step) -> None:
        """Add a step whose functions select among storage elements, if it is native in this form."""
        bodies = {
            name: body if isinstance(body, tuple) else _on_storage(body) for name, body in step.bodies.items()
        }
        new = replace(step, bodies=bodies)
        same = all(a is b for a, b in zip(step.plans, new.plans, strict=True))
        if same or not is_lowered(self.plan, new):
            self.add(step)
        else:
            self.change(step, bodies=bodies, definition=None)

    def visit(self, step: Step, types: Sequence[Type]) -> None:
        """Add an op that computes on quantized elements: on numbers, where it is native then."""
        numbers = [expressed(type) for type in types]
        if not all(map(is_native_type, numbers)) or len(step.outs) != 1:
            self.add(step)
        elif step.name in CONVERSIONS:
            self._store(step, self._number(step, step.ins[0]))
        elif step.name in _ORDERED and _keeps_order(types):
            self.change(step, definition=None)
        elif step.name in (DOT, CONVOLUTION):
            self._product(step)
        elif is_native_with(self.plan, step, numbers):
            self._compute(step, [self._number(step, slot) for slot in step.ins], expressed(types[-1]))
        else:
            self.add(step)

    def _product(self, step: Step) -> None:
        """Add a product, of integers if all operands are quantized."""
        tensors = [self.plan.tensor(slot) for slot in (*step.ins, *step.outs)]
        sums = sums_of(step.name, step.keywords, *tensors[:2])
        numbers = [expressed(type) for type in tensors]
        wide = sums.element if sums else _F64 if numbers[-1].element_type is _F64 else _F32
        widened = [with_element(type, wide) for type in tensors]
        own = step.keywords.get("accumulation_type") is not None
        if own or not is_native_with(self.plan, step, widened):
            self.add(step)
        elif sums is None:  # of narrow floats, it is widened by the next pass
            self._compute(step, [self._number(step, slot) for slot in step.ins], numbers[-1])
        else:
            self._integer_product(step, sums, *widened[1:])

    def _compute(self, step: Step, ins: Sequence[int], result: Type) -> None:
        """Add an op on numbers, and the quantization of its result."""
        (out,) = step.outs
        made = self.slot(result) if is_quantized(self.plan.types[out]) else out
        self.change(step, ins=tuple(ins), outs=(made,))
        if made != out:
            self._store(step, made)

    def _integer_product(self, step: Step, sums: Sums, operand: TensorType, result: TensorType) -> None:
        """Add an exact product of integers, and the steps that scale and quantize it."""
        (out,) = step.outs
        made = self.slot(result)
        ins = tuple([self._dequantized(step, slot, operand.element_type, (1.0,)) for slot in step.ins])
        self.change(step, ins=ins, outs=(made,))
        q = _quantized(self.plan.tensor(out))
        made = self.converted(step, made, _wide(q))
        scaled = self.slot(self.plan.types[made])
        scale = self._parameter(step, self.plan.tensor(out), sums.scales, _wide(q), sums.dimension)
        if not self.plan.shape_of(scale):
            scale = self.broadcast(step, scale, self.plan.shape_of(out), ())
        self.insert("stablehlo.multiply", step, (made, scale), scaled, elementwise=True)
        self._store(step, self.converted(step, scaled, q.expressed_type))

    def _number(self, step: Step, slot: int) -> int:
        """The slot of the numbers that a slot represents: the same slot, if it is not quantized."""
        type = self.plan.tensor(slot)
        if not isinstance(type.element_type, QuantizedType):
            return slot
        if slot not in self._numbers:
            q = type.element_type
            made = self._dequantized(step, slot, _wide(q), q.scales)
            self._numbers[slot] = self.converted(step, made, q.expressed_type)
        return self._numbers[slot]

    def _dequantized(self, step: Step, slot: int, element: Type, scales: Sequence[float]) -> int:
        """The slot of differences from zero points, multiplied by scales."""
        type = self.plan.tensor(slot)
        q = _quantized(type)
        integer = _I32 if numpy_dtype(q).itemsize * 8 <= _NARROW else _I64
        scale = self._parameter(step, type, scales, element, q.dimension)
        zero_point = self._parameter(step, type, q.zero_points, integer, q.dimension)
        made = self.slot(with_element(type, element))
        self.insert(DEQUANTIZE, step, (slot, scale, zero_point), made, elementwise=True)
        return made

    def _store(self, step: Step, number: int) -> None:
        """Add the quantization of a step's result, or the copy of a result that is not quantized."""
        (out,) = step.outs
        type = self.plan.tensor(out)
        if not isinstance(type.element_type, QuantizedType):
            self.insert(CONVERT, step, (number,), out, elementwise=True)
            return
        q = type.element_type
        scale = self._parameter(step, type, q.scales, _wide(q), q.dimension)
        zero_point = self._parameter(step, type, q.zero_points, _wide(q), q.dimension)
        self.insert(QUANTIZE, step, (number, scale, zero_point), out, elementwise=True)

    # Scales and zero points

    def _parameter(
        self, step: Step, type: TensorType, values: Sequence[float], element: Type, dimension: int | None
    ) -> int:
        """The slot of scales or zero points: a scalar, if there is one, or an array of the type's shape."""
        uniform = len(set(values)) == 1
        key: tuple[object, ...] = (values, element) if uniform else (values, element, type, dimension)
        if key not in self._parameters:
            array = np.array(values, numpy_dtype(element))
            if uniform:
                found = self.constant(array[0], element)
            elif dimension is not None:
                found = self.broadcast(step, self.constant(array, element), _shape(type), (dimension,))
            else:
                found = self._of_blocks(step, array, element, type)
            self._parameters[key] = found
        return self._parameters[key]

    def _of_blocks(self, step: Step, array: Array, element: Type, type: TensorType) -> int:
        """Repeat the value of each block for the elements of the block."""
        counts = _quantized(type).scales_shape or (-1,)
        values = array.reshape(counts)
        pairs = [(count, size // count) for count, size in zip(values.shape, _shape(type), strict=True)]
        blocks = tuple([size for pair in pairs for size in pair])
        spread = self.broadcast(step, self.constant(values, element), blocks, tuple(range(0, len(blocks), 2)))
        made = self.slot(with_element(type, element))
        self.insert("stablehlo.reshape", step, (spread,), made)
        return made


def _quantized(type: TensorType) -> QuantizedType:
    assert isinstance(type.element_type, QuantizedType)
    return type.element_type


def _shape(type: TensorType) -> Ints:
    return tuple([size or 0 for size in type.shape])


def _wide(type: QuantizedType) -> FloatType:
    """The type in which numbers are multiplied by scales."""
    return _F64 if type.expressed_type is _F64 else _F32


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


def _on_storage(body: Plan[Step]) -> Plan[Step]:
    """Return a function on elements that works on storage elements instead of quantized elements."""
    steps = [_chosen(body, step) for step in body.steps]
    same = all(a is b for a, b in zip(steps, body.steps, strict=True))
    return body if same else replace(body, steps=steps)


def _chosen(body: Plan[Step], step: Step) -> Step:
    types = [body.types[slot] for slot in (*step.ins, *step.outs)]
    if step.definition is None or not computes_on_numbers(step.definition, types):
        return step
    return replace(step, definition=None) if step.name in _ORDERED and _keeps_order(types) else step
