"""The judge of runs, in simulated networks whose messages take any time."""

from __future__ import annotations

import random
from collections import deque
from typing import Any

import pytest

from stablehlo_py.engines.mpi.judge import Judge, State, Verdict

Move = tuple[str, int]  # "send" to a rank, or "take" from a rank


class Rank:
    """A rank that sends and takes messages in a given order, and states what it does when it waits."""

    def __init__(self, number: int, size: int, moves: list[Move]) -> None:
        self.number = number
        self.moves = deque(moves)
        self.sent, self.received, self.inbox = [0] * size, [0] * size, [0] * size
        self.stated: State | None = None

    @property
    def waits(self) -> bool:
        return bool(self.moves) and self.moves[0][0] == "take" and not self.inbox[self.moves[0][1]]

    def state(self) -> State:
        status: Any = "waiting" if self.moves else "ended"
        return State(1, status, f"{self.number}: {status}", tuple(self.sent), tuple(self.received))


class Network:
    """Ranks, and messages on their way: those from one rank to another arrive in order, after any time."""

    def __init__(self, choice: random.Random, programs: list[list[Move]]) -> None:
        size = len(programs)
        self.choice = choice
        self.ranks = [Rank(number, size, moves) for number, moves in enumerate(programs)]
        self.judge = Judge(size)
        self.values: dict[tuple[int, int], int] = {}  # on their way, by sender and receiver
        self.states: dict[int, deque[State]] = {number: deque() for number in range(size)}

    @property
    def is_still(self) -> bool:
        """Whether no rank will ever continue."""
        return not any(self.values.values()) and all(not r.moves or r.waits for r in self.ranks)

    def run(self) -> Verdict | None:
        """Let events happen in a random order until there is a verdict; None if nothing happens any more."""
        while events := self._events():
            what, where = self.choice.choice(events)
            verdict = getattr(self, what)(where)
            if verdict is not None:
                assert self.is_still, "judged while a rank can continue"
                return verdict
        return None

    def _events(self) -> list[tuple[str, Any]]:
        events: list[tuple[str, Any]] = [("_deliver", pair) for pair, count in self.values.items() if count]
        events += [("_judge", number) for number, waiting in self.states.items() if waiting]
        for rank in self.ranks:
            if rank.moves and not rank.waits:
                events.append(("_move", rank))
            elif rank.state() != rank.stated:
                events.append(("_state", rank))
        return events

    def _deliver(self, pair: tuple[int, int]) -> None:
        source, target = pair
        self.values[pair] -= 1
        self.ranks[target].received[source] += 1
        self.ranks[target].inbox[source] += 1

    def _judge(self, number: int) -> Verdict | None:
        return self.judge.hear(number, self.states[number].popleft())

    def _move(self, rank: Rank) -> None:
        what, other = rank.moves.popleft()
        if what == "take":
            rank.inbox[other] -= 1
            return
        rank.sent[other] += 1
        pair = rank.number, other
        self.values[pair] = self.values.get(pair, 0) + 1

    def _state(self, rank: Rank) -> None:
        rank.stated = rank.state()
        self.states[rank.number].append(rank.stated)


def exchanges(choice: random.Random, size: int) -> list[list[Move]]:
    """Programs that end: exchanges within random groups, in the same order everywhere."""
    programs: list[list[Move]] = [[] for _ in range(size)]
    for _ in range(choice.randrange(1, 6)):
        group = choice.sample(range(size), choice.randrange(2, size + 1))
        for rank in group:
            others = [other for other in group if other != rank]
            programs[rank] += [("send", other) for other in others] + [("take", other) for other in others]
    return programs


@pytest.mark.parametrize("size", [2, 3, 5])
def test_programs_that_end_are_never_deadlocks(size: int) -> None:
    for seed in range(400):
        choice = random.Random(seed)
        assert Network(choice, exchanges(choice, size)).run() == Verdict(1, "")


@pytest.mark.parametrize("size", [2, 3, 5])
def test_deadlocks_are_always_found(size: int) -> None:
    """One message is taken that nobody sends."""
    for seed in range(400):
        choice = random.Random(seed)
        programs = exchanges(choice, size)
        stuck = choice.randrange(size)
        programs[stuck].insert(choice.randrange(len(programs[stuck]) + 1), ("take", (stuck + 1) % size))
        verdict = Network(choice, programs).run()
        assert verdict is not None and verdict.run == 1
        lines = verdict.error.split("\n  ")
        assert lines[0] == "deadlock: every process waits for another"
        assert lines[1 + stuck] == f"{stuck}: waiting" and len(lines) == 1 + size


def test_a_message_that_made_up_for_another_on_its_way_is_no_end() -> None:
    """Rank 0 waits, then gets a message from 1 and sends one to 2: as many are sent as received in sum."""
    judge = Judge(3)
    assert judge.hear(0, State(1, "waiting", "", (0, 0, 0), (0, 0, 0))) is None
    assert judge.hear(1, State(1, "ended", "", (1, 0, 0), (0, 0, 0))) is None
    assert judge.hear(2, State(1, "waiting", "", (0, 0, 0), (1, 0, 0))) is None
    assert judge.hear(0, State(1, "ended", "", (0, 0, 1), (0, 1, 0))) == (
        1,
        "deadlock: every process waits for another\n  \n  \n  ",
    )


def test_a_failure_is_judged_at_once_and_once() -> None:
    judge = Judge(2)
    assert judge.hear(1, State(1, "failed", "no such row", (3, 0), (0, 0))) == (
        1,
        "another process failed: no such row",
    )
    assert judge.hear(0, State(1, "failed", "later", (0, 0), (0, 0))) is None
    assert judge.hear(1, State(2, "ended", "", (3, 0), (0, 0))) is None
    assert judge.hear(0, State(2, "ended", "", (0, 0), (2, 0))) is None  # one of the first run is on its way
    assert judge.hear(0, State(2, "ended", "", (0, 0), (0, 3))) == (2, "")


def test_a_rank_that_leaves_ends_the_run_of_the_others() -> None:
    judge = Judge(2)
    assert judge.hear(1, State(0, "left", "", (0, 0), (0, 0))) is None
    assert not judge.have_all_left()
    error = "another process failed: rank 1 ended before the program"
    assert judge.hear(0, State(1, "waiting", "", (0, 0), (0, 0))) == (1, error)
    assert judge.hear(0, State(1, "left", "", (0, 1), (0, 0))) is None
    assert not judge.have_all_left()  # rank 1 has yet to receive a message
    assert judge.hear(1, State(0, "left", "", (0, 0), (1, 0))) is None
    assert judge.have_all_left()
