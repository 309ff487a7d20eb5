"""Elementwise ops as expressions of the operands' elements at an index."""

from __future__ import annotations

from functools import reduce

from stablehlo_py.engines.native.arithmetic.elements import element_of
from stablehlo_py.engines.native.arithmetic.llvm_ir import Value
from stablehlo_py.engines.native.arithmetic.scalar_ops import SCALAR_OPS, ScalarOp, is_scalar_op, written
from stablehlo_py.engines.native.index_space import Index, Indices
from stablehlo_py.engines.native.scope import Expression, Scope
from stablehlo_py.interpreter.plan import Plan, Step
from stablehlo_py.ir.types import TensorType

MAP = "stablehlo.map"
_BITCAST = "stablehlo.bitcast_convert"


def _scalar_op(plan: Plan[Step], step: Step) -> ScalarOp:
    operands = [plan.tensor(slot).element_type for slot in step.ins]
    return ScalarOp(step.name, operands, plan.tensor(step.outs[0]).element_type, step.keywords)


def _elementwise(scope: Scope, step: Step, indices: Indices) -> Value:
    return written(_scalar_op(scope.plan, step), [_of_scalar(scope, slot, indices) for slot in step.ins])


def _of_scalar(scope: Scope, slot: int, indices: Indices) -> Value:
    """An operand that may be of rank 0 where the others are not."""
    return scope.at(slot, indices if scope.shape(slot) else ())


def _bitcast(scope: Scope, step: Step, indices: Indices) -> Value:
    """The bits of an element, a part of them, or those of the elements of a row, the lowest first."""
    (operand,), (slot,) = step.ins, step.outs
    source, target = scope.element(operand), scope.element(slot)
    from_width, width = int(source.bits[1:]), int(target.bits[1:])
    if from_width < width:
        parts = [
            source.to_bits(scope.at(operand, (*indices, Index((), k)))).convert("zext", target.bits)
            for k in range(width // from_width)
        ]
        shifted = [part << (k * from_width) if k else part for k, part in enumerate(parts)]
        return target.of_bits(reduce(lambda x, y: x | y, shifted))
    bits = source.to_bits(scope.at(operand, indices if from_width == width else indices[:-1]))
    if from_width > width:
        place = indices[-1].emit(scope.b) * width
        bits = bits.logical_shift_right(place.convert("zext" if from_width > 64 else "trunc", bits.type))
    return target.of_bits(bits.convert("trunc", target.bits))


def _map(scope: Scope, step: Step, indices: Indices) -> Value:
    """The computation on the elements at an index; it may read scalars from outside."""
    (computation,) = step.plans
    (result,) = scope.inline(computation, [_of_scalar(scope, slot, indices) for slot in step.ins])
    return result


def is_supported(plan: Plan[Step], step: Step) -> bool:
    """Test whether an op that has an emitter has one for its attributes and the types of its operands."""
    if not all(isinstance(plan.types[slot], TensorType) for slot in (*step.ins, *step.outs)):
        return False
    if step.name == _BITCAST:
        return _has_bits(plan, step)
    return is_scalar_op(_scalar_op(plan, step))


def _has_bits(plan: Plan[Step], step: Step) -> bool:
    """Test whether each element is made of whole other ones."""
    source, target = element_of(plan.types[step.ins[0]]), element_of(plan.types[step.outs[0]])
    if source is None or target is None:
        return False
    narrow, wide = sorted([int(element.bits[1:]) for element in (source, target)])
    return wide % narrow == 0


ELEMENTWISE: dict[str, Expression] = {
    **dict.fromkeys(SCALAR_OPS, _elementwise),
    _BITCAST: _bitcast,
    MAP: _map,
}
