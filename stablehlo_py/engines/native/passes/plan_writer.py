"""Writing a plan anew: steps are copied, changed, or added for no op of the program."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from stablehlo_py.engines.native.lower.registry import is_lowered
from stablehlo_py.engines.native.region import CONTROL
from stablehlo_py.interpreter.plan import Plan, Step
from stablehlo_py.ir.element_types import numpy_dtype
from stablehlo_py.ir.types import TensorType, Type
from stablehlo_py.kernels.quantized import is_quantized
from stablehlo_py.kernels.registry import Ints

BROADCAST, CONVERT, TRANSPOSE = [f"stablehlo.{name}" for name in ("broadcast_in_dim", "convert", "transpose")]


class PlanWriter:
    """A plan while it is written; the slots of the original plan have the same values in it.

    Args:
        plan: the original plan.

    Attributes:
        plan: the new plan.
        changed: whether it has other steps than the original.
        producers: the steps that make slots.
    """

    def __init__(self, plan: Plan[Step]) -> None:
        self.plan = replace(plan, types=list(plan.types), constants=dict(plan.constants), steps=[])
        self.changed = False
        self.producers: dict[int, Step] = {}

    def add(self, step: Step) -> None:
        """Add a step."""
        self.plan.steps.append(step)
        self.producers.update(dict.fromkeys(step.outs, step))

    def slot(self, type: Type) -> int:
        """Make a slot."""
        self.plan.types.append(type)
        return len(self.plan.types) - 1

    def constant(self, array: Any, element: Type) -> int:
        """The slot of an array of constants."""
        found = np.asarray(array, numpy_dtype(element))
        made = self.slot(TensorType(found.shape, element))
        self.plan.constants[made] = found
        return made

    def insert(
        self,
        name: str,
        user: Step,
        ins: tuple[int, ...],
        out: int,
        elementwise: bool = False,
        **keywords: Any,
    ) -> None:
        """Add a step that no op of the program stands for; errors refer to the op of `user`."""
        keywords["result"] = self.plan.types[out]
        self.put(Step(name, user.op, ins, (out,), keywords=keywords, elementwise=elementwise))

    def broadcast(self, user: Step, slot: int, shape: Ints, dimensions: Ints) -> int:
        """Return the slot of an array broadcast to a shape along dimensions."""
        made = self.slot(TensorType(shape, self.plan.tensor(slot).element_type))
        self.insert(BROADCAST, user, (slot,), made, broadcast_dimensions=dimensions)
        return made

    def converted(self, user: Step, slot: int, element: Type) -> int:
        """Return the slot of an array converted to an element type; the same slot if it has this type."""
        type = self.plan.tensor(slot)
        if type.element_type is element:
            return slot
        made = self.slot(with_element(type, element))
        self.insert(CONVERT, user, (slot,), made, elementwise=True)
        return made

    def change(self, step: Step, **fields: Any) -> None:
        """Add a step with other fields."""
        self.put(replace(step, **fields))

    def put(self, step: Step) -> None:
        """Add a step that the original plan does not have."""
        self.changed = True
        self.add(step)

    def attempt(self, form: Form, step: Step) -> bool:
        """Add the form of a step; take back what it adds unless it is native."""
        plan, changed, steps, slots = self.plan, self.changed, len(self.plan.steps), len(self.plan.types)
        if form(self, step) and all(is_lowered(plan, new) for new in plan.steps[steps:]):
            return True
        del plan.steps[steps:], plan.types[slots:]
        for slot in [slot for slot in plan.constants if slot >= slots]:
            del plan.constants[slot]
        self.changed = changed
        return False

    def add_with_bodies(self, step: Step, rewrite: Callable[[Plan[Step]], Plan[Step]]) -> None:
        """Add a step whose bodies, if it is control flow, are rewritten."""
        if step.name not in CONTROL:
            self.add(step)
            return
        bodies = {
            name: tuple(map(rewrite, body)) if isinstance(body, tuple) else rewrite(body)
            for name, body in step.bodies.items()
        }
        new = replace(step, bodies=bodies)
        if all(a is b for a, b in zip(step.plans, new.plans, strict=True)):
            self.add(step)
        else:
            effect = any(inner.effect for plan in new.plans for inner in plan.steps)
            self.change(step, bodies=bodies, effect=effect)


Form = Callable[[PlanWriter, Step], bool]


def with_forms(
    plan: Plan[Step], form_of: Callable[[Step], Form | None], quantized: bool = False
) -> Plan[Step]:
    """Return a plan in which steps of static arrays are replaced by native steps with the same results.

    Args:
        plan: The plan.
        form_of: Returns the form of a step, a function that adds the steps of the replacement; None without.
        quantized: Whether there are forms of steps on quantized elements, too.
    """
    writer = PlanWriter(plan)
    for step in plan.steps:
        form, types = form_of(step), [plan.types[slot] for slot in (*step.ins, *step.outs)]
        fits = form is not None and all(_is_static(type, quantized) for type in types)
        if form is None or not fits or not writer.attempt(form, step):
            writer.add_with_bodies(step, lambda body: with_forms(body, form_of, quantized))
    return writer.plan if writer.changed else plan


def _is_static(type: Type, quantized: bool) -> bool:
    return isinstance(type, TensorType) and type.is_static and (quantized or not is_quantized(type))


def with_element(type: TensorType, element: Type) -> TensorType:
    """The type with other elements."""
    return TensorType(type.shape, element)
