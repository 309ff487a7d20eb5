"""Pauses of the garbage collector: no collection follows them, and garbage does not pile up."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from typing import Any
from weakref import ref

import pytest

from stablehlo_py.ir import garbage
from stablehlo_py.ir.garbage import gc_paused


class Cycle:
    def __init__(self) -> None:
        self.own = self


@pytest.fixture(autouse=True)
def enabled(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The collector is on, and nothing has been paused before."""
    monkeypatch.setattr(garbage, "_AGING", garbage._Aging())
    was_enabled = gc.isenabled()
    gc.enable()
    yield
    if not was_enabled:
        gc.disable()


@pytest.fixture
def collections() -> Iterator[list[int]]:
    """The generations that were collected."""
    found: list[int] = []

    def record(phase: str, info: dict[str, Any]) -> None:
        if phase == "start":
            found.append(info["generation"])

    gc.callbacks.append(record)
    yield found
    gc.callbacks.remove(record)


def test_no_collection_follows_a_pause(collections: list[int]) -> None:
    with gc_paused():
        kept = [Cycle() for _ in range(20_000)]
        assert not gc.isenabled()
    kept += [Cycle() for _ in range(10)]
    assert gc.isenabled() and collections == []


@pytest.mark.slow
def test_garbage_is_collected_when_much_is_new(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(garbage, "_LEAST", 20_000)
    monkeypatch.setattr(garbage, "_AGING", garbage._Aging())
    dropped = []
    for _ in range(10):
        with gc_paused():
            dropped += [ref(Cycle()) for _ in range(5_000)]
    assert any(each() is None for each in dropped)


def test_what_stays_is_not_counted(collections: list[int], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(garbage, "_LEAST", 20_000)
    monkeypatch.setattr(garbage, "_AGING", garbage._Aging())
    with gc_paused(stays=True):
        kept = [Cycle() for _ in range(30_000)]
    with gc_paused():
        kept.append(Cycle())
    assert gc.isenabled() and collections == []


def test_a_pause_within_another_changes_nothing(collections: list[int]) -> None:
    with gc_paused():
        with gc_paused():
            kept = [Cycle() for _ in range(2_000)]
        assert not gc.isenabled()
        kept += [Cycle() for _ in range(2_000)]
    gc.disable()
    with gc_paused():
        pass
    assert not gc.isenabled() and collections == []
    gc.enable()


def test_what_the_program_has_frozen_stays_frozen() -> None:
    gc.freeze()
    try:
        before = gc.get_freeze_count()
        with gc_paused():
            pass
        assert 0 < gc.get_freeze_count() <= before
    finally:
        gc.unfreeze()


@pytest.mark.parametrize(("frozen", "counted"), [(0, 40), (3, 2)])
def test_frozen_objects_are_counted_rarely(
    frozen: int, counted: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    counts: list[int] = []
    monkeypatch.setattr(gc, "get_freeze_count", lambda: counts.append(frozen) or frozen)
    for _ in range(40):
        garbage._AGING.age(garbage._LEAST // 80)
    assert len(counts) == counted


@pytest.mark.parametrize(("frozen", "count"), [(3, 7), (0, 5)])
def test_objects_are_counted_without_a_list_where_none_is_frozen(
    frozen: int, count: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    counts = [frozen]
    monkeypatch.setattr(gc, "get_objects", lambda: [None] * 7)
    monkeypatch.setattr(gc, "get_freeze_count", lambda: counts[-1])
    monkeypatch.setattr(gc, "freeze", lambda: counts.append(5))
    monkeypatch.setattr(gc, "unfreeze", counts.pop)
    assert garbage._count() == count
    assert counts == [frozen]
