"""The ranks of MPI: values that they exchange, the outcome of runs, and what they print."""

from __future__ import annotations

import atexit
import sys
import time
from collections import Counter, defaultdict, deque
from collections.abc import Callable
from functools import cache
from typing import Any

from stablehlo_py.engines.mpi.judge import Judge, State, Status
from stablehlo_py.engines.mpi.resources import share_machine
from stablehlo_py.engines.mpi.transport import Message, MpiTransport, Transport

JUDGE = 0  # the rank that judges runs, and prints what all ranks say
_LONGEST_PAUSE = 1e-3  # seconds between looks for messages
_QUIET = 0.02  # seconds of pauses until a rank states that it waits


class World:
    """All ranks of a program.

    Args:
        transport: What carries messages between them.

    Attributes:
        rank: The number of this rank.
        size: The number of ranks.
        run: The number of the current run.
    """

    def __init__(self, transport: Transport) -> None:
        self._transport = transport
        self.rank, self.size = transport.rank, transport.size
        self.run = 0
        self._inbox: dict[tuple[int, int, str], deque[Any]] = defaultdict(deque)
        self._sent, self._received = [0] * self.size, [0] * self.size
        self._judge = Judge(self.size)  # of rank 0; the others do not ask theirs
        self._stated: State | None = None
        self._verdicts: dict[int, str] = {}
        self._is_over = False
        self._said: Counter[tuple[int, str, str]] = Counter()
        self._printed: Counter[tuple[str, str]] = Counter()
        self._pause = self._idle = 0.0

    # Runs

    def start(self) -> None:
        """Start a run, which all ranks start."""
        self.run += 1
        for key in [key for key in self._inbox if key[0] < self.run]:
            del self._inbox[key]
        self._verdicts = {run: text for run, text in self._verdicts.items() if run >= self.run}

    def finish(self, text: str) -> str:
        """State that this rank has ended its part, and wait for the outcome of the run; see `error`."""
        while (error := self.error()) is None:
            self._state("ended", text)
            self.look()
        return error

    def fail(self, text: str) -> None:
        """State that this rank failed, unless the run has failed already."""
        if self.error() is None:
            self._state("failed", text)

    def error(self) -> str | None:
        """Return the outcome of the run: an error, "" for success, None as long as there is none."""
        return self._verdicts.get(self.run)

    def leave(self) -> None:
        """State that this rank leaves for good, and wait until all do, so that none misses a message."""
        while not self._is_over:
            self._state("left")
            self.look()
        self._transport.complete()

    # Values

    def send(self, rank: int, key: str, value: Any) -> None:
        """Send a value to a rank, without waiting for it."""
        self._sent[rank] += 1
        self._transport.send(rank, {"kind": "value", "run": self.run, "key": key}, value)

    def has(self, rank: int, key: str) -> bool:
        """Return whether a value of a rank has arrived."""
        return bool(self._inbox.get((self.run, rank, key)))

    def take(self, rank: int, key: str) -> Any:
        """Remove the first value that arrived from a rank."""
        return self._inbox[self.run, rank, key].popleft()

    def wait(self, what: Callable[[], str]) -> None:
        """Look for messages; state what this rank waits for if there have been none for a while."""
        self.look()
        if self._idle > _QUIET:
            self._state("waiting", what())

    # Texts

    def say(self, text: str, stream: str) -> None:
        """Print a text, as often as the rank that says it most often.

        Args:
            text: The text.
            stream: "stdout" or "stderr", of rank 0.
        """
        if self.rank == JUDGE:
            self._print(self.rank, text, stream)
        else:
            self._transport.send(JUDGE, {"kind": "text", "text": text, "stream": stream})

    def _print(self, source: int, text: str, stream: str) -> None:
        self._said[source, text, stream] += 1
        if self._said[source, text, stream] > self._printed[text, stream]:
            self._printed[text, stream] += 1
            print(text, end="", file=getattr(sys, stream), flush=True)

    # Messages

    def poll(self) -> bool:
        """Release messages that others took; take what has arrived, and return whether that is any."""
        self._transport.release()
        found = False
        for message in self._transport.receive():
            found = True
            self._take(message)
        if found:
            self._pause = self._idle = 0.0
        return found

    def look(self) -> None:
        """Take the messages that have arrived; pause if there are none."""
        if self.poll():
            return
        time.sleep(self._pause)
        self._idle += self._pause
        self._pause = min(_LONGEST_PAUSE, self._pause * 2 + 1e-6)

    def _take(self, message: Message) -> None:
        source, fields, value = message
        match fields:
            case {"kind": "value", "run": run, "key": key}:
                self._received[source] += 1
                if run >= self.run:
                    self._inbox[run, source, key].append(value)
            case {"kind": "state", "state": values}:
                self._hear(source, State(*values))
            case {"kind": "verdict", "run": run, "error": error}:
                self._verdicts[run] = error
            case {"kind": "text", "text": text, "stream": stream}:
                self._print(source, text, stream)
            case {"kind": "over"}:
                self._is_over = True

    def _state(self, status: Status, text: str = "") -> None:
        """Tell the judge the state of this rank, if it has changed."""
        state = State(self.run, status, text, tuple(self._sent), tuple(self._received))
        if state == self._stated:
            return
        self._stated = state
        if self.rank == JUDGE:
            self._hear(self.rank, state)
        else:
            self._transport.send(JUDGE, {"kind": "state", "state": state})

    def _hear(self, source: int, state: State) -> None:
        """Judge by the state of a rank; tell all ranks the outcome."""
        verdict = self._judge.hear(source, state)
        if verdict is not None:
            self._verdicts[verdict.run] = verdict.error
            self._tell_all({"kind": "verdict", **verdict._asdict()})
        if self._judge.have_all_left():
            self._is_over = True
            self._tell_all({"kind": "over"})

    def _tell_all(self, fields: dict[str, Any]) -> None:
        for rank in range(self.size):
            if rank != self.rank:
                self._transport.send(rank, fields)


@cache
def world() -> World:
    """Return the ranks of this program, which leave when it ends."""
    transport = MpiTransport()
    share_machine(transport.ranks_here)
    made = World(transport)
    atexit.register(made.leave)
    return made
