"""Processes: a grid of replicas and partitions that run concurrently and synchronize in collectives.

Each process of a grid is a task, and so is each asynchronous computation. Tasks have threads of their own but
take turns: one runs until it blocks or ends, then the next ready task in order runs. Execution is therefore
deterministic, and deadlocks are detected at once.
"""

from __future__ import annotations

import threading
from collections import defaultdict, deque
from collections.abc import Callable, Iterable, Sequence
from functools import cached_property
from itertools import count
from typing import Any

import numpy as np

from stablehlo_py.diagnostics.diagnostic import RunError
from stablehlo_py.ir.types import Type
from stablehlo_py.kernels.registry import Array

ProcessId = tuple[int, int]  # replica id and partition id
Work = Callable[[], Any]
Supply = Callable[[tuple[Type, ...]], tuple[Any, ...]]  # from result types of an infeed to arrays


class Task:
    """A unit of work of a process, with its wait condition and its outcome.

    Args:
        process: The process that it runs in.
        work: The function to run.
    """

    def __init__(self, process: Process, work: Work) -> None:
        self.process = process
        self.work = work
        self.ready: Callable[[], bool] = _always
        self.has_turn = threading.Event()
        self.thread: threading.Thread | None = None  # there is one once it had its first turn
        self.ended = False
        self.result: Any = None
        self.error: BaseException | None = None


def _always() -> bool:
    return True


def _await_turn(task: Task) -> None:
    task.has_turn.wait()
    task.has_turn.clear()


class Grid:
    """The state shared by processes: turns, rendezvous, channels, infeed, outfeed and probes.

    Args:
        replicas: The number of replicas.
        partitions: The number of partitions.
        infeed: A function for each `infeed` op, which returns arrays of the types that the op states.
        outfeed: Called with the arrays of each `outfeed` op.
        seed: The seed of `rng`.
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
        self._tasks: list[Task] = []  # unfinished tasks
        self._turn: Task | None = None
        self._failure: BaseException | None = None
        self._stuck: list[Task] = []  # the tasks that waited in a deadlock
        self._meetings: dict[Any, dict[ProcessId, Any]] = defaultdict(dict)
        self._channels: dict[Any, deque[Any]] = defaultdict(deque)

    @cached_property
    def _all_ended(self) -> threading.Event:
        return threading.Event()  # slow to make, and not needed by a single process

    def process_ids(self) -> list[ProcessId]:
        """The ids of all processes, replica by replica."""
        return [(r, p) for r in range(self.replicas) for p in range(self.partitions)]

    # Communication

    def exchange(
        self, key: Any, group: Sequence[ProcessId], process_id: ProcessId, parts: Sequence[Any]
    ) -> list[Any]:
        """Exchange values within a group: wait until all its members have called.

        Args:
            key: Identifies the rendezvous.
            group: The members of the group.
            process_id: The calling process.
            parts: The values of the calling process for each member, in the order of the group.

        Returns:
            The values of all members for the calling process, in the order of the group.
        """
        meeting = self._meetings[key]
        meeting[process_id] = parts
        if len(meeting) == len(group):
            del self._meetings[key]
        self.wait(
            lambda: len(meeting) == len(group),
            lambda: "waiting for " + processes_text(member for member in group if member not in meeting),
        )
        index = group.index(process_id)
        return [meeting[member][index] for member in group]

    def send(self, channel: Any, values: Any) -> None:
        """Append values to a channel."""
        self._channels[channel].append(values)

    def receive(self, channel: Any, where: str) -> Any:
        """Remove the first values from a channel; wait until there are some.

        Args:
            channel: The key of the channel.
            where: The name of the channel, for messages.
        """
        queue = self._channels[channel]
        self.wait(lambda: bool(queue), lambda: f"waiting to receive from {where}, to which no process sends")
        return queue.popleft()

    # Turns

    def run(self, works: Sequence[Work]) -> list[Any]:
        """Run one unit of work per process and return the results; raise the first failure."""
        tasks = [
            Task(Process(self, process_id), work)
            for process_id, work in zip(self.process_ids(), works, strict=True)
        ]
        self._run_tasks(tasks)
        if self._failure is not None:
            raise self._failure
        return [task.result for task in tasks]

    def _run_tasks(self, tasks: Sequence[Task]) -> None:
        """Let tasks take turns until all have ended; a deadlock becomes the failure."""
        self._tasks = list(tasks)
        self._all_ended.clear()
        self._give_turn(tasks[0])
        self._all_ended.wait()
        if self._stuck:
            self._failure = self._deadlock()

    def start(self, process: Process, work: Work) -> Task:
        """Start a task, which runs concurrently with the process that started it."""
        task = Task(process, work)
        if self._turn is None:  # a single process on the caller's thread
            task.result, task.ended = work(), True
            return task
        parent = self._turn
        self._tasks.insert(self._tasks.index(parent) + 1, task)
        self._give_turn(task)
        _await_turn(parent)
        return task

    def wait(self, ready: Callable[[], bool], what: Callable[[], str]) -> None:
        """Let other tasks run until a condition holds.

        Args:
            ready: The condition.
            what: Returns the message of the error if the condition can never hold.

        Raises:
            RunError: Deadlock, or another process failed.
        """
        task = self._turn
        if ready():
            return
        if task is None:
            raise RunError(what())
        task.ready = ready
        self._yield_turn(task)
        task.ready = _always
        if not ready():
            raise RunError(what() if self._stuck else "another process failed")

    def _yield_turn(self, task: Task) -> None:
        """Let other tasks that are ready run before a task continues."""
        self._pass_on(self._tasks.index(task) + 1)
        _await_turn(task)

    def _give_turn(self, task: Task) -> None:
        """Let a task run on its thread; the caller then returns or waits for its own turn."""
        self._turn = task
        task.has_turn.set()
        if task.thread is None:
            task.thread = threading.Thread(target=self._run, args=(task,), daemon=True)
            task.thread.start()

    def _run(self, task: Task) -> None:
        """Run a task on its thread."""
        _await_turn(task)
        try:
            if self._failure is None:
                with Entered(task.process), np.errstate(all="ignore"):
                    task.result = task.work()
        except BaseException as error:  # raised again where the grid was started
            task.error = error
            self._failure = self._failure or error
        at = self._tasks.index(task)
        self._tasks.remove(task)
        task.ended = True
        self._pass_on(at)

    def _pass_on(self, at: int) -> None:
        """Give the turn to the first task from `at` on that is ready, or that must fail."""
        order = [*self._tasks[at:], *self._tasks[:at]]
        if not order:
            self._all_ended.set()
            return
        following = self._next_ready(order)
        if following is None:
            self._stuck, following = order, order[0]
            self._failure = RunError("deadlock: every process waits for another")
        self._give_turn(following)

    def _next_ready(self, order: Sequence[Task]) -> Task | None:
        """Return the first task that is ready, or that must fail; None in a deadlock."""
        return next((task for task in order if self._failure is not None or task.ready()), None)

    def _deadlock(self) -> RunError:
        """Return the error of a deadlock, which lists what each process waits for."""
        stuck = sorted(self._stuck, key=lambda task: task.process.process_id)
        lines = [f"process {task.process.process_id}: {task.error}" for task in stuck]
        ended = set(self.process_ids()) - {task.process.process_id for task in stuck}
        lines += [f"process {process_id} has finished" for process_id in sorted(ended)]
        return RunError("\n  ".join([str(self._failure), *lines]))


def processes_text(process_ids: Iterable[ProcessId]) -> str:
    """Return the ids of processes as text: "process (0, 0)", "processes (0, 0), (0, 1)"."""
    named = [str(process_id) for process_id in process_ids]
    return f"process{'es' if len(named) > 1 else ''} {', '.join(named)}"


class Process:
    """A process: its id in a grid, and the number of its rendezvous with each group.

    Args:
        grid: The grid.
        process_id: The id of the process.
    """

    def __init__(self, grid: Grid, process_id: ProcessId) -> None:
        self.grid = grid
        self.replica, self.partition = self.process_id = process_id
        self._met: dict[Any, int] = defaultdict(int)

    @cached_property
    def generator(self) -> np.random.Generator:
        """The random number generator of this process."""
        return np.random.default_rng([self.grid.seed, self.replica, self.partition])

    def meet(self, what: str, channel: int, group: Sequence[ProcessId], value: Any) -> list[Any]:
        """Give a value to the processes of a group that execute the same op, and take theirs.

        Args:
            what: The name of the op.
            channel: The channel id of the op.
            group: The members of the group, all of the grid.
            value: The value of this process.

        Returns:
            The values of all members, in the order of the group.

        Raises:
            RunError: Deadlock.
        """
        if len(group) == 1:
            return [value]
        return self.exchanges(what, channel, group)([kept(value)] * len(group))

    def exchange(
        self, what: str, channel: int, group: Sequence[ProcessId], parts: Sequence[Any]
    ) -> list[Any]:
        """Give each process of a group its part; see `meet`.

        Args:
            what: The name of the op.
            channel: The channel id of the op.
            group: The members of the group, all of the grid.
            parts: The values for each member, in the order of the group.

        Returns:
            The parts of all members for this process, in the order of the group.
        """
        if len(group) == 1:
            return [parts[0]]
        return self.exchanges(what, channel, group)(kept(list(parts)))

    def exchanges(
        self, what: str, channel: int, group: Sequence[ProcessId]
    ) -> Callable[[Sequence[Any]], list[Any]]:
        """Return a function that gives each process of a group its part, for an op that does so repeatedly.

        Other tasks of this process may exchange values with the group between its calls.
        """
        key = (what, channel, tuple(group))
        self._met[key] += 1
        number, turns = self._met[key], count()
        return lambda parts: self.grid.exchange((*key, number, next(turns)), group, self.process_id, parts)


def kept(value: Any) -> Any:
    """Return a copy of a value for other processes, since this one may overwrite its own arrays."""
    if isinstance(value, tuple | list):
        return type(value)(map(kept, value))
    return value if value is None else np.array(value)


_local = threading.local()


def current() -> Process:
    """Return the process that runs on this thread; outside of a run, the only one of a grid of its own."""
    if getattr(_local, "process", None) is None:
        _local.process = Process(Grid(1, 1), (0, 0))
    process: Process = _local.process
    return process


class Entered:
    """A context in which a process is the current one of this thread.

    Args:
        process: The process; None for the only one of a new grid, which is made where it is needed.
    """

    __slots__ = ("_before", "_process")

    def __init__(self, process: Process | None) -> None:
        self._process = process

    def __enter__(self) -> None:
        self._before = getattr(_local, "process", None)
        _local.process = self._process

    def __exit__(self, *error: object) -> None:
        _local.process = self._before
