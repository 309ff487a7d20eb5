"""Limits on a run: steps and time."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from time import monotonic
from typing import Any

from stablehlo_py.diagnostics.diagnostic import RunError
from stablehlo_py.interpreter.plan import Plan, Step


@dataclass(slots=True)
class Limits:
    """How many steps a run may take, and how many seconds: an instrument (see `engines.engine`).

    A step is the call of a kernel (for elementwise ops that run as one, of all of them) or of a function,
    each iteration of a loop included. The clock is read between steps.

    Attributes:
        max_steps: the most steps; None for no limit.
        timeout: the most seconds; None for no limit.
        taken: the steps of the run so far.
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

    def wrap_step(self, plan: Plan[Any], step: Step, call: Callable[..., Any]) -> Callable[..., Any]:
        """The call of a step, which takes one."""
        return self._counted(call)

    def wrap_function(self, plan: Plan[Any], call: Callable[..., Any]) -> Callable[..., Any]:
        """The call of a function, which takes one."""
        return self._counted(call)

    def _counted(self, call: Callable[..., Any]) -> Callable[..., Any]:
        spend = self.spend

        def counted(*arrays: Any) -> Any:
            spend()
            return call(*arrays)

        return counted
