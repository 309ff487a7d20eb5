"""Fingerprints of plans and regions: equal fingerprints mean equal code."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np

from stablehlo_py.interpreter.plan import Plan, Step, is_uniform
from stablehlo_py.ir.types import Type

if TYPE_CHECKING:
    from stablehlo_py.engines.native.region import Region


def fingerprint(plan: Plan[Step]) -> str:
    """Describe the properties of a plan that the code of its regions depends on."""
    return "\n".join(_plan(plan))


def outline(plan: Plan[Step]) -> str:
    """Describe a plan and its callees by the properties that determine its time: ops, types, constants."""
    return "\n".join(_outline(plan, set()))


def _outline(plan: Plan[Step], called: set[str]) -> Iterator[str]:
    yield from slot_words(plan, range(len(plan.types)))
    for step in plan.steps:
        yield step.name
        for body in step.plans:
            yield from _outline(body, called)
        if step.callee and step.callee not in called:
            called.add(step.callee)
            yield from _outline(plan.functions[step.callee], called)


def region_fingerprint(region: Region) -> str:
    """Describe the properties of a region that its code depends on; slots are numbered in order of use."""
    numbers = {slot: number for number, slot in enumerate(region.slots)}
    words = [*slot_words(region.plan, numbers)]
    for step in region.steps:
        words += step_words(step, numbers)
    words += [str([numbers[slot] for slot in slots]) for slots in (region.inputs, region.outputs)]
    return "\n".join(words)


def step_words(step: Step, numbers: Mapping[int, int]) -> Iterator[str]:
    """Describe a step, with its bodies, by the numbers of slots."""
    places = [numbers[slot] for slot in step.ins], [numbers[slot] for slot in step.outs]
    keywords = [(name, _word(value)) for name, value in sorted(step.keywords.items())]
    flags = [step.elementwise, step.effect, step.deferred is None, step.definition is None, step.callee]
    yield f"{step.name} {places} {keywords} {flags} {len(step.members)}"
    for plan in step.plans:
        yield from _plan(plan)


def _plan(plan: Plan[Step]) -> Iterator[str]:
    numbers = dict(enumerate(range(len(plan.types))))
    yield f"{plan.arity} {plan.captures} {plan.outputs}"
    yield from slot_words(plan, numbers)
    for step in plan.steps:
        yield from step_words(step, numbers)


def slot_words(plan: Plan[Step], slots: Iterable[int]) -> Iterator[str]:
    """The types of slots, and the values of constants that are part of the code."""
    for slot in slots:
        yield _word(plan.types[slot])
        constant = plan.constants.get(slot)
        if isinstance(constant, np.ndarray | np.generic) and is_uniform(constant):
            yield constant.reshape(-1)[:1].tobytes().hex()
        elif slot in plan.constants:
            yield "array"


def _word(value: Any) -> str:
    """A keyword's value as text."""
    if isinstance(value, Type):
        return _type(value)
    if isinstance(value, tuple):
        return f"({', '.join(map(_word, value))})"
    if isinstance(value, np.ndarray):
        return f"{value.dtype.str} {value.shape} {value.tobytes().hex()}"
    if value is None or isinstance(value, int | float | str):
        return repr(value)
    return f"{type(value).__name__} {value}"  # of a step without an emitter


@cache
def _type(type: Type) -> str:
    return str(type)
