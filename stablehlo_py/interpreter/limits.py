"""Limits on a run: steps and time. A program compiled without limits knows nothing of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from time import monotonic
from typing import Any

from stablehlo_py.diagnostics.diagnostic import RunError
from stablehlo_py.interpreter.function import CompiledFunction
from stablehlo_py.interpreter.plan import Plan
from stablehlo_py.ir.core import Module


@dataclass(slots=True)
class Limits:
    """How many steps a run may take, and how many seconds; None for no limit. `taken` counts the steps.

    A step is the call of a kernel (for elementwise ops that run as one, of all of them) or of a function,
    each iteration of a loop included. The clock is looked at between steps.
    """

    max_steps: int | None = None
    timeout: float | None = None
    taken: int = field(default=0, init=False)
    _deadline: float = field(default=0.0, init=False)

    def start(self) -> None:
        """Begins to count."""
        self.taken = 0
        self._deadline = monotonic() + (self.timeout or 0)

    def spend(self) -> None:
        """Takes a step. Raises RunError where it is beyond the limits."""
        self.taken += 1
        if self.max_steps is not None and self.taken > self.max_steps:
            raise RunError(f"the program takes more than {self.max_steps} steps")
        if self.timeout is not None and monotonic() > self._deadline:
            raise RunError(f"the program runs for more than {self.timeout:g} seconds")


class LimitedFunction(CompiledFunction):
    """A compiled function that spends a step for each call and each of its own steps."""

    def __init__(self, name: str, module: Module, limits: Limits) -> None:
        super().__init__(name, module)
        self._limits = limits

    def finish(self, plan: Plan, captures: int = 0) -> None:
        super().finish(plan, captures)
        self._steps = [(kind, self._counted(call), *rest) for kind, call, *rest in self._steps]

    def __call__(self, *arguments: Any) -> tuple[Any, ...]:
        self._limits.spend()
        return super().__call__(*arguments)

    def _counted(self, call: Callable[..., Any]) -> Callable[..., Any]:
        spend = self._limits.spend
        if self._limits.max_steps is None and self._limits.timeout is None:
            return call

        def counted(*arrays: Any) -> Any:
            spend()
            return call(*arrays)

        return counted
