"""Threads: the machine's processors, which run a region or a chain of elementwise ops together.

Each thread takes pieces of a job until none is left, so that one that another process keeps from its
processor leaves its pieces to the others; one that comes late finds the job gone. The caller is one of them.
"""

from __future__ import annotations

import ctypes
import os
import threading
from collections.abc import Callable
from contextlib import suppress
from functools import cache

Job = Callable[[int], None]
_FEW = 4  # processors
_UNKNOWN = -1  # the number of a processor that the system does not tell
_LOOK = 0.05  # seconds, after which a waiting thread looks for signals where these do not wake it up


def processors() -> int:
    """How many processors this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


@cache
def _getcpu() -> Callable[[], int]:
    """The system's function that tells which processor runs a thread."""
    found = getattr(ctypes.CDLL(None), "sched_getcpu", None) if hasattr(os, "sched_setaffinity") else None
    return found or (lambda: _UNKNOWN)


class Pool:
    """Threads that wait for jobs, and run one at a time together with its caller.

    Args:
        count: the number of threads, the caller among them.
    """

    def __init__(self, count: int) -> None:
        self.count = count
        self._busy = threading.Lock()
        self._guard = threading.Lock()  # of the job and the number of other threads that run it
        self._job: Job | None = None
        self._inside = 0
        self._left = threading.Lock()  # released when none does
        self._starts = [threading.Lock() for _ in range(1, count)]
        self._threads = [
            threading.Thread(target=self._work, args=(number, start), name="shlo-native", daemon=True)
            for number, start in enumerate(self._starts, 1)
        ]
        self._processor = _UNKNOWN  # the one that other threads leave to the caller
        for start, thread in zip(self._starts, self._threads, strict=True):
            start.acquire()
            thread.start()

    def run(self, job: Job, stop: Callable[[], None], joined: bool = False) -> bool:
        """Calls `job` with the numbers of threads, in several of them at once, and waits for its end.

        Args:
            job: the job, which returns when no piece of it is left to take. The caller's number is 0; only
                this call may raise. Threads that have not begun by then are not waited for.
            stop: makes the job end soon; called when the caller is interrupted.
            joined: whether the caller's call returns only when all pieces are done. Other threads are not
                waited for then: they have nothing left but to leave, and the job keeps what they use.

        Returns:
            False if another job is being run; this one then is not.
        """
        if not self._busy.acquire(blocking=False):
            return False
        interrupt: BaseException | None = None
        self._left.acquire(blocking=False)
        try:
            self._job = job
            self._leave_processor()
            for start in self._starts:
                if start.locked():  # not where its thread has yet to wake up from the job before
                    start.release()
            job(0)
        except BaseException as error:
            interrupt = error
            stop()
        with self._guard:
            self._job = None
        while self._inside and (interrupt or not joined):
            try:
                self._left.acquire()
            except BaseException as error:  # the job uses the caller's memory until it ends
                interrupt = error
                stop()
        self._busy.release()
        if interrupt is not None:
            raise interrupt
        return True

    def _leave_processor(self) -> None:
        """Keep the other threads from the caller's processor: there, one waits for another that does not run.

        A system whose few processors are busy puts a thread that wakes up beside the one that wakes it.
        """
        mine = _getcpu()() if self.count <= _FEW else _UNKNOWN
        if mine in (_UNKNOWN, self._processor):
            return
        self._processor = mine
        others = os.sched_getaffinity(0) - {mine}
        numbers = [thread.native_id for thread in self._threads if thread.native_id is not None]
        with suppress(OSError):  # without another, or where a process may not choose, they stay
            for number in numbers:
                os.sched_setaffinity(number, others)

    def _work(self, number: int, start: threading.Lock) -> None:
        while True:
            start.acquire()
            with self._guard:
                job = self._job
                self._inside += job is not None
            if job is None:
                continue
            job(number)
            del job  # what it uses is the caller's
            with self._guard:
                self._inside -= 1
                if not self._inside and self._left.locked():
                    self._left.release()


def handles_signals() -> bool:
    """Test whether this is the thread that runs the handlers of signals."""
    return threading.current_thread() is threading.main_thread()


def run_beside(job: Callable[[], None], stop: Callable[[], None]) -> None:
    """Call a job in another thread, while the caller waits and handles signals.

    Args:
        job: The job, which keeps what it uses.
        stop: Makes the job end soon; called when the caller is interrupted.
    """
    try:
        companion = _COMPANIONS.pop()
    except IndexError:  # the first call, or one by a handler of a signal
        companion = _Companion()
    try:
        companion.run(job, stop)
    finally:
        if companion.is_free:  # not where an interrupt came just when the job began
            _COMPANIONS.append(companion)


class _Companion:
    """A thread that runs jobs for one that handles signals meanwhile. Starting a thread takes longer."""

    def __init__(self) -> None:
        self._job: Job | None = None
        self._start, self._end = threading.Lock(), threading.Lock()
        self._start.acquire()
        self._end.acquire()
        threading.Thread(target=self._work, name="shlo-native-first", daemon=True).start()

    @property
    def is_free(self) -> bool:
        """Test whether it has no job."""
        return self._job is None

    def run(self, job: Callable[[], None], stop: Callable[[], None]) -> None:
        """Run a job, as `run_beside` does."""
        raised: list[BaseException] = []

        def run(_: int) -> None:
            try:
                job()
            except BaseException as error:
                raised.append(error)

        self._job = run
        self._start.release()
        while not self.is_free:  # an interrupt can come after the end of the job
            try:
                self._end.acquire(timeout=_LOOK)
            except BaseException as error:
                raised.append(error)
                stop()
        if raised:
            raise raised[0]

    def _work(self) -> None:
        while True:
            self._start.acquire()
            assert self._job is not None
            self._job(0)
            self._job = None
            if self._end.locked():
                self._end.release()


@cache
def pool() -> Pool:
    """The threads of this process, one for each processor."""
    return Pool(processors())


_COMPANIONS: list[_Companion] = []  # that are free


def _forget_threads() -> None:
    pool.cache_clear()
    _COMPANIONS.clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_threads)  # threads do not survive a fork
