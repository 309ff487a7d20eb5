"""Observers of runs: the `observer` argument of `shlo.compile` and `shlo.run`."""

from __future__ import annotations

from typing import Any, NamedTuple, Protocol, runtime_checkable

from stablehlo_py.ir.core import Module, Operation


class Moment(NamedTuple):
    """An execution of an op.

    Attributes:
        op: The op.
        ops: All ops that run as one step with it, itself included.
        name: The name of the op, or of the step in the plan.
        iterations: The iterations of the enclosing loops, from 0, the outermost first.
        process: The replica and partition that it runs on.
    """

    module: Module
    name: str
    op: Operation
    ops: tuple[Operation, ...]
    iterations: tuple[int, ...]
    process: tuple[int, int]


class LoopTime(NamedTuple):
    """The time of a loop nest of compiled code, over all calls.

    Attributes:
        module: The module.
        ops: The ops that it computes.
        calls: The number of calls.
        seconds: From its begin to its end.
        busy: The time of all threads that compute it.
        waiting: The time of threads that wait until it ends.
        bytes: Those of the arrays that it reads and writes.
    """

    module: Module
    ops: tuple[Operation, ...]
    calls: int
    seconds: float
    busy: float
    waiting: float
    bytes: int


@runtime_checkable
class TimedCode(Protocol):
    """Compiled code that measures its loop nests."""

    def time_loops(self) -> None:
        """Measure the times of loop nests from now on."""

    def loop_times(self) -> list[LoopTime]:
        """The times of loop nests, with their ops."""


class ObserverError(Exception):
    """An exception of an observer, on its way through the run that it ends; `error` is raised there.

    Attributes:
        error: The exception.
    """

    def __init__(self, error: Exception) -> None:
        super().__init__(str(error))
        self.error = error


class Observer:
    """Base class of observers: `before` and `after` are called around every op.

        class Largest(shlo.Observer):
            def after(self, moment, operands, results):
                print(moment.name, moment.iterations, [np.max(result) for result in results])

        shlo.run(module, inputs, observer=Largest())

    Ops are observed in functions and in the bodies of `while`, `if` and `case`; a region that an op such as
    `reduce` applies to elements is part of that op. `constant` and `iota` are not observed. The arrays are
    those of the run: copy an array to keep it, and do not modify it. An exception ends the run.

    Attributes:
        every_op: Run each op as a step of its own, on its own memory, without inlining of calls. Otherwise,
            steps are those of a run without observer: chains of elementwise ops run as one, and some ops
            overwrite their operands, which `after` must then not read.
    """

    every_op: bool = True

    def start(self) -> None:
        """Called at the start of a run."""

    def before(self, moment: Moment, operands: tuple[Any, ...]) -> tuple[Any, ...] | None:
        """Called before an op runs.

        Args:
            moment: The execution.
            operands: The operands, and the values that the regions of the op capture.

        Returns:
            The results of the op, which then does not run, or None.
        """
        return None

    def after(
        self, moment: Moment, operands: tuple[Any, ...], results: tuple[Any, ...]
    ) -> tuple[Any, ...] | None:
        """Called after an op has run.

        Args:
            moment: The execution.
            operands: The operands, and the values that the regions of the op capture.
            results: The results.

        Returns:
            The results with which the run continues, or None for those of the op.
        """
        return None

    def compiled(self, code: TimedCode) -> None:
        """Called for each part of the program that is compiled to loops, before it runs."""

    def end(self) -> None:
        """Called after a run, also after one that fails."""


class Observers(Observer):
    """Several observers combined into one.

    Args:
        observers: The observers, called in order.
    """

    def __init__(self, *observers: Observer) -> None:
        self._observers = observers
        self.every_op = any(observer.every_op for observer in observers)

    def start(self) -> None:
        """Call `start` of each observer."""
        for observer in self._observers:
            observer.start()

    def before(self, moment: Moment, operands: tuple[Any, ...]) -> tuple[Any, ...] | None:
        """Call `before` of each observer, and return the first results that one returns."""
        found = [observer.before(moment, operands) for observer in self._observers]
        return next((results for results in found if results is not None), None)

    def after(
        self, moment: Moment, operands: tuple[Any, ...], results: tuple[Any, ...]
    ) -> tuple[Any, ...] | None:
        """Call `after` of each observer, with the results that the previous one returns, if any."""
        changed: tuple[Any, ...] | None = None
        for observer in reversed(self._observers):
            given = results if changed is None else changed
            changed = observer.after(moment, operands, given) or changed
        return changed

    def compiled(self, code: TimedCode) -> None:
        """Call `compiled` of each observer."""
        for observer in self._observers:
            observer.compiled(code)

    def end(self) -> None:
        """Call `end` of each observer."""
        for observer in self._observers:
            observer.end()
