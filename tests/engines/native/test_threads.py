"""Threads of the native engine: the same results for any number of them, no deadlock, and interrupts."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

pytest.importorskip("llvmlite")

import stablehlo_py as shlo
from stablehlo_py.engines.native import regions
from stablehlo_py.engines.threads import Job, Pool

# A map, row sums and column sums, large enough to be shared out, with a loop behind them.
TEXT = """func.func @main(%x: tensor<256x256xf32>, %n: tensor<i64>)
    -> (tensor<256x256xf32>, tensor<256xf32>, tensor<256xf32>, tensor<i64>) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %i = stablehlo.constant dense<0> : tensor<i64>
  %one = stablehlo.constant dense<1> : tensor<i64>
  %e = stablehlo.exponential %x : tensor<256x256xf32>
  %r = stablehlo.reduce(%e init: %zero) applies stablehlo.add across dimensions = [1]
    : (tensor<256x256xf32>, tensor<f32>) -> tensor<256xf32>
  %c = stablehlo.reduce(%e init: %zero) applies stablehlo.add across dimensions = [0]
    : (tensor<256x256xf32>, tensor<f32>) -> tensor<256xf32>
  %k = stablehlo.while(%j = %i) : tensor<i64>
  cond {
    %go = stablehlo.compare LT, %j, %n : (tensor<i64>, tensor<i64>) -> tensor<i1>
    stablehlo.return %go : tensor<i1>
  } do {
    %m = stablehlo.add %j, %one : tensor<i64>
    stablehlo.return %m : tensor<i64>
  }
  return %e, %r, %c, %k : tensor<256x256xf32>, tensor<256xf32>, tensor<256xf32>, tensor<i64>
}"""
X = np.random.default_rng(0).normal(size=(256, 256)).astype(np.float32)


def with_threads(count: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Makes `count` threads run whatever is shared out; 1 for the caller alone."""
    threads = Pool(count)
    monkeypatch.setattr(regions, "SHARED_WORK", 1)
    monkeypatch.setattr(regions, "processors", lambda: count)
    monkeypatch.setattr(regions, "pool", lambda: threads)


def bits(results: list[Any]) -> list[bytes]:
    return [result.tobytes() for result in results]


@pytest.fixture(scope="module")
def program() -> shlo.Program:
    compiled = shlo.compile(shlo.parse(TEXT), engine="native")
    assert [step.name for step in compiled.plan.steps] == ["native"]
    return compiled


@pytest.mark.parametrize("count", [1, 2, 3, 5])
def test_results_are_the_same_for_any_number_of_threads(
    count: int, program: shlo.Program, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = shlo.run(shlo.parse(TEXT), [X, np.int64(7)], engine="numpy")
    with_threads(1, monkeypatch)
    alone = bits(program(X, np.int64(7)))
    with_threads(count, monkeypatch)
    found = program(X, np.int64(7))
    assert bits(found) == alone
    for have, want in zip(found, expected, strict=True):
        np.testing.assert_allclose(have, want, rtol=1e-5)


def test_a_thread_that_does_not_run_leaves_its_work_to_the_others(
    program: shlo.Program, monkeypatch: pytest.MonkeyPatch
) -> None:
    with_threads(1, monkeypatch)
    alone = bits(program(X, np.int64(7)))
    with_threads(3, monkeypatch)
    monkeypatch.setattr(regions, "pool", Caller)
    assert bits(program(X, np.int64(7))) == alone


class Caller:
    """A pool of three threads of which only the caller runs."""

    count = 3

    def run(self, job: Job, stop: Callable[[], None]) -> bool:
        job(0)
        return True


def test_a_job_ends_without_threads_that_have_not_begun() -> None:
    threads, ran = Pool(2), list[int]()
    threads._starts[0] = threading.Lock()  # the other thread does not wake up
    assert threads.run(ran.append, lambda: None)
    assert threads.run(ran.append, lambda: None)
    assert ran == [0, 0]


def test_a_job_that_the_caller_ends_by_an_error_ends_in_the_others_first() -> None:
    threads, begun, stopped, ended = Pool(2), threading.Event(), threading.Event(), list[int]()

    def job(number: int) -> None:
        if not number:
            begun.wait()
            raise KeyboardInterrupt
        begun.set()
        stopped.wait()
        ended.append(number)

    with pytest.raises(KeyboardInterrupt):
        threads.run(job, stopped.set)
    assert ended == [1]
    assert threads.run(lambda number: None, stopped.set)


def test_many_calls_from_several_threads(program: shlo.Program, monkeypatch: pytest.MonkeyPatch) -> None:
    """More threads than processors, several callers: each call ends, with its own results."""
    with_threads(4, monkeypatch)
    expected = bits(program(X, np.int64(3)))
    wrong: list[int] = []

    def call(k: int) -> None:
        wrong.extend(k for _ in range(60) if bits(program(X, np.int64(3))) != expected)

    callers = [threading.Thread(target=call, args=(k,)) for k in range(3)]
    for caller in callers:
        caller.start()
    for caller in callers:
        caller.join()
    assert wrong == []


def test_an_interrupt_ends_a_loop_of_the_pool(program: shlo.Program, monkeypatch: pytest.MonkeyPatch) -> None:
    with_threads(2, monkeypatch)
    timer = threading.Timer(0.2, lambda: os.kill(os.getpid(), signal.SIGINT))
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        program(X, np.int64(1 << 62))
    timer.join()
    assert program(X, np.int64(5))[3] == 5
