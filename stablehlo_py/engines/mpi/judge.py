"""The outcome of a run on several ranks, from what each rank states: success, failure, or deadlock.

Rank 0 is the judge. A rank states that it waits or has ended, with the number of messages that it has sent
to and received from each other rank. These statements are of different times, and a rank may have continued
since. They still prove that no rank will continue if all ranks wait or have ended, and each has received as
many messages from each other rank as that rank has sent: the first rank to continue after its statement
would have to receive a message that was sent before the sender's statement, and these have all been received
(Mattern's vector counters). Sums over all ranks prove nothing, since a message that is received after a
statement can make up for a message that is on its way.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, NamedTuple

import numpy as np

DEADLOCK = "deadlock: every process waits for another"
Status = Literal["waiting", "ended", "failed", "left"]


class State(NamedTuple):
    """What a rank states.

    Attributes:
        run: The number of the run.
        status: Whether the rank waits for a message, has ended its part, failed, or leaves for good.
        text: What it waits for, that it has finished, or its error.
        sent: The number of messages that it has sent to each rank, in all runs.
        received: The number of messages that it has received from each rank, in all runs.
    """

    run: int
    status: Status
    text: str
    sent: Sequence[int]
    received: Sequence[int]


class Verdict(NamedTuple):
    """The outcome of a run: its number, and the error of the other ranks, "" for success."""

    run: int
    error: str


class Judge:
    """The outcome of runs.

    Args:
        size: The number of ranks.
    """

    def __init__(self, size: int) -> None:
        self._states: list[State | None] = [None] * size
        self._sent = np.zeros((size, size), np.int64)
        self._received = np.zeros((size, size), np.int64)
        self._judged = 0  # the last run with a verdict

    def hear(self, rank: int, state: State) -> Verdict | None:
        """Take the state of a rank; return the verdict on a run if there is one now."""
        self._states[rank] = state
        self._sent[rank], self._received[rank] = state.sent, state.received
        run = max(state.run for state in self._states if state is not None)
        if run <= self._judged:
            return None
        error = self._error(run)
        if error is None:
            return None
        self._judged = run
        return Verdict(run, error)

    def have_all_left(self) -> bool:
        """Return whether all ranks leave, and no message is on its way."""
        left = [state for state in self._states if state is not None and state.status == "left"]
        return len(left) == len(self._states) and self._is_quiet()

    def _error(self, run: int) -> str | None:
        """Return the error of a run; "" if it has ended well, None if it goes on."""
        for rank, state in enumerate(self._states):
            if state is not None and state.status == "left":
                return f"another process failed: rank {rank} ended before the program"
            if state is not None and state.status == "failed" and state.run == run:
                return f"another process failed: {state.text}"
        states = [state for state in self._states if state is not None and state.run == run]
        if len(states) < len(self._states) or not self._is_quiet():
            return None
        if all(state.status == "ended" for state in states):
            return ""
        return "\n  ".join([DEADLOCK, *[state.text for state in states]])

    def _is_quiet(self) -> bool:
        """Return whether each rank states to have received what the others state to have sent to it."""
        return np.array_equal(self._sent, self._received.T)
