"""Custom calls of built-in targets."""

from __future__ import annotations

from types import ModuleType

from stablehlo_py.diagnostics.diagnostic import Unsupported
from stablehlo_py.interpreter.plan import Step
from stablehlo_py.kernels.targets.calls import check_call
from stablehlo_py.kernels.targets.registry import find_target


def is_built_in(step: Step, module: ModuleType) -> bool:
    """Return whether a call runs a function of a module, with attributes that the target has.

    Args:
        step: A call; one with side effects runs none, nor does one whose target a user has replaced.
        module: The module in which the target is registered.
    """
    target: str = step.keywords["call_target_name"]
    if (
        step.op is None
        or step.keywords["has_side_effect"]
        or find_target(target).__module__ != module.__name__
    ):
        return False
    try:
        check_call(step.op)
    except Unsupported:
        return False
    return True
