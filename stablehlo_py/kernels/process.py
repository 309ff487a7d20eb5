"""Processes: a grid of replicas and partitions that run side by side and meet in collectives.

Each process of a grid runs on a thread of its own. A run outside of a grid is a grid of one process.
"""

from __future__ import annotations

import threading
from collections import defaultdict, deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from stablehlo_py.diagnostics import RunError
from stablehlo_py.kernels.registry import Array, Function

Place = tuple[int, int]  # replica and partition


class Grid:
    """What the processes of a grid share: meetings of groups, channels, the infeed and the probes."""

    def __init__(self, replicas: int, partitions: int, infeed: Sequence[Function] = ()) -> None:
        self.replicas = replicas
        self.partitions = partitions
        self.infeed = deque(infeed)
        self.probes: dict[str, list[Array]] = defaultdict(list)
        self.failure: BaseException | None = None
        self._running = replicas * partitions
        self._changed = threading.Condition()
        self._waiting: list[Callable[[], bool]] = []
        self._meetings: dict[Any, dict[Place, Any]] = defaultdict(dict)
        self._channels: dict[Any, deque[Any]] = defaultdict(deque)

    def places(self) -> list[Place]:
        """Every process, replica by replica."""
        return [(r, p) for r in range(self.replicas) for p in range(self.partitions)]

    def meet(self, key: Any, group: Sequence[Place], place: Place, value: Any) -> list[Any]:
        """Waits until all of a group have come with their values; gives these in the group's order."""
        with self._changed:
            meeting = self._meetings[key]
            meeting[place] = value
            self._wait(lambda: len(meeting) == len(group))
            return [meeting[member] for member in group]

    def send(self, channel: Any, values: Any) -> None:
        """Leaves values in a channel."""
        with self._changed:
            self._channels[channel].append(values)
            self._changed.notify_all()

    def receive(self, channel: Any) -> Any:
        """Takes values from a channel, as soon as there are some."""
        with self._changed:
            queue = self._channels[channel]
            self._wait(lambda: bool(queue))
            return queue.popleft()

    def finish(self, failure: BaseException | None = None) -> None:
        """Says that a process has ended; the others stop waiting if it failed."""
        with self._changed:
            self._running -= 1
            self.failure = self.failure or failure
            self._look_for_deadlock()
            self._changed.notify_all()

    def _wait(self, ready: Callable[[], bool]) -> None:
        self._waiting.append(ready)
        self._look_for_deadlock()
        self._changed.notify_all()
        self._changed.wait_for(lambda: ready() or self.failure is not None)
        self._waiting.remove(ready)
        if not ready():
            raise RunError("another process of the grid failed") from self.failure

    def _look_for_deadlock(self) -> None:
        if (
            self._waiting
            and len(self._waiting) >= self._running
            and not any(ready() for ready in self._waiting)
        ):
            self.failure = self.failure or RunError("the processes wait for each other, and none goes on")


class Process:
    """One process: its place in a grid, and how often it has met each group."""

    def __init__(self, grid: Grid, place: Place) -> None:
        self.grid = grid
        self.replica, self.partition = self.place = place
        self._met: dict[Any, int] = defaultdict(int)

    def meet(self, what: str, channel: int, group: Sequence[Place], value: Any) -> list[Any]:
        """The values of all processes of a group, for the same op at the same time."""
        if any(member not in self.grid.places() for member in group):
            raise RunError(
                f"a group has processes {list(group)}, and the grid is of {self.grid.replicas} by "
                f"{self.grid.partitions} (interpreter.run_parallel makes larger ones)"
            )
        key = (what, channel, tuple(group))
        self._met[key] += 1
        return self.grid.meet((*key, self._met[key]), group, self.place, value)


_local = threading.local()


def current() -> Process:
    """The process that runs on this thread."""
    process: Process = _local.process
    return process


@contextmanager
def entered(process: Process) -> Iterator[None]:
    """Makes a process that of this thread."""
    before = getattr(_local, "process", None)
    _local.process = process
    try:
        yield
    finally:
        _local.process = before


def run_grid(grid: Grid, work: Sequence[Callable[[], tuple[Any, ...]]]) -> list[tuple[Any, ...]]:
    """Runs one function for each place of the grid and gives their results. Raises the first failure."""
    found: dict[Place, tuple[Any, ...]] = {}

    def run(place: Place, function: Callable[[], tuple[Any, ...]]) -> None:
        try:
            with entered(Process(grid, place)):
                found[place] = function()
        except BaseException as error:  # it is raised again where the grid was started
            grid.finish(error)
        else:
            grid.finish()

    threads = [
        threading.Thread(target=run, args=pair, daemon=True) for pair in zip(grid.places(), work, strict=True)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if grid.failure is not None:
        raise grid.failure
    return [found[place] for place in grid.places()]
