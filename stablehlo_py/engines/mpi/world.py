"""The ranks of MPI: messages between them, their states, and the detection of deadlocks."""

from __future__ import annotations

import atexit
import time
from collections import defaultdict, deque
from functools import cache
from typing import Any, Literal

import numpy as np

from stablehlo_py.engines.messages import decoded, empty_like, encoded, header_of, leaves
from stablehlo_py.ir.records import dataclass

HEADER, DATA, STATE = 1, 2, 3  # tags
_LONGEST_PAUSE = 1e-3  # seconds between looks for messages
Status = Literal["running", "waiting", "ended", "failed"]


@dataclass(frozen=True, slots=True)
class State:
    """What a rank last told the others.

    Attributes:
        run: The number of the run.
        status: Whether the rank waits, has ended its part of the run, or failed.
        sent: The number of messages that it sent in the run.
        received: The number of messages that it received in the run.
        text: What it waits for, or its error.
    """

    run: int = 0
    status: Status = "running"
    sent: int = 0
    received: int = 0
    text: str = ""


class World:
    """The communicator of all ranks.

    A rank that waits tells the others so, with the numbers of messages that it sent and received. If all wait
    or have ended, and as many messages were received as sent, no rank will ever continue: it is a deadlock.

    Attributes:
        rank: The number of this rank.
        size: The number of ranks.
        run: The number of the current run.
    """

    def __init__(self) -> None:
        from mpi4py import MPI

        self._mpi = MPI
        self._comm = MPI.COMM_WORLD.Dup()
        self.rank = int(self._comm.Get_rank())
        self.size = int(self._comm.Get_size())
        self.run = 0
        self._sent = self._received = 0
        self._inbox: dict[tuple[int, int, str], deque[Any]] = defaultdict(deque)
        self._states: dict[int, State] = {}
        self._mine = State(status="ended")
        self._pending: list[tuple[Any, Any]] = []  # requests, with the buffers that they send
        self._pause = 0.0
        atexit.register(self._leave)

    # Runs

    def start(self) -> None:
        """Start a run, which all ranks start."""
        self.run += 1
        early = [len(values) for (run, _, _), values in self._inbox.items() if run == self.run]
        self._sent, self._received = 0, sum(early)
        self._mine = State(self.run)

    def finish(self) -> None:
        """Wait until all ranks have ended the run, or one failed."""
        self.tell("ended")
        while not self.failure() and not all(self._has_ended(rank) for rank in range(self.size)):
            self.tell("ended")  # messages that nobody takes count as received
            if self.is_deadlocked():
                return
            self.progress()
        self._complete(wait=not self.failure())

    def fail(self, text: str) -> None:
        """Tell the other ranks that this one failed."""
        self.tell("failed", text)

    def failure(self) -> str:
        """Return the error of another rank in this run, or ""."""
        states = self._states.values()
        return next((s.text for s in states if s.run == self.run and s.status == "failed"), "")

    def _has_ended(self, rank: int) -> bool:
        state = self._mine if rank == self.rank else self._states.get(rank, State())
        return state.run > self.run or (state.run == self.run and state.status in ("ended", "failed"))

    def _leave(self) -> None:
        """At the end of the process: tell the others if they expect a run of this rank."""
        if self._mine.status in ("running", "waiting") or self.run == 0:
            self.run = max(self.run, 1)
            self.fail("it ended before the program")
        self._complete(wait=False)

    # Messages

    def send(self, rank: int, key: str, value: Any) -> None:
        """Send a value to a rank, without waiting for it."""
        header = encoded({"run": self.run, "key": key, "value": header_of(value)})
        self._post(header, rank, HEADER)
        for buffer in leaves(value):
            self._post(buffer, rank, DATA)
        self._sent += 1

    def has(self, rank: int, key: str) -> bool:
        """Return whether a value of a rank has arrived."""
        return bool(self._inbox.get((self.run, rank, key)))

    def take(self, rank: int, key: str) -> Any:
        """Remove the first value that arrived from a rank."""
        return self._inbox[self.run, rank, key].popleft()

    def progress(self) -> None:
        """Receive the messages that have arrived; pause if there are none."""
        if self._receive():
            self._pause = 0.0
            return
        self._complete(wait=False)
        time.sleep(self._pause)
        self._pause = min(_LONGEST_PAUSE, self._pause * 2 + 1e-6)

    def _post(self, buffer: Any, rank: int, tag: int) -> None:
        self._pending.append((self._comm.Isend([buffer, self._mpi.BYTE], rank, tag), buffer))

    def _complete(self, wait: bool) -> None:
        """Release the buffers of messages that were received."""
        if wait:
            self._mpi.Request.Waitall([request for request, _ in self._pending])
        self._pending = [] if wait else [each for each in self._pending if not each[0].Test()]

    def _receive(self) -> bool:
        status = self._mpi.Status()
        found = False
        for tag in (HEADER, STATE):
            while self._comm.Iprobe(self._mpi.ANY_SOURCE, tag, status):
                found = True
                data = np.empty(status.Get_count(self._mpi.BYTE), np.uint8)
                source = status.Get_source()
                self._comm.Recv([data, self._mpi.BYTE], source, tag)
                if tag == HEADER:
                    self._accept(source, decoded(data))
                else:
                    self._states[source] = State(*decoded(data))
        return found

    def _accept(self, source: int, header: Any) -> None:
        value = empty_like(header["value"])
        for buffer in leaves(value):
            self._comm.Recv([buffer, self._mpi.BYTE], source, DATA)
        self._inbox[header["run"], source, header["key"]].append(value)
        if header["run"] == self.run:
            self._received += 1

    # States

    def tell(self, status: Status, text: str = "") -> None:
        """Tell the other ranks the state of this one, if it has changed."""
        state = State(self.run, status, self._sent, self._received, text)
        if state != self._mine:
            self._mine = state
            data = encoded([state.run, state.status, state.sent, state.received, state.text])
            for rank in range(self.size):
                if rank != self.rank:
                    self._post(data, rank, STATE)

    def is_deadlocked(self) -> bool:
        """Return whether all ranks wait or have ended, and no message is on its way."""
        states = [self._mine, *self._states.values()]
        if len(states) < self.size or any(s.run != self.run for s in states):
            return False
        ended = [s.status == "ended" for s in states]
        if not all(s.status in ("waiting", "ended") for s in states) or all(ended):
            return False
        current = (self._mine.sent, self._mine.received) == (self._sent, self._received)
        return current and sum(s.sent for s in states) == sum(s.received for s in states)

    def described(self, rank: int) -> str:
        """Return what a rank waits for, or that it has finished."""
        state = self._mine if rank == self.rank else self._states[rank]
        return state.text if state.status == "waiting" else "has finished"


@cache
def world() -> World:
    """Return the ranks of this program."""
    return World()
