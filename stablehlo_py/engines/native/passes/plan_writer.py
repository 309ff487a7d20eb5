"""Writing a plan anew: steps are copied, changed, or added for no op of the program."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from stablehlo_py.engines.native.lower.registry import is_lowered
from stablehlo_py.engines.native.region import CONTROL
from stablehlo_py.interpreter.plan import Plan, Step
from stablehlo_py.ir.types import TensorType, Type

CONVERT = "stablehlo.convert"


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
        self.changed = True
        keywords["result"] = self.plan.types[out]
        self.add(Step(name, user.op, ins, (out,), keywords=keywords, elementwise=elementwise))

    def converted(self, user: Step, slot: int, element: Type) -> int:
        """Return the slot of an array with other elements: a new one, unless it has these."""
        type = self.plan.tensor(slot)
        if type.element_type is element:
            return slot
        made = self.slot(with_element(type, element))
        self.insert(CONVERT, user, (slot,), made, elementwise=True)
        return made

    def change(self, step: Step, **fields: Any) -> None:
        """Add a step with other fields."""
        self.changed = True
        self.add(replace(step, **fields))

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


def with_other_steps(plan: Plan[Step], other: Callable[[Plan[Step], Step], Step | None]) -> Plan[Step]:
    """Return a plan in which steps are others with the same results, where these are native.

    Args:
        plan: The plan.
        other: Gives the other step of a plan's step, if there is one.
    """
    writer = PlanWriter(plan)
    for step in plan.steps:
        new = other(plan, step)
        if new is not None and is_lowered(plan, new):
            writer.changed = True
            writer.add(new)
        else:
            writer.add_with_bodies(step, lambda body: with_other_steps(body, other))
    return writer.plan if writer.changed else plan


def is_native_with(plan: Plan[Step], step: Step, types: Sequence[Type], keywords: Mapping[str, Any]) -> bool:
    """Test whether a step could be part of a region, if its operands and results had other types."""
    return is_lowered(*with_types(plan, step, types, keywords))


def with_types(
    plan: Plan[Step], step: Step, types: Sequence[Type], keywords: Mapping[str, Any]
) -> tuple[Plan[Step], Step]:
    """The step with other types of its operands and results, in a plan that has nothing else."""
    slots = (*step.ins, *step.outs)
    constants = {place: plan.constants[s] for place, s in enumerate(slots) if s in plan.constants}
    alone = replace(plan, types=list(types), constants=constants, steps=[])
    count = len(step.ins)
    places = tuple(range(len(slots)))
    return alone, replace(step, ins=places[:count], outs=places[count:], keywords=keywords)


def with_element(type: TensorType, element: Type) -> TensorType:
    """The type with other elements."""
    return TensorType(type.shape, element)
