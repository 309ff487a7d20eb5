"""Where the other run's values come from: a run in another thread, in step with the run that takes them."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any, NamedTuple, Protocol

from stablehlo_py.diagnostics.diagnostic import StablehloError
from stablehlo_py.interpreter.observer import Moment, Observer
from stablehlo_py.ir.core import Operation
from stablehlo_py.kernels.grid.process import ProcessId

BUFFERED = 256 << 20  # bytes of values that nobody has taken, from which a run waits
Results = tuple[Any, ...]
ByProcess = dict[ProcessId, Results]


class Event(NamedTuple):
    """An execution of an op: the iterations of the enclosing loops, and the process."""

    op: Operation
    iterations: tuple[int, ...]
    process: ProcessId


Emit = Callable[[Event, Results], None]


class Source(Protocol):
    """The values of a run.

    Attributes:
        error: Why the run failed, or None.
    """

    error: StablehloError | None

    def start(self) -> None:
        """Start the run."""

    def take(self, event: Event) -> Results | None:
        """Return the results of an execution of an op; None for what is unknown, or did not run."""

    def finished(self) -> ByProcess | None:
        """Wait for the end of the run; return the results of each process, None if they are not known."""

    def close(self) -> None:
        """End the run."""


class Stopped(StablehloError):
    """Ends a run whose values are no longer needed."""


class Emitter(Observer):
    """Passes the results of every op on, by `emit`."""

    def __init__(self) -> None:
        self.emit: Emit = lambda event, results: None

    def after(self, moment: Moment, operands: Results, results: Results) -> None:
        """Pass results on."""
        self.emit(Event(moment.op, moment.iterations, moment.process), results)


class _Entry:
    """The results of an execution, and how often they are still to be taken."""

    __slots__ = ("left", "results")

    def __init__(self, results: Results, left: int) -> None:
        self.results = results
        self.left = left


class Lockstep:
    """A run in a separate thread, which waits until its values are taken.

    The run does not wait while a value is requested, so values can be taken in any order.

    Args:
        execute: Runs the program, calls its argument with each execution and its results, and returns the
            results of each process.
        wanted: The number of times that the results of an op are taken; results of other ops are dropped.
    """

    def __init__(self, execute: Callable[[Emit], ByProcess], wanted: Mapping[Operation, int]) -> None:
        self.error: StablehloError | None = None
        self.results: ByProcess | None = None  # of the whole run, once it has ended
        self._execute = execute
        self._wanted = wanted
        self._found: dict[Event, deque[_Entry]] = {}
        self._bytes = 0
        self._asked = self._closed = self._ended = False
        self._failure: BaseException | None = None
        self._changed = threading.Condition()
        self._thread = threading.Thread(target=self._run, daemon=True)

    def start(self) -> None:
        """Start the run."""
        self._thread.start()

    def take(self, event: Event) -> Results | None:
        """Return the results of an execution; None if it did not take place."""
        with self._changed:
            self._asked = True
            self._changed.notify_all()
            self._changed.wait_for(lambda: event in self._found or self._ended)
            self._asked = False
            if self._failure is not None:
                raise self._failure
            if event not in self._found:
                return None
            entry = self._found[event][0]
            entry.left -= 1
            if not entry.left:
                self._found[event].popleft()
                self._bytes -= _size(entry.results)
                if not self._found[event]:
                    del self._found[event]
                self._changed.notify_all()
            return entry.results

    def finished(self) -> ByProcess | None:
        """Wait for the end of the run; return the results of each process, None if it fails."""
        with self._changed:
            self._asked = True
            self._changed.notify_all()
            self._changed.wait_for(lambda: self._ended)
        return self.results

    def close(self) -> None:
        """End the run, and wait for its end."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()
        self._thread.join()

    def _run(self) -> None:
        try:
            with suppress(Stopped):  # raised after `close`
                self.results = self._execute(self._emit)
        except StablehloError as error:
            self.error = error
        except BaseException as error:
            self._failure = error
        finally:
            with self._changed:
                self._ended = True
                self._changed.notify_all()

    def _emit(self, event: Event, results: Results) -> None:
        count = self._wanted.get(event.op, 0)
        with self._changed:
            if count:
                self._found.setdefault(event, deque()).append(_Entry(results, count))
                self._bytes += _size(results)
                self._changed.notify_all()
            self._changed.wait_for(lambda: self._bytes <= BUFFERED or self._asked or self._closed)
            if self._closed:
                raise Stopped


def _size(results: Results) -> int:
    return sum(getattr(value, "nbytes", 0) for value in results)
