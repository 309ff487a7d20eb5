"""The run-time part of a region's module: the entry, the barrier of its threads, and the poll of its loops.

What threads and loops share is an array of i64, `sync`, whose places the constants below name. Arrays are
passed as objects of Python, whose first field behind the head is the address of the elements
(`PyArrayObject`).
"""

from __future__ import annotations

ARRIVED = 0  # threads that wait at the barrier
PHASE = 8  # times that the barrier has opened; on a cache line of its own
STOPPED = 16  # not 0 where loops end at once, because Python has an exception or a limit is exceeded
FUNCTIONS = 17  # the addresses of `PYTHON_FUNCTIONS`
STATE = 20  # the state of the Python thread that is in `enter`; null where threads of the pool run the region
STEPS = 21  # the number of steps that loops may still take, where they are counted
SIZE = 24

_DATA = object.__basicsize__  # where the address of the elements is in an array


def load_data(name: str, array: str) -> list[str]:
    """Instructions that load the address of an array's elements."""
    return [f"  {name}d = getelementptr i8, ptr {array}, i64 {_DATA}", f"  {name} = load ptr, ptr {name}d"]


PYTHON_FUNCTIONS = ("PyErr_CheckSignals", "PyEval_SaveThread", "PyEval_RestoreThread")

_LOAD_SYNC = "\n".join(load_data("%sync", "%shared"))

# The caller holds Python's lock, which is released while the region runs, but for the handling of signals: an
# exception that a signal handler raises ends the loops, and the call raises it.
_ENTRY = f"""
define void @enter(ptr %main, ptr %args, ptr %area, ptr %shared) nounwind {{
{_LOAD_SYNC}
  %place = getelementptr i64, ptr %sync, i64 {FUNCTIONS + 1}
  %save = load ptr, ptr %place
  %state = call ptr %save()
  %keep = getelementptr i64, ptr %sync, i64 {STATE}
  store ptr %state, ptr %keep
  call void %main(ptr %args, ptr %area, i64 0, i64 1, ptr %shared)
  %other = getelementptr i64, ptr %sync, i64 {FUNCTIONS + 2}
  %restore = load ptr, ptr %other
  call void %restore(ptr %state)
  ret void
}}
"""

_POLL = f"""
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
define internal i1 @poll(ptr %sync) nounwind noinline cold {{
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

_BARRIER = f"""
declare i32 @sched_yield()
declare i32 @usleep(i32)
define internal void @barrier(ptr %sync, i64 %threads) nounwind {{
entry:
  %alone = icmp eq i64 %threads, 1
  br i1 %alone, label %done, label %arrive
arrive:
  %arrived = getelementptr i64, ptr %sync, i64 {ARRIVED}
  %phase = getelementptr i64, ptr %sync, i64 {PHASE}
  %now = load atomic i64, ptr %phase acquire, align 8
  %before = atomicrmw add ptr %arrived, i64 1 acq_rel
  %count = add i64 %before, 1
  %last = icmp eq i64 %count, %threads
  br i1 %last, label %open, label %wait
open:
  store atomic i64 0, ptr %arrived monotonic, align 8
  %next = add i64 %now, 1
  store atomic i64 %next, ptr %phase release, align 8
  br label %done
wait:
  %spins = phi i64 [ 0, %arrive ], [ %more, %wait_on ]
  %seen = load atomic i64, ptr %phase acquire, align 8
  %same = icmp eq i64 %seen, %now
  br i1 %same, label %again, label %done
again:
  %more = add i64 %spins, 1
  %long = icmp ugt i64 %more, 4000
  br i1 %long, label %yield, label %wait_on
yield:
  %ignored = call i32 @sched_yield()
  %idle = icmp ugt i64 %more, 20000
  br i1 %idle, label %sleep, label %wait_on
sleep:
  %slept = call i32 @usleep(i32 50)
  br label %wait_on
wait_on:
  br label %wait
done:
  ret void
}}
"""

RUNTIME = _ENTRY + _POLL + _COUNT + _BARRIER

# Of the loops of reductions: several vectors are accumulated at once.
METADATA = """
!0 = distinct !{!0, !1}
!1 = !{!"llvm.loop.interleave.count", i32 4}
"""
