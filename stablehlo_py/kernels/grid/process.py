"""Processes: a grid of replicas and partitions that run side by side and meet in collectives.

Each process of a grid is a task, and so is what it starts and does not wait for. Tasks have threads of
their own, but take turns: one runs until it has to wait or ends, and the next that can go on is the one
after it in order. So a run is the same every time, and that nobody can go on is known at once.
"""

from __future__ import annotations

import threading
from collections import defaultdict, deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property
from typing import Any

import numpy as np

from stablehlo_py.diagnostics.diagnostic import RunError
from stablehlo_py.ir.types import Type
from stablehlo_py.kernels.registry import Array

ProcessId = tuple[int, int]  # replica and partition
Work = Callable[[], Any]
Supply = Callable[[tuple[Type, ...]], tuple[Any, ...]]  # arrays of types that a program takes in


class Task:
    """A piece of work for a process: what it waits for while it waits, and what became of it."""

    def __init__(self, process: Process, work: Work) -> None:
        self.process = process
        self.work = work
        self.ready: Callable[[], bool] = _always
        self.ended = False
        self.result: Any = None
        self.error: BaseException | None = None


def _always() -> bool:
    return True


class Grid:
    """What processes share: turns, meetings of groups, channels, what comes in and goes out, and probes.

    `infeed` has a function for each `infeed` op, which gives arrays of the types that the op states;
    `outfeed` is called with the arrays of each `outfeed` op; `seed` is that of `rng`.
    """

    def __init__(
        self,
        replicas: int,
        partitions: int,
        infeed: Iterable[Supply] = (),
        outfeed: Callable[[tuple[Any, ...]], None] | None = None,
        seed: int = 0,
    ) -> None:
        self.replicas = replicas
        self.partitions = partitions
        self.infeed = iter(infeed)
        self.outfeed = outfeed
        self.seed = seed
        self.probes: dict[str, list[Array]] = defaultdict(list)
        self._changed = threading.Condition()
        self._tasks: list[Task] = []  # those that have not ended
        self._turn: Task | None = None
        self._failure: BaseException | None = None
        self._stuck: list[Task] = []  # the tasks that waited when none could go on
        self._meetings: dict[Any, dict[ProcessId, Any]] = defaultdict(dict)
        self._channels: dict[Any, deque[Any]] = defaultdict(deque)

    def process_ids(self) -> list[ProcessId]:
        """Every process, replica by replica."""
        return [(r, p) for r in range(self.replicas) for p in range(self.partitions)]

    # Communication

    def meet(self, key: Any, group: Sequence[ProcessId], process_id: ProcessId, value: Any) -> list[Any]:
        """Waits until all of a group have come with their values; gives these in the group's order."""
        meeting = self._meetings[key]
        meeting[process_id] = value
        if len(meeting) == len(group):
            del self._meetings[key]
        self.wait(
            lambda: len(meeting) == len(group),
            lambda: "waits for " + _processes(member for member in group if member not in meeting),
        )
        return [meeting[member] for member in group]

    def send(self, channel: Any, values: Any) -> None:
        """Leaves values in a channel."""
        self._channels[channel].append(values)

    def receive(self, channel: Any, where: str) -> Any:
        """Takes values from a channel, as soon as there are some."""
        queue = self._channels[channel]
        self.wait(lambda: bool(queue), lambda: f"waits for what nobody sends to {where}")
        return queue.popleft()

    # Turns

    def run(self, works: Sequence[Work]) -> list[Any]:
        """Does one piece of work for each process and gives the results. Raises the first failure."""
        tasks = [
            Task(Process(self, process_id), work)
            for process_id, work in zip(self.process_ids(), works, strict=True)
        ]
        self._tasks, self._turn = list(tasks), tasks[0]
        for task in tasks:
            threading.Thread(target=self._run, args=(task,), daemon=True).start()
        with self._changed:
            self._changed.wait_for(lambda: not self._tasks)
        if self._stuck:
            raise self._deadlock()
        if self._failure is not None:
            raise self._failure
        return [task.result for task in tasks]

    def start(self, process: Process, work: Work) -> Task:
        """Begins a piece of work, which goes on when the process that began it does."""
        task = Task(process, work)
        if self._turn is None:  # there is one process, on the caller's thread, and nobody to wait for
            task.result, task.ended = work(), True
            return task
        parent = self._turn
        with self._changed:
            self._tasks.insert(self._tasks.index(parent) + 1, task)
            self._turn = task
            threading.Thread(target=self._run, args=(task,), daemon=True).start()
            self._changed.wait_for(lambda: self._turn is parent)
        return task

    def wait(self, ready: Callable[[], bool], what: Callable[[], str]) -> None:
        """Lets others go on until `ready`. Raises RunError, which says `what`, if that will never be."""
        task = self._turn
        if ready():
            return
        if task is None:
            raise RunError(what())
        with self._changed:
            task.ready = ready
            self._pass_on(self._tasks.index(task) + 1)
            self._changed.wait_for(lambda: self._turn is task)
            task.ready = _always
        if not ready():
            raise RunError(what() if self._stuck else "another process failed")

    def _run(self, task: Task) -> None:
        """What the thread of a task does."""
        with self._changed:
            self._changed.wait_for(lambda: self._turn is task)
        try:
            if self._failure is None:
                with entered(task.process), np.errstate(all="ignore"):
                    task.result = task.work()
        except BaseException as error:  # it is raised again where the grid was started
            task.error = error
            self._failure = self._failure or error
        with self._changed:
            at = self._tasks.index(task)
            self._tasks.remove(task)
            task.ended = True
            self._pass_on(at)

    def _pass_on(self, at: int) -> None:
        """Gives the turn to the first task from `at` on that can go on, or that is to fail."""
        order = [*self._tasks[at:], *self._tasks[:at]]
        following = [task for task in order if self._failure is not None or task.ready()]
        if order and not following:
            self._stuck, following = order, order
            self._failure = RunError("the processes wait for each other, and none goes on")
        self._turn = following[0] if following else None
        self._changed.notify_all()

    def _deadlock(self) -> RunError:
        """The failure of all that wait, each with the id of its process."""
        stuck = sorted(self._stuck, key=lambda task: task.process.process_id)
        lines = [f"process {task.process.process_id}: {task.error}" for task in stuck]
        ended = set(self.process_ids()) - {task.process.process_id for task in stuck}
        lines += [f"process {process_id} has ended" for process_id in sorted(ended)]
        return RunError("\n  ".join([str(self._failure), *lines]))


def _processes(process_ids: Iterable[ProcessId]) -> str:
    named = [str(process_id) for process_id in process_ids]
    return f"process{'es' if len(named) > 1 else ''} {', '.join(named)}"


class Process:
    """One process: its id in a grid, and how often it has met each group."""

    def __init__(self, grid: Grid, process_id: ProcessId) -> None:
        self.grid = grid
        self.replica, self.partition = self.process_id = process_id
        self._met: dict[Any, int] = defaultdict(int)

    @cached_property
    def generator(self) -> np.random.Generator:
        """The generator of random numbers, which is not that of another process."""
        return np.random.default_rng([self.grid.seed, self.replica, self.partition])

    def meet(self, what: str, channel: int, group: Sequence[ProcessId], value: Any) -> list[Any]:
        """The values of all processes of a group, for the same op at the same time."""
        if any(member not in self.grid.process_ids() for member in group):
            raise RunError(
                f"a group has processes {list(group)}, and the grid is of {self.grid.replicas} by "
                f"{self.grid.partitions} (see the options replicas and partitions)"
            )
        if len(group) == 1:
            return [value]
        key = (what, channel, tuple(group))
        self._met[key] += 1
        return self.grid.meet((*key, self._met[key]), group, self.process_id, kept(value))


def kept(value: Any) -> Any:
    """A copy, for others to read when this process has gone on and written over its own arrays."""
    if isinstance(value, tuple | list):
        return type(value)(map(kept, value))
    return value if value is None else np.array(value)


_local = threading.local()


def current() -> Process:
    """The process that runs on this thread; outside of a run, the only one of a grid of its own."""
    if getattr(_local, "process", None) is None:
        _local.process = Process(Grid(1, 1), (0, 0))
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
