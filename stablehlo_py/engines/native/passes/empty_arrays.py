"""Empty arrays are constants, which control flow neither carries nor captures nor returns.

Loops have no form of arrays without elements. What is computed of them alone is folded.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from stablehlo_py.engines.native.passes.loop_invariants import with_inputs
from stablehlo_py.engines.native.region import CONTROL, WHILE
from stablehlo_py.interpreter.plan import Plan, Step, byte_size
from stablehlo_py.ir.element_types import numpy_dtype

_UPDATES = {
    "stablehlo.dynamic_update_slice": 1,
    "stablehlo.scatter": -1,
}  # where an update is in the operands

# Evaluates a step on constants; None if it cannot be evaluated, or the result is large.
Evaluate = Callable[[Step, Sequence[Any]], Sequence[Any] | None]


def without_empty_arrays(plan: Plan[Step], evaluate: Evaluate) -> Plan[Step]:
    """Return a plan whose steps read, make and pass on no empty arrays, except steps that need them.

    Args:
        plan: The plan. Its inputs and outputs stay.
        evaluate: Evaluates a step whose operands are constants.
    """
    return _Writer(plan, evaluate).write() if _has_empty_arrays(plan) else plan


def _has_empty_arrays(plan: Plan[Step]) -> bool:
    bodies = [body for step in plan.steps for body in step.plans]
    return any(byte_size(type) == 0 for type in plan.types) or any(map(_has_empty_arrays, bodies))


class _Writer:
    """A plan while it is written."""

    def __init__(self, plan: Plan[Step], evaluate: Evaluate) -> None:
        self.plan = replace(plan, types=list(plan.types), constants=dict(plan.constants), steps=[])
        self._old, self._evaluate = plan, evaluate
        self._names: dict[int, int] = {}  # slots that are read instead of others
        for slot, type in enumerate(plan.types):
            if self._is_empty(slot):
                at = slot
                if slot < plan.arity:
                    at = self._names[slot] = len(self.plan.types)
                    self.plan.types.append(type)
                dtype = numpy_dtype(plan.tensor(slot).element_type)
                self.plan.constants[at] = np.empty(plan.shape_of(slot), dtype)

    def write(self) -> Plan[Step]:
        for step in self._old.steps:
            self._add(replace(step, ins=self._renamed(step.ins)))
        self.plan.outputs = self._renamed(self._old.outputs)
        return self.plan

    def _renamed(self, slots: Sequence[int]) -> tuple[int, ...]:
        return tuple([self._names.get(slot, slot) for slot in slots])

    def _is_empty(self, slot: int) -> bool:
        return byte_size(self.plan.types[slot]) == 0

    def _add(self, step: Step) -> None:
        if step.outs and all(map(self._is_empty, step.outs)) and not step.effect and step.name != WHILE:
            return
        if step.name in CONTROL:
            step = self._control(step)
        if not (self._is_nothing(step) or self._is_folded(step)):
            self.plan.steps.append(step)

    def _is_nothing(self, step: Step) -> bool:
        """Use the operands of a step that updates nothing in them."""
        if step.name not in _UPDATES or not self._is_empty(step.ins[_UPDATES[step.name]]):
            return False
        self._names |= dict(zip(step.outs, step.ins, strict=False))
        return True

    def _is_folded(self, step: Step) -> bool:
        """Evaluate a step whose operands are constants, of which one is empty."""
        constants = self.plan.constants
        if step.effect or not any(map(self._is_empty, step.ins)) or not constants.keys() >= {*step.ins}:
            return False
        found = self._evaluate(step, [constants[slot] for slot in step.ins])
        if found is None:
            return False
        constants |= zip(step.outs, found, strict=True)
        return True

    def _control(self, step: Step) -> Step:
        """Return control flow without empty values; a loop of nothing else stays, since it may not end."""
        outs = tuple([slot for slot in step.outs if not self._is_empty(slot)])
        if not outs and step.name == WHILE:
            return step
        bodies = {
            name: tuple(map(self._body, body)) if isinstance(body, tuple) else self._body(body)
            for name, body in step.bodies.items()
        }
        ins = tuple([slot for slot in step.ins if not self._is_empty(slot)])
        return replace(step, ins=ins, outs=outs, bodies=bodies)

    def _body(self, body: Plan[Step]) -> Plan[Step]:
        """Return a body without the inputs and outputs that are empty."""
        body = without_empty_arrays(body, self._evaluate)
        inputs = [slot for slot in range(body.arity) if byte_size(body.types[slot]) != 0]
        captures = len([slot for slot in inputs if slot >= body.arity - body.captures])
        outputs = tuple([slot for slot in body.outputs if byte_size(body.types[slot]) != 0])
        return with_inputs(replace(body, outputs=outputs), inputs, captures)
