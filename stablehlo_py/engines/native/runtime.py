"""The run-time part of regions: the state that it shares with Python. Its code is in `runtime_code.py`.

Threads and loops share an array of i64, `sync`, whose fields the constants below name. The tasks follow: for
each task, the number of finished pieces, and the number of pieces taken of each thread's share. Arrays are
passed as Python objects; the first field after the object header is the address of the elements
(`PyArrayObject`).
"""

from __future__ import annotations

STOPPED = 0  # not 0 where loops end at once, because Python has an exception or a limit is exceeded
FUNCTIONS = 1  # the addresses of `PYTHON_FUNCTIONS`
STATE = (
    4  # the state of the Python thread that is in `enter`: the first thread, which alone runs loops that poll
)
STEPS = 5  # the number of steps that loops may still take, where they are counted
CREDIT = 6  # the address of the credit for sharing loop nests of loops
CALLED = 7  # the address of what calls steps without loops: a function of their number, and of addresses
OFFER = 8  # a loop nest of a loop that all may take pieces of: its function, arguments and extent
TIMES = 11  # the address of the times of tasks, three each (`BUSY`, ...), where they are measured; else 0
TICKET = (
    16  # of the offer, in a cache line of its own: the pieces taken in front, those behind, and of how many
)
DONE = 24  # of the offer, in a cache line of its own: how many pieces are done
SIZE = 32
BUSY, WAITED, PASSED = range(3)  # nanoseconds of threads in a task, for it, and from its begin to its end
MOST_PIECES = 1 << 14  # of an offer: a ticket counts them in 16 bits, and on where none is left
ALIGNMENT = 64  # of arrays in the scratch area
MOST_CREDIT = 1_000_000  # nanoseconds, the most that sharing may lose before loop nests run on one thread

PYTHON_FUNCTIONS = ("PyErr_CheckSignals", "PyEval_SaveThread", "PyEval_RestoreThread")
DATA = object.__basicsize__  # where the address of the elements is in an array


def sync_size(tasks: int, threads: int) -> int:
    """The length of `sync` for a number of tasks and threads."""
    return SIZE + tasks * (1 + threads)


def load_data(name: str, array: str) -> list[str]:
    """Instructions that load the address of an array's elements."""
    return [f"  {name}d = getelementptr i8, ptr {array}, i64 {DATA}", f"  {name} = load ptr, ptr {name}d"]


# Of the loops of reductions: several vectors are accumulated at once.
METADATA = """
!0 = distinct !{!0, !1}
!1 = !{!"llvm.loop.interleave.count", i32 4}
"""
