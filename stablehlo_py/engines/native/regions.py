"""Compiled regions: the regions of a plan share a library, and each is a function of arrays."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import nullcontext
from threading import Timer
from time import perf_counter_ns
from typing import Any

import numpy as np

from stablehlo_py.engines.engine import Semantics
from stablehlo_py.engines.limits import Limits
from stablehlo_py.engines.native.called_steps import CalledStep, calls
from stablehlo_py.engines.native.fingerprint import fingerprint
from stablehlo_py.engines.native.library import SHARING, Library, Source, load_library, new_sync
from stablehlo_py.engines.native.patterns import fill
from stablehlo_py.engines.native.region import CONTROL, LONG, Function, Region, has_loop, make_region
from stablehlo_py.engines.native.results import RESULTS
from stablehlo_py.engines.native.runtime import ALIGNMENT, STEPS, STOPPED, TIMES
from stablehlo_py.engines.threads import Pool, handles_signals, pool, processors, run_beside
from stablehlo_py.interpreter.observer import LoopTime
from stablehlo_py.interpreter.plan import Plan, Step
from stablehlo_py.ir.element_types import numpy_dtype

_MOST_KEPT = 1 << 30  # bytes of a scratch area that is kept for the next call
_AREAS: list[Any] = []
_CONTIGUOUS = np.ascontiguousarray
LEAST_STEPS = 3  # a region of fewer steps saves less than its call costs
SHARED_WORK = 1 << 24  # instructions, 100 microseconds or more, from which waking threads up pays
_QUICK = 5_000_000  # nanoseconds: signals need no thread beside a region without control flow that took less


def compile_plan(
    plan: Plan[Step],
    call_of: Callable[[Plan[Step], Step], Callable[..., Any]],
    limits: Limits | None,
    semantics: Semantics,
) -> list[Step | RegionCall]:
    """Compile the regions of a plan.

    Args:
        plan: The plan.
        call_of: Returns the function of arrays for a step that regions call.
        limits: The limits that the loops of regions keep.
        semantics: Which results to return where the specification and XLA differ.

    Returns:
        The regions, and the steps outside of regions, in the order of execution.
    """
    counted = limits is not None and limits.max_steps is not None

    def source() -> Source:
        from stablehlo_py.engines.native.module import plan_source  # imports all emitters

        return plan_source(plan, LEAST_STEPS, counted, semantics == "xla")

    library = load_library(
        "\0".join([str(LEAST_STEPS), str(counted), semantics, fingerprint(plan)]),
        source,
        _are_rows,
    )
    parts, rows = library.rows
    functions = [Function(*row) for row in rows]
    found: list[Step | RegionCall] = []
    for number, places in parts:
        steps = [plan.steps[place] for place in places]
        if number is None:
            found += steps
        else:
            region, function = make_region(plan, steps), functions[number]
            called = [CalledStep(owner, step, call_of(owner, step)) for owner, step in function.steps(region)]
            found.append(RegionCall(region, function, library, limits, called, semantics))
    return found


def _are_rows(data: Any) -> bool:
    """Check the structure of parts and functions from the disk cache."""
    match data:
        case [list() as parts, list() as functions]:
            return all(map(_is_part, parts)) and all(map(_is_function, functions))
    return False


def _is_part(data: Any) -> bool:
    match data:
        case (int() | None, list() as places):
            return all(type(place) is int for place in places)
    return False


def _is_function(data: Any) -> bool:
    match data:
        case (str(), int(), int(), int(), int(), int(), tuple() as constants, tuple() as called):
            pairs = (*constants, *called)
            return all(type(pair) is tuple and [*map(type, pair)] == [int, int] for pair in pairs)
    return False


class RegionCall:
    """A region as a function of its inputs that returns its outputs.

    Args:
        region: The region.
        function: Its function.
        library: The library that has the function.
        limits: The limits that its loops keep.
        called: The steps that its calls run, by number.
        semantics: Which results to return where the specification and XLA differ.

    Attributes:
        region: The region.
    """

    def __init__(
        self,
        region: Region,
        function: Function,
        library: Library,
        limits: Limits | None = None,
        called: Sequence[CalledStep] = (),
        semantics: Semantics = "specification",
    ) -> None:
        plan = region.plan
        self.region = region
        self._called = called
        self._whole_windows = semantics == "xla"
        self._times: Any = None
        self._calls = 0
        self._loops = has_loop(region.steps)
        self._is_long = function.instructions >= LONG  # by an estimate, until it has been measured
        self._is_regular = not any(step.name in CONTROL for step in region.steps)
        self._limits = limits if self._is_long or self._loops else None
        self._library = library  # keeps the code
        self._enter, self._main = library.enter(), library.address(function.name)
        self._share = library.share(function.name)
        self._results = [(plan.shape_of(slot), _dtype(plan, slot)) for slot in region.outputs]
        self._inputs = [_dtype(plan, slot) for slot in region.inputs]
        self._constants = [np.ascontiguousarray(array) for array in function.arrays(region)]
        self._scratch = function.scratch + ALIGNMENT
        self._tasks = function.tasks
        self._alone = function.work + function.offered < SHARED_WORK
        self._only_offers = function.work < SHARED_WORK  # threads are called for nests of control flow

    def __call__(self, *arrays: Any) -> tuple[Any, ...]:
        """Run the region."""
        made = tuple([RESULTS.new_array(shape, dtype) for shape, dtype in self._results])
        objects = (*map(_CONTIGUOUS, arrays, self._inputs), *made, *self._constants)
        scratch = _take_area(self._scratch)
        fill((*made, scratch))
        alone = self._alone or processors() == 1 or (self._only_offers and SHARING[0] <= 0)
        threads = None if alone else pool()
        sync = new_sync(self._tasks, threads.count if threads else 1)
        if self._times is not None:
            self._calls += 1
            sync[TIMES] = self._times.ctypes.data
        with calls(self._called, sync) if self._called else nullcontext():
            if self._limits is None:
                self._run(threads, objects, scratch, sync)
            else:
                self._run_limited(self._limits, threads, objects, scratch, sync)
        if not _AREAS and scratch.size <= _MOST_KEPT:
            _AREAS.append(scratch)
        return made

    def time_loops(self) -> None:
        """Measure the times of loop nests from now on."""
        self._times, self._calls = np.zeros((self._tasks, 3), np.int64), 0

    def loop_times(self) -> list[LoopTime]:
        """The times of loop nests, with their ops."""
        from stablehlo_py.engines.native.loop_times import loop_times

        return loop_times(self.region, self._whole_windows, self._times, self._calls)

    def _run_limited(
        self, limits: Limits, threads: Pool | None, objects: tuple[Any, ...], scratch: Any, sync: Any
    ) -> None:
        """Run the region with a limit on the steps of its loops, and end them at the deadline."""
        sync[STEPS] = steps = limits.steps_left()
        timer = Timer(limits.seconds_left(), sync.__setitem__, (STOPPED, 1))
        if limits.timeout is not None:
            timer.start()
        try:
            self._run(threads, objects, scratch, sync)
        finally:
            timer.cancel()
        limits.spend(steps - int(sync[STEPS]))

    def _run(self, threads: Pool | None, objects: tuple[Any, ...], scratch: Any, sync: Any) -> None:
        """Run the region; its loops handle signals, or a waiting thread if the region is long."""

        def stop() -> None:
            sync[STOPPED] = 1

        def run() -> None:
            self._run_on(threads, objects, scratch, sync, stop)

        if self._called or not (self._is_long and handles_signals()):  # calls are of this thread's process
            run()
            return
        begin = perf_counter_ns()
        run_beside(run, stop)
        self._is_long = not self._is_regular or perf_counter_ns() - begin > _QUICK

    def _run_on(
        self,
        threads: Pool | None,
        objects: tuple[Any, ...],
        scratch: Any,
        sync: Any,
        stop: Callable[[], None],
    ) -> None:
        """Run the region on the threads of the pool, or alone if there are none or they are busy."""
        arguments = id(objects) + tuple.__basicsize__  # where its items are
        area, shared = id(scratch), id(sync)
        if threads is None:
            self._enter(self._main, arguments, area, shared, 1)
            return
        count, begun, inside = threads.count, perf_counter_ns(), 0

        def job(number: int) -> None:
            nonlocal inside
            if number:
                self._share(arguments, area, number, count, shared)
                _ = objects, scratch, sync  # which this thread may leave behind the caller
                return
            start = perf_counter_ns()
            self._enter(self._main, arguments, area, shared, count)
            inside = perf_counter_ns() - start

        if not threads.run(job, stop, joined=True):
            self._enter(self._main, arguments, area, shared, 1)
        elif self._only_offers:  # calling other threads, and waiting for them, is part of what sharing costs
            SHARING[0] -= perf_counter_ns() - begun - inside


def _take_area(size: int) -> Any:
    """Return a scratch area of at least `size` bytes, reused from an earlier call: its pages are resident."""
    try:
        area = _AREAS.pop()
    except IndexError:  # another thread has it, or there is none yet
        return np.empty(size, np.uint8)
    return area if area.size >= size else np.empty(size, np.uint8)


def _dtype(plan: Plan[Step], slot: int) -> Any:
    return numpy_dtype(plan.tensor(slot).element_type)
