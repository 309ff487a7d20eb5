"""Communication: which devices of a mesh exchange data in a collective, and how many bytes each sends."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from stablehlo_py.analysis.callgraph import call_graph, functions
from stablehlo_py.analysis.inputs import attribute
from stablehlo_py.analysis.sizes import byte_size
from stablehlo_py.analysis.trips import scan_count, trip_count
from stablehlo_py.diagnostics.diagnostic import Diagnostic, TransformError
from stablehlo_py.ir.attributes import StructAttr
from stablehlo_py.ir.core import Module, Operation
from stablehlo_py.kernels.grid.groups import GridSize, process_groups, process_pairs
from stablehlo_py.kernels.grid.mesh import mesh_groups
from stablehlo_py.kernels.grid.process import ProcessId
from stablehlo_py.opset.calls import callee
from stablehlo_py.opset.definition import has_trait, lookup
from stablehlo_py.sharding.division.devices import Devices

Bytes = npt.NDArray[np.int64]
Groups = list[list[int]]


@dataclass(frozen=True, slots=True)
class Communication:
    """What devices exchange in a collective.

    Attributes:
        op: The collective.
        times: How often it is executed; bodies of loops with an unknown trip count are counted once.
        groups: The devices that communicate with each other, by id; pairs of source and target of a
            permutation.
        is_directed: Whether groups are such pairs.
        axes: The axes of the mesh along which the devices of a group differ.
        sent: The bytes that each device sends in one execution, by id.
        received: The bytes that each device receives.
    """

    op: Operation
    times: int
    groups: Groups
    is_directed: bool
    axes: tuple[str, ...]
    sent: Bytes
    received: Bytes


def communications(module: Module, entry: str, devices: Devices, replicas: int) -> list[Communication]:
    """Return what devices exchange in a call of a function, in the order of the text.

    Bytes are those of the algorithms that move least: rings of neighbours, in which a group of n sends n - 1
    of n parts of a result that is gathered or scattered, and twice as many of one that is reduced in every
    device.

    Args:
        module: The program of one device.
        entry: The name of the function.
        devices: The devices.
        replicas: The number of replicas; the other devices are partitions.

    Raises:
        TransformError: A collective is between processes that the program does not have.
    """
    size = GridSize(replicas, devices.count // replicas)
    found = []
    for op, times in executions(module, entry):
        definition = lookup(op.name)
        rule = definition.cost.messages if definition is not None else ""
        if rule:
            keywords = _keywords(op, module)
            processes = process_pairs(keywords, size) if rule == "pairs" else process_groups(keywords, size)
            _check(processes, module, op, size)
            made = [[size.number(process) for process in group] for group in processes]
            operands = sum(byte_size(value.type) for value in op.operands)
            sent, received = _bytes(rule, made, operands, devices.count)
            axes = _axes(made, devices)
            found.append(Communication(op, times, made, rule == "pairs", axes, sent, received))
    return found


def executions(module: Module, entry: str) -> Iterator[tuple[Operation, int]]:
    """Yield the ops that a call of a function executes, and how often; each branch counts as executed."""
    known = functions(module)
    times = dict.fromkeys(known, 0) | {entry: 1}
    for name in reversed(call_graph(module).callees_first()):
        if times.get(name):
            for op, count in _executed(known[name], times[name]):
                called = callee(op)
                if called in times:
                    times[called] += count
                yield op, count


def _executed(op: Operation, times: int) -> Iterator[tuple[Operation, int]]:
    for block in op.blocks:
        for inner in block.ops:
            yield inner, times
            if has_trait(inner.name, "runs_bodies"):
                yield from _executed(inner, times * _iterations(inner))


def _iterations(op: Operation) -> int:
    definition = lookup(op.name)
    loop = definition.loop if definition is not None else None
    if loop is None:
        return 1
    if loop.dimension:
        return scan_count(op, loop.dimension)
    trips = trip_count(op)
    return 1 if trips is None else trips


# Devices


def _keywords(op: Operation, module: Module) -> Mapping[str, Any]:
    definition = lookup(op.name)
    assert definition is not None
    found = {attr.name: attribute(op, attr.name) for attr in definition.attrs}
    groups = found.get("replica_groups")
    if isinstance(groups, StructAttr):
        found["replica_groups"] = mesh_groups(groups, module)
    return found


def _check(groups: Sequence[Sequence[ProcessId]], module: Module, op: Operation, size: GridSize) -> None:
    for group in groups:
        if fault := size.fault(group):
            message = f"{op.name}: {fault}"
            raise TransformError(module.name, [Diagnostic("error", "groups", message, *module.position(op))])


def _axes(groups: Groups, devices: Devices) -> tuple[str, ...]:
    pairs = np.array([pair for group in groups for pair in pairwise(group)], np.int64).reshape(-1, 2)
    return devices.axes_between(pairs[:, 0], pairs[:, 1])


# Bytes


def _bytes(rule: str, groups: Groups, size: int, count: int) -> tuple[Bytes, Bytes]:
    """Return the bytes that each device sends and receives, of operands of a size."""
    sent, received = np.zeros(count, np.int64), np.zeros(count, np.int64)
    for group in groups:
        outgoing, incoming = _MESSAGES[rule](size, group)
        sent[group] = np.maximum(sent[group], outgoing)
        received[group] = np.maximum(received[group], incoming)
    return sent, received


Message = Callable[[int, Sequence[int]], tuple[Any, Any]]


def _evenly(amount: Callable[[int, int], int]) -> Message:
    """Return the messages of groups whose devices send what they receive, given a size and the group's."""

    def messages(size: int, group: Sequence[int]) -> tuple[int, int]:
        found = amount(size, len(group))
        return found, found

    return messages


def _pair(size: int, group: Sequence[int]) -> tuple[Any, Any]:
    moved = size * (group[0] != group[1])
    return np.array([moved, 0]), np.array([0, moved])


def _chain(size: int, group: Sequence[int]) -> tuple[Any, Any]:
    """Each device passes on what it gets; the first gets nothing, and the last sends nothing."""
    along = np.full(len(group), size)
    outgoing, incoming = along.copy(), along.copy()
    outgoing[-1] = incoming[0] = 0
    return outgoing, incoming


def _back(size: int, group: Sequence[int]) -> tuple[Any, Any]:
    outgoing, incoming = _chain(size, group)
    return incoming, outgoing


_MESSAGES: dict[str, Message] = {
    "gather": _evenly(lambda size, n: size * (n - 1)),
    "reduce": _evenly(lambda size, n: -(-2 * size * (n - 1) // n)),
    "scattered_reduction": _evenly(lambda size, n: -(-size * (n - 1) // n)),
    "exchange": _evenly(lambda size, n: -(-size * (n - 1) // n)),
    "pairs": _pair,
    "from_one": _chain,
    "to_one": _back,
}
