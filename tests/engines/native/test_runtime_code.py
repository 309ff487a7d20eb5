"""The functions of the run-time part, called one by one on states that are written by hand."""

from __future__ import annotations

import ctypes
import time
from collections.abc import Callable
from ctypes import c_int32, c_int64, c_uint8, c_void_p
from functools import cache
from typing import Any

import numpy as np
import pytest

pytest.importorskip("llvmlite", reason="needs the extra native")

from stablehlo_py.engines.native import jit, library, runtime
from stablehlo_py.engines.native.runtime_code import _DEBT, _OTHERS, declarations, runtime_module

Array = np.ndarray[Any, Any]
Call = Callable[..., int]
OWNER = 1  # what the owner of an offer adds to its ticket
NEST = ctypes.CFUNCTYPE(None, c_int64, c_int64, c_void_p)
TASK = ctypes.CFUNCTYPE(None, c_int64, c_int64, c_int64, c_void_p)


@cache
def linked(text: str) -> library.Linked:
    return library._linked([jit.object_code(text)])


@pytest.fixture
def call() -> Call:
    """Calls a function by its name; an array stands for the address of its elements."""
    polls = [declarations()[name] for name in ("@poll_at", "@poll_counted")]
    code = linked("\n".join([runtime_module(), *polls]).replace("define internal", "define"))

    def run(name: str, *given: Any, result: Any = None) -> int:
        values = [each.ctypes.data if isinstance(each, np.ndarray) else each for each in given]
        types = [c_void_p if isinstance(each, np.ndarray | ctypes._CFuncPtr) else c_int64 for each in given]
        function = ctypes.CFUNCTYPE(result, *types)(code.address(name))
        return function(*(ctypes.cast(v, c_void_p) if isinstance(v, ctypes._CFuncPtr) else v for v in values))

    return run


def ticket(pieces: int, front: int = 0, behind: int = 0) -> int:
    return pieces << 32 | behind << 16 | front


def new_sync(tasks: int = 0, threads: int = 1, credit: int = 0) -> tuple[Array, Array]:
    """The state of a call, and the credit that it points to."""
    sync, own = library.new_sync(tasks, threads), np.full(1, credit, np.int64)
    sync[runtime.CREDIT] = own.ctypes.data
    return sync, own


def offered(sync: Array, extent: int, given: int = 77) -> tuple[list[tuple[int, int]], Any]:
    """Offer a nest; gives the ranges that it is called for, and what keeps it."""
    ranges = list[tuple[int, int]]()

    def nest(low: int, high: int, arguments: int) -> None:
        assert arguments == given
        ranges.append((low, high))

    function = NEST(nest)
    sync[runtime.OFFER : runtime.OFFER + 3] = ctypes.cast(function, c_void_p).value, given, extent
    return ranges, function


def test_numbers_of_pieces(call: Call) -> None:
    """Those that are left, and those of a loop: as many for each thread, and no more than iterations."""
    for state, left in [((9,), 9), ((9, 2, 4), 3), ((9, 5, 4), 0), ((9, 6, 5), -2)]:
        assert call("left", ticket(*state), result=c_int64) == left
    for wanted, extent, pieces in [(10, 100, 8), (8, 100, 8), (3, 100, 4), (16, 5, 5), (8, 8, 8)]:
        assert call("cut", wanted, extent, 4, result=c_int64) == pieces


@pytest.mark.parametrize(
    ("thread", "threads", "taken"),
    [(0, 1, [0, 1, 2, 3, 4]), (0, 2, [0, 1, 2, 3, 4]), (1, 2, [2, 3, 4, 0, 1]), (1, 3, [1, 2, 3, 4, 0])],
)
def test_a_thread_takes_its_own_pieces_then_those_of_others(
    call: Call, thread: int, threads: int, taken: list[int]
) -> None:
    """Of five pieces, two threads have two and three, three have one, two and two."""
    sync, _ = new_sync(3, threads)
    before, task = sync.copy(), 1
    found = [call("take", sync, task, 5, thread, threads, result=c_int64) for _ in range(6)]
    assert found == [*taken, -1]
    own = slice(runtime.SIZE + (threads + 1), runtime.SIZE + 2 * (threads + 1))
    assert sync[own][0] == 0  # none is done
    before[own] = sync[own]
    np.testing.assert_array_equal(sync, before)
    call("finish", sync, task, threads)
    assert sync[own][0] == 1


@pytest.mark.parametrize(
    ("unit", "state", "ranges"),
    [
        (OWNER, (4,), [(0, 2), (2, 5), (5, 7), (7, 10)]),
        (_OTHERS, (4,), [(7, 10), (5, 7), (2, 5), (0, 2)]),
        (OWNER, (4, 1, 1), [(2, 5), (5, 7)]),
        (_OTHERS, (4, 1, 1), [(5, 7), (2, 5)]),
        (OWNER, (4, 2, 2), []),
        (_OTHERS, (0,), []),
    ],
)
def test_an_offer_is_taken_from_both_ends(
    call: Call, unit: int, state: tuple[int, ...], ranges: list[tuple[int, int]]
) -> None:
    sync, _ = new_sync()
    sync[runtime.TICKET], sync[runtime.DONE] = ticket(*state), 7
    found, _nest = offered(sync, 10)
    assert call("work", sync, unit, result=c_int64) == len(ranges)
    assert found == ranges
    assert sync[runtime.DONE] == 7 + len(ranges)
    after = sync[runtime.TICKET]
    assert after - ticket(*state) == len(ranges) * unit
    assert call("work", sync, unit, result=c_int64) == 0
    assert sync[runtime.TICKET] == after  # those that wait look often, and must not count on


def test_pieces_of_an_offer_are_not_computed_where_the_region_ends(call: Call) -> None:
    sync, _ = new_sync()
    sync[runtime.TICKET], sync[runtime.STOPPED] = ticket(3), 1
    found, _nest = offered(sync, 10)
    assert call("work", sync, OWNER, result=c_int64) == 3
    assert (found, sync[runtime.DONE]) == ([], 3)


def test_those_that_wait_for_a_task_compute_offers(call: Call) -> None:
    """The last piece of the offer ends the task."""
    sync, _ = new_sync(2, 2)
    done, found = runtime.SIZE + 3, list[tuple[int, int]]()

    def nest(low: int, high: int, arguments: int) -> None:
        found.append((low, high))
        sync[done] += len(found) == 3

    function = NEST(nest)
    sync[runtime.OFFER : runtime.OFFER + 3] = ctypes.cast(function, c_void_p).value, 0, 6
    sync[runtime.TICKET], sync[done] = ticket(3), 4
    call("join", sync, 1, 5, 2)
    assert found == [(4, 6), (2, 4), (0, 2)]


def test_the_credit_is_bounded(call: Call) -> None:
    for gain, after in [(7, 12), (-7, -2), (10**12, runtime.MOST_CREDIT), (-(10**12), _DEBT)]:
        sync, credit = new_sync(credit=5)
        call("earn", sync, gain)
        assert credit.tolist() == [after]


@pytest.mark.parametrize(("credit", "threads"), [(1000, 1), (0, 4), (-(10**6), 4)])
def test_a_nest_that_is_not_shared_is_computed_as_a_whole(call: Call, credit: int, threads: int) -> None:
    """Without credit, a sixteenth of its time is made up for."""
    sync, own = new_sync(credit=credit)
    found = list[tuple[int, int, int]]()

    def nest(low: int, high: int, arguments: int) -> None:
        time.sleep(0.001)
        found.append((low, high, arguments))

    call("offer", NEST(nest), 77, 10, 8, sync, threads)
    assert found == [(0, 10, 77)]
    assert (sync[runtime.TICKET], sync[runtime.DONE]) == (0, 0)
    if credit > 0:
        assert own[0] == credit
    else:
        assert own[0] >= credit + 10**6 // 16


def test_an_owner_computes_what_no_other_thread_takes(call: Call) -> None:
    sync, own = new_sync(credit=1000)
    sync[runtime.DONE] = 99  # of the offer before
    found, nest = offered(sync, 0)
    call("offer", nest, 77, 10, 4, sync, 4)
    assert found == [(0, 2), (2, 5), (5, 7), (7, 10)]
    assert (sync[runtime.TICKET], sync[runtime.DONE]) == (ticket(4, 4), 4)
    assert own[0] <= 1000  # the wait


def test_pieces_that_others_compute_earn_credit(call: Call) -> None:
    """Another thread computes all pieces but the first, while that takes a millisecond of its owner."""
    sync, own = new_sync(credit=1)
    found = list[tuple[int, int]]()

    def nest(low: int, high: int, arguments: int) -> None:
        found.append((low, high))
        if len(found) == 1:
            time.sleep(0.001)
            call("work", sync, _OTHERS, result=c_int64)

    call("offer", NEST(nest), 77, 10, 4, sync, 4)
    assert found == [(0, 2), (7, 10), (5, 7), (2, 5)]
    assert own[0] == runtime.MOST_CREDIT  # three milliseconds, bounded


def test_tasks_are_measured_where_there_is_a_place_for_it(call: Call) -> None:
    sync, _ = new_sync(3)
    assert call("begin", sync, result=c_int64) == 0
    assert call("note", sync, 2, runtime.WAITED, 0, result=c_int64) == 0
    times = np.arange(9, dtype=np.int64)
    sync[runtime.TIMES] = times.ctypes.data
    before = time.monotonic_ns()
    begun = call("begin", sync, result=c_int64)
    ended = call("note", sync, 2, runtime.WAITED, begun - 5, result=c_int64)
    assert before <= begun <= ended <= time.monotonic_ns()
    assert times.tolist() == [0, 1, 2, 3, 4, 5, 6, 7 + ended - begun + 5, 8]


def test_bases_are_the_scratch_area_then_the_arrays(call: Call) -> None:
    arrays = np.zeros(3), np.zeros((2, 2), np.int8)
    bases = np.full(5, -1, np.int64)
    call("find_bases", id(arrays) + tuple.__basicsize__, 2, 640, bases)
    assert bases.tolist() == [640, *(each.ctypes.data for each in arrays), -1, -1]


def python_functions(sync: Array, signals: int = 0) -> tuple[list[Any], Any]:
    """Put functions in place of Python's; gives the list of their calls, and what keeps them."""
    seen: list[Any] = []
    kept = (
        ctypes.CFUNCTYPE(c_int32)(lambda: seen.append("signals") or signals),
        ctypes.CFUNCTYPE(c_void_p)(lambda: seen.append("save") or 5),
        ctypes.CFUNCTYPE(None, c_void_p)(lambda state: seen.append(("restore", state))),
    )
    sync[runtime.FUNCTIONS : runtime.FUNCTIONS + 3] = [ctypes.cast(each, c_void_p).value for each in kept]
    return seen, kept


TURN = [("restore", 9), "signals", "save"]  # of Python's lock


@pytest.mark.parametrize(
    ("stopped", "state", "signals", "calls", "ends"),
    [(1, 9, 0, [], 1), (0, 0, 0, [], 0), (0, 9, 0, TURN, 0), (0, 9, -1, TURN, 1)],
)
@pytest.mark.parametrize("name", ["poll", "poll_at", "poll_counted"])
def test_a_poll_lets_python_handle_signals(
    call: Call, name: str, stopped: int, state: int, signals: int, calls: list[Any], ends: int
) -> None:
    sync, _ = new_sync()
    sync[runtime.STOPPED], sync[runtime.STATE], sync[runtime.STEPS] = stopped, state, 3
    seen, _kept = python_functions(sync, signals)
    given = {"poll": [sync], "poll_at": [0, sync], "poll_counted": [0, 3, sync]}[name]
    assert call(name, *given, result=c_uint8) & 1 == ends
    assert (seen, sync[runtime.STOPPED]) == (calls, ends)
    assert sync[runtime.STEPS] == (0 if name == "poll_counted" else 3)


@pytest.mark.parametrize(
    ("stopped", "steps", "ends"), [(0, 3, 0), (1, 3, 1), (0, 4, 1)], ids=["goes on", "stopped", "no steps"]
)
def test_between_polls_only_steps_are_counted(call: Call, stopped: int, steps: int, ends: int) -> None:
    sync, _ = new_sync()
    sync[runtime.STOPPED], sync[runtime.STATE], sync[runtime.STEPS] = stopped, 9, 3
    seen, _kept = python_functions(sync)
    assert call("poll_counted", 1, steps, sync, result=c_uint8) & 1 == ends
    assert (seen, sync[runtime.STEPS], sync[runtime.STOPPED]) == ([], 3 - steps, ends)


def test_a_region_runs_without_the_lock_of_python(call: Call) -> None:
    sync, _ = new_sync()
    seen, _kept = python_functions(sync)
    main = ctypes.CFUNCTYPE(None, *(c_int64,) * 5)(
        lambda *given: seen.append((given, int(sync[runtime.STATE])))
    )
    call("enter", main, 11, 22, id(sync), 4)
    assert seen == ["save", ((11, 22, 0, 4, id(sync)), 5), ("restore", 5)]


TABLE = [2, *(7, 10, 4, 2), *(0, 16), *(1, 8), *(3, 6, 0, 1), *(2, 0), *(5, 1, 8, 0)]
RAN = {  # by thread, of two: cut into four pieces, not cut, and one iteration
    0: [(7, 0, 2), (7, 2, 5), (7, 5, 7), (7, 7, 10), (3, 0, 6), (5, 0, 1)],
    1: [(7, 5, 7), (7, 7, 10), (7, 0, 2), (7, 2, 5), (3, 0, 6), (5, 0, 1)],
}


@pytest.mark.parametrize("thread", [0, 1])
@pytest.mark.parametrize("measured", [False, True])
def test_a_table_of_tasks(call: Call, thread: int, measured: bool) -> None:
    sync, _ = new_sync(4, 2)
    found, times = list[tuple[int, ...]](), np.zeros((4, 3), np.int64)
    memory = {7: [1016, 2008], 3: [3000], 5: []}

    def task(number: int, low: int, high: int, given: int) -> None:
        count = len(memory[number])
        assert (
            np.frombuffer((c_int64 * max(1, count)).from_address(given), np.int64)[:count].tolist()
            == (memory[number])
        )
        found.append((number, low, high))

    def nest(low: int, high: int, arguments: int) -> None:
        time.sleep(0.001)
        shared.append((low, high, arguments))
        sync[waited_for] += 1

    shared = list[tuple[int, ...]]()
    waited_for, last = runtime.SIZE + 3, NEST(nest)  # a piece of the first task that another thread has
    sync[waited_for], sync[runtime.TICKET] = -1, ticket(1)
    sync[runtime.OFFER : runtime.OFFER + 3] = ctypes.cast(last, c_void_p).value, 77, 6
    sync[runtime.TIMES] = times.ctypes.data if measured else 0
    call("run", TASK(task), np.int64(TABLE), 1, 3, np.int64([1000, 2000, 3000]), sync, thread, 2)
    assert (found, shared) == (RAN[thread], [(0, 6, 77)])
    assert sync[runtime.SIZE :: 3].tolist() == [0, 4, 1, 1]  # done
    assert times[0].tolist() == [0, 0, 0]
    busy, waited, passed = (times[1:, each] for each in (runtime.BUSY, runtime.WAITED, runtime.PASSED))
    assert ((busy > 0) == measured).all() and (waited[0] >= 10**6) == measured
    assert (passed >= busy + waited).all() if thread == 0 else (passed == 0).all()


def test_tasks_are_skipped_where_the_region_ends(call: Call) -> None:
    sync, _ = new_sync(4, 2)
    sync[runtime.STOPPED] = 1
    found = list[tuple[int, ...]]()
    task = TASK(lambda *given: found.append(given))
    call("run", task, np.int64(TABLE), 1, 3, np.int64([1000, 2000, 3000]), sync, 0, 2)
    assert (found, sync[runtime.SIZE :: 3].tolist()) == ([], [0, 4, 1, 1])
