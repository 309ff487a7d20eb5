"""Threads: the machine's processors, which run a region or a chain of elementwise ops together.

Each thread runs the same job, which shares out its work among them by their numbers. The caller waits in
Python, where interrupts are handled.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from functools import cache

Job = Callable[[int], None]


def processors() -> int:
    """How many processors this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


class Pool:
    """Threads that wait for jobs, and run one at a time together.

    Args:
        count: the number of threads.
    """

    def __init__(self, count: int) -> None:
        self.count = count
        self._busy = threading.Lock()
        self._done = threading.Semaphore(0)
        self._starts = [threading.Semaphore(0) for _ in range(count)]
        self._job: Job | None = None
        for number in range(count):
            threading.Thread(target=self._work, args=(number,), name="shlo-native", daemon=True).start()

    def run(self, job: Job, stop: Callable[[], None]) -> bool:
        """Calls `job` with the number of each thread, in all of them at once, and waits for its end.

        Args:
            job: the job, which must not raise.
            stop: makes the job end soon; called when the waiting caller is interrupted.

        Returns:
            False if another job is being run; this one then is not.
        """
        if not self._busy.acquire(blocking=False):
            return False
        interrupt: BaseException | None = None
        waiting = self.count
        self._job = job
        for start in self._starts:
            start.release()
        while waiting:
            try:
                self._done.acquire()
                waiting -= 1
            except BaseException as error:  # the job uses the caller's memory until it ends
                interrupt = error
                stop()
        self._job = None
        self._busy.release()
        if interrupt is not None:
            raise interrupt
        return True

    def _work(self, number: int) -> None:
        while True:
            self._starts[number].acquire()
            assert self._job is not None
            self._job(number)
            self._done.release()


@cache
def pool() -> Pool:
    """The threads of this process, one for each processor."""
    return Pool(processors())


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=pool.cache_clear)  # threads do not survive a fork
