"""In-place execution: ufuncs and chains write large results into dead operands."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from stablehlo_py.engines.numpy.bind import copy_step
from stablehlo_py.engines.numpy.chain import Chain
from stablehlo_py.engines.numpy.steps import BoundStep
from stablehlo_py.interpreter.passes.buffer_reuse import BufferReuse
from stablehlo_py.interpreter.passes.liveness import SMALL
from stablehlo_py.interpreter.plan import Plan, byte_size
from stablehlo_py.kernels.numeric.ufuncs import is_ufunc


def run_in_place(plan: Plan[BoundStep], given: frozenset[int]) -> frozenset[int]:
    """Set the steps of a plan that write into operands.

    Args:
        plan: The plan.
        given: The inputs that the caller can give up.

    Returns:
        The inputs that the caller must give up, because the plan overwrites them.
    """
    writes = BufferReuse(plan, lambda step: _replaceable(plan, step), copy_step).run(given)
    for step in plan.steps:
        if step.overwrites and step.in_place is None:
            step.in_place = _into(step.call, step.overwrites[0])
    return writes


def _replaceable(plan: Plan[BoundStep], step: BoundStep) -> Sequence[int]:
    """Return the positions of the operands that a ufunc or a chain may overwrite with its large result."""
    if len(step.outs) != 1 or (byte_size(plan.types[step.outs[0]]) or 0) < SMALL:
        return ()
    if isinstance(step.call, Chain):
        return step.call.replaceable
    direct = step.elementwise and is_ufunc(step.call)
    return range(len(step.ins)) if direct and _keeps_type(plan, step) else ()


def _keeps_type(plan: Plan[BoundStep], step: BoundStep) -> bool:
    """Return True if every operand has the result's type, so that the ufunc can write into one."""
    return all(plan.types[slot] is plan.types[step.outs[0]] for slot in step.ins)


def _into(call: Any, position: int) -> Callable[..., Any]:
    """Return a ufunc or a chain that writes into the operand at `position`."""
    if isinstance(call, Chain):
        return lambda *arrays: call(*arrays, into=arrays[position])

    def replace(*arrays: Any) -> Any:
        target = arrays[position]
        return call(*arrays, out=target if target.flags.writeable else None)

    return replace
