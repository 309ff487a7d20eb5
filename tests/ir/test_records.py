"""Data classes of the package beside those of `dataclasses`, which state what is expected."""

from __future__ import annotations

import copy
import dataclasses
import pickle
from collections.abc import Callable
from dataclasses import field
from typing import Any

import pytest

from stablehlo_py.ir import records

Decorator = Callable[..., Any]


def point(dataclass: Decorator, **options: bool) -> Any:
    @dataclass(**options)
    class Point:
        """A point."""

        x: int
        y: Any = 2
        note: str = field(default="", compare=False, repr=False)
        tags: list[int] = field(default_factory=list, hash=False)

    return Point


OPTIONS = [
    {},
    {"frozen": True},
    {"slots": True},
    {"frozen": True, "slots": True},
    {"eq": False},
    {"frozen": True, "repr": False},
]


def behaviour(make: Any) -> list[Any]:
    """What users of a class observe; the text of an error stands for what raises it."""
    a, b, c = make(1), make(x=1, note="other"), make(1, float("nan"))
    tries: list[Callable[[], Any]] = [
        lambda: [a == b, a != b, a == c, c == c, a == (1, 2, ""), a == make(1, 2, "", [3])],
        lambda: repr(c).replace(hex(id(c)), ""),
        lambda: hash(a) == hash(b),
        lambda: len({a, b, c}),
        lambda: setattr(a, "x", 5),
        lambda: delattr(b, "y"),
        lambda: dataclasses.asdict(dataclasses.replace(c, y=7)),
        lambda: copy.deepcopy(make(3, [4])).y,
        lambda: [each.name for each in dataclasses.fields(make)],
        lambda: make.__match_args__,
        lambda: make(),
    ]
    found = []
    for attempt in tries:
        try:
            found.append(attempt())
        except (AttributeError, TypeError) as error:
            found.append(f"{type(error).__name__}: {error}")
    return found


@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_classes_behave_as_those_of_dataclasses(options: dict[str, bool]) -> None:
    made, expected = point(records.dataclass, **options), point(dataclasses.dataclass, **options)
    assert [str(each) for each in behaviour(made)] == [str(each) for each in behaviour(expected)]


@pytest.mark.parametrize("slots", [False, True])
def test_a_frozen_object_takes_no_other_attribute(slots: bool) -> None:
    made = point(records.dataclass, frozen=True, slots=slots)(1)
    with pytest.raises(dataclasses.FrozenInstanceError, match="cannot assign to field 'z'"):
        made.z = 5


@records.dataclass(frozen=True)
class Base:
    """A class with an equality of its own."""

    name: str

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Base)

    def __hash__(self) -> int:
        return 7

    def __repr__(self) -> str:
        return "base"


@records.dataclass(frozen=True)
class Derived(Base):
    """A class that adds a field."""

    size: int = 0


def test_methods_of_the_class_are_kept() -> None:
    assert Base("a") == Base("b") and hash(Base("a")) == 7 and repr(Base("a")) == "base"
    assert Derived("a") != Derived("b") and Derived("a", 1) == Derived("a", 1)
    assert repr(Derived("a", 1)) == "Derived(name='a', size=1)"
    assert pickle.loads(pickle.dumps(Derived("a", 1))) == Derived("a", 1)


@pytest.mark.parametrize("frozen", [False, True])
def test_an_object_of_a_derived_class_is_another(frozen: bool) -> None:
    made = point(records.dataclass, frozen=frozen)
    derived = type("Derived", (made,), {})
    assert made(1) != derived(1) and derived(1) != made(1)
    assert derived(1) == derived(1)


def test_a_record_in_itself_has_a_text() -> None:
    looped = point(records.dataclass)(1)
    looped.y = looped
    assert repr(looped).count("...") == 1
