"""The pipeline of passes over plans; a pass that does not apply to a plan is not imported."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from importlib import import_module
from typing import NamedTuple

from stablehlo_py.interpreter.plan import Plan, Step
from stablehlo_py.ir.types import FloatType, QuantizedType, TensorType, Type

_NATIVE = "stablehlo_py.engines.native"
_CONVOLUTION, _DOT, _TRANSPOSE = [f"stablehlo.{name}" for name in ("convolution", "dot_general", "transpose")]
_REDUCE = "stablehlo.reduce"
_WIDE = ({FloatType("f32")}, {FloatType("f64")})  # elements of products that stay as they are


class _Pass(NamedTuple):
    """A function from plans to plans, by its module and name, and whether it may change a plan."""

    module: str
    name: str
    applies: Callable[[Plan[Step]], bool]


def _has(op: str) -> Callable[[Plan[Step]], bool]:
    return lambda plan: any(step.name == op for step in plan.steps)


def _has_quantized_arrays(plan: Plan[Step]) -> bool:
    return any(isinstance(element, QuantizedType) for element in _elements(plan.types))


def _has_narrow_product(plan: Plan[Step]) -> bool:
    products = [step for step in plan.steps if step.name in (_CONVOLUTION, _DOT)]
    slots = [(*step.ins, *step.outs) for step in products]
    return any(_elements([plan.types[slot] for slot in each]) not in _WIDE for each in slots)


def _has_transposed_product(plan: Plan[Step]) -> bool:
    products = {step.outs[0] for step in plan.steps if step.name == _DOT}
    return any(step.name == _TRANSPOSE and step.ins[0] in products for step in plan.steps)


def _elements(types: list[Type]) -> set[Type]:
    return {type.element_type for type in types if isinstance(type, TensorType)}


def _has_reduction_to_one(plan: Plan[Step]) -> bool:
    """Test whether a plan of arrays has a reduction of all dimensions."""
    return any(step.name == _REDUCE and plan.tensor(step.outs[0]).rank == 0 for step in plan.steps)


BROADCASTING = "chlo.broadcast_"  # how the names of ops begin that broadcast their operands
OTHER_FORMS = (  # ops that `passes/legalization.py` has other forms of
    "chlo.constant_like",
    "chlo.scan",
    *[
        f"stablehlo.{name}"
        for name in (
            "batch_norm_grad", "batch_norm_inference", "batch_norm_training", "broadcast", "dot",
            "custom_call", "dynamic_broadcast_in_dim", "dynamic_gather", "dynamic_pad", "dynamic_reshape",
            "real_dynamic_slice",
        )
    ],
)  # fmt: skip


def _has_other_forms(plan: Plan[Step]) -> bool:
    return any(step.name in OTHER_FORMS or step.name.startswith(BROADCASTING) for step in plan.steps)


_PASSES = (  # in order
    _Pass("passes.legalization", "legalize", _has_other_forms),
    _Pass("passes.transforms", "split_transforms", _has("stablehlo.fft")),
    _Pass("passes.quantization", "compute_on_numbers", _has_quantized_arrays),
    _Pass("passes.widening", "widen_products", _has_narrow_product),
    _Pass("passes.product_order", "order_products", _has_transposed_product),
    _Pass("passes.row_reductions", "split_reductions", _has_reduction_to_one),
    _Pass("passes.layouts", "assign_layouts", _has(_CONVOLUTION)),
    _Pass("passes.loop_invariants", "hoist_invariants", _has("stablehlo.while")),
)


def rewritten(plan: Plan[Step]) -> Plan[Step]:
    """Return a plan after all passes."""
    plans = [*_plans(plan)]
    for each in _PASSES:
        if any(map(each.applies, plans)):
            rewrite: Callable[[Plan[Step]], Plan[Step]]
            rewrite = getattr(import_module(f"{_NATIVE}.{each.module}"), each.name)
            plan = rewrite(plan)
            plans = [*_plans(plan)]
    return plan


def _plans(plan: Plan[Step]) -> Iterator[Plan[Step]]:
    """A plan, then the plans of its bodies."""
    yield plan
    for step in plan.steps:
        for body in step.plans:
            yield from _plans(body)
