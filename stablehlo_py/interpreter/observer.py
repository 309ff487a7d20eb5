"""Watching a run: what `shlo.compile(..., observer=...)` and `shlo.run(..., observer=...)` take."""

from __future__ import annotations

from typing import Any, NamedTuple

from stablehlo_py.ir.core import Module, Operation


class Moment(NamedTuple):
    """An op at one moment of a run.

    `op` runs; `ops` are all that run as one with it, itself included. `name` is the op's name, or what the
    plan calls the step. `iterations` are those of the loops around it, from 0, the outermost first.
    `process` is the replica and partition that it runs on.
    """

    module: Module
    name: str
    op: Operation
    ops: tuple[Operation, ...]
    iterations: tuple[int, ...]
    process: tuple[int, int]


class Observer:
    """Base of what watches a run: `before` and `after` are called around every op.

        class Largest(shlo.Observer):
            def after(self, moment, operands, results):
                print(moment.name, moment.iterations, [np.max(result) for result in results])

        shlo.run(module, inputs, observer=Largest())

    Ops are watched in functions and in the bodies of `while`, `if` and `case`; the function that an op such
    as `reduce` applies to elements is a part of that op. `constant` and `iota` are not watched. Arrays are
    the run's own: who wants to keep one copies it, and nobody changes it. An exception ends the run.

    `every_op`: each op runs by itself and on its own memory, and calls are not inlined. Otherwise the run
    is what it is without an observer: chains of elementwise ops run as one, and some ops write over their
    operands, which `after` must then not look at.
    """

    every_op: bool = True

    def start(self) -> None:
        """A run begins."""

    def before(self, moment: Moment, operands: tuple[Any, ...]) -> None:
        """An op is about to run on its operands, and on the values that its regions take from outside."""

    def after(self, moment: Moment, operands: tuple[Any, ...], results: tuple[Any, ...]) -> None:
        """An op has run."""


class Observers(Observer):
    """Several observers as one."""

    def __init__(self, *observers: Observer) -> None:
        self._observers = observers
        self.every_op = any(observer.every_op for observer in observers)

    def start(self) -> None:
        for observer in self._observers:
            observer.start()

    def before(self, moment: Moment, operands: tuple[Any, ...]) -> None:
        for observer in self._observers:
            observer.before(moment, operands)

    def after(self, moment: Moment, operands: tuple[Any, ...], results: tuple[Any, ...]) -> None:
        for observer in reversed(self._observers):
            observer.after(moment, operands, results)
