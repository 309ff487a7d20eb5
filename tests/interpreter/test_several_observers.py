"""Several observers are called as one: in order, and the results of one are what the next one sees."""

from __future__ import annotations

from typing import Any

import pytest

from stablehlo_py.interpreter.observer import Moment, Observer, Observers

MOMENT: Any = None


class Noting(Observer):
    """Notes its calls, and returns given results."""

    def __init__(self, name: str, log: list[Any], before: Any = None, after: Any = None) -> None:
        self.name, self.log, self.results = name, log, (before, after)

    def start(self) -> None:
        self.log.append((self.name, "start"))

    def before(self, moment: Moment, operands: tuple[Any, ...]) -> tuple[Any, ...] | None:
        self.log.append((self.name, "before", operands))
        found: tuple[Any, ...] | None = self.results[0]
        return found

    def after(
        self, moment: Moment, operands: tuple[Any, ...], results: tuple[Any, ...]
    ) -> tuple[Any, ...] | None:
        self.log.append((self.name, "after", operands, results))
        found: tuple[Any, ...] | None = self.results[1]
        return found

    def compiled(self, code: Any) -> None:
        self.log.append((self.name, "compiled", code))

    def end(self) -> None:
        self.log.append((self.name, "end"))


def test_calls_are_made_in_order() -> None:
    log: list[Any] = []
    both = Observers(Noting("a", log), Noting("b", log))
    code: Any = "code"
    both.start()
    assert both.before(MOMENT, (1,)) is None
    assert both.after(MOMENT, (1,), (2,)) is None
    both.compiled(code)
    both.end()
    assert log == [
        ("a", "start"),
        ("b", "start"),
        ("a", "before", (1,)),
        ("b", "before", (1,)),
        ("b", "after", (1,), (2,)),  # around an op, as nested calls are
        ("a", "after", (1,), (2,)),
        ("a", "compiled", "code"),
        ("b", "compiled", "code"),
        ("a", "end"),
        ("b", "end"),
    ]


@pytest.mark.parametrize(
    ("a", "b", "expected"),
    [(None, (7,), (7,)), ((6,), (7,), (6,)), ((6,), None, (6,)), ((), (7,), ()), (None, None, None)],
)
def test_the_first_results_stand_for_the_op(a: Any, b: Any, expected: Any) -> None:
    log: list[Any] = []
    assert Observers(Noting("a", log, before=a), Noting("b", log, before=b)).before(MOMENT, ()) == expected
    assert len(log) == 2


@pytest.mark.parametrize(
    ("a", "b", "seen", "expected"),
    [
        (None, (7,), (7,), (7,)),
        ((6,), (7,), (7,), (6,)),
        ((6,), None, (2,), (6,)),
        (None, None, (2,), None),
    ],
)
def test_changed_results_are_those_that_the_outer_observer_sees(
    a: Any, b: Any, seen: Any, expected: Any
) -> None:
    log: list[Any] = []
    both = Observers(Noting("a", log, after=a), Noting("b", log, after=b))
    assert both.after(MOMENT, (1,), (2,)) == expected
    assert log[-1] == ("a", "after", (1,), seen)


@pytest.mark.parametrize("every", [(False, False), (True, False), (False, True)])
def test_every_op_is_observed_if_one_observer_asks_for_it(every: tuple[bool, bool]) -> None:
    given = [Noting(str(i), []) for i in range(2)]
    for observer, value in zip(given, every, strict=True):
        observer.every_op = value
    assert Observers(*given).every_op is any(every)
