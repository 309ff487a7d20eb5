"""A line that says how far a long run is: on a terminal only, on standard error."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Event, Thread
from time import monotonic

DELAY = 1.0  # seconds before the line appears
PAUSE = 0.2  # seconds between two looks
_CLEAR = "\r\x1b[K"


def shows_progress() -> bool:
    """Whether there is a terminal to show it on."""
    return sys.stderr.isatty() and os.environ.get("TERM") != "dumb"


@contextmanager
def progress_line(what: Callable[[], str]) -> Iterator[None]:
    """Shows what goes on and the time taken, from a second after its start."""
    ended = Event()
    line = Thread(target=_show, args=(ended, what), daemon=True)
    line.start()
    try:
        yield
    finally:
        ended.set()
        line.join()


def _show(ended: Event, what: Callable[[], str]) -> None:
    begin = monotonic()
    if ended.wait(DELAY):
        return
    while True:
        sys.stderr.write(f"{_CLEAR}{what()}, {monotonic() - begin:.0f} s")
        sys.stderr.flush()
        if ended.wait(PAUSE):
            break
    sys.stderr.write(_CLEAR)
    sys.stderr.flush()
