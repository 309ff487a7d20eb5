"""Dots of few terms, such as outer products, are expressions: they are computed where they are used."""

from __future__ import annotations

from dataclasses import replace
from math import prod

from stablehlo_py.engines.native.arithmetic.elements import element_of
from stablehlo_py.engines.native.lower.contraction import DOT, SHORT_DOT
from stablehlo_py.engines.native.lower.records import has_native_arrays
from stablehlo_py.engines.native.passes.pipeline import has_few_terms
from stablehlo_py.engines.native.passes.plan_writer import with_other_steps
from stablehlo_py.interpreter.plan import Plan, Step

_LEAST = 1 << 12  # elements of the result: smaller ones are loops with what is around them


def name_short_dots(plan: Plan[Step]) -> Plan[Step]:
    """Return a plan whose dots of few terms and many results are steps of this name."""
    return with_other_steps(plan, _short_dot)


def _short_dot(plan: Plan[Step], step: Step) -> Step | None:
    return replace(step, name=SHORT_DOT) if step.name == DOT and _is_short(plan, step) else None


def _is_short(plan: Plan[Step], step: Step) -> bool:
    elements = [element_of(plan.types[slot]) for slot in (*step.ins, *step.outs)]
    types = {element.compute for element in elements if element is not None}
    if None in elements or len(types) != 1 or "i1" in types:
        return False
    if step.keywords.get("accumulation_type") is not None:
        return False
    many = prod(plan.shape_of(step.outs[0])) >= _LEAST
    return many and has_few_terms(plan, step) and has_native_arrays(plan, step)
