"""Elementwise ops: an element is the op of the operands' elements at the same index."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from stablehlo_py.engines.native.arithmetic.scalar_ops import SCALAR_OPS, ScalarOp, is_scalar_op
from stablehlo_py.engines.native.loop_ir.expressions import Expression, apply
from stablehlo_py.engines.native.loop_ir.index import Indices
from stablehlo_py.engines.native.lower.records import Emitter, by_element, combines_elements, register
from stablehlo_py.interpreter.plan import Plan, Step
from stablehlo_py.kernels.registry import find_kernel, keyword_names

if TYPE_CHECKING:
    from stablehlo_py.engines.native.lower.region import Lowering


def _element(lowering: Lowering, step: Step, indices: Indices) -> Expression:
    attributes = tuple([(name, step.keywords[name]) for name in _attributes(step.name)])
    return apply(step.name, lowering.type(step.outs[0]), tuple(lowering.operands(step, indices)), attributes)


@cache
def _attributes(op: str) -> tuple[str, ...]:
    """The attributes that the values of an op depend on."""
    kernel = find_kernel(op)
    assert kernel is not None
    return tuple(sorted(keyword_names(kernel.call) - {"result", "semantics"}))


def _is_map(plan: Plan[Step], step: Step) -> bool:
    return combines_elements(plan, step, step.outs)


@by_element("stablehlo.map", supports=_is_map)
def _map(lowering: Lowering, step: Step, indices: Indices) -> Expression:
    """The computation on the elements at an index; it may read scalars from outside."""
    (computation,) = step.plans
    (found,) = lowering.inline(computation, lowering.operands(step, indices))
    return found


def _is_scalar(plan: Plan[Step], step: Step) -> bool:
    operands = [plan.tensor(slot).element_type for slot in step.ins]
    return is_scalar_op(ScalarOp(step.name, operands, plan.tensor(step.outs[0]).element_type, step.keywords))


for _op in SCALAR_OPS:
    register(Emitter(_op, element=_element, supports=_is_scalar))
