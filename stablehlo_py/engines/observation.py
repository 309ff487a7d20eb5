"""Observation: calls observers before and after each step of a run."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from stablehlo_py.diagnostics.diagnostic import StablehloError
from stablehlo_py.interpreter.inputs import array_dtype, has_shape
from stablehlo_py.interpreter.observer import Moment, Observer, ObserverError, TimedCode
from stablehlo_py.interpreter.plan import Plan, Step
from stablehlo_py.ir.types import TensorType, Type
from stablehlo_py.kernels.grid.process import current


class _Thread(threading.local):
    """The iterations of the loops that a thread is in, the outermost first."""

    def __init__(self) -> None:
        self.loops: list[int] = []


class Observation:
    """An observer as an instrument (see `engines.engine`). Regions on elements are part of their op.

    Args:
        observer: The observer.
    """

    def __init__(self, observer: Observer) -> None:
        self.observer = observer
        self._thread = _Thread()

    def start(self) -> None:
        """Start the observer."""
        self._thread.loops.clear()
        self.observer.start()

    def wrap_step(self, plan: Plan[Any], step: Step, call: Callable[..., Any]) -> Callable[..., Any]:
        """Return a call of a step that calls the observer before and after."""
        if plan.on_elements or not self._shows(step) or step.op is None:
            return call
        code = getattr(step, "call", None)
        if isinstance(code, TimedCode):
            self.observer.compiled(code)
        thread, module, name, op, several = self._thread, plan.module, step.name, step.op, step.returns_tuple
        before, after = _apart(self.observer.before), _apart(self.observer.after)
        types = [plan.types[slot] for slot in step.outs]
        ops = step.members or (op,)
        is_loop = any(body.iterates for body in step.plans)
        taken = tuple if self.observer.every_op else _copied  # steps write into the results of others

        def observed(*arrays: Any) -> Any:
            loops = thread.loops
            moment = Moment(module, name, op, ops, tuple(loops), current().process_id)
            results = before(moment, arrays)
            if results is not None:
                _check(moment, types, results)
                results = taken(results)
            else:
                if is_loop:
                    loops.append(0)
                found = call(*arrays)
                if is_loop:
                    loops.pop()
                results = tuple(found) if several else (found,)
            changed = after(moment, arrays, results)
            if changed is not None:
                _check(moment, types, changed)
                results = taken(changed)
            return results if several else results[0]

        return observed

    def wrap_function(self, plan: Plan[Any], call: Callable[..., Any]) -> Callable[..., Any]:
        """Return a call of a function; a call of a loop's body counts as an iteration."""
        if plan.on_elements or not plan.iterates:
            return call
        thread = self._thread

        def iteration(*arrays: Any) -> Any:
            results = call(*arrays)
            thread.loops[-1] += 1
            return results

        return iteration

    def _shows(self, step: Step) -> bool:
        """Return True if a step is observed: those with an op, or with members.

        The copy of an input that is returned has no op.
        """
        if self.observer.every_op:
            return step.op is not None and step.name.startswith((step.op.name, "call "))
        return step.op is not None


def _apart(method: Callable[..., Any]) -> Callable[..., Any]:
    """Return a method of an observer whose exceptions are not taken for those of the op."""

    def call(*arguments: Any) -> Any:
        try:
            return method(*arguments)
        except StablehloError:
            raise
        except Exception as error:
            raise ObserverError(error) from error

    return call


def _copied(results: Sequence[Any]) -> tuple[Any, ...]:
    """Return copies of arrays that an observer may keep."""
    return tuple([value.copy() if isinstance(value, np.ndarray) else value for value in results])


def _check(moment: Moment, types: Sequence[Type], results: Sequence[Any]) -> None:
    """Check that the results with which an observer continues a run are of the declared types."""
    if len(results) != len(types):
        found = ValueError(
            f"the observer returned {len(results)} results for {moment.name}, not {len(types)}"
        )
        raise ObserverError(found)
    for type, value in zip(types, results, strict=True):
        if not isinstance(type, TensorType):
            continue
        array = np.asarray(value)
        if array.dtype != array_dtype(type, "") or not has_shape(type, array.shape):
            have = f"{array.dtype} of shape {array.shape}"
            raise ObserverError(ValueError(f"the observer returned {have} for {moment.name}, not {type}"))
