"""The process grid of a rank: what the other processes of the grid do arrives in messages."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from stablehlo_py.diagnostics.diagnostic import RunError, Unsupported
from stablehlo_py.engines.messages import digest
from stablehlo_py.engines.mpi.world import World
from stablehlo_py.kernels.grid.groups import GridSize
from stablehlo_py.kernels.grid.process import Grid, Process, ProcessId, Supply, Task, Work, processes_text


class MpiGrid(Grid):
    """A grid of which this rank runs one process, with its asynchronous computations.

    Args:
        world: The ranks.
        replicas: The number of replicas.
        partitions: The number of partitions.
        infeed: See `Grid`; each rank has its own.
        outfeed: See `Grid`.
        seed: See `Grid`.
    """

    def __init__(
        self,
        world: World,
        replicas: int,
        partitions: int,
        infeed: Iterable[Supply] = (),
        outfeed: Callable[[tuple[Any, ...]], None] | None = None,
        seed: int = 0,
    ) -> None:
        super().__init__(replicas, partitions, infeed, outfeed, seed)
        self._world = world
        self._size = GridSize(replicas, partitions)
        self._waits: dict[Task, Callable[[], str]] = {}

    def run_local(self, work: Work) -> Any:
        """Run the work of this rank's process, and wait for those of the others; raise the first failure."""
        self._world.start()
        process = Process(self, self.process_ids()[self._world.rank])
        task = Task(process, work)
        self._run_tasks([task])
        if self._failure is not None:
            self._world.fail(f"process {process.process_id}: {self._failure}")
            raise self._failure
        error = self._world.finish(f"process {process.process_id} has finished")
        if error:
            raise RunError(error)
        return task.result

    def exchange(
        self, key: Any, group: Sequence[ProcessId], process_id: ProcessId, parts: Sequence[Any]
    ) -> list[Any]:
        """Exchange values within a group; see `Grid.exchange`."""
        name = digest(key)
        mine = dict(zip(group, parts, strict=True))
        ranks = {member: self._size.number(member) for member in group if member != process_id}
        for member, rank in ranks.items():
            self._world.send(rank, name, mine[member])

        def missing() -> list[ProcessId]:
            return [member for member, rank in ranks.items() if not self._world.has(rank, name)]

        self.wait(lambda: not missing(), lambda: "waiting for " + processes_text(missing()))
        found = {member: self._world.take(rank, name) for member, rank in ranks.items()}
        return [mine[member] if member == process_id else found[member] for member in group]

    def send(self, channel: Any, values: Any) -> None:
        """Send values to the process that a channel names."""
        rank = self._target(channel)
        if rank == self._world.rank:
            super().send(channel, values)
        else:
            self._world.send(rank, digest(channel), values)

    def receive(self, channel: Any, where: str) -> Any:
        """Return the first values of a channel; see `Grid.receive`."""
        self._target(channel)
        name, own = digest(channel), self._channels[channel]

        def source() -> int | None:
            return next((rank for rank in range(self._world.size) if self._world.has(rank, name)), None)

        self.wait(
            lambda: bool(own) or source() is not None,
            lambda: f"waiting to receive from {where}, to which no process sends",
        )
        rank = source()
        return own.popleft() if rank is None else self._world.take(rank, name)

    def _target(self, channel: Any) -> int:
        if not isinstance(channel, tuple):
            raise Unsupported("engine mpi needs source_target_pairs, which name the receiver")
        return self._size.number(channel[1])

    # Turns

    def wait(self, ready: Callable[[], bool], what: Callable[[], str]) -> None:
        """Let other tasks of this rank run until a condition holds; see `Grid.wait`."""
        if not ready():
            self._world.look()
        if self._turn is not None:
            self._waits[self._turn] = what
        super().wait(ready, what)

    def progress(self) -> None:
        """Let asynchronous computations of this rank continue whose messages have arrived."""
        own = self._turn
        if own is not None and len(self._tasks) > 1:
            self._world.poll()
            if any(task is not own and task.ready() for task in self._tasks):
                self._yield_turn(own)

    def _next_ready(self, order: Sequence[Task]) -> Task | None:
        """Return the first task that is ready, once there is one, or the run has failed."""
        while (found := super()._next_ready(order)) is None:
            self._world.wait(lambda: self._described(order))
            error = self._world.error()
            if error:
                self._failure = RunError(error)
        return found

    def _described(self, order: Sequence[Task]) -> str:
        """Return what tasks wait for."""
        waits = [self._waits[task]() for task in order if task in self._waits]
        return f"process {self.process_ids()[self._world.rank]}: {'; '.join(waits)}"
