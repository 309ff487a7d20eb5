"""Threads of the native engine: the same results for any number of them, no deadlock, and interrupts."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("llvmlite", reason="needs the extra native")

import stablehlo_py as shlo
from stablehlo_py.engines import threads
from stablehlo_py.engines.native import library, regions, runtime
from stablehlo_py.engines.native.llvm import module as llvm_module
from stablehlo_py.engines.native.tasks import Task
from stablehlo_py.engines.threads import Job, Pool
from tests.helpers.native import compiled, counted, tensor
from tests.helpers.products import dot

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


@pytest.fixture(autouse=True)
def credit_for_sharing() -> Iterator[None]:
    """Each test begins with the credit of a new process."""
    library.SHARING[0] = runtime.MOST_CREDIT
    yield
    library.SHARING[0] = runtime.MOST_CREDIT


def bits(results: list[Any]) -> list[bytes]:
    return [result.tobytes() for result in results]


@pytest.fixture(scope="module")
def program() -> shlo.Program:
    return compiled(TEXT)


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

    def run(self, job: Job, stop: Callable[[], None], joined: bool = False) -> bool:
        job(0)
        return True


@pytest.mark.skipif(
    not hasattr(os, "sched_setaffinity") or len(os.sched_getaffinity(0)) < 2,
    reason="threads cannot be kept from one of several processors",
)
def test_other_threads_leave_the_processor_of_the_caller() -> None:
    pool, all_of_them = Pool(2), os.sched_getaffinity(0)
    found: list[set[int]] = []
    begun = threading.Event()

    def job(number: int) -> None:
        if number:
            found.append(os.sched_getaffinity(0))
            begun.set()
        else:
            assert begun.wait(300)

    assert pool.run(job, lambda: None)
    assert found[0] < all_of_them
    assert len(found[0]) == len(all_of_them) - 1
    assert os.sched_getaffinity(0) == all_of_them


def test_a_job_ends_without_threads_that_have_not_begun() -> None:
    threads, ran = Pool(2), list[int]()
    threads._starts[0] = threading.Lock()  # the other thread does not wake up
    assert threads.run(ran.append, lambda: None)
    assert threads.run(ran.append, lambda: None)
    assert ran == [0, 0]


@pytest.mark.parametrize("joined", [False, True])
def test_a_job_that_the_caller_ends_by_an_error_ends_in_the_others_first(joined: bool) -> None:
    threads, begun, stopped, ended = Pool(2), threading.Event(), threading.Event(), list[int]()

    def job(number: int) -> None:
        if not number:
            begun.wait()
            raise KeyboardInterrupt
        begun.set()
        stopped.wait()
        time.sleep(0.02)
        ended.append(number)

    with pytest.raises(KeyboardInterrupt):
        threads.run(job, stopped.set, joined)
    assert ended == [1]
    assert threads.run(lambda number: None, stopped.set)


def test_a_job_whose_pieces_the_caller_joins_does_not_wait_for_threads_to_leave() -> None:
    threads, begun, leave, ended = Pool(2), threading.Event(), threading.Event(), list[int]()

    def job(number: int) -> None:
        if not number:
            begun.wait()
            return
        begun.set()
        leave.wait()
        ended.append(number)

    assert threads.run(job, leave.set, joined=True)
    assert not ended
    assert threads.run(lambda number: None, leave.set, joined=True)
    leave.set()
    assert threads.run(lambda number: None, leave.set)


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
    with pytest.raises(KeyboardInterrupt):
        timer.start()
        program(X, np.int64(1 << 62))
    timer.join()
    assert program(X, np.int64(5))[3] == 5


# A loop whose nests are shared out: a map that reads its neighbours, the sums of rows, sines of large numbers
# (by a function that is only called where a faster one fails), and an inner loop.
LOOP = """func.func @main(%x: tensor<256x256xf32>, %n: tensor<i64>)
    -> (tensor<256x256xf32>, tensor<256xf32>) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %zeros = stablehlo.constant dense<0.0> : tensor<256xf32>
  %factor = stablehlo.constant dense<0.25> : tensor<256x256xf32>
  %million = stablehlo.constant dense<1.0e6> : tensor<256x256xf32>
  %i = stablehlo.constant dense<0> : tensor<i64>
  %one = stablehlo.constant dense<1> : tensor<i64>
  %two = stablehlo.constant dense<2> : tensor<i64>
  %r:3 = stablehlo.while(%j = %i, %a = %x, %s = %zeros) : tensor<i64>, tensor<256x256xf32>, tensor<256xf32>
  cond {
    %go = stablehlo.compare LT, %j, %n : (tensor<i64>, tensor<i64>) -> tensor<i1>
    stablehlo.return %go : tensor<i1>
  } do {
    %m = stablehlo.add %j, %one : tensor<i64>
    %t = stablehlo.transpose %a, dims = [1, 0] : (tensor<256x256xf32>) -> tensor<256x256xf32>
    %b = stablehlo.add %a, %t : tensor<256x256xf32>
    %c = stablehlo.multiply %b, %factor : tensor<256x256xf32>
    %in:2 = stablehlo.while(%k = %i, %d = %c) : tensor<i64>, tensor<256x256xf32>
    cond {
      %go = stablehlo.compare LT, %k, %two : (tensor<i64>, tensor<i64>) -> tensor<i1>
      stablehlo.return %go : tensor<i1>
    } do {
      %k1 = stablehlo.add %k, %one : tensor<i64>
      %e = stablehlo.reverse %d, dims = [0] : tensor<256x256xf32>
      %f = stablehlo.subtract %d, %e : tensor<256x256xf32>
      stablehlo.return %k1, %f : tensor<i64>, tensor<256x256xf32>
    }
    %large = stablehlo.multiply %in#1, %million : tensor<256x256xf32>
    %sine = stablehlo.sine %large : tensor<256x256xf32>
    %sum = stablehlo.reduce(%sine init: %zero) applies stablehlo.add across dimensions = [1]
      : (tensor<256x256xf32>, tensor<f32>) -> tensor<256xf32>
    stablehlo.return %m, %sine, %sum : tensor<i64>, tensor<256x256xf32>, tensor<256xf32>
  }
  return %r#1, %r#2 : tensor<256x256xf32>, tensor<256xf32>
}"""


@pytest.fixture(scope="module")
def loop() -> shlo.Program:
    return compiled(LOOP)


@pytest.mark.parametrize("credit", [runtime.MOST_CREDIT, -(10**7)])
def test_nests_of_loops_give_the_same_results_for_any_number_of_threads(
    credit: int, loop: shlo.Program, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = shlo.run(shlo.parse(LOOP), [X, np.int64(1)], engine="numpy")
    with_threads(1, monkeypatch)
    for have, want in zip(loop(X, np.int64(1)), expected, strict=True):
        np.testing.assert_allclose(have, want, rtol=1e-3, atol=1e-3)
    alone = bits(loop(X, np.int64(20)))
    for count in (2, 3, 5):
        with_threads(count, monkeypatch)
        for _ in range(5):
            library.SHARING[0] = credit
            assert bits(loop(X, np.int64(20))) == alone
    monkeypatch.setattr(regions, "pool", Caller)
    library.SHARING[0] = credit
    assert bits(loop(X, np.int64(20))) == alone


def test_nests_run_on_one_thread_until_lost_time_is_made_up_for(
    loop: shlo.Program, monkeypatch: pytest.MonkeyPatch
) -> None:
    with_threads(3, monkeypatch)
    monkeypatch.setattr(regions, "pool", lambda: pytest.fail("threads are called"))
    library.SHARING[0] = -(10**7)
    loop(X, np.int64(20))
    assert library.SHARING[0] > -(10**7)


def test_an_interrupt_ends_a_loop_whose_nests_are_shared(
    loop: shlo.Program, monkeypatch: pytest.MonkeyPatch
) -> None:
    with_threads(2, monkeypatch)
    timer = threading.Timer(0.2, lambda: os.kill(os.getpid(), signal.SIGINT))
    with pytest.raises(KeyboardInterrupt):
        timer.start()
        loop(X, np.int64(1 << 62))
    timer.join()


def test_limits_end_a_loop_whose_nests_are_shared(monkeypatch: pytest.MonkeyPatch) -> None:
    with_threads(2, monkeypatch)
    for limit in ({"timeout": 0.1}, {"max_steps": 1000}):
        with pytest.raises(shlo.RunError, match="more than"):
            shlo.run(shlo.parse(LOOP), [X, np.int64(1 << 62)], engine="native", **limit)


@pytest.mark.parametrize(("rows", "size"), [(256, 256), (4, 512)])
def test_products_in_loops_are_shared(rows: int, size: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """A large one by blocks, one of few rows by its columns."""
    square, x_type = tensor((size, size), "f32"), tensor((rows, size), "f32")
    body = f"""%p = {dot(f"{rows}x{size} {size}x{size} ma,an").op("f32", right="%w")}
        %t = stablehlo.tanh %p : {x_type}"""
    text = f"""func.func @main(%x: {x_type}, %w: {square}) -> {x_type} {{
      {counted("3", {"a": (x_type, "%x", "%t")}, body)}
      return %r#1 : {x_type}
    }}"""
    numbers = np.resize(X, (size, size))
    x, w = numbers[:rows], numbers.T.copy() / 64
    program = compiled(text)
    expected = x
    for _ in range(3):
        expected = np.tanh(expected @ w)
    with_threads(1, monkeypatch)
    (alone,) = program(x, w)
    np.testing.assert_allclose(alone, expected, rtol=1e-4, atol=1e-5)
    with_threads(3, monkeypatch)
    np.testing.assert_array_equal(program(x, w)[0], alone)


@pytest.fixture
def pieces(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The numbers of pieces of the tasks that are written."""
    found: list[int] = []

    def task(*fields: Any) -> Task:
        found.append(fields[-1])
        return Task(*fields)

    monkeypatch.setenv("SHLO_CACHE_DIR", str(tmp_path))  # no code that was compiled before
    monkeypatch.setattr(library, "_LIBRARIES", {})
    monkeypatch.setattr(llvm_module, "Task", task)
    return found


@pytest.mark.parametrize(
    "sizes", ["256x512 512x128", "256x512 512x256", "64x900 900x512", "4x512 512x512", "64x64 64x128"]
)
def test_products_of_all_shapes_are_shared(sizes: str, pieces: list[int]) -> None:
    """Those of few blocks and panels, too."""
    found = dot(f"{sizes} ma,an")
    a, b, r = (tensor(shape, "f32") for shape in (*found[:2], found.result))
    compiled(f"""func.func @main(%a: {a}, %b: {b}) -> {r} {{
      %0 = {found.op("f32")}
      %1 = stablehlo.tanh %0 : {r}
      %2 = stablehlo.add %1, %0 : {r}
      return %2 : {r}
    }}""")
    assert max(pieces) > 1


@pytest.mark.parametrize("shape", [(1 << 18,), (512, 640), (8, 8, 64, 64)], ids=str)
@pytest.mark.parametrize("op", ["add", "maximum"])
def test_reductions_to_one_element_are_shared(
    shape: tuple[int, ...], op: str, pieces: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    init = {"add": "0.0", "maximum": "0xFF800000"}[op]
    a = tensor(shape, "f32")
    dims = [*range(len(shape))]
    program = compiled(
        f"""func.func @main(%x: {a}) -> tensor<f32> {{
          %init = stablehlo.constant dense<{init}> : tensor<f32>
          %0 = stablehlo.multiply %x, %x : {a}
          %1 = stablehlo.reduce(%0 init: %init) applies stablehlo.{op} across dimensions = {dims}
            : ({a}, tensor<f32>) -> tensor<f32>
          return %1 : tensor<f32>
        }}"""
    )
    assert max(pieces) > 1
    x = np.resize(X, shape)
    squares = x.astype(np.float64) ** 2
    with_threads(1, monkeypatch)
    (alone,) = program(x)
    np.testing.assert_allclose(alone, squares.sum() if op == "add" else squares.max(), rtol=1e-6)
    with_threads(3, monkeypatch)
    assert bits(program(x)) == bits([alone])


def test_a_matrix_and_a_vector_in_a_loop_are_multiplied_by_several_threads(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    body = f"""%p = {dot("600x700 700 ma,a").op("f32", left="%w", right="%x")}
        %s = stablehlo.add %a, %p : tensor<600xf32>"""
    text = f"""func.func @main(%w: tensor<600x700xf32>, %x: tensor<700xf32>) -> tensor<600xf32> {{
      %start = stablehlo.constant dense<0.0> : tensor<600xf32>
      {counted("3", {"a": ("tensor<600xf32>", "%start", "%s")}, body)}
      return %r#1 : tensor<600xf32>
    }}"""
    w, x = np.resize(X, (600, 700)), np.resize(X.T, 700)
    program = compiled(text)
    with_threads(1, monkeypatch)
    (alone,) = program(w, x)
    np.testing.assert_allclose(alone, 3 * (w.astype(np.float64) @ x), rtol=1e-4, atol=1e-3)
    with_threads(3, monkeypatch)
    np.testing.assert_array_equal(program(w, x)[0], alone)


def test_nests_between_loops_are_shared_whatever_sharing_nests_of_loops_costs(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with_threads(2, monkeypatch)
    program = shlo.compile(shlo.parse(TEXT), engine="native")
    called = []
    threads = regions.pool()
    monkeypatch.setattr(regions, "pool", lambda: called.append(True) or threads)
    for credit in (runtime.MOST_CREDIT, -(10**7)):
        library.SHARING[0] = credit
        program(X, np.int64(3))
        assert library.SHARING[0] == credit
    assert len(called) == 2


def test_jobs_beside_the_caller_use_one_thread_unless_they_are_nested() -> None:
    """A handler of a signal may run a program, too; an interrupt ends a job, and the next one runs."""
    found: list[int] = []
    ended = threading.Event()

    def note() -> None:
        found.append(threading.get_ident())

    def wait() -> None:
        note()
        signal.raise_signal(signal.SIGUSR1)
        assert ended.wait(300)

    def handle(number: int, frame: object) -> None:
        threads.run_beside(note, ended.set)
        ended.set()

    def interrupted() -> None:
        note()
        os.kill(os.getpid(), signal.SIGINT)
        assert ended.wait(300)

    before = signal.signal(signal.SIGUSR1, handle)
    try:
        threads.run_beside(note, ended.set)
        threads.run_beside(wait, ended.set)
        ended.clear()
        with pytest.raises(KeyboardInterrupt):
            threads.run_beside(interrupted, ended.set)
        threads.run_beside(note, ended.set)
    finally:
        signal.signal(signal.SIGUSR1, before)
    one, outer, nested, *others = found
    assert one == outer != nested
    assert len(others) == 2
    assert {one, nested}.issuperset(others)
    assert threading.get_ident() not in found


@pytest.mark.skipif(not hasattr(os, "fork"), reason="the system has no fork")
@pytest.mark.filterwarnings("ignore:This process .* is multi-threaded:DeprecationWarning")
def test_a_child_process_starts_threads_of_its_own() -> None:
    threads.run_beside(lambda: None, lambda: None)
    pool = threads.pool()
    child = os.fork()
    if not child:
        signal.alarm(60)  # threads that are not there would be waited for
        threads.run_beside(lambda: None, lambda: None)
        os._exit(0 if threads.pool() is not pool else 1)
    assert os.waitpid(child, 0)[1] == 0
