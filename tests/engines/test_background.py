"""Compiling in the background: calls go on; the end of the process and a fork wait for what LLVM is doing."""

from __future__ import annotations

import gc
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Event, Timer
from typing import Any

import numpy as np
import pytest

pytest.importorskip("llvmlite")

import stablehlo_py as shlo
from stablehlo_py.engines import auto, background
from stablehlo_py.engines.background import Job, submit

CHAIN = """func.func @main(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = stablehlo.add %x, %x : tensor<8xf32>
  %1 = stablehlo.multiply %0, %x : tensor<8xf32>
  %2 = stablehlo.negate %1 : tensor<8xf32>
  return %2 : tensor<8xf32>
}"""
X = np.arange(8, dtype=np.float32)
LONG = 60  # seconds, the most that a test waits


@pytest.fixture(autouse=True)
def hot(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every function is worth compiling at its second call."""
    monkeypatch.setenv("SHLO_CACHE_DIR", str(tmp_path))
    monkeypatch.delenv("SHLO_BACKGROUND", raising=False)
    monkeypatch.setattr(auto, "_START", 0.0)
    monkeypatch.setattr(auto, "_PER_STEP", 0.0)
    monkeypatch.setattr(auto, "_TRIALS", 1000)
    monkeypatch.setattr(auto, "_PATIENT", 0)
    assert idle()


@contextmanager
def held(monkeypatch: pytest.MonkeyPatch) -> Iterator[Event]:
    """Compiling begins only when the event is set; it is at the end."""
    may_begin = Event()
    native = auto._native

    def wait() -> Any:
        assert may_begin.wait(LONG)
        return native()

    monkeypatch.setattr(auto, "_native", wait)
    try:
        yield may_begin
    finally:
        may_begin.set()
        assert idle()


def idle() -> bool:
    """Wait until all jobs have ended, and so has their thread."""
    last = Job(lambda: None, idle)
    submit(last)
    ended = last.wait(LONG)
    while background.is_busy():
        pass
    return ended


def engine_of_call(program: shlo.Program) -> str:
    assert program(X)[0].tolist() == [-2 * n * n for n in range(8)]
    return program.engine


def test_no_call_waits_if_the_variable_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SHLO_BACKGROUND", "1")
    monkeypatch.setattr(auto, "_PATIENT", 1)
    program = shlo.compile(shlo.parse(CHAIN))
    with held(monkeypatch) as may_begin:
        assert [engine_of_call(program) for _ in range(20)] == ["numpy"] * 20
        assert not program.wait(timeout=0.01)
        assert "native" not in program.seconds
        may_begin.set()
        assert program.wait(LONG)
        assert program.engine == "native" and program.seconds["native"] > 0
        assert [engine_of_call(program) for _ in range(3)] == ["native"] * 3


def test_two_calls_go_on_and_the_next_one_waits_for_the_code(monkeypatch: pytest.MonkeyPatch) -> None:
    program = shlo.compile(shlo.parse(CHAIN))
    with held(monkeypatch) as may_begin:
        assert [engine_of_call(program) for _ in range(2)] == ["numpy"] * 2
        Timer(0.1, may_begin.set).start()
        assert engine_of_call(program) == "native"


def test_a_call_waits_where_a_few_calls_take_as_long_as_compiling(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(auto, "_PATIENT", 1)
    program = shlo.compile(shlo.parse(CHAIN))
    assert [engine_of_call(program) for _ in range(3)] == ["numpy", "native", "native"]


def test_the_engine_is_that_of_the_last_results(monkeypatch: pytest.MonkeyPatch) -> None:
    program = shlo.compile(shlo.parse(CHAIN))
    with held(monkeypatch) as may_begin:
        assert [engine_of_call(program) for _ in range(2)] == ["numpy"] * 2
        may_begin.set()
        assert idle()
        assert program.engine == "numpy"
        assert engine_of_call(program) == "native"


def test_two_programs_are_compiled_one_after_the_other(monkeypatch: pytest.MonkeyPatch) -> None:
    first, second = (shlo.compile(shlo.parse(CHAIN.replace("main", name))) for name in ("a", "b"))
    with held(monkeypatch) as may_begin:
        for program in (first, second, first, second):
            assert engine_of_call(program) == "numpy"
        may_begin.set()
        assert second.wait(LONG) and engine_of_call(second) == "native"
        assert engine_of_call(first) == "native"


def test_a_program_that_nobody_has_any_more_is_not_compiled(monkeypatch: pytest.MonkeyPatch) -> None:
    compiled = []
    made = auto._compiled
    monkeypatch.setattr(auto, "_compiled", lambda plan, options: compiled.append(plan) or made(plan, options))
    first, second = (shlo.compile(shlo.parse(CHAIN)) for _ in range(2))
    with held(monkeypatch) as may_begin:
        for program in (first, second, first, second):
            engine_of_call(program)
        del second, program
        gc.collect()
        may_begin.set()
        assert idle()
    assert len(compiled) == 1


def test_a_program_that_cannot_be_compiled_stays_on_numpy(monkeypatch: pytest.MonkeyPatch) -> None:
    class Broken:
        name = "native"

        def prepare(self, *given: Any) -> Any:
            raise ValueError("no such instruction")

    monkeypatch.setattr(auto, "_native", Broken)
    program = shlo.compile(shlo.parse(CHAIN))
    plan = program.explain()
    for _ in range(3):
        assert engine_of_call(program) == "numpy"
        assert program.wait(LONG) and idle()
    assert program.explain().removeprefix(plan) == (
        "\nengine numpy runs it for good, engine native cannot: ValueError: no such instruction"
    )


def test_the_work_of_compiling_is_no_work_of_a_call(monkeypatch: pytest.MonkeyPatch) -> None:
    other = Job(lambda: may_end.wait(LONG), test_two_programs_are_compiled_one_after_the_other)
    may_end = Event()
    submit(other)
    program = shlo.compile(shlo.parse(CHAIN))
    assert [engine_of_call(program) for _ in range(2)] == ["numpy"] * 2
    may_end.set()
    assert idle() and program.wait(0)
    assert [engine_of_call(program) for _ in range(2)] == ["numpy", "native"]


@pytest.mark.parametrize(("before", "expected"), [(5e-3, 5e-4), (1e-4, 1e-4)])
def test_threads_take_turns_as_before_when_all_is_compiled(before: float, expected: float) -> None:
    """Meanwhile they take turns more often, unless they do so anyway."""
    own = sys.getswitchinterval()
    sys.setswitchinterval(before)
    try:
        within = Job(sys.getswitchinterval, idle)
        submit(within)
        assert within.wait(LONG) and within.result == pytest.approx(expected, rel=0.02)
        assert idle()
        assert sys.getswitchinterval() == pytest.approx(before, rel=0.02)
    finally:
        sys.setswitchinterval(own)


SCRIPT = """
import os, time
from threading import Event, Timer
from stablehlo_py.engines.background import Job, submit
from stablehlo_py.engines.native import jit

loop = '''define void @f{}(ptr %p, i64 %n) {{
entry: br label %l
l:
  %i = phi i64 [0, %entry], [%j, %l]
  %q = getelementptr float, ptr %p, i64 %i
  %v = load float, ptr %q
  %b = fmul float %v, %v
  store float %b, ptr %q
  %j = add i64 %i, 1
  %e = icmp eq i64 %j, %n
  br i1 %e, label %d, label %l
d: ret void
}}
'''
text = "".join(loop.format(i) for i in range(200))

begun, optimize = Event(), jit._optimize

def optimize_loudly(*given):
    begun.set()
    optimize(*given)

def work():
    while True:
        jit.object_code(text)
        time.sleep(0.01)  # others that wait for LLVM have it next

jit._optimize = optimize_loudly
job = Job(work, work)
submit(job)
assert begun.wait(30), job.error
time.sleep(0.05)
"""


def ends_well(script: str) -> bool:
    """Run a script in a process of its own; test whether it ends without a word."""
    command = [sys.executable, "-W", "ignore::DeprecationWarning", "-c", script]  # of forks beside threads
    optimizes = os.environ | {"SHLO_OPTIMIZE": "1"}  # which gives LLVM much to do
    done = subprocess.run(command, capture_output=True, text=True, timeout=LONG, check=False, env=optimizes)
    assert done.stdout == "" and done.stderr == ""
    return done.returncode == 0


@pytest.mark.slow
def test_the_process_ends_while_llvm_is_at_work() -> None:
    assert all(ends_well(SCRIPT) for _ in range(2))


FORK = """
child = os.fork()
if not child:
    assert job.wait(0) and "forked" in str(job.error)
    later = Job(work, work)
    submit(later)
    assert later.wait(0) and "forked" in str(later.error)
    jit.object_code(loop.format(0))  # LLVM is as it is between two of its calls
    os._exit(7)
assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7
assert not job.wait(0)
"""


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "fork"), reason="the system has no fork")
def test_a_child_process_compiles_nothing_that_its_parent_was_compiling() -> None:
    assert ends_well(SCRIPT + FORK)


LATER = """
import os
from stablehlo_py.engines.background import Job, is_busy, submit
first = Job(lambda: 1, os)
submit(first)
while is_busy():
    pass
child = os.fork()
job = Job(lambda: 3, os)
submit(job)
assert job.wait(60) and job.result == 3
if not child:
    os._exit(0)
assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="the system has no fork")
def test_a_child_process_compiles_where_its_parent_did_not() -> None:
    assert ends_well(LATER)
