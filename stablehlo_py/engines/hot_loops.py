"""Hot loops: an instrument that ends a call, between two iterations, whose loop is worth compiling.

What is left of a loop is expected to take as long as its iterations so far let expect: each as long as these
where the trip count is known; elsewhere all of them together, so that at most as much time is lost as
compiling takes. The first iteration is not counted, since it may wait for what later ones have. The call can
start again on another engine, unless a step has side effects: then it is not ended.
"""

from __future__ import annotations

from collections.abc import Callable
from threading import get_ident
from time import perf_counter, thread_time
from typing import Any

from stablehlo_py.interpreter.lower import CONTAINS
from stablehlo_py.interpreter.plan import Plan, Step
from stablehlo_py.ir.records import dataclass

_EVIDENCE = 8  # a loop is judged after the time that it has to take has passed, divided by this
_NEVER = float("inf")


class HotLoop(BaseException):
    """Ends a call. It is no `Exception`, which would be an error of the step.

    Args:
        seconds: How long the loop is expected to take.
    """

    def __init__(self, seconds: float) -> None:
        super().__init__(seconds)
        self.seconds = seconds


@dataclass(slots=True)
class _Progress:
    """How far a loop is: its trip count, the iterations that have begun, and when the second one did."""

    trips: int | None = None
    begun: int = 0
    since: float = 0.0

    def seconds_left(self, spent: float) -> float:
        """Return how long the loop is expected to take from now on."""
        done = self.begun - 1
        return spent if self.trips is None else spent * (self.trips - done) / (done - 1)


class LoopWatch:
    """An instrument (see `engines.engine`) that raises HotLoop in the thread that owns it.

    Args:
        least: The seconds that what is left of a loop has to take.
        can_compile: Tests whether the loop can be compiled.
    """

    def __init__(self, least: float, can_compile: Callable[[], bool]) -> None:
        self._owner = 0  # the thread, 0 for none
        self._since = self._work = 0.0  # when it called the function, and how long it had worked before
        self._least = least
        self._can_compile = can_compile
        self._loops: dict[int, _Progress] = {}  # by the plan of the body

    def __enter__(self) -> None:
        """Watch the loops of a call of this thread."""
        self._owner, self._since, self._work = get_ident(), perf_counter(), thread_time()

    def __exit__(self, *error: object) -> None:
        """Watch no loops."""
        self._owner = 0

    def start(self) -> None:
        """Do nothing: loops start by themselves."""

    def wrap_function(self, plan: Plan[Any], call: Callable[..., Any]) -> Callable[..., Any]:
        """Return a call of a function; that of a loop's body is an iteration."""
        if plan.on_elements or not plan.iterates:
            return call
        progress = self._loops[id(plan)] = _Progress()

        def iteration(*arrays: Any) -> Any:
            now = perf_counter()
            progress.begun += 1
            if progress.begun <= 2:
                progress.since = now
            elif (now - progress.since) * _EVIDENCE >= self._least:
                self._judge(progress, now)
            return call(*arrays)

        return iteration

    def wrap_step(self, plan: Plan[Any], step: Step, call: Callable[..., Any]) -> Callable[..., Any]:
        """Return a call of a step; that of a loop begins with no iteration."""
        if step.definition is not None and not step.definition.traits & CONTAINS:
            self._least = _NEVER
        progress = next((p for body in step.plans if (p := self._loops.get(id(body)))), None)
        if progress is None or step.op is None:
            return call
        from stablehlo_py.analysis.trips import trip_count  # for programs with loops only

        progress.trips = trip_count(step.op)

        def loop(*arrays: Any) -> Any:
            progress.begun = 0
            return call(*arrays)

        return loop

    def _judge(self, progress: _Progress, now: float) -> None:
        """Raise HotLoop if what is left of a loop takes long enough, also without waiting for a processor."""
        spent = now - progress.since
        if progress.seconds_left(spent) < self._least or self._owner != get_ident():
            return
        spent *= (thread_time() - self._work) / (now - self._since)
        left = progress.seconds_left(spent)
        if spent * _EVIDENCE < self._least or left < self._least:
            return
        if self._can_compile():
            raise HotLoop(spent + left)
        self._least = _NEVER
