"""Limits on the steps and the time of a run."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import field
from functools import partial
from time import monotonic
from typing import Any

from stablehlo_py.diagnostics.diagnostic import RunError
from stablehlo_py.interpreter.plan import Plan, Step
from stablehlo_py.ir.records import dataclass
from stablehlo_py.kernels.slabs import limited

_MANY = 1 << 62  # steps


@dataclass(slots=True)
class Limits:
    """Limits on the number of steps and the seconds of a run: an instrument (see `engines.engine`).

    A step is a call of a kernel (of a chain of elementwise ops, for all of them) or of a function, in each
    iteration of a loop. The clock is read between steps. The native engine takes a region as a step, and
    each op of its loops' iterations as one besides; its loops end at the deadline. NumPy kernels that compute
    large arrays in pieces read the clock between these.

    Attributes:
        max_steps: The maximum number of steps, or None.
        timeout: The maximum time in seconds, or None.
        taken: The number of steps of the run so far.
    """

    max_steps: int | None = None
    timeout: float | None = None
    taken: int = field(default=0, init=False)
    _deadline: float = field(default=0.0, init=False)

    def start(self) -> None:
        """Reset the count and the clock."""
        self.taken = 0
        self._deadline = monotonic() + (self.timeout or 0)

    def steps_left(self) -> int:
        """Return the number of steps that may still be taken."""
        return _MANY if self.max_steps is None else self.max_steps - self.taken

    def seconds_left(self) -> float:
        """Return the time that is left, at least 0; 0 if it is not limited."""
        return 0.0 if self.timeout is None else max(0.0, self._deadline - monotonic())

    def spend(self, steps: int = 1) -> None:
        """Count steps; raise RunError if a limit is exceeded."""
        self.taken += steps
        if self.max_steps is not None and self.taken > self.max_steps:
            raise RunError(f"the program takes more than {self.max_steps} steps")
        if self.timeout is not None and monotonic() > self._deadline:
            raise RunError(f"the program runs for more than {self.timeout:g} seconds")

    def wrap_step(self, plan: Plan[Any], step: Step, call: Callable[..., Any]) -> Callable[..., Any]:
        """Return a call of a step that counts it."""
        return self._counted(call)

    def wrap_function(self, plan: Plan[Any], call: Callable[..., Any]) -> Callable[..., Any]:
        """Return a call of a function that counts it."""
        return self._counted(call)

    def _counted(self, call: Callable[..., Any]) -> Callable[..., Any]:
        spend = self.spend

        def counted(*arrays: Any) -> Any:
            spend()
            return call(*arrays)

        def timed(*arrays: Any) -> Any:
            spend()
            with limited(partial(spend, 0)):
                return call(*arrays)

        return counted if self.timeout is None else timed
