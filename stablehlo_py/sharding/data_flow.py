"""Data-flow ops: which values have the same sharding because an op passes them on.

The values between which an op passes data are an edge: sources, such as the operand of a loop and what its
body returns, and targets, such as the argument of the body and the loop's result. One of the targets owns the
edge, and the owner's one user, an op made for that, holds the sharding of all targets.
"""

from __future__ import annotations

from stablehlo_py.ir.core import BlockArgument, Operation, OpResult, Use, Value
from stablehlo_py.opset.definition import has_trait
from stablehlo_py.sharding.op_rules import stated

EDGE = "sdy.data_flow_edge"
_WITH_BODY = ("body", "manual_body")


def flow_of(op: Operation | None) -> str:
    """Return how an op passes values on, see `opset.sharding_rule.Flow`; "" if it does not."""
    return stated(op).flow if op is not None else ""


def owning_op(value: Value) -> Operation | None:
    """Return the op that defines a value, or that has it as an argument of a region."""
    if isinstance(value, OpResult):
        return value.op
    return value.block.parent_op if isinstance(value, BlockArgument) else None


def is_body_of_operands(op: Operation | None) -> bool:
    """Test whether the arguments of an op's region are its operands, as those of an asynchronous op."""
    return op is not None and has_trait(op.name, "single_op_body")


def argument_owners(op: Operation) -> tuple[Value, ...]:
    """Return the arguments of regions that own an edge."""
    return op.regions[0].block.arguments if flow_of(op) in _WITH_BODY else ()


def sources(op: Operation, owner: Value) -> list[Use]:
    """Return the operands from which an op passes data to the targets of an edge."""
    flow = flow_of(op)
    if isinstance(owner, BlockArgument):
        return [Use(op, owner.index)]
    assert isinstance(owner, OpResult)
    last = [block.ops[-1] for block in op.blocks]
    match flow:
        case "loop":
            return [Use(op, owner.index), Use(last[-1], owner.index)]
        case "operands":
            return [Use(op, owner.index)]
        case _:
            return [Use(terminator, owner.index) for terminator in last]


def other_targets(op: Operation, owner: Value) -> list[Value]:
    """Return the targets of an edge but for its owner: the arguments of a loop's regions."""
    if flow_of(op) != "loop" or not isinstance(owner, OpResult):
        return []
    return [block.arguments[owner.index] for block in op.blocks]


def owner_of(target: Value) -> Value | None:
    """Return the owner of the edge that has a value as a target; None if an op does not pass it on."""
    op = owning_op(target)
    flow = flow_of(op)
    if not flow or op is None:
        return None
    if isinstance(target, BlockArgument) and flow not in _WITH_BODY:
        return op.results[target.index] if flow == "loop" else None
    return target


def edge_of(target: Value) -> Operation | None:
    """Return the op that holds the sharding of an edge, given one of its targets."""
    owner = owner_of(target)
    return _edge_user(owner) if owner is not None else None


def edge_of_use(use: Use) -> Operation | None:
    """Return the op that holds the sharding of the edge that has an operand as a source."""
    op: Operation | None = use.op
    ends = has_trait(use.op.name, "terminator")
    if ends:
        op = use.op.parent_op
    flow = flow_of(op)
    if not flow or op is None or (not ends and flow in _WITH_BODY) or use.position >= len(op.results):
        return None
    return _edge_user(op.results[use.position])


def _edge_user(owner: Value) -> Operation | None:
    if len(owner.uses) != 1:
        return None
    user = next(iter(owner.uses)).op
    return user if user.name == EDGE else None
