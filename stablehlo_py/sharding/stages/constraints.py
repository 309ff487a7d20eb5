"""Stages on constraints of the program: manual axes, sharding constraints, groups, reshards."""

from __future__ import annotations

from dataclasses import replace

from stablehlo_py.ir.attributes import integer
from stablehlo_py.ir.core import BlockArgument, Module, Operation, OpResult, Value
from stablehlo_py.ir.origins import derive
from stablehlo_py.opset.definition import has_trait
from stablehlo_py.sharding.annotations import (
    manual_names,
    set_sharding,
    shardable,
    sharding_of,
    stated_shardings,
)
from stablehlo_py.sharding.axes import Axis, difference, sorted_and_merged
from stablehlo_py.sharding.data_flow import EDGE, edge_of, flow_of
from stablehlo_py.sharding.edits import Edits, redirect
from stablehlo_py.sharding.errors import ShardingError
from stablehlo_py.sharding.groups import CONSTRAINT, GROUP, group_id
from stablehlo_py.sharding.mesh import Meshes
from stablehlo_py.sharding.op_rules import rule_of
from stablehlo_py.sharding.rules import RULE
from stablehlo_py.sharding.shardings import (
    Sharding,
    from_attribute,
    manual_axes,
    per_value,
    rank_of,
    replicated,
    to_attribute,
)
from stablehlo_py.sharding.stages.calls import RESHARD
from stablehlo_py.sharding.stages.symbols import postorder


def clean_up_manual_axes(module: Module) -> None:
    """Order the axes of manual computations, and replicate their tensors along those they do not use."""
    meshes = Meshes(module)
    for op in module.walk():
        if flow_of(op) != "manual_body":
            continue
        lists = {name: stated_shardings(op, name) for name in ("in_shardings", "out_shardings")}
        shardings = [each for found in lists.values() for each in found]
        if not shardings:
            if manual_names(op) and len(op.regions[0].block.ops) > 1:
                raise ShardingError(op, "a computation along manual axes needs inputs or outputs")
            continue
        mesh = next((s.mesh for s in shardings if meshes.find(s.mesh).axes), shardings[0].mesh)
        sizes = meshes.find(mesh).sizes
        place = {name: index for index, name in enumerate(sizes)}
        names = sorted(manual_names(op), key=place.__getitem__)
        op.properties["manual_axes"] = manual_axes(names)
        axes = [Axis(name) for name in names]
        for name, found in lists.items():
            made = []
            for sharding in found:
                unused = difference(axes, sharding.axes, sizes)
                if unused:
                    kept = sorted_and_merged((*sharding.replicated, *unused), sizes)
                    sharding = replace(sharding, mesh=mesh, replicated=kept)
                made.append(sharding)
            op.properties[name] = per_value(made)


# Sharding constraints


def apply_sharding_constraints(module: Module) -> None:
    """Set the shardings of values to those that constraints and manual computations require of them."""
    edits = Edits()
    for op in postorder(module.op):
        if op.name == CONSTRAINT:
            _use_tail(op)
            _apply(op, 0, _stated(op), edits)
        elif flow_of(op) == "manual_body":
            for index, sharding in enumerate(stated_shardings(op, "in_shardings")):
                _apply(op, index, sharding, edits)


def _stated(op: Operation) -> Sharding:
    return from_attribute(op.properties["sharding"])


def _constraints(value: Value) -> list[tuple[Operation, Sharding]]:
    """Return what requires a sharding of a value, and which."""
    found = []
    for use in value.uses:
        if use.op.name == CONSTRAINT:
            found.append((use.op, _stated(use.op)))
        elif flow_of(use.op) == "manual_body":
            found.append((use.op, stated_shardings(use.op, "in_shardings")[use.position]))
    return found


def _use_tail(head: Operation) -> None:
    """Let later users of the input of a chain of constraints use its end instead."""
    value = head.operands[0]
    if isinstance(value, OpResult) and value.op.name == CONSTRAINT:
        return
    if sharding_of(value) is not None or any(op is not head for op, _ in _constraints(value)):
        return
    tail = head
    while len(tail.result.uses) == 1 and (user := next(iter(tail.result.uses)).op).name == CONSTRAINT:
        tail = user
    if tail is head or _constraints(tail.result):
        return
    assert tail.parent is not None
    place = {op: index for index, op in enumerate(tail.parent.ops)}
    for use in reversed(list(value.uses)):
        is_later = use.op.parent is tail.parent and place[use.op] > place[tail]
        if use.op is not head and is_later and not _returns(use.op):
            use.op.set_operand(use.position, tail.result)


def _returns(op: Operation) -> bool:
    around = op.parent_op
    return has_trait(op.name, "terminator") and around is not None and around.is_function


def _apply(op: Operation, index: int, sharding: Sharding, edits: Edits) -> None:
    """Apply what an op requires of an operand, if nothing speaks against it."""
    value = op.operands[index]
    if shardable(value) is None or sharding_of(value) is not None:
        return
    if not all(dim.is_closed for dim in sharding.dims):
        return
    if any(each != sharding for _, each in _constraints(value)):
        return
    is_edge = edge_of(value) is not None or (isinstance(value, OpResult) and value.op.name == EDGE)
    if not is_edge:
        rule = rule_of(op)
        if rule is not None:
            op.attributes.setdefault(RULE, rule.to_attribute())
        set_sharding(value, sharding)
        return
    _constrain_behind(op, value, sharding)
    if sharding.unreduced:
        current = sharding_of(value) or replicated(rank_of(value.type), sharding.mesh)
        set_sharding(value, replace(current, unreduced=sharding.unreduced, reduction=sharding.reduction))


def _constrain_behind(op: Operation, value: Value, sharding: Sharding) -> None:
    """Let all users of a target of an edge use a constraint, so that other targets stay free."""
    constraint = op
    if op.name == CONSTRAINT:
        assert op.parent is not None
        op.parent.ops.remove(op)
    else:
        constraint = Operation(CONSTRAINT, (value,), [value.type], {"sharding": to_attribute(sharding)})
    redirect(value, constraint.result, [constraint])
    if isinstance(value, OpResult):
        assert value.op.parent is not None
        block = value.op.parent
        derive(constraint, value.op)
        block.insert(block.ops.index(value.op) + 1, constraint)
    elif isinstance(value, BlockArgument):
        derive(constraint, value)
        value.block.insert(0, constraint)


# Groups


def import_sharding_groups(module: Module) -> None:
    """Number sharding groups from 0 in order of their leaders; those with a value in common are one."""
    ops = [op for op in module.walk() if op.name == GROUP]
    _check_groups(ops)
    leader: dict[int, int] = {}

    def find(number: int) -> int:
        while leader.setdefault(number, number) != number:
            number = leader[number]
        return number

    first: dict[Value, int] = {}
    for op in ops:
        number = group_id(op)
        leader[find(number)] = find(first.setdefault(op.operands[0], number))
    numbers = {number: index for index, number in enumerate(n for n in leader if find(n) == n)}
    seen: set[tuple[int, Value]] = set()
    for op in ops:
        member = numbers[find(group_id(op))], op.operands[0]
        op.properties["group_id"] = integer(member[0])
        if member in seen:
            op.erase()
        seen.add(member)


def _check_groups(ops: list[Operation]) -> None:
    around: dict[int, Operation | None] = {}
    types: dict[int, object] = {}
    for op in ops:
        number = group_id(op)
        outer = op.parent_op
        while outer is not None and flow_of(outer) != "manual_body":
            outer = outer.parent_op
        if around.setdefault(number, outer) is not outer:
            raise ShardingError(
                op, f"values of sharding group {number} are inside and outside of a manual computation"
            )
        shape = getattr(op.operands[0].type, "shape", None)
        if types.setdefault(number, shape) != shape:
            raise ShardingError(op, f"values of sharding group {number} have different shapes")


def remove_sharding_groups(module: Module) -> None:
    """Erase the ops that put values in groups."""
    for op in [op for op in module.walk() if op.name == GROUP]:
        op.erase()


def constraints_to_reshards(module: Module) -> None:
    """Replace sharding constraints by reshards."""
    for op in module.walk():
        if op.name == CONSTRAINT:
            op.name = RESHARD
