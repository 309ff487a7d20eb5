"""The run-time part of regions: the entry, the tasks of threads, and the poll of loops.

All but the beginning of a poll is the same for all programs, and compiled once (`products/shared.py`).

What threads and loops share is an array of i64, `sync`, whose places the constants below and in `offers.py`
name. Behind them are the tasks: how many pieces of one are done, and how many of each thread's share have
been taken. Arrays are passed as objects of Python, whose first field behind the head is the address of the
elements (`PyArrayObject`).
"""

from __future__ import annotations

import platform

from stablehlo_py.engines.native.offers import OFFERS, OTHERS, SPINS

STOPPED = 0  # not 0 where loops end at once, because Python has an exception or a limit is exceeded
FUNCTIONS = 1  # the addresses of `PYTHON_FUNCTIONS`
STATE = (
    4  # the state of the Python thread that is in `enter`: the first thread, which alone runs loops that poll
)
STEPS = 5  # the number of steps that loops may still take, where they are counted
SIZE = 32
ALIGNMENT = 64  # of arrays in the scratch area


def sync_size(tasks: int, threads: int) -> int:
    """The number of i64 that some threads share which run a region of some tasks."""
    return SIZE + tasks * (1 + threads)


_DATA = object.__basicsize__  # where the address of the elements is in an array


def load_data(name: str, array: str) -> list[str]:
    """Instructions that load the address of an array's elements."""
    return [f"  {name}d = getelementptr i8, ptr {array}, i64 {_DATA}", f"  {name} = load ptr, ptr {name}d"]


PYTHON_FUNCTIONS = ("PyErr_CheckSignals", "PyEval_SaveThread", "PyEval_RestoreThread")

_LOAD_SYNC = "\n".join(load_data("%sync", "%shared"))
_LOAD_ARRAY = "\n".join(load_data("%data", "%array"))

# The caller holds Python's lock, which is released while the region runs, but for the handling of signals: an
# exception that a signal handler raises ends the loops, and the call raises it.
_ENTRY = f"""
define void @enter(ptr %main, ptr %args, ptr %area, ptr %shared, i64 %threads) nounwind {{
{_LOAD_SYNC}
  %place = getelementptr i64, ptr %sync, i64 {FUNCTIONS + 1}
  %save = load ptr, ptr %place
  %state = call ptr %save()
  %keep = getelementptr i64, ptr %sync, i64 {STATE}
  store ptr %state, ptr %keep
  call void %main(ptr %args, ptr %area, i64 0, i64 %threads, ptr %shared)
  %other = getelementptr i64, ptr %sync, i64 {FUNCTIONS + 2}
  %restore = load ptr, ptr %other
  call void %restore(ptr %state)
  ret void
}}
"""

_POLL_AT = f"""
define internal i1 @poll_at(i64 %when, ptr %sync) nounwind alwaysinline {{
entry:
  %now = icmp eq i64 %when, 0
  br i1 %now, label %ask, label %go
ask:
  %stop = call i1 @poll(ptr %sync)
  ret i1 %stop
go:
  %flag = getelementptr i64, ptr %sync, i64 {STOPPED}
  %stopped = load i64, ptr %flag
  %over = icmp ne i64 %stopped, 0
  ret i1 %over
}}
"""

_POLL = f"""
define i1 @poll(ptr %sync) nounwind noinline cold {{
entry:
  %flag = getelementptr i64, ptr %sync, i64 {STOPPED}
  %before = load i64, ptr %flag
  %already = icmp ne i64 %before, 0
  br i1 %already, label %stop, label %look
look:
  %keep = getelementptr i64, ptr %sync, i64 {STATE}
  %state = load ptr, ptr %keep
  %no_caller = icmp eq ptr %state, null
  br i1 %no_caller, label %go, label %ask
ask:
  %check_at = getelementptr i64, ptr %sync, i64 {FUNCTIONS}
  %check = load ptr, ptr %check_at
  %save_at = getelementptr i64, ptr %sync, i64 {FUNCTIONS + 1}
  %save = load ptr, ptr %save_at
  %restore_at = getelementptr i64, ptr %sync, i64 {FUNCTIONS + 2}
  %restore = load ptr, ptr %restore_at
  call void %restore(ptr %state)
  %found = call i32 %check()
  %again = call ptr %save()
  %raised = icmp ne i32 %found, 0
  br i1 %raised, label %record, label %go
record:
  store i64 1, ptr %flag
  br label %stop
stop:
  ret i1 true
go:
  ret i1 false
}}
"""

_COUNT = f"""
define internal i1 @poll_counted(i64 %when, i64 %steps, ptr %sync) nounwind alwaysinline {{
entry:
  %left_at = getelementptr i64, ptr %sync, i64 {STEPS}
  %before = load i64, ptr %left_at
  %left = sub i64 %before, %steps
  store i64 %left, ptr %left_at
  %none = icmp slt i64 %left, 0
  br i1 %none, label %stop, label %go
stop:
  %flag = getelementptr i64, ptr %sync, i64 {STOPPED}
  store i64 1, ptr %flag
  ret i1 true
go:
  %ends = call i1 @poll_at(i64 %when, ptr %sync)
  ret i1 %ends
}}
"""

_SLEEP = 50  # microseconds; its processor is free for the thread that it waits for

# A waiting thread leaves its core to the other thread that the processor may run there.
_IS_X86 = platform.machine().lower() in ("x86_64", "amd64")
_DECLARE_PAUSE, _PAUSE = (
    ("declare void @llvm.x86.sse2.pause()", "call void @llvm.x86.sse2.pause()") if _IS_X86 else ("", "")
)

# A thread takes the pieces of its own share, then what others have left of theirs. Pieces of a later task are
# taken when all of an earlier one are done.
_TASKS = f"""
define internal ptr @task_at(ptr %sync, i64 %task, i64 %threads) nounwind {{
  %size = add i64 %threads, 1
  %offset = mul i64 %task, %size
  %place = add i64 %offset, {SIZE}
  %at = getelementptr i64, ptr %sync, i64 %place
  ret ptr %at
}}
define i64 @take(ptr %sync, i64 %task, i64 %pieces, i64 %thread, i64 %threads) nounwind noinline {{
entry:
  %done = call ptr @task_at(ptr %sync, i64 %task, i64 %threads)
  %queues = getelementptr i64, ptr %done, i64 1
  br label %look
look:
  %turn = phi i64 [ 0, %entry ], [ %next, %empty ]
  %sum = add i64 %thread, %turn
  %queue = urem i64 %sum, %threads
  %low_all = mul i64 %queue, %pieces
  %low = udiv i64 %low_all, %threads
  %high_all = add i64 %low_all, %pieces
  %high = udiv i64 %high_all, %threads
  %count_at = getelementptr i64, ptr %queues, i64 %queue
  %taken = atomicrmw add ptr %count_at, i64 1 monotonic
  %piece = add i64 %low, %taken
  %some = icmp ult i64 %piece, %high
  br i1 %some, label %found, label %empty
found:
  ret i64 %piece
empty:
  %next = add i64 %turn, 1
  %more = icmp ult i64 %next, %threads
  br i1 %more, label %look, label %none
none:
  ret i64 -1
}}
define void @finish(ptr %sync, i64 %task, i64 %threads) nounwind {{
  %done = call ptr @task_at(ptr %sync, i64 %task, i64 %threads)
  %before = atomicrmw add ptr %done, i64 1 acq_rel
  ret void
}}
declare i32 @usleep(i32)
{_DECLARE_PAUSE}
define void @join(ptr %sync, i64 %task, i64 %pieces, i64 %threads) nounwind {{
  %done = call ptr @task_at(ptr %sync, i64 %task, i64 %threads)
  call void @wait(ptr %done, i64 %pieces, i64 {SPINS}, ptr %sync)
  ret void
}}
define internal void @wait(ptr %done, i64 %pieces, i64 %most, ptr %sync) nounwind noinline {{
entry:
  br label %wait
wait:
  %spins = phi i64 [ 0, %entry ], [ %more, %again ], [ %more, %sleep ]
  %seen = load atomic i64, ptr %done acquire, align 8
  %all = icmp eq i64 %seen, %pieces
  br i1 %all, label %out, label %again
again:
  {_PAUSE}
  %count = call i64 @work(ptr %sync, i64 {OTHERS})
  %helped = icmp ne i64 %count, 0
  %so_far = select i1 %helped, i64 0, i64 %spins
  %more = add i64 %so_far, 1
  %long = icmp ugt i64 %more, %most
  br i1 %long, label %sleep, label %wait
sleep:
  %slept = call i32 @usleep(i32 {_SLEEP})
  br label %wait
out:
  ret void
}}
"""

_RUN_PARAMETERS = (
    "ptr %call, ptr %table, i64 %first, i64 %count, ptr %bases, ptr %sync, i64 %thread, i64 %threads"
)

# Tables of tasks (`tasks.py`) begin with the most arguments of a row. A row has the numbers of a function and
# of its fallback, the extent of the loop and its pieces, the number of the function's arguments and that of
# all, and for each argument its base and offset. No piece is computed when the region is to end.
_RUN = f"""
define void @find_bases(ptr %args, i64 %count, ptr %scratch, ptr %sync, ptr %bases) nounwind {{
entry:
  store i64 0, ptr %bases
  %second = getelementptr i64, ptr %bases, i64 1
  store ptr %scratch, ptr %second
  %third = getelementptr i64, ptr %bases, i64 2
  store ptr %sync, ptr %third
  br label %look
look:
  %i = phi i64 [ 0, %entry ], [ %next, %load ]
  %more = icmp slt i64 %i, %count
  br i1 %more, label %load, label %out
load:
  %at = getelementptr ptr, ptr %args, i64 %i
  %array = load ptr, ptr %at
{_LOAD_ARRAY}
  %place = add i64 %i, 3
  %base = getelementptr ptr, ptr %bases, i64 %place
  store ptr %data, ptr %base
  %next = add i64 %i, 1
  br label %look
out:
  ret void
}}
define void @run({_RUN_PARAMETERS}) nounwind {{
entry:
  %most = load i64, ptr %table
  %given = alloca i64, i64 %most
  %rows = getelementptr i64, ptr %table, i64 1
  %end = add i64 %first, %count
  br label %row
row:
  %task = phi i64 [ %first, %entry ], [ %following, %taken ]
  %at = phi ptr [ %rows, %entry ], [ %after, %taken ]
  %function = load i64, ptr %at
  %fallback_at = getelementptr i64, ptr %at, i64 1
  %fallback = load i64, ptr %fallback_at
  %extent_at = getelementptr i64, ptr %at, i64 2
  %extent = load i64, ptr %extent_at
  %pieces_at = getelementptr i64, ptr %at, i64 3
  %wanted = load i64, ptr %pieces_at
  %own_at = getelementptr i64, ptr %at, i64 4
  %own = load i64, ptr %own_at
  %all_at = getelementptr i64, ptr %at, i64 5
  %all = load i64, ptr %all_at
  %places = getelementptr i64, ptr %at, i64 6
  br label %look
look:
  %i = phi i64 [ 0, %row ], [ %next, %find ]
  %more = icmp slt i64 %i, %all
  br i1 %more, label %find, label %found
find:
  %pair = mul i64 %i, 2
  %base_at = getelementptr i64, ptr %places, i64 %pair
  %base_number = load i64, ptr %base_at
  %base_place = getelementptr i64, ptr %bases, i64 %base_number
  %base = load i64, ptr %base_place
  %offset_at = getelementptr i64, ptr %base_at, i64 1
  %offset = load i64, ptr %offset_at
  %value = add i64 %base, %offset
  %argument = getelementptr i64, ptr %given, i64 %i
  store i64 %value, ptr %argument
  %next = add i64 %i, 1
  br label %look
found:
  %twice = mul i64 %all, 2
  %after = getelementptr i64, ptr %places, i64 %twice
  %others = getelementptr i64, ptr %given, i64 %own
  %cut = call i64 @cut(i64 %wanted, i64 %extent, i64 %threads)
  %whole = icmp eq i64 %wanted, 0
  %pieces = select i1 %whole, i64 1, i64 %cut
  br label %take
take:
  %piece = call i64 @take(ptr %sync, i64 %task, i64 %pieces, i64 %thread, i64 %threads)
  %none = icmp slt i64 %piece, 0
  br i1 %none, label %taken, label %run
run:
  %flag = getelementptr i64, ptr %sync, i64 {STOPPED}
  %stopped = load atomic i64, ptr %flag monotonic, align 8
  %over = icmp ne i64 %stopped, 0
  br i1 %over, label %done, label %compute
compute:
  %low_all = mul i64 %piece, %extent
  %low = udiv i64 %low_all, %pieces
  %high_all = add i64 %low_all, %extent
  %high = udiv i64 %high_all, %pieces
  %broken = call i8 %call(i64 %function, i64 %low, i64 %high, ptr %given)
  %failed = icmp ne i8 %broken, 0
  br i1 %failed, label %again, label %done
again:
  %settled = call i8 %call(i64 %fallback, i64 %low, i64 %high, ptr %others)
  br label %done
done:
  call void @finish(ptr %sync, i64 %task, i64 %threads)
  br label %take
taken:
  call void @join(ptr %sync, i64 %task, i64 %pieces, i64 %threads)
  %following = add i64 %task, 1
  %left = icmp slt i64 %following, %end
  br i1 %left, label %row, label %out
out:
  ret void
}}
"""

RUNTIME = _ENTRY + _POLL + _TASKS + OFFERS + _RUN  # a module by itself

# Of the modules that use it, by name.
DECLARATIONS = {
    "@poll_at": _POLL_AT,
    "@poll_counted": _COUNT,
    "@poll": "declare i1 @poll(ptr) nounwind cold",
    "@take": "declare i64 @take(ptr, i64, i64, i64, i64) nounwind",
    "@finish": "declare void @finish(ptr, i64, i64) nounwind",
    "@join": "declare void @join(ptr, i64, i64, i64) nounwind",
    "@offer": "declare void @offer(ptr, ptr, i64, i64, ptr, i64) nounwind",
    "@find_bases": "declare void @find_bases(ptr, i64, ptr, ptr, ptr) nounwind",
    "@run": "declare void @run(ptr, ptr, i64, i64, ptr, ptr, i64, i64) nounwind",
}

# Of the loops of reductions: several vectors are accumulated at once.
METADATA = """
!0 = distinct !{!0, !1}
!1 = !{!"llvm.loop.interleave.count", i32 4}
"""
