"""Stages on edges of data-flow ops: added before propagation, and removed after, with their shardings."""

from __future__ import annotations

from collections.abc import Sequence

from stablehlo_py.ir.core import Module, Operation, Value
from stablehlo_py.ir.types import TensorType
from stablehlo_py.sharding.annotations import set_value_shardings, sharding_of
from stablehlo_py.sharding.data_flow import EDGE, argument_owners, edge_of, flow_of
from stablehlo_py.sharding.edits import Edits, redirect
from stablehlo_py.sharding.shardings import Sharding, rank_of, replicated, to_attribute


def add_data_flow_edges(module: Module) -> None:
    """Add the edges of all data-flow ops."""
    add_edges([op for op in module.walk() if flow_of(op)])


def add_edges(ops: Sequence[Operation]) -> None:
    """Add the edges of data-flow ops: an op behind each owner that its users use instead."""
    edits = Edits()
    for op in ops:
        for owner in (*argument_owners(op), *op.results):
            if isinstance(owner.type, TensorType) and owner.type.is_static and edge_of(owner) is None:
                _add_edge(owner, edits)
    edits.apply()


def _add_edge(owner: Value, edits: Edits) -> None:
    sharding = sharding_of(owner)
    properties = {"sharding": to_attribute(sharding)} if sharding is not None else {}
    edge = Operation(EDGE, (), [owner.type], properties)
    redirect(owner, edge.result)
    edge.use_operands([owner])
    edits.insert_after_value(owner, edge)


def sink_data_flow_edges(module: Module) -> None:
    """Set the shardings of data-flow ops to those of their edges, and remove the edges."""
    edits = Edits()
    for op in list(module.walk()):
        if op.name == EDGE:
            redirect(op.results[0], op.operands[0], [op])
            edits.remove(op)
        elif flow_of(op):
            sink_edges(op)
    edits.apply()


def sink_edges(op: Operation) -> None:
    """Set the shardings of a data-flow op to those of its edges."""
    for values, of_arguments in ((argument_owners(op), True), (op.results, False)):
        found = edge_shardings(values)
        if found:
            set_value_shardings(op, found, of_arguments)


def edge_shardings(owners: Sequence[Value]) -> list[Sharding]:
    """Return the sharding of each edge, open where it has none; empty if none has one."""
    edges = [edge_of(owner) for owner in owners]
    found = [sharding_of(edge.result) if edge is not None else None for edge in edges]
    mesh = next((sharding.mesh for sharding in found if sharding is not None), None)
    if mesh is None:
        return []
    pairs = zip(found, owners, strict=True)
    return [s if s is not None else replicated(rank_of(owner.type), mesh) for s, owner in pairs]
