"""Built-in limits of every run: the depth of nested calls, and the sizes of results."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

from stablehlo_py.diagnostics.diagnostic import RunError
from stablehlo_py.engines.numpy.steps import BoundStep
from stablehlo_py.interpreter.inputs import machine_memory
from stablehlo_py.interpreter.plan import byte_size
from stablehlo_py.ir.types import Type

DEEPEST = 100  # nested calls, each of which takes several Python frames

_local = threading.local()


class DepthGuard:
    """A function with a limit on the depth of recursive calls.

    Args:
        function: The function.
    """

    def __init__(self, function: Callable[..., Any]) -> None:
        self._function = function

    def __call__(self, *arguments: Any) -> Any:
        """Call the function; raise RunError beyond the maximum depth."""
        depth = getattr(_local, "depth", 0)
        if depth >= DEEPEST:
            raise RunError(f"calls are nested more than {DEEPEST} deep")
        _local.depth = depth + 1
        try:
            return self._function(*arguments)
        finally:
            _local.depth = depth


def refuse_large_results(step: BoundStep, types: list[Type]) -> None:
    """Make a step fail at run time if its results do not fit into memory.

    Args:
        step: The step, which is changed.
        types: The types of its results.
    """
    for type in types:
        size = byte_size(type)
        if size is not None and size > machine_memory():
            step.call = _refusal(type, size)
            step.elementwise, step.rows, step.overwritable = False, None, ()


def _refusal(type: Type, size: int) -> Callable[..., Any]:
    def refuse(*arguments: Any) -> Any:
        raise RunError(
            f"a result of type {type} takes {size / 2**30:,.1f} GiB, more than the available memory"
        )

    return refuse
