"""A pool of worker processes with ordered results; the death of a worker loses only its current item."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, TypeVar

from stablehlo_py.cli.sources import STDIN

if TYPE_CHECKING:
    from multiprocessing.connection import Connection

R = TypeVar("R")
Task = Callable[[str], R]
Lost = Callable[[str, str], R]
"""`lost(item, why)` is the result of an item whose process died."""

_LARGE = 4 << 20  # bytes of text above which starting processes pays off
_PACKED = 8  # typical compression ratio of gzip


def default_jobs(files: Sequence[str], asked: int | None = None) -> int:
    """Choose the number of processes.

    Args:
        files: The files to process.
        asked: The number requested, where 0 means one per processor; None chooses by the size of the files.

    Returns:
        The number of processes; 1 if a file is a pipe, which only this process can read.
    """
    if any(file == STDIN or Path(file).is_fifo() for file in files):
        return 1
    if asked is not None:
        return asked or processors()
    return processors() if len(files) > 1 and sum(map(_size, files)) > _LARGE else 1


def _size(file: str) -> int:
    """Estimate the size of a file's text, in bytes."""
    path = Path(file)
    return path.stat().st_size * (_PACKED if file.endswith(".gz") else 1) if path.is_file() else 0


def processors() -> int:
    """Count the processors available to this process."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def each(task: Task[R], items: Sequence[str], jobs: int, lost: Lost[R]) -> Generator[R, None, None]:
    """Yield the task's result for every item, in order.

    Args:
        task: The work on one item. With several jobs, it and its results must be picklable.
        items: The items.
        jobs: The number of processes.
        lost: Makes the result of an item whose process died.
    """
    if jobs < 2 or len(items) < 2:
        yield from map(task, items)
    else:
        yield from _Workers(task, items, min(jobs, len(items)), lost).results()


class _Work(NamedTuple):
    """A process, and the index of its current item."""

    process: Any
    item: int


class _Workers(Generic[R]):
    def __init__(self, task: Task[R], items: Sequence[str], jobs: int, lost: Lost[R]) -> None:
        from multiprocessing import get_all_start_methods, get_context

        # Not a fork of this process: the progress bar and NumPy have threads.
        methods = get_all_start_methods()
        self.context: Any = get_context("forkserver" if "forkserver" in methods else "spawn")
        if "forkserver" in methods:
            self.context.set_forkserver_preload(["stablehlo_py"])
        self.task, self.items, self.lost = task, items, lost
        self.todo = iter(range(len(items)))
        self.jobs = jobs
        self.busy: dict[Connection, _Work] = {}
        self.done: dict[int, R] = {}

    def results(self) -> Iterator[R]:
        from multiprocessing.connection import wait

        shown = 0
        before = _on_termination(self.terminate)
        try:
            for _ in range(self.jobs):
                self.start()
            while self.busy:
                for ready in wait(list(self.busy)):
                    self.collect(ready)  # type: ignore[arg-type]
                while shown in self.done:
                    yield self.done.pop(shown)
                    shown += 1
        finally:
            self.stop()
            _on_termination(before)

    def terminate(self, number: int, frame: object) -> None:
        """Stop the processes, then end this one by the same signal."""
        self.stop()
        signal.signal(number, signal.SIG_DFL)
        os.kill(os.getpid(), number)

    def start(self) -> None:
        """Start a process for the next item, if there is one."""
        index = next(self.todo, None)
        if index is None:
            return
        ours, theirs = self.context.Pipe()
        process = self.context.Process(target=_serve, args=(self.task, theirs), daemon=True)
        with _without_interrupts():
            process.start()
        theirs.close()
        self.assign(process, ours, index)

    def assign(self, process: Any, connection: Connection, index: int) -> None:
        self.busy[connection] = _Work(process, index)
        try:
            connection.send(self.items[index])
        except BrokenPipeError:
            return  # the process is dead, which reading from it reports

    def collect(self, connection: Connection) -> None:
        """Receive a result, or detect a dead process, and assign the next item."""
        work = self.busy.pop(connection)
        try:
            self.done[work.item] = connection.recv()
        except (EOFError, ConnectionResetError):
            connection.close()
            work.process.join()
            self.done[work.item] = self.lost(self.items[work.item], _cause(work.process.exitcode))
            self.start()
            return
        index = next(self.todo, None)
        if index is None:
            connection.close()
        else:
            self.assign(work.process, connection, index)

    def stop(self) -> None:
        for connection, work in self.busy.items():
            work.process.kill()
            work.process.join()
            connection.close()


def _on_termination(handler: Any) -> Any:
    """Set the handler of SIGTERM, which only the main thread can, and return the one before."""
    is_main = threading.current_thread() is threading.main_thread()
    return signal.signal(signal.SIGTERM, handler) if is_main and handler is not None else None


@contextmanager
def _without_interrupts() -> Iterator[None]:
    """Start a process that ignores interrupts, which this process handles, from its beginning."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    from multiprocessing import resource_tracker

    resource_tracker.ensure_running()  # when it starts, it unblocks interrupts
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _cause(code: int) -> str:
    """Describe why a process ended."""
    if code >= 0:
        return f"worker process exited with status {code}"
    name = signal.Signals(-code).name
    hint = " (out of memory?)" if name == "SIGKILL" else ""
    return f"worker process was killed by {name}{hint}"


def _serve(task: Task[Any], connection: Connection) -> None:
    """Process items until the connection closes."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # handled by the parent process
    while True:
        try:
            item = connection.recv()
            connection.send(task(item))
        except (EOFError, BrokenPipeError):
            return
