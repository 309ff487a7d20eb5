"""Side effects: which ops may be removed if their results are unused, or merged with equal ones."""

from __future__ import annotations

from stablehlo_py.ir.core import Operation
from stablehlo_py.opset.definition import lookup


def is_pure(op: Operation, calls: bool = False) -> bool:
    """Test whether an op, with its regions, has no side effects; calls may have any, unless `calls`."""
    return all(_declares_no_effects(inner, calls) for inner in op.walk())


def is_dead(op: Operation) -> bool:
    """Test whether an op can be removed: it is pure, its results are unused, and it ends no block."""
    if any(result.uses for result in op.results):
        return False
    definition = lookup(op.name)
    if definition is None or not definition.traits.isdisjoint(("terminator", "symbol", "symbol_table")):
        return False
    return _declares_no_effects(op) if not op.regions else is_pure(op)


def _declares_no_effects(op: Operation, calls: bool = False) -> bool:
    """Test whether an op itself has no side effects; unknown ops may have any, and calls unless `calls`."""
    definition = lookup(op.name)
    if definition is None or (definition.callee and not calls):
        return False
    if "external_call" in definition.traits:
        return not getattr(op.attribute("has_side_effect"), "value", False)
    return not definition.traits.isdisjoint(("pure", "recursive_effects", "terminator"))
