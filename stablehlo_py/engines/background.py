"""Background work: a daemon thread that runs jobs one at a time, while calls go on.

The end of the interpreter waits for no job, but for what LLVM is doing (`engines.native.exclusive`). A fork
leaves the thread behind: in the child, jobs that have not ended fail, and so do later ones, since modules
that the thread was importing stay half imported.
"""

from __future__ import annotations

import os
import sys
from collections import deque
from collections.abc import Callable
from threading import Event, Lock, Thread
from typing import Generic, TypeVar
from weakref import ref

from stablehlo_py.ir.garbage import gc_paused

T = TypeVar("T")
BACKGROUND = "SHLO_BACKGROUND"  # 0 for nothing in the background, 1 for no call that waits
_FORKED = "the process forked while another function was compiled"
_INTERVAL = 5e-4  # seconds after which threads that run Python take turns, a tenth of Python's own


class Job(Generic[T]):
    """What is computed in the background.

    Args:
        work: Computes the result.
        owner: The object that the result is for; where it is gone before the job begins, there is no result.

    Attributes:
        result: The result, None if there is none.
        error: The exception that the work raised, or None.
    """

    def __init__(self, work: Callable[[], T], owner: object) -> None:
        self._work: Callable[[], T] | None = work
        self._owner = ref(owner)
        self._ended = Event()
        self.result: T | None = None
        self.error: Exception | None = None

    @property
    def has_ended(self) -> bool:
        """Test whether there is a result or an error."""
        return self._ended.is_set()

    def wait(self, timeout: float | None = None) -> bool:
        """Wait for the end, at most so many seconds; return whether it has come."""
        return self._ended.wait(timeout)

    def run(self) -> None:
        """Compute the result."""
        try:
            if self._work is not None and self._owner() is not None:
                self.result = self._work()
        except Exception as error:
            self.fail(error)
        finally:
            self._work = None  # which holds memory
            self._ended.set()

    def fail(self, error: Exception) -> None:
        """End with an error."""
        self.error = error
        self._ended.set()


class _Queue:
    """The jobs that have not ended; the first one is running."""

    def __init__(self) -> None:
        self._guard = Lock()
        self._jobs: deque[Job[object]] = deque()
        self._turns = 0.0  # the interval of the interpreter before the jobs
        self.is_lost = False  # whether a fork has left a thread behind

    def submit(self, job: Job[object]) -> None:
        with self._guard:
            self._jobs.append(job)
            if len(self._jobs) == 1:
                # Each NumPy function gives Python's lock away, and waits to have it back.
                self._turns = sys.getswitchinterval()
                sys.setswitchinterval(min(_INTERVAL, self._turns))
                Thread(target=self._run, name="shlo-background", daemon=True).start()

    def _run(self) -> None:
        while self._jobs:
            self._jobs[0].run()
            with self._guard:
                self._jobs.popleft()
                if not self._jobs:
                    sys.setswitchinterval(self._turns)
                    return

    def is_busy(self) -> bool:
        return bool(self._jobs)

    def forget(self) -> None:
        """Fail all jobs in a child process."""
        self._guard = Lock()
        jobs, self._jobs = self._jobs, deque()
        if jobs:
            self.is_lost = True
            sys.setswitchinterval(self._turns)
        for job in jobs:
            job.fail(RuntimeError(_FORKED))


_QUEUE = _Queue()


def submit(job: Job[T], waits: bool = False) -> None:
    """Run a job in the background; here if the caller waits, or the environment variable says so."""
    if _QUEUE.is_lost:
        job.fail(RuntimeError(_FORKED))
    elif waits or os.environ.get(BACKGROUND) == "0":
        with gc_paused():
            job.run()
    else:
        _QUEUE.submit(job)  # type: ignore[arg-type]


def never_waits() -> bool:
    """Test whether the environment variable says that no call waits for a job."""
    return os.environ.get(BACKGROUND) == "1"


def is_busy() -> bool:
    """Test whether a job is running, whose work is part of the times of this process."""
    return _QUEUE.is_busy()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_QUEUE.forget)
