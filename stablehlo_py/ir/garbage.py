"""Garbage collection: paused where many objects are made and none of them is garbage."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager

_LEAST = 1 << 18  # objects, some tens of megabytes


@contextmanager
def gc_paused(stays: bool = False) -> Iterator[None]:
    """Pause the cyclic garbage collector, which would traverse all new objects several times.

    Args:
        stays: Whether none of the new objects becomes garbage later, as of modules that are imported.
    """
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            _AGING.age(0 if stays else gc.get_count()[0])
            gc.enable()


class _Aging:
    """New objects become old ones, which a collection of young objects does not traverse.

    Python collects old objects when a quarter of them is new. It does not count these, so it is done here.
    """

    def __init__(self) -> None:
        self._new = 0
        self._most = _LEAST
        self._unasked = 0  # objects to come before frozen ones are counted again, which takes long

    def age(self, new: int) -> None:
        """Make all objects old, and collect garbage if many are new.

        Args:
            new: How many were made since the last time.
        """
        self._new += new
        self._unasked -= new
        if self._new > self._most:
            gc.collect()
            self._new, self._most = 0, max(_LEAST, _count() // 4)
        elif self._unasked <= 0:
            self._make_old()

    def _make_old(self) -> None:
        if gc.get_freeze_count():  # the program has objects that are never to be traversed
            self._unasked = _LEAST // 4
        else:
            gc.freeze()
            gc.unfreeze()


def _count() -> int:
    """Return how many objects there are; where that can be, without a list of them, which would be large."""
    if gc.get_freeze_count():
        return len(gc.get_objects())
    gc.freeze()
    count = gc.get_freeze_count()
    gc.unfreeze()
    return count


_AGING = _Aging()
