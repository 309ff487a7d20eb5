"""What an op computes on shards: which of its factors can be divided, and its attributes for local shapes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from stablehlo_py.ir.attributes import Attribute, DenseArrayAttr, DenseElementsAttr, IntegerAttr, StructAttr
from stablehlo_py.ir.core import Operation, OpResult, Value
from stablehlo_py.opset.constants import constant_attribute, is_number
from stablehlo_py.opset.definition import OpDef, has_trait, lookup
from stablehlo_py.sharding.axes import Axes
from stablehlo_py.sharding.division.emitter import dims
from stablehlo_py.sharding.division.lookups import looked_up_factors, window_factors
from stablehlo_py.sharding.division.scatters import combines_updates, indexed_factors
from stablehlo_py.sharding.division.selections import selects
from stablehlo_py.sharding.division.updates import is_slice, partial_dims, sliced_factors
from stablehlo_py.sharding.division.windows import Halo, local_windows
from stablehlo_py.sharding.rules import Rule
from stablehlo_py.sharding.values import inputs_of, shape_of

Shape = tuple[int, ...]


def divisible(op: Operation, rule: Rule) -> list[bool]:
    """Return for each factor of an op whether devices can compute their parts of it by themselves.

    A sum over a reduction factor is completed by a reduction of all devices afterwards. Windows are not
    considered: along their factors, devices need elements of their neighbours.
    """
    definition = lookup(op.name)
    assert definition is not None
    found = [_is_local(rule, factor) for factor in range(len(rule.sizes))]
    check = _CHECKS.get(_family(definition))
    if check is not None:
        found = [ok and also for ok, also in zip(found, check(op, rule), strict=True)]
    return found


def _is_local(rule: Rule, factor: int) -> bool:
    """Test whether the rule lets shards of a factor be computed from shards of the operands."""
    if rule.kinds[factor] == "pass_through":
        return all(any(factor in dim for dim in result) for result in rule.results)
    return rule.kinds[factor] == "reduction"


def divided_rule(op: Operation, rule: Rule) -> Rule:
    """Return the rule by which an op is divided, where that is not the one by which shardings propagate.

    A dimension that a slice or a gather takes in part is a factor of the operand alone: the result is whole
    on every device, and devices sum what they have of it. A scatter writes what a device has of its windows.
    """
    if is_a(op, SCATTER):
        written = indexed_factors(op, rule).values()
        kinds = ["pass_through" if factor in written else kind for factor, kind in enumerate(rule.kinds)]
        return replace(rule, kinds=tuple(kinds))
    parts = sliced_factors(op, rule) if is_slice(op) else window_factors(op, rule)
    if not parts:
        return rule
    kinds = ["reduction" if factor in parts else kind for factor, kind in enumerate(rule.kinds)]
    (result,) = rule.results
    left = tuple([() if parts.intersection(dim) else dim for dim in result])
    return replace(rule, kinds=tuple(kinds), results=(left,), blocked=frozenset())


def parts_of_dims(op: Operation, rule: Rule, axes: Sequence[Axes]) -> dict[int, Axes]:
    """Return the divided dimensions that an op updates or slices in part, with their axes."""
    if not is_slice(op) and not is_a(op, UPDATE):
        return {}
    return {dim: axes[factor] for dim, factor in partial_dims(op, rule).items() if axes[factor]}


def unpadded(op: Operation, rule: Rule) -> list[int]:
    """Return the factors that axes have to divide evenly: padding would be indices."""
    return rule.of_kind("reduction") if is_a(op, SCATTER) else []


def is_a(op: Operation, family: str) -> bool:
    """Test whether an op is divided as others of a family."""
    definition = lookup(op.name)
    return definition is not None and _family(definition) == family


def _family(definition: OpDef) -> str:
    algorithm = definition.sharding.algorithm if definition.sharding is not None else ""
    return algorithm or definition.cost.work or definition.cost.traffic


def _gather(op: Operation, rule: Rule) -> list[bool]:
    """The indexed dimensions stay whole, but for those in which devices look up what they have."""
    divided = looked_up_factors(op, rule).values()
    return [kind != "reduction" or factor in divided for factor, kind in enumerate(rule.kinds)]


def _scatter(op: Operation, rule: Rule) -> list[bool]:
    """Dimensions of windows, those that are updated in part, and updates that can be combined.

    A window of a whole dimension that has an index is out of bounds in part, unless the index is 0.
    """
    parts, combines = set(indexed_factors(op, rule).values()), combines_updates(op)
    indexed = {f for dim in inputs_of(op)["scatter_dims_to_operand_dims"] for f in rule.operands[0][dim]}
    factors = {factor for dim in rule.operands[-1] for factor in dim} - indexed | parts
    return [factor in factors and (combines or kind != "reduction") for factor, kind in enumerate(rule.kinds)]


def _update(op: Operation, rule: Rule) -> list[bool]:
    """A dimension that is updated in part is divided if `updates` knows how; the update is whole then."""
    both = {f for dim in rule.operands[0] for f in dim} & {f for dim in rule.operands[1] for f in dim}
    both |= set(partial_dims(op, rule).values())
    return [factor in both for factor in range(len(rule.sizes))]


def _convolution(op: Operation, rule: Rule) -> list[bool]:
    """Kernels and groups of features stay whole; along spatial dimensions of the input, see `windows`."""
    numbers = op.attribute("dimension_numbers")
    assert isinstance(numbers, StructAttr)
    whole: set[int] = set()
    for side, mapping in zip(("input", "kernel"), rule.operands, strict=True):
        whole.update(f for dim in numbers[f"{side}_spatial_dimensions"] for f in mapping[dim])
    if _integer(op, "batch_group_count") != 1:
        return [False] * len(rule.sizes)
    if _integer(op, "feature_group_count") != 1:
        whole.update(factor for dim in rule.operands[1] for factor in dim)
    return [factor not in whole for factor in range(len(rule.sizes))]


def _reshape(op: Operation, rule: Rule) -> list[bool]:
    """A factor of one side alone is a part of several factors of the other side, in an order of its own."""
    operand = {factor for dim in rule.operands[0] for factor in dim}
    return [factor in operand for factor in range(len(rule.sizes))]


def _integer(op: Operation, name: str) -> int:
    found = op.attribute(name)
    return found.value if isinstance(found, IntegerAttr) else 1


def _reduction(op: Operation, rule: Rule) -> list[bool]:
    """Parts of a reduction are combined by its function, if that may count the initial value twice."""
    combines = combines_parts(op) or selects(op)
    return [combines or kind != "reduction" for kind in rule.kinds]


def _none(op: Operation, rule: Rule) -> list[bool]:
    return [False] * len(rule.sizes)


UPDATE, SCATTER, REDUCTION = "update", "scatter", "reduction"
_CHECKS = {
    "gather": _gather,
    SCATTER: _scatter,
    UPDATE: _update,
    "convolution": _convolution,
    "reshape": _reshape,
    REDUCTION: _reduction,
    "random": _none,
    "custom_call": _none,
}


def combines_parts(op: Operation) -> bool:
    """Test whether a reduction is one op in any order, whose initial value may be counted in each part."""
    ops, count = op.regions[0].block.ops, len(op.results)
    if count != 1 or len(ops) != 2 or ops[1].operands != ops[0].results:
        return False
    definition = lookup(ops[0].name)
    if definition is None or "commutative" not in definition.traits:
        return False
    if set(ops[0].operands) != set(op.regions[0].block.arguments):
        return False
    if "associative" in definition.traits and definition.sign in ("maximum", "every_operand"):
        return True
    if "logical" in definition.traits:
        return True  # `and` and `or` with a value twice are those with it once
    return is_number(op.operands[1], {"sum": 0.0, "product": 1.0}.get(definition.sign, float("nan")))


def local_properties(
    op: Operation, operands: Sequence[Shape], halos: Mapping[int, Halo]
) -> dict[str, Attribute]:
    """Return the properties of an op on shards.

    Args:
        op: The op.
        operands: The local shapes of its operands.
        halos: What devices need for its windows along divided dimensions, by the number of the window.
    """
    properties = dict(op.properties)
    if halos:
        properties.update(local_windows(op, halos))
    if "slice_sizes" in properties:
        whole, sizes = shape_of(op.operands[0]), properties["slice_sizes"]
        assert isinstance(sizes, DenseArrayAttr)
        properties["slice_sizes"] = dims(
            [
                here if given == size else given
                for here, size, given in zip(operands[0], whole, sizes.value, strict=True)
            ]
        )
    return properties


def splat(value: Value) -> DenseElementsAttr | None:
    """Return the elements of a constant, also a broadcast one, that are all equal, or None."""
    if isinstance(value, OpResult) and has_trait(value.op.name, "broadcast"):
        return splat(value.op.operands[0])
    found = constant_attribute(value) if isinstance(value, OpResult) else None
    return found if found is not None and found.is_splat else None
