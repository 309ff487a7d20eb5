"""The engine `auto`: when it compiles, and which engine it keeps."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from itertools import count
from pathlib import Path
from threading import Thread
from types import SimpleNamespace
from typing import Any, Literal

import numpy as np
import pytest

pytest.importorskip("llvmlite")

import stablehlo_py as shlo
from stablehlo_py.analysis import trips as counting
from stablehlo_py.engines import auto, hot_loops
from stablehlo_py.engines.engine import Executable, Options, Semantics
from stablehlo_py.engines.measurements import measured_saving, store_saving
from stablehlo_py.engines.native import library
from stablehlo_py.engines.numpy.engine import ENGINE as NUMPY
from stablehlo_py.interpreter.plan import Plan, Step

CHAIN = """func.func @main(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = stablehlo.add %x, %x : tensor<8xf32>
  %1 = stablehlo.multiply %0, %x : tensor<8xf32>
  %2 = stablehlo.negate %1 : tensor<8xf32>
  return %2 : tensor<8xf32>
}"""
LOOP = """func.func @main(%x: tensor<i64>) -> tensor<i64> {
  %zero = stablehlo.constant dense<0> : tensor<i64>
  %one = stablehlo.constant dense<1> : tensor<i64>
  %end = stablehlo.constant dense<TRIPS> : tensor<i64>
  %0:2 = stablehlo.while(%i = %zero, %a = %x) : tensor<i64>, tensor<i64>
    cond {
      %1 = stablehlo.compare LT, %i, %end : (tensor<i64>, tensor<i64>) -> tensor<i1>
      stablehlo.return %1 : tensor<i1>
    } do {
      %1 = stablehlo.add %i, %one : tensor<i64>
      %2 = stablehlo.add %a, %i : tensor<i64>
      stablehlo.return %1, %2 : tensor<i64>, tensor<i64>
    }
  return %0#1 : tensor<i64>
}"""
X = np.arange(8, dtype=np.float32)


class Slow:
    """An engine that gives NumPy's results late."""

    name = "slow"
    takes: Literal["plan"] = "plan"

    def is_available(self) -> bool:
        return True

    def prepare(self, plan: Plan[Step], options: Options) -> Executable:
        return Waiting(NUMPY.prepare(plan, options))


class Waiting:
    def __init__(self, function: Executable) -> None:
        self.function = function
        self.plan = function.plan

    def __call__(self, *inputs: Any) -> Any:
        end = time.process_time() + 0.05
        while time.process_time() < end:
            pass
        return self.function(*inputs)


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing has been measured yet, and the call that finds that compiling pays waits for the code."""
    monkeypatch.setenv("SHLO_CACHE_DIR", str(tmp_path))
    monkeypatch.setenv("SHLO_BACKGROUND", "0")


def engines_of_calls(calls: int) -> list[str]:
    """The engine that runs each call of the chain, whose results are checked."""
    program = shlo.compile(shlo.parse(CHAIN))
    found = []
    for _ in range(calls):
        assert program(X)[0].tolist() == [-2 * n * n for n in range(8)]
        found.append(program.engine)
    return found


def test_a_hot_function_is_compiled_at_its_second_call(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(auto, "_START", 0.0)
    monkeypatch.setattr(auto, "_PER_STEP", 0.0)
    monkeypatch.setattr(auto, "_TRIALS", 1000)
    assert engines_of_calls(3) == ["numpy", "native", "native"]


def test_a_function_that_takes_no_longer_than_a_native_call_stays_on_numpy(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(auto, "_SHORT", 1e6)
    assert engines_of_calls(1000) == ["numpy"] * 1000


def test_short_calls_are_not_measured_for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(auto, "_SHORT", 1e6)
    program = shlo.compile(shlo.parse(CHAIN))
    for _ in range(100):
        program(X)
    monkeypatch.setattr(auto, "process_time", None)
    assert program(X)[0].tolist() == [-2 * n * n for n in range(8)]


def test_the_time_of_compiling_is_measured(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(auto, "_START", 0.0)
    monkeypatch.setattr(auto, "_SHORT", 0.0)
    program = shlo.compile(shlo.parse(CHAIN))
    assert program.seconds == {}
    for _ in range(1000):
        program(X)
    assert program.seconds.keys() == {"native"} and program.seconds["native"] > 0


def test_a_function_is_not_compiled_before_its_calls_have_taken_as_long(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(auto, "_START", 1e6)
    assert engines_of_calls(20) == ["numpy"] * 20


@pytest.mark.parametrize(("price", "first"), [(512, 3), (513, 4), (1024, 4), (8 * 512, 10)])
def test_a_function_that_has_been_called_often_is_expected_to_be_called_as_often_again(
    price: float, first: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(auto, "_START", price)
    monkeypatch.setattr(auto, "_PER_STEP", 0.0)
    clock = count()
    monkeypatch.setattr(auto, "process_time", lambda: float(next(clock)))  # a call takes a second
    assert engines_of_calls(12) == ["numpy"] * (first - 1) + ["native"] * (13 - first)


def test_a_function_of_short_calls_is_compiled_once_they_have_taken_some_time(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(auto, "_START", 512)
    monkeypatch.setattr(auto, "_PER_STEP", 0.0)
    monkeypatch.setattr(auto, "_EVIDENCE", 6.0)
    clock = count()
    monkeypatch.setattr(auto, "process_time", lambda: float(next(clock)))  # a call takes a second
    assert engines_of_calls(12) == ["numpy"] * 6 + ["native"] * 6


def test_the_slower_engine_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(auto, "_START", 0.0)
    monkeypatch.setattr(auto, "_PER_STEP", 0.0)
    monkeypatch.setattr(auto, "_TRIALS", 3)
    monkeypatch.setattr(auto, "_native", Slow)
    assert engines_of_calls(6) == ["numpy", "slow", "slow", "slow", "numpy", "numpy"]


def test_native_code_is_given_up_for_its_own_work(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two native calls work for 11 of 12 seconds; the work of NumPy before is none of theirs."""
    monkeypatch.setattr(auto, "_START", 0.0)
    monkeypatch.setattr(auto, "_PER_STEP", 0.0)
    monkeypatch.setattr(auto, "_TRIALS", 2)
    monkeypatch.setattr(auto, "_TRIED", 12.0)
    monkeypatch.setattr(auto, "_native", Slow)
    clock = count()
    monkeypatch.setattr(auto, "perf_counter", lambda: float(next(clock) ** 2))  # later calls take longer
    work = [0.0, 5.0, 5.0, 10.5, 10.5, 16.0, 16.0, 21.5, 21.5, 26.5]
    monkeypatch.setattr(auto, "process_time", iter(work).__next__)
    assert engines_of_calls(5) == ["numpy", "slow", "slow", "slow", "numpy"]


def test_an_engine_that_does_less_work_is_kept_where_other_processes_hold_it_up(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(auto, "_START", 0.0)
    monkeypatch.setattr(auto, "_PER_STEP", 0.0)
    monkeypatch.setattr(auto, "_native", Slow)
    monkeypatch.setattr(auto, "perf_counter", iter([0, 1, 1, 1, 1, 9]).__next__)
    monkeypatch.setattr(auto, "process_time", iter([0, 1, 1, 1.5]).__next__)
    assert engines_of_calls(4) == ["numpy", "slow", "slow", "slow"]


def test_what_native_code_saved_is_kept_for_later_processes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(auto, "_START", 0.0)
    monkeypatch.setattr(auto, "_PER_STEP", 0.0)
    monkeypatch.setattr(auto, "_LOADING", float("inf"))  # nothing saves as much
    clock = count()  # all calls take as long
    monkeypatch.setattr(auto, "process_time", lambda: float(next(clock)))
    plans = []

    def store(plan: Plan[Step], semantics: Semantics, seconds: float) -> None:
        plans.append(plan)
        store_saving(plan, semantics, seconds)

    monkeypatch.setattr(auto, "store_saving", store)
    assert engines_of_calls(2) == ["numpy", "native"]
    (plan,) = plans
    assert measured_saving(plan, "specification") is not None
    assert engines_of_calls(2) == ["numpy", "numpy"]
    monkeypatch.setattr(auto, "_LOADING", 1e-3)
    store_saving(plan, "specification", 2e-3)
    assert engines_of_calls(1) == ["native"]
    assert shlo.compile(shlo.parse(CHAIN), timeout=600.0).engine == "numpy"  # which is not measured
    assert measured_saving(plan, "xla") is None
    store_saving(plan, "specification", -1.0)  # code that saves nothing is not loaded for one call
    assert engines_of_calls(1) == ["numpy"]
    monkeypatch.setattr(library, "version", lambda: "another CPU")
    assert measured_saving(plan, "specification") is None


def test_without_the_extra_numpy_runs_all_calls(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(auto, "_START", 0.0)
    monkeypatch.setattr(auto, "_PER_STEP", 0.0)
    monkeypatch.setattr(auto, "_native", lambda: None)
    assert engines_of_calls(3) == ["numpy"] * 3
    program = shlo.compile(shlo.parse(CHAIN))
    for _ in range(3):
        program(X)
    assert program.explain() == str(program.plan)  # a missing extra is no error of the compiler


@pytest.mark.parametrize(("trips", "engine"), [(10, "numpy"), (1_000_000, "native")])
def test_a_long_loop_is_compiled_before_its_first_call(trips: int, engine: str) -> None:
    program = shlo.compile(shlo.parse(LOOP.replace("TRIPS", str(trips))))
    assert program.engine == engine
    assert program(np.int64(5))[0] == 5 + trips * (trips - 1) // 2


UNKNOWN = LOOP.replace("%x: tensor<i64>)", "%x: tensor<i64>, %end: tensor<i64>)").replace(
    "%end = stablehlo.constant dense<TRIPS> : tensor<i64>",
    "%shape = stablehlo.constant dense<> : tensor<0xi64>",
)
EFFECT = """
      %3 = stablehlo.rng %x, %one, %shape, distribution = UNIFORM
        : (tensor<i64>, tensor<i64>, tensor<0xi64>) -> tensor<i64>
      stablehlo.return %1, %2"""


def hours_pass(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each iteration of a loop takes an hour, in which the thread has a processor."""
    hours = [0.0]

    def tick() -> float:
        hours[0] += 1
        return 3600 * hours[0]

    monkeypatch.setattr(hot_loops, "perf_counter", tick)
    monkeypatch.setattr(hot_loops, "thread_time", lambda: 3600 * hours[0])


@pytest.mark.parametrize(("trips", "engine"), [(2, "numpy"), (9, "native")])
def test_a_loop_that_turns_out_to_be_long_is_compiled_during_the_call(
    trips: int, engine: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = shlo.compile(shlo.parse(UNKNOWN))
    hours_pass(monkeypatch)
    assert program(np.int64(5), np.int64(trips))[0] == 5 + trips * (trips - 1) // 2
    assert program.engine == engine


def test_a_long_loop_is_expected_to_take_the_rest_of_its_trip_count(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(auto, "_START", 3600.0 * 100 / auto._LONG)
    monkeypatch.setattr(auto, "_PER_STEP", 0.0)
    monkeypatch.setattr(hot_loops, "_EVIDENCE", 100)
    for trips, engine in ((80, "numpy"), (120, "native")):
        program = shlo.compile(shlo.parse(LOOP.replace("TRIPS", str(trips))))
        with monkeypatch.context() as patch:
            hours_pass(patch)
            assert program(np.int64(5))[0] == 5 + trips * (trips - 1) // 2
        assert program.engine == engine


def test_a_call_with_side_effects_does_not_start_again(monkeypatch: pytest.MonkeyPatch) -> None:
    program = shlo.compile(shlo.parse(UNKNOWN.replace("\n      stablehlo.return %1, %2", EFFECT)))
    hours_pass(monkeypatch)
    assert program(np.int64(0), np.int64(9))[0] == 36
    assert program.engine == "numpy"


def test_without_the_extra_no_call_starts_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(auto, "_native", lambda: None)
    program = shlo.compile(shlo.parse(UNKNOWN))
    hours_pass(monkeypatch)
    assert program(np.int64(5), np.int64(9))[0] == 41
    assert program.engine == "numpy"


def watched(
    least: float, trip_count: int | None, monkeypatch: pytest.MonkeyPatch
) -> tuple[hot_loops.LoopWatch, Callable[[Sequence[float]], None]]:
    """A watch, and a loop, whose iterations take the given seconds."""
    now = [0.0]
    monkeypatch.setattr(hot_loops, "perf_counter", lambda: now[0])
    monkeypatch.setattr(hot_loops, "thread_time", lambda: now[0])
    monkeypatch.setattr(counting, "trip_count", lambda op: trip_count)
    watch = hot_loops.LoopWatch(least, lambda: True)
    body: Any = SimpleNamespace(on_elements=False, iterates=True)
    definition = SimpleNamespace(traits=frozenset({"pure"}))
    step: Any = SimpleNamespace(definition=definition, plans=[body], op="while")

    def iteration(seconds: float) -> None:
        now[0] += seconds

    turn = watch.wrap_function(body, iteration)
    return watch, watch.wrap_step(body, step, lambda times: list(map(turn, times)))


def test_a_loop_of_another_thread_is_not_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its call runs without a watch, which only the thread that measures has."""
    watch, loop = watched(10.0, None, monkeypatch)
    ended = []
    with watch:
        other = Thread(target=lambda: ended.append(loop([3600.0] * 9)))
        other.start()
        other.join()
        assert ended
        with pytest.raises(hot_loops.HotLoop):
            loop([3600.0] * 9)
    loop([3600.0] * 9)


@pytest.mark.parametrize(
    ("trip_count", "times"),
    [
        (None, [99.0, 1.0, 1.0, 1.4, 99.0]),  # 3.4 seconds without the first iteration and the last one
        (5, [0.0, 1.0, 99.0]),  # 1 second for the second iteration: 3 are left
        (6, [0.0, 0.75, 99.0]),  # 4 are left: 3 seconds
    ],
)
def test_a_loop_of_which_little_is_left_is_not_ended(
    trip_count: int | None, times: list[float], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each run of a loop is judged by itself."""
    watch, loop = watched(3.5, trip_count, monkeypatch)
    with watch:
        for _ in range(3):
            loop(times)


@pytest.mark.parametrize(
    ("trip_count", "times", "seconds"),
    [
        (None, [99.0, 1.0, 1.0, 1.5, 99.0], 7.0),  # as much is left
        (6, [0.0, 1.0, 99.0], 5.0),
        (9, [0.0, 0.5, 99.0], 4.0),  # 0.5 seconds for the second iteration: 7 are left
    ],
)
def test_a_loop_of_which_much_is_left_is_ended(
    trip_count: int | None, times: list[float], seconds: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    watch, loop = watched(3.5, trip_count, monkeypatch)
    with watch, pytest.raises(hot_loops.HotLoop) as caught:
        loop(times)
    assert caught.value.seconds == seconds


@pytest.mark.parametrize("trips", [10, 1_000_000])
def test_a_long_loop_in_a_branch_is_compiled_before_its_first_call(trips: int) -> None:
    start, loop = LOOP.replace("TRIPS", str(trips)).split("\n", 1)
    body = loop.removesuffix("}").replace("return %0#1", "stablehlo.return %0#1")
    text = f"""{start.replace(")", ", %p: tensor<i1>)", 1)}
  %r = "stablehlo.if"(%p) ({{
{body}  }}, {{
    stablehlo.return %x : tensor<i64>
  }}) : (tensor<i1>) -> tensor<i64>
  return %r : tensor<i64>
}}"""
    program = shlo.compile(shlo.parse(text))
    assert program.engine == ("numpy" if trips == 10 else "native")
    assert program(np.int64(5), True)[0] == 5 + trips * (trips - 1) // 2


def test_a_deadline_is_no_reason_to_count_steps() -> None:
    assert shlo.compile(shlo.parse(LOOP.replace("TRIPS", "1000000")), timeout=600.0).engine == "native"


def test_counts_of_steps_are_those_of_numpy() -> None:
    text = LOOP.replace("TRIPS", "1000000")
    program = shlo.compile(shlo.parse(text), max_steps=100)
    assert program.engine == "numpy"
    with pytest.raises(shlo.RunError, match="more than 100 steps"):
        program(np.int64(5))
