"""Functions whose steps are watched. A program compiled without an observer knows nothing of them."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

from stablehlo_py.interpreter.limits import LimitedFunction, Limits
from stablehlo_py.interpreter.observer import Moment, Observer
from stablehlo_py.interpreter.plan import Plan, Step
from stablehlo_py.ir.core import Module
from stablehlo_py.kernels.grid.process import current

LOOPS = {"stablehlo.while": 1, "chlo.scan": 0}  # the region that runs once an iteration


class _Thread(threading.local):
    """The iterations of the loops that a thread is in, the outermost first."""

    def __init__(self) -> None:
        self.loops: list[int] = []


class Watch:
    """What the watched functions of a program share: the observer, and the iterations of running loops."""

    def __init__(self, observer: Observer) -> None:
        self.observer = observer
        self.thread = _Thread()

    def start(self) -> None:
        """A run begins."""
        self.thread.loops.clear()
        self.observer.start()


class ObservedFunction(LimitedFunction):
    """A compiled function whose steps are watched; `iterates`: each call of it is an iteration of a loop."""

    def __init__(self, name: str, module: Module, limits: Limits, watch: Watch, iterates: bool) -> None:
        super().__init__(name, module, limits)
        self._watch = watch
        self._iterates = iterates

    def finish(self, plan: Plan, captures: int = 0) -> None:
        super().finish(plan, captures)
        self._steps = [
            (kind, self._watched(step, call) if self._shows(step) else call, *rest)
            for step, (kind, call, *rest) in zip(plan.steps, self._steps, strict=True)
        ]

    def __call__(self, *arguments: Any) -> tuple[Any, ...]:
        results = super().__call__(*arguments)
        if self._iterates:
            self._watch.thread.loops[-1] += 1
        return results

    def _shows(self, step: Step) -> bool:
        """Whether the observer is told of a step: all that have an op, or all that are one.

        A function that gives back an input copies it in a step that has no op.
        """
        is_op = bool(step.op) and step.name.startswith((step.op.name, "call "))
        return is_op if self._watch.observer.every_op else bool(step.op)

    def _watched(self, step: Step, call: Callable[..., Any]) -> Callable[..., Any]:
        thread, module, name, op, packed = self._watch.thread, self.module, step.name, step.op, step.packed
        before, after = self._watch.observer.before, self._watch.observer.after
        ops = step.members or (op,)
        is_loop = op.name in LOOPS

        def watched(*arrays: Any) -> Any:
            loops = thread.loops
            moment = Moment(module, name, op, ops, tuple(loops), current().place)
            before(moment, arrays)
            if is_loop:
                loops.append(0)
            found = call(*arrays)
            if is_loop:
                loops.pop()
            after(moment, arrays, tuple(found) if packed else (found,))
            return found

        return watched
