"""Where the results of ops with regions come from in memory, and what loops must own."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from stablehlo_py.interpreter.plan import Flow, OwningLoop
from stablehlo_py.ir.core import Operation

if TYPE_CHECKING:
    from stablehlo_py.interpreter.bind import BoundKernel


def flows_of(op: Operation, bound: BoundKernel) -> tuple[Flow, ...]:
    """Where the results of an op with bodies come from."""
    anywhere = Flow(frozenset(range(bound.operands + sum(map(len, bound.captures)))), True, True)
    fresh = all(flow == Flow() for body in bound.all_bodies for flow in body.flows)
    if op.name == "stablehlo.while":
        return _loop_flows(bound)
    if op.name in ("stablehlo.if", "stablehlo.case"):
        return _branch_flows(bound)
    return tuple([Flow() if fresh else anywhere] * len(op.results))


def _branch_flows(bound: BoundKernel) -> tuple[Flow, ...]:
    """Each result is that of one of the branches, whose inputs are what they capture."""
    at = bound.operands
    found: list[list[Flow]] = []
    for body in bound.all_bodies:
        found.append([Flow(frozenset(at + i for i in f.inputs), f.constant, f.spread) for f in body.flows])
        at += len(body.captures)
    return tuple([_union(flows) for flows in zip(*found, strict=True)])


def _loop_flows(bound: BoundKernel) -> tuple[Flow, ...]:
    """A result is the operand, or what the body gives, which may in turn be what it was given."""
    cond, body = bound.all_bodies
    count = bound.operands
    behind = len(cond.captures)
    flows = [
        Flow() if i in body.writes else Flow(f.inputs | {i}, f.constant, f.spread)
        for i, f in enumerate(body.flows)
    ]
    for _ in range(count):
        wider = [_union([f, *[flows[i] for i in f.inputs if i < count]]) for f in flows]
        if wider == flows:
            break
        flows = wider
    shift = [
        Flow(frozenset(i if i < count else i + behind for i in f.inputs), f.constant, f.spread) for f in flows
    ]
    return tuple(shift)


def _union(flows: Iterable[Flow]) -> Flow:
    flows = list(flows)
    inputs = frozenset().union(*[f.inputs for f in flows])
    return Flow(inputs, any(f.constant for f in flows), any(f.spread for f in flows))


def owning_loop(op: Operation, bound: BoundKernel) -> OwningLoop | None:
    if op.name != "stablehlo.while":
        return None
    writes = bound.all_bodies[1].writes
    return OwningLoop(writes) if writes else None
