"""Progress of long-running work, as a bar or a status line; on standard error, on terminals only."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Event, RLock, Thread, Timer
from time import monotonic
from types import TracebackType
from typing import TYPE_CHECKING

from stablehlo_py.cli.common import is_coloured, moves_cursor

from stablehlo_py.diagnostics.render import escaped

if TYPE_CHECKING:
    from rich.progress import Progress as Bar

DELAY = 1.0  # seconds before it appears
PAUSE = 0.2  # seconds between updates
_CLEAR = "\r\x1b[K"


def shows_progress() -> bool:
    """Test whether standard error is a terminal that shows progress; none with NO_COLOR."""
    return moves_cursor(sys.stderr)


class Progress:
    """A progress bar that appears a second after the start of the work.

    Example:
        with Progress("verify", len(files)) as progress:
            for result in results:
                progress.advance()
                with progress.aside():
                    print(result)
    """

    def __init__(self, label: str, total: int) -> None:
        self._label, self._total, self._done = label, total, 0
        self._bar: Bar | None = None
        self._lock = RLock()
        self._timer = Timer(DELAY, self._appear)
        self._timer.daemon = True

    def __enter__(self) -> Progress:
        if shows_progress():
            self._timer.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._timer.cancel()
        with self._lock:
            if self._bar:
                self._bar.stop()

    def advance(self) -> None:
        """Count one more item as done."""
        with self._lock:
            self._done += 1
            if self._bar:
                self._bar.update(self._bar.task_ids[0], completed=self._done)

    @contextmanager
    def aside(self) -> Iterator[None]:
        """Hide the bar while something is printed."""
        with self._lock:
            if self._bar:
                self._bar.stop()
            try:
                yield
            finally:
                if self._bar:
                    self._bar.start()

    def _appear(self) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

        columns = (
            TextColumn("{task.description}", markup=False),
            BarColumn(),
            MofNCompleteColumn(),
            TimeElapsedColumn(),
        )
        with self._lock:
            if self._timer.finished.is_set():
                return
            self._bar = Progress(
                *columns,
                console=Console(stderr=True, markup=False, emoji=False, no_color=not is_coloured(sys.stderr)),
                transient=True,
                redirect_stdout=False,
                redirect_stderr=False,
            )
            self._bar.add_task(escaped(self._label), total=self._total, completed=self._done)
            self._bar.start()


@contextmanager
def progress_line(what: Callable[[], str]) -> Iterator[None]:
    """Show a status line with the elapsed time, from a second after the start, where progress is shown.

    Args:
        what: Returns the text of the line.
    """
    if not shows_progress():
        yield
        return
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
    if DELAY > 0 and ended.wait(DELAY):
        return
    while True:
        sys.stderr.write(f"{_CLEAR}{escaped(what())}, {monotonic() - begin:.0f} s")
        sys.stderr.flush()
        if ended.wait(PAUSE):
            break
    sys.stderr.write(_CLEAR)
    sys.stderr.flush()
