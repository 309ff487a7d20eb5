"""Custom calls of JAX and XLA that select the largest elements of rows, as steps of `chlo.top_k`."""

from __future__ import annotations

from stablehlo_py.engines.native.lower.sort import TOP_K
from stablehlo_py.engines.native.passes.custom_calls import is_built_in
from stablehlo_py.engines.native.passes.plan_writer import with_other_steps
from stablehlo_py.interpreter.plan import Plan, Step
from stablehlo_py.ir.attributes import BoolAttr, DictAttr, IntegerAttr
from stablehlo_py.kernels.targets import jax

_TARGETS = ("TopK", "topk", "mhlo.topk")


def name_selections(plan: Plan[Step]) -> Plan[Step]:
    """Return a plan whose calls that select the largest elements are steps of this name."""
    return with_other_steps(plan, _selection)


def _selection(plan: Plan[Step], step: Step) -> Step | None:
    """The step of a call, None for others, and for what a user puts in its place."""
    target = step.keywords.get("call_target_name")
    if target not in _TARGETS or step.op is None or (len(step.ins), len(step.outs)) != (1, 2):
        return None
    if not is_built_in(step, jax):
        return None
    options = step.op.attributes.get("mhlo.attributes")
    named = dict(options.items) if isinstance(options, DictAttr) else step.op.attributes
    if named.get("largest", BoolAttr(True)) != BoolAttr(True):
        return None
    k = plan.shape_of(step.outs[0])[-1]
    stated = named.get("k")
    if isinstance(stated, IntegerAttr) and stated.value != k:
        return None  # the kernel has an error for it
    return Step(TOP_K, step.op, step.ins, step.outs, keywords={"k": k}, returns_tuple=True)
