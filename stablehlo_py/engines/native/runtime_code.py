"""The code of the run-time part: the entry, the tasks of threads, the sharing of loops, and the poll.

Everything except the beginning of a poll is the same for all programs, and compiled once (`library.py`).

A thread takes the pieces of its own share of a task, then the remaining pieces of other shares. Pieces of a
task are taken after all pieces of the task before are done.

One thread, the owner, runs control flow while the others wait for its task. The owner offers them the pieces
of a large loop nest. The owner takes pieces from the front and the others from the back, so that a thread has
the same elements in cache as in the iteration before. A ticket changes atomically, and the owner waits for
all pieces that were taken. So an offer does not change while a thread computes a piece. If the system
suspends a thread with a piece, the owner may wait longer than the piece takes. The time that sharing saves is
a credit for such waits. When the credit is used up, nests run on the owner's thread until the loss is made
up for.
"""

from __future__ import annotations

import time
from functools import cache

from stablehlo_py.engines.native.arithmetic.llvm_ir import Value
from stablehlo_py.engines.native.machine import target
from stablehlo_py.engines.native.runtime import (
    BUSY,
    CREDIT,
    DONE,
    FUNCTIONS,
    MOST_CREDIT,
    OFFER,
    PASSED,
    SIZE,
    STATE,
    STEPS,
    STOPPED,
    TICKET,
    TIMES,
    WAITED,
)
from stablehlo_py.engines.native.runtime_builder import Code
from stablehlo_py.engines.native.tasks import ARRAYS, SCRATCH

_SLEEP = 50  # microseconds; its processor is free for the thread that it waits for
_SPINS = 1000  # tests of a waiting thread before it sleeps: some 20 microseconds
_SPINS_OF_OWNER = 10 * _SPINS  # the same of the owner, for pieces that others compute
_OTHERS = 1 << 16  # what threads but the owner add to a ticket; the owner adds 1
_DEBT = -64 * MOST_CREDIT  # the most that is remembered
_PAYBACK = 16  # nanoseconds of running alone that make up for one
_CLOCK = getattr(time, "CLOCK_MONOTONIC", 0)
_PAUSE = "@llvm.x86.sse2.pause"  # leaves the core to the other thread that the processor may run there

_SIGNATURES = {  # of functions that the modules of programs call
    "@poll": "i1 (ptr)",
    "@take": "i64 (ptr, i64, i64, i64, i64)",
    "@finish": "void (ptr, i64, i64)",
    "@join": "void (ptr, i64, i64, i64)",
    "@offer": "void (ptr, ptr, i64, i64, ptr, i64)",
    "@find_bases": "void (ptr, i64, ptr, ptr)",
    "@begin": "i64 (ptr)",
    "@note": "i64 (ptr, i64, i64, i64)",
    "@run": "void (ptr, ptr, i64, i64, ptr, ptr, i64, i64)",
}


@cache
def declarations() -> dict[str, str]:
    """The declarations and polls of the run-time part that the module of a program contains, by name."""
    found = {}
    for name, signature in _SIGNATURES.items():
        result, types = signature.split(" ", 1)
        found[name] = f"declare {result} {name}{types} nounwind"
    return {**found, "@poll_at": _poll_at(), "@poll_counted": _poll_counted()}


def runtime_module() -> str:
    """The module of the functions that are the same for all programs."""
    used: dict[str, str] = {
        "@usleep": "declare i32 @usleep(i32)",
        "@clock_gettime": "declare i32 @clock_gettime(i32, ptr)",
    }
    if target().is_x86:
        used[_PAUSE] = f"declare void {_PAUSE}()"
    functions = [
        make(Code(used))
        for make in (
            _enter,
            _poll,
            _task_at,
            _take,
            _finish,
            _join,
            _wait,
            _now,
            _earn,
            _left,
            _cut,
            _begin,
            _note,
        )
    ]
    functions += [make(Code(used)) for make in (_work, _offer, _find_bases, _run)]
    return "\n".join([*used.values(), *functions])


def _enter(b: Code) -> str:
    """The caller holds Python's lock, which is released while the region runs, but for signal handlers.

    An exception that a signal handler raises ends the loops, and the call raises it.
    """
    sync = b.data(b.pointer("shared"))
    state = b.run(b.get(sync, FUNCTIONS + 1, "ptr"), "", "ptr")
    b.put(state, sync, STATE)
    b.run(b.pointer("main"), "ptr %args, ptr %area, i64 0, i64 %threads, ptr %shared")
    b.run(b.get(sync, FUNCTIONS + 2, "ptr"), str(state))
    b.do("ret void")
    return b.function("void @enter(ptr %main, ptr %args, ptr %area, ptr %shared, i64 %threads) nounwind")


def _poll_at() -> str:
    """Poll now and then; the beginning of a poll, which is part of the loop."""
    b = Code({})
    sync = b.pointer("sync")
    with b.branch(b.number("when").equals(0)):
        b.do(f"ret i1 {b.call('@poll', 'i1', [sync]).text}")
    b.do(f"ret i1 {b.get(sync, STOPPED).compare('ne', 0).text}")
    return b.function("internal i1 @poll_at(i64 %when, ptr %sync) nounwind alwaysinline")


def _poll_counted() -> str:
    """Count the steps of an iteration, and poll."""
    b = Code({})
    sync = b.pointer("sync")
    left = b.get(sync, STEPS) - b.number("steps")
    b.put(left, sync, STEPS)
    with b.branch(left < 0):
        b.put(1, sync, STOPPED)
        b.do("ret i1 true")
    b.do(f"ret i1 {b.call('@poll_at', 'i1', [b.number('when'), sync]).text}")
    return b.function("internal i1 @poll_counted(i64 %when, i64 %steps, ptr %sync) nounwind alwaysinline")


def _poll(b: Code) -> str:
    """Let Python handle signals; whether the loop is to end."""
    sync = b.pointer("sync")
    with b.branch(b.get(sync, STOPPED).compare("ne", 0)):
        b.do("ret i1 true")
    state = b.get(sync, STATE, "ptr")
    with b.branch(b.emit("i1", f"icmp eq {state}, null")):
        b.do("ret i1 false")
    b.run(b.get(sync, FUNCTIONS + 2, "ptr"), str(state))
    raised = b.run(b.get(sync, FUNCTIONS, "ptr"), "", "i32").compare("ne", 0)
    b.run(b.get(sync, FUNCTIONS + 1, "ptr"), "", "ptr")
    with b.branch(raised):
        b.put(1, sync, STOPPED)
        b.do("ret i1 true")
    b.do("ret i1 false")
    return b.function("i1 @poll(ptr %sync) nounwind noinline cold")


def _task_at(b: Code) -> str:
    place = b.number("task") * (b.number("threads") + 1) + SIZE
    b.do(f"ret ptr {b.at(b.pointer('sync'), place).text}")
    return b.function("internal ptr @task_at(ptr %sync, i64 %task, i64 %threads) nounwind alwaysinline")


def _counts(b: Code) -> Value:
    """The address of the counters of a task."""
    return b.call("@task_at", "ptr", [b.pointer("sync"), b.number("task"), b.number("threads")])


def _take(b: Code) -> str:
    """Take a piece of a task: its number, or -1."""
    threads, pieces = b.number("threads"), b.number("pieces")
    queues = b.at(_counts(b), 1)
    with b.loop(b.number(0), threads) as turn:
        queue = b.unsigned("urem", b.number("thread") + turn, threads)
        low, high = (b.unsigned("udiv", each * pieces, threads) for each in (queue, queue + 1))
        piece = low + b.increase(b.at(queues, queue), 1, "monotonic")
        with b.branch(piece < high):
            b.do(f"ret {piece}")
    b.do("ret i64 -1")
    return b.function(
        "i64 @take(ptr %sync, i64 %task, i64 %pieces, i64 %thread, i64 %threads) nounwind noinline"
    )


def _finish(b: Code) -> str:
    """Count a piece as done."""
    b.increase(_counts(b), 1, "acq_rel")
    b.do("ret void")
    return b.function("void @finish(ptr %sync, i64 %task, i64 %threads) nounwind")


def _join(b: Code) -> str:
    """Wait until all pieces of a task are done."""
    b.do(f"call void @wait({_counts(b)}, i64 %pieces, i64 {_SPINS}, ptr %sync)")
    b.do("ret void")
    return b.function("void @join(ptr %sync, i64 %task, i64 %pieces, i64 %threads) nounwind")


def _wait(b: Code) -> str:
    """Wait until some pieces are done; meanwhile, compute pieces of an offer."""
    spins = b.variable(0)
    with b.repeat() as done:
        all_done = b.read(b.pointer("done"), "acquire").equals(b.number("pieces"))
        with b.branch(all_done):
            b.do(f"br label %{done}")
        if target().is_x86:
            b.do(f"call void {_PAUSE}()")
        count = b.call("@work", "i64", [b.pointer("sync"), b.number(_OTHERS)])
        more = count.compare("ne", 0).select(0, b.get(spins)) + 1
        b.put(more, spins)
        with b.branch(more.compare("ugt", b.number("most"))):
            b.emit("i32", f"call i32 @usleep(i32 {_SLEEP})")
    b.do("ret void")
    return b.function("internal void @wait(ptr %done, i64 %pieces, i64 %most, ptr %sync) nounwind noinline")


def _now(b: Code) -> str:
    """The time in nanoseconds."""
    time = b.alloca("i64", 2)
    b.emit("i32", f"call i32 @clock_gettime(i32 {_CLOCK}, {time})")
    b.do(f"ret {b.get(time) * 1_000_000_000 + b.get(time, 1)}")
    return b.function("internal i64 @now() nounwind")


def _begin(b: Code) -> str:
    """The time in nanoseconds if tasks are measured, else 0."""
    sync = b.pointer("sync")
    with b.branch(b.get(sync, TIMES).equals(0)):
        b.do("ret i64 0")
    b.do(f"ret {b.call('@now', 'i64', [])}")
    return b.function("i64 @begin(ptr %sync) nounwind")


def _note(b: Code) -> str:
    """Add the nanoseconds since a time to a counter of a task, if tasks are measured; return the time."""
    with b.branch(b.number("since").equals(0)):
        b.do("ret i64 0")
    times, now = b.get(b.pointer("sync"), TIMES, "ptr"), b.call("@now", "i64", [])
    b.increase(b.at(times, b.number("task") * 3 + b.number("what")), now - b.number("since"), "monotonic")
    b.do(f"ret {now}")
    return b.function("i64 @note(ptr %sync, i64 %task, i64 %what, i64 %since) nounwind")


def _earn(b: Code) -> str:
    """Add to the credit."""
    place = b.get(b.at(b.pointer("sync"), CREDIT), 0, "ptr")
    credit = (b.get(place) + b.number("gain")).call("smin", MOST_CREDIT).call("smax", _DEBT)
    b.put(credit, place)
    b.do("ret void")
    return b.function("internal void @earn(ptr %sync, i64 %gain) nounwind")


def _left(b: Code) -> str:
    """The number of pieces of a ticket that are not taken."""
    ticket = b.number("ticket")
    front, behind = ticket & 65535, ticket.logical_shift_right(16) & 65535
    b.do(f"ret {ticket.logical_shift_right(32) - front - behind}")
    return b.function("internal i64 @left(i64 %ticket) nounwind alwaysinline")


def _cut(b: Code) -> str:
    """The number of pieces of a loop: the same for each thread, and at most its number of iterations."""
    threads, extent = b.number("threads"), b.number("extent")
    rounded = b.unsigned("udiv", b.number("wanted"), threads) * threads
    b.do(f"ret {rounded.call('smax', threads).call('smin', extent)}")
    return b.function("internal i64 @cut(i64 %wanted, i64 %extent, i64 %threads) nounwind alwaysinline")


def _piece(b: Code, piece: Value, pieces: Value, extent: Value) -> tuple[Value, Value]:
    """The range of a loop that is a piece."""
    low, high = (b.unsigned("udiv", each * extent, pieces) for each in (piece, piece + 1))
    return low, high


def _work(b: Code) -> str:
    """Compute the remaining pieces of an offer; return their number."""
    sync, unit, count = b.pointer("sync"), b.number("unit"), b.variable(0)
    ticket, offer = b.at(sync, TICKET), b.at(sync, OFFER)
    with b.repeat() as done:
        seen = b.call("@left", "i64", [b.read(ticket, "monotonic")])
        with b.branch(seen <= 0):
            b.do(f"br label %{done}")
        taken = b.increase(ticket, unit, "acquire")
        rest = b.call("@left", "i64", [taken])
        with b.branch(rest <= 0):
            b.do(f"br label %{done}")
        front, pieces = taken & 65535, taken.logical_shift_right(32)
        piece = unit.equals(1).select(front, front + rest - 1)
        low, high = _piece(b, piece, pieces, b.get(offer, 2))
        with b.branch(b.stops(sync) ^ True):
            b.run(b.get(offer, 0, "ptr"), f"{low}, {high}, {b.get(offer, 1, 'ptr')}")
        b.increase(b.at(sync, DONE), 1, "release")
        b.put(b.get(count) + 1, count)
    b.do(f"ret {b.get(count)}")
    return b.function("internal i64 @work(ptr %sync, i64 %unit) nounwind")


def _offer(b: Code) -> str:
    """Run a nest of a loop together with the threads that wait, where there is credit for it."""
    sync, extent, threads = b.pointer("sync"), b.number("extent"), b.number("threads")
    whole = "i64 0, i64 %extent, ptr %given"
    credit = b.get(b.get(b.at(sync, CREDIT), 0, "ptr"))
    pays = credit > 0
    with b.branch(pays & threads.equals(1)):
        b.run(b.pointer("function"), whole)
        b.do("ret void")
    start = b.call("@now", "i64", [])
    with b.branch(pays ^ True):
        b.run(b.pointer("function"), whole)
        earned = (b.call("@now", "i64", []) - start) / _PAYBACK
        b.do(f"call void @earn({sync}, {earned})")
        b.do("ret void")
    pieces = b.call("@cut", "i64", [b.number("wanted"), extent, threads])
    offer = b.at(sync, OFFER)
    for place, value in enumerate((b.pointer("function"), b.pointer("given"), extent)):
        b.put(value, offer, place)
    b.write(0, b.at(sync, DONE), "monotonic")
    b.write(pieces << 32, b.at(sync, TICKET), "release")
    count = b.call("@work", "i64", [sync, b.number(1)])
    worked = b.call("@now", "i64", [])
    b.do(f"call void @wait({b.at(sync, DONE)}, {pieces}, i64 {_SPINS_OF_OWNER}, {sync})")
    end = b.call("@now", "i64", [])
    alone = (worked - start) * pieces / count.call("smax", 1)
    b.do(f"call void @earn({sync}, {alone - (end - start)})")
    b.do("ret void")
    parameters = "ptr %function, ptr %given, i64 %extent, i64 %wanted, ptr %sync, i64 %threads"
    return b.function(f"void @offer({parameters}) nounwind")


def _find_bases(b: Code) -> str:
    """Write the base addresses of tasks' memory: the scratch area, then each array."""
    bases = b.pointer("bases")
    b.put(b.pointer("scratch"), bases, SCRATCH)
    with b.loop(b.number(0), b.number("count")) as i:
        data = b.data(b.get(b.pointer("args"), i, "ptr"))
        b.store(data, bases, i + ARRAYS)
    b.do("ret void")
    return b.function("void @find_bases(ptr %args, i64 %count, ptr %scratch, ptr %bases) nounwind")


def _run(b: Code) -> str:
    """Run tasks (`tasks.py`) one after the other.

    A table begins with the largest number of arguments of a row. A row has the number of a function, the
    extent of the loop and its pieces, the number of arguments, and for each argument its base and offset. No
    piece is computed when the region is to end.
    """
    table, sync, bases = b.pointer("table"), b.pointer("sync"), b.pointer("bases")
    thread, threads = b.number("thread"), b.number("threads")
    given = b.emit("ptr", f"alloca i64, {b.get(table)}")
    row = b.alloca("ptr")
    b.put(b.at(table, 1), row)
    first = b.number("first")
    with b.loop(first, first + b.number("count")) as task:
        here = b.get(row, 0, "ptr")
        function, extent, wanted, count = (b.get(here, place) for place in range(4))
        places = b.at(here, 4)
        with b.loop(b.number(0), count) as i:
            base = b.get(bases, b.get(places, i * 2))
            b.store(base + b.get(places, i * 2 + 1), given, i)
        b.put(b.at(places, count * 2), row)
        cut = b.call("@cut", "i64", [wanted, extent, threads])
        pieces = wanted.equals(0).select(1, cut)
        numbers = f"{sync}, {task}, {pieces}"
        begun = b.call("@begin", "i64", [sync])
        with b.repeat() as taken:
            piece = b.emit("i64", f"call i64 @take({numbers}, {thread}, {threads})")
            with b.branch(piece < 0):
                b.do(f"br label %{taken}")
            with b.branch(b.stops(sync) ^ True):
                low, high = _piece(b, piece, pieces, extent)
                b.run(b.pointer("call"), f"{function}, {low}, {high}, {given}")
            b.do(f"call void @finish({sync}, {task}, {threads})")
        done = b.call("@note", "i64", [sync, task, b.number(BUSY), begun])
        b.do(f"call void @join({numbers}, {threads})")
        b.call("@note", "i64", [sync, task, b.number(WAITED), done])
        with b.branch(thread.equals(0)):
            b.call("@note", "i64", [sync, task, b.number(PASSED), begun])
    b.do("ret void")
    parameters = "ptr %call, ptr %table, i64 %first, i64 %count, ptr %bases, ptr %sync"
    return b.function(f"void @run({parameters}, i64 %thread, i64 %threads) nounwind")
