"""The engine `auto`: the NumPy engine first, and the native engine once compiling pays.

Compiling pays when the calls so far have taken an eighth of what compiling is estimated to take, or those to
come will: a function that is called for the third time is expected to be called often. A function with long
loops is compiled before its first call, or during it where they turn out to be long: the call starts again
(`engines.hot_loops`). Native code that turns out to be slower than NumPy is not used. What native code saved
is kept in the disk cache beside it: a later process loads it before the first call where that takes less.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import replace
from importlib import import_module
from threading import Lock
from time import perf_counter, process_time
from typing import Any, Literal

from stablehlo_py.engines.engine import Executable, Options, PlanEngine
from stablehlo_py.engines.hot_loops import HotLoop, LoopWatch
from stablehlo_py.engines.measurements import measured_saving, store_saving
from stablehlo_py.engines.numpy.engine import ENGINE as NUMPY
from stablehlo_py.interpreter.plan import Plan, Step
from stablehlo_py.ir.garbage import gc_paused

_NATIVE = "stablehlo_py.engines.native.engine"  # imported when it is needed
_START = 0.02  # seconds: about an eighth of what compiling takes, besides a time for each step
_PER_STEP = 1.5e-4
_PER_PRODUCT = {"contraction": 0.005, "convolution": 0.015}  # by the rule of cost
_EXPECTED = 64  # calls of a function that is called for the third time
_LOADING = 0.01  # seconds: loading code from the disk cache
_CLEAR = 4  # a first call that is estimated to take this many times as long is native
_LONG = 8  # a call starts again where what is left of a loop takes this many times as long
_TRIALS = 10  # the most native calls whose times are compared with NumPy's,
_TRIED = 1e-3  # unless they have taken less than so many seconds


class AutoEngine:
    """The NumPy engine or the native engine, whichever is faster."""

    name = "auto"
    takes: Literal["plan"] = "plan"

    def is_available(self) -> bool:
        """Return True: the NumPy engine is always available."""
        return True

    def prepare(self, plan: Plan[Step], options: Options) -> Executable:
        """Prepare a function for execution; see `engines.engine.PlanEngine`."""
        return AdaptiveFunction(plan, options)


class AdaptiveFunction:
    """A function that is compiled when that pays.

    Args:
        plan: The function.
        options: The options of execution.

    Attributes:
        engine: The name of the engine that runs it now.
        seconds: The time of compiling, as "native", once it is compiled.
    """

    def __init__(self, plan: Plan[Step], options: Options) -> None:
        self._plan = plan
        self._options = options
        self._price = _START + _compiling(plan)
        self._spent = 0.0  # seconds of work in calls so far, of the present engine
        self._calls = 0  # of the NumPy engine
        self._fastest = self._least = float("inf")  # call of the NumPy engine: seconds, and seconds of work
        self._trials = _TRIALS
        self._lock = Lock()
        self._watch: LoopWatch | None = None
        self.engine = NUMPY.name
        self.seconds: dict[str, float] = {}
        self._running: Executable
        if options.instruments:  # counts and profiles do not depend on when code is compiled
            self._trials = 0
        if not _counts(options) and self._starts_native() and _native() is not None:
            self._compile()
            self._trials = 0
            return
        if self._trials and options.grid == (1, 1) and _has_loop(plan):
            self._watch = LoopWatch(_LONG * self._price, lambda: _native() is not None)
        self._running = self._numpy = NUMPY.prepare(plan, replace(options, watch=self._watch))

    def _starts_native(self) -> bool:
        """Return True if the first call is estimated to pay for native code, or was measured to."""
        saving = measured_saving(self._plan, self._options.semantics) if self._trials else None
        if saving is not None:
            self._price = _LOADING
        slow = _has_loop(self._plan) and _is_slow(self._plan, _CLEAR * self._price)
        return slow or (saving is not None and saving > _LOADING)

    @property
    def plan(self) -> Any:
        """The plan that is executed now."""
        return self._running.plan

    def __call__(self, *inputs: Any) -> Sequence[Any]:
        """Run the function."""
        if not self._trials or not self._lock.acquire(blocking=False):
            return self._running(*inputs)
        try:
            return self._measured(inputs)
        finally:
            self._lock.release()

    def _measured(self, inputs: Sequence[Any]) -> Sequence[Any]:
        """Run the function, and choose the engine of the next calls."""
        if self.engine == NUMPY.name and self._pays():
            if _native() is None:
                self._trials = 0
            else:
                self._compile()
        results = self._timed(inputs)
        if results is None:  # the frames of the call that has ended hold no arrays any more
            self._compile()
            results = self._timed(inputs)
        assert results is not None
        return results

    def _timed(self, inputs: Sequence[Any]) -> Sequence[Any] | None:
        """Run the function; return None if NumPy has ended the call, since it takes too long."""
        start, work = perf_counter(), process_time()
        try:
            with self._watch or nullcontext():
                results = self._running(*inputs)
        except HotLoop as hot:
            self._fastest = self._least = hot.seconds
            return None
        self._record(perf_counter() - start, process_time() - work)
        return results

    def _pays(self) -> bool:
        """Return True if the calls so far, or those that are expected, take as long as the price."""
        if self._calls < 2:  # the first call of a process may wait for what the later ones have
            return 0 < self._spent >= self._price
        return max(self._spent, self._least * _EXPECTED) >= self._price

    def _record(self, seconds: float, work: float) -> None:
        """Record the time of a call, and the work of all threads, which other processes do not lengthen."""
        self._spent += work
        if self.engine == NUMPY.name:
            self._calls += 1
            self._fastest, self._least = min(self._fastest, seconds), min(self._least, work)
            return
        self._trials -= 1
        if seconds <= self._fastest or work <= self._least:
            self._trials = 0
            saving = min(self._fastest, self._least) - min(seconds, work)
            store_saving(self._plan, self._options.semantics, saving)
        elif self._trials <= 0 and self._spent >= _TRIED:
            self._trials = 0
            self._running, self.engine = self._numpy, NUMPY.name

    def _compile(self) -> None:
        native = _native()
        assert native is not None
        begin = perf_counter()
        self._spent = 0.0
        with gc_paused():
            self._running, self.engine = native.prepare(self._plan, self._options), native.name
        self.seconds[native.name] = perf_counter() - begin


def _counts(options: Options) -> bool:
    """Return True if steps are observed or counted."""
    limits = options.limits
    return options.observation is not None or (limits is not None and limits.max_steps is not None)


def _native() -> PlanEngine | None:
    """Return the native engine, None if it is not installed."""
    engine: PlanEngine = import_module(_NATIVE).ENGINE
    return engine if engine.is_available() else None


def _compiling(plan: Plan[Step]) -> float:
    """Return an eighth of the seconds that compiling the steps takes, with those of bodies."""
    costs = [step.definition.cost.work for step in plan.steps if step.definition is not None]
    products = sum([_PER_PRODUCT[cost] for cost in costs if cost in _PER_PRODUCT])
    bodies = [body for step in plan.steps for body in step.plans]
    return _PER_STEP * len(plan.steps) + products + sum(map(_compiling, bodies))


def _has_loop(plan: Plan[Step]) -> bool:
    """Return True if the plan, or one of a body, has a loop with a condition."""
    return any(_is_loop(step) or any(map(_has_loop, step.plans)) for step in plan.steps)


def _is_loop(step: Step) -> bool:
    loop = step.definition.loop if step.definition is not None else None
    return loop is not None and bool(loop.condition)


def _is_slow(plan: Plan[Step], least: float) -> bool:
    """Return True if a call is estimated to take at least so many seconds."""
    from stablehlo_py.engines.native.estimate import seconds

    return seconds(plan) >= least


ENGINE = AutoEngine()
