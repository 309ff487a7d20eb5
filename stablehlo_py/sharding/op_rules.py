"""The sharding rule of an op, from the op itself or from its definition."""

from __future__ import annotations

from functools import cache
from typing import Any

from stablehlo_py.ir.core import Operation, Value
from stablehlo_py.ir.types import TensorType
from stablehlo_py.notation.calls import Run
from stablehlo_py.notation.scope import (
    NO_VALUE,
    environment,
    load_formulas_of,
    scope_of,
)
from stablehlo_py.notation.terms import parse
from stablehlo_py.opset.definition import OpDef, lookup
from stablehlo_py.opset.op_inputs import groups
from stablehlo_py.opset.sharding_rule import Factors, ShardingRule
from stablehlo_py.sharding.factor_rules import ALGORITHMS
from stablehlo_py.sharding.rules import RULE, Rule, RuleBuilder, parse_rule
from stablehlo_py.sharding.shardings import rank_of

_NONE = ShardingRule()


def stated(op: Operation) -> ShardingRule:
    """Return what the definition of an op states about its sharding."""
    definition = lookup(op.name)
    return (definition.sharding if definition is not None else None) or _NONE


def is_elementwise(op: Operation) -> bool:
    """Test whether each element of the results depends on the same element of the operands alone."""
    definition = lookup(op.name)
    if definition is None:
        return False
    if "elementwise" in definition.traits:
        return True
    if "identity" in definition.traits and op.operands and not stated(op).flow and not stated(op).early:
        return True
    reinterprets = "received" in definition.traits and len(op.operands) == 1 and len(op.results) == 1
    return reinterprets and _shape(op.operands[0]) == _shape(op.results[0])


def _shape(value: Value) -> tuple[int | None, ...] | None:
    return tuple(value.type.shape) if isinstance(value.type, TensorType) else None


def rule_of(op: Operation) -> Rule | None:
    """Return the sharding rule of an op: the one it states, or that of its definition.

    Args:
        op: The op, with static types.

    Returns:
        The rule; None if it has none: nothing propagates through the op.
    """
    return parse_rule(op.attributes.get(RULE)) or derived_rule(op)


def derived_rule(op: Operation) -> Rule | None:
    """Return the sharding rule that follows from the definition of an op, or None."""
    definition = lookup(op.name)
    if definition is None or not _are_static(op):
        return None
    found = definition.sharding
    if found is None:
        return pointwise_rule(op) if _is_pointwise(definition, op) else None
    if found.algorithm:
        return ALGORITHMS[found.algorithm](op)
    return _from_factors(op, definition) if found.factors else None


def _are_static(op: Operation) -> bool:
    types = [value.type for value in (*op.operands, *op.results)]
    return all(type.is_static for type in types if isinstance(type, TensorType))


def _is_pointwise(definition: OpDef, op: Operation) -> bool:
    """Test whether the rule of an op follows from its traits."""
    if len(op.results) != 1 or not op.operands:
        return False
    return "elementwise" in definition.traits and definition.name.startswith("stablehlo.")


def elementwise_rule(op: Operation) -> Rule | None:
    """Return the rule of an elementwise op of one shape, also where Shardy has none; None for other ops."""
    definition = lookup(op.name)
    if definition is None or "elementwise" not in definition.traits or not _are_static(op):
        return None
    shapes = {_shape(value) for value in (*op.operands, *op.results)}
    return pointwise_rule(op) if len(shapes) == 1 else None


def pointwise_rule(op: Operation) -> Rule | None:
    """Return the rule where each dimension of the result is a factor, of all tensors that are no scalars."""
    type = op.results[0].type if op.results else None
    if not isinstance(type, TensorType):
        return None
    builder = _builder(op)
    for dim, size in enumerate(type.shape):
        assert size is not None
        builder.add_to_all(dim, size)
    return builder.build()


def _builder(op: Operation) -> RuleBuilder:
    return RuleBuilder([rank_of(v.type) for v in op.operands], [rank_of(r.type) for r in op.results])


def _from_factors(op: Operation, definition: OpDef) -> Rule | None:
    """Evaluate the factors of a definition; None if one is undefined, as of an invalid op."""
    builder, env = _builder(op), environment(op, definition)
    names = _names(op, definition)
    try:
        for row, dims, kinds, blocked in _compiled(definition):
            for (size, *given), kind, block in zip(dims(env), kinds(env), blocked(env), strict=True):
                _add(builder, row, names, size, given, kind, block)
    except NO_VALUE:
        return None
    return builder.build()


def _add(
    builder: RuleBuilder,
    row: Factors,
    names: list[str],
    size: int,
    given: list[int],
    kind: Any,
    blocked: bool,
) -> None:
    by_name = dict(zip([name for name, _ in row.dims], given, strict=True))
    if "*" in by_name:
        builder.add_to_all(by_name["*"], size, kind, blocked)
    else:
        builder.add([by_name.get(name, -1) for name in names], size, kind, blocked)


def _names(op: Operation, definition: OpDef) -> list[str]:
    """Return the name of each operand and result in the definition."""
    operands = groups(op, "operand", op.operands, definition.operands)
    results = groups(op, "result", op.results, definition.outputs)
    names = [*[part.name for part in definition.operands], *[part.name for part in definition.outputs]]
    counts = [len(group) for group in (*operands, *results)]
    return [name for name, count in zip(names, counts, strict=False) for _ in range(count)]


@cache
def _compiled(definition: OpDef) -> tuple[tuple[Factors, Run, Run, Run], ...]:
    assert definition.sharding is not None
    load_formulas_of(definition)
    compiler = scope_of(definition).compiler()
    found = []
    for row in definition.sharding.factors:
        dims, kinds, blocked = [compiler.compile(parse(formula)).run for formula in row.formulas()]
        found.append((row, dims, kinds, blocked))
    return tuple(found)
