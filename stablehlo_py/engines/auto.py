"""The engine `auto`: the NumPy engine first, and the native engine once compiling pays.

Compiling pays when the calls so far have taken an eighth of what compiling is estimated to take, or those to
come will: each call after the first one lets expect many more. A function is compiled in the background
(`engines.background`), and its first calls go on with NumPy until the code is there. Later ones wait for it:
beside a compilation, NumPy is several times slower. A call waits earlier where a few calls take as long as
compiling, and for the code of long loops: a function that has some is compiled before its first call, or
during it where they turn out to be long, and the call starts again (`engines.hot_loops`).
Native code that turns out to be slower than NumPy is not used. What native code saved is kept in the disk
cache beside it: a later process loads it before the first call where that takes less.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import replace
from functools import partial
from importlib import import_module
from threading import Lock
from time import perf_counter, process_time
from typing import Any, Literal

from stablehlo_py.engines.background import Job, is_busy, never_waits, submit
from stablehlo_py.engines.engine import Executable, Options, PlanEngine
from stablehlo_py.engines.hot_loops import HotLoop, LoopWatch
from stablehlo_py.engines.measurements import measured_saving, store_saving
from stablehlo_py.engines.numpy.engine import ENGINE as NUMPY
from stablehlo_py.interpreter.plan import Plan, Step

_NATIVE = "native"
_MODULE = "stablehlo_py.engines.native.engine"  # imported when it is needed
_START = 0.02  # seconds: about an eighth of what compiling takes, besides a time for each step
_PER_STEP = 1.5e-4
_PER_PRODUCT = {"contraction": 0.005, "convolution": 0.015}  # by the rule of cost
_EXPECTED = 512  # calls to come, for each call of a function after its first one
_EVIDENCE = 5e-4  # seconds of calls before any are expected: a call may wait for hundreds of short ones
_SHORT = 1e-5  # seconds of a call: one of native code takes as long, whatever it computes
_SETTLED = 64  # calls after which a function of short ones is not measured any more
_PATIENT = 4  # calls that take as long as the price: a call of such a function waits for its code
_FIRST = 2  # calls of a function that do not wait for its code: later ones do
_LOADING = 0.01  # seconds: loading code from the disk cache
_CLEAR = 4  # a first call that is estimated to take this many times as long is native
_LONG = 8  # a call starts again where what is left of a loop takes this many times as long
_TRIALS = 10  # the most native calls whose times are compared with NumPy's,
_TRIED = 5e-3  # unless they have taken less than so many seconds: the first ones touch code and memory


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


_Compiled = tuple[Executable, str, float]  # the name of the engine, and the seconds that compiling took


class AdaptiveFunction:
    """A function that is compiled when that pays.

    Args:
        plan: The function.
        options: The options of execution.

    Attributes:
        engine: The name of the engine of the last call; before it and after `wait`, of the next one.
        seconds: The time of compiling, as "native", once it is compiled.
        note: Why it is not compiled although that would pay, or an empty string.
    """

    def __init__(self, plan: Plan[Step], options: Options) -> None:
        self._plan = plan
        self._options = options
        self._price = _START + _compiling(plan)
        self._spent = 0.0  # seconds of work in calls so far, of the present engine
        self._begun = 0  # calls
        self._calls = 0  # of the NumPy engine, with nothing in the background
        self._fastest = self._least = float("inf")  # call of the NumPy engine: seconds, and seconds of work
        self._trials = _TRIALS
        self._is_slower = False  # than the NumPy engine
        self._lock = Lock()
        self._watch: LoopWatch | None = None
        self._job: Job[_Compiled | None] | None = None
        self._numpy: Executable | None = None
        self._running: Executable
        self.engine = NUMPY.name
        self.seconds: dict[str, float] = {}
        self.note = ""
        if options.instruments:  # counts and profiles do not depend on when code is compiled
            self._trials = 0
        if not _counts(options) and self._starts_native():
            self._compile(waits=True)
            self._trials = 0
            return
        if self._trials and options.grid == (1, 1) and _has_loop(plan):
            self._watch = LoopWatch(_LONG * self._price, lambda: _native() is not None)
        self._use_numpy()

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

    def wait(self, timeout: float | None = None) -> bool:
        """Wait for code that is being compiled, if any; see `Program.wait`."""
        job = self._job
        if job is None:
            return True
        if not job.wait(timeout):
            return False
        with self._lock:
            self._adopt()
        return True

    def __call__(self, *inputs: Any) -> Sequence[Any]:
        """Run the function."""
        if not self._trials or not self._lock.acquire(blocking=False):
            return self._running(*inputs)
        try:
            return self._measured(inputs)
        finally:
            self._lock.release()

    def _measured(self, inputs: Sequence[Any]) -> Sequence[Any]:
        """Choose the engine, and run the function."""
        self._begun += 1
        if self._is_slower:
            self._use_numpy()
            self._trials = 0
        elif self._job is not None:
            if self._waits():
                self._job.wait()
            self._adopt()
        elif self.engine == NUMPY.name and self._pays():
            self._compile(self._waits())
        results = self._timed(inputs)
        if results is None:  # the frames of the call that has ended hold no arrays any more
            self._compile(waits=True)
            results = self._timed(inputs)
        assert results is not None
        return results

    def _timed(self, inputs: Sequence[Any]) -> Sequence[Any] | None:
        """Run the function; return None if NumPy has ended the call, since it takes too long."""
        alone, start, work = not is_busy(), perf_counter(), process_time()
        try:
            with self._watch or nullcontext():
                results = self._running(*inputs)
        except HotLoop as hot:
            self._fastest = self._least = hot.seconds
            return None
        if alone and not is_busy():
            self._record(perf_counter() - start, process_time() - work)
        return results

    def _pays(self) -> bool:
        """Return True if the calls so far, or those that are expected, take as long as the price."""
        if self._calls < 2:  # the first call of a process may wait for what the later ones have
            return 0 < self._spent >= self._price
        if self._least <= _SHORT:
            return False
        is_likely = self._least * self._calls >= _EVIDENCE
        expected = self._least * _EXPECTED * (self._calls - 1) if is_likely else 0.0
        return max(self._spent, expected) >= self._price

    def _waits(self) -> bool:
        """Return True if the present call waits for the code."""
        return not never_waits() and (self._begun > _FIRST or self._least * _PATIENT > self._price)

    def _record(self, seconds: float, work: float) -> None:
        """Record the time of a call, and the work of all threads, which other processes do not lengthen."""
        self._spent += work
        if self.engine == NUMPY.name:
            self._calls += 1
            self._fastest, self._least = min(self._fastest, seconds), min(self._least, work)
            if self._least <= _SHORT and self._calls >= _SETTLED and self._watch is None:
                self._trials = 0  # no loop can make a later call long
            return
        self._trials -= 1
        if seconds <= self._fastest or work <= self._least:
            self._trials = 0
            saving = min(self._fastest, self._least) - min(seconds, work)
            store_saving(self._plan, self._options.semantics, saving)
        elif self._trials <= 0:
            self._is_slower = self._spent >= _TRIED
            self._trials = 1

    def _compile(self, waits: bool = False) -> None:
        """Compile the function in the background, or before the present call goes on."""
        if self._job is None:
            job = Job(partial(_compiled, self._plan, self._options), self)
            submit(job, waits)
            self._job = job
        if waits:
            self._job.wait()
        self._adopt()

    def _use_numpy(self) -> None:
        if self._numpy is None:
            self._numpy = NUMPY.prepare(self._plan, replace(self._options, watch=self._watch))
        self._running, self.engine = self._numpy, NUMPY.name

    def _adopt(self) -> None:
        """Use the code if it is there, and NumPy for good if there is none."""
        job = self._job
        if job is None or not job.has_ended:
            return
        self._job = None
        if job.result is not None:
            self._running, self.engine, self.seconds[_NATIVE] = job.result
            self._spent = 0.0
            return
        self._use_numpy()
        self._trials = 0
        self._watch = None
        if job.error is not None:
            error = f"{type(job.error).__name__}: {job.error}"
            self.note = f"engine {NUMPY.name} runs it for good, engine {_NATIVE} cannot: {error}"


def _compiled(plan: Plan[Step], options: Options) -> _Compiled | None:
    """Compile a function; return None if the native engine is not installed."""
    native = _native()
    if native is None:
        return None
    begin = perf_counter()
    return native.prepare(plan, options), native.name, perf_counter() - begin


def _counts(options: Options) -> bool:
    """Return True if steps are observed or counted."""
    limits = options.limits
    return options.observation is not None or (limits is not None and limits.max_steps is not None)


def _native() -> PlanEngine | None:
    """Return the native engine, None if it is not installed."""
    engine: PlanEngine = import_module(_MODULE).ENGINE
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
