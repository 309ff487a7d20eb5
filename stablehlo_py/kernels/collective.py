"""Collective ops, and ids of processes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import reduce
from math import prod
from typing import Any

import numpy as np

from stablehlo_py.diagnostics.diagnostic import RunError
from stablehlo_py.kernels.grid.groups import GridSize, Groups, process_groups
from stablehlo_py.kernels.grid.process import ProcessId, Task, current, kept
from stablehlo_py.kernels.numeric.matrix_product import cast
from stablehlo_py.kernels.reduction import element_dtypes
from stablehlo_py.kernels.registry import Array, DType, Function, kernel

Arrays = tuple[Array, ...]
LARGE = 1 << 14  # elements, from which operands of an all_reduce are combined in parts
PIECE = 1 << 20  # elements that a process receives at once


# Process groups


def _size() -> GridSize:
    grid = current().grid
    return GridSize(grid.replicas, grid.partitions)


def _groups(replica_groups: Array, channel_id: int, use_global_device_ids: bool) -> Groups:
    """Return the process groups of ops with the flag use_global_device_ids."""
    flags = {"channel_id": channel_id, "use_global_device_ids": use_global_device_ids}
    return process_groups({"replica_groups": replica_groups, **flags}, _size())


def _one_axis_groups(replica_groups: Array, channel_id: int = 0) -> Groups:
    """Return the process groups of ops that communicate along one axis of the process grid."""
    return process_groups({"replica_groups": replica_groups, "channel_id": channel_id}, _size())


def _mine(groups: Groups) -> list[ProcessId] | None:
    """Return the group that contains this process, or None. Raise RunError for ids outside the grid."""
    place, size = current().process_id, _size()
    for group in groups:
        if fault := size.fault(group):
            raise RunError(f"{fault} (see the options replicas and partitions)")
    return next((group for group in groups if place in group), None)


def _group(groups: Groups) -> list[ProcessId]:
    """Return the group that contains this process; raise RunError if there is none."""
    group = _mine(groups)
    if group is None:
        raise RunError(f"process {current().process_id} is not in any replica group")
    return group


def _exchange(what: str, channel_id: int, groups: Groups, value: Any) -> list[Any]:
    """Exchange values within this process's group; return the group's values."""
    return current().meet(what, channel_id, _group(groups), value)


def _exchange_parts(what: str, channel_id: int, group: list[ProcessId], parts: Sequence[Any]) -> list[Any]:
    """Send each process of a group its part; return the parts for this process."""
    return current().exchange(what, channel_id, group, parts)


def _exchange_pieces(
    what: str,
    channel_id: int,
    group: list[ProcessId],
    parts: Sequence[Array],
    take: Callable[[tuple[slice, ...], list[Array]], None],
) -> None:
    """Send each process of a group its part, piece by piece, so that few elements are on their way at once.

    Args:
        what: The name of the op.
        channel_id: The channel id of the op.
        group: The group.
        parts: The part for each process, all of one shape.
        take: Takes the place of a piece in a part, and the pieces from each process.
    """
    exchange = current().exchanges(what, channel_id, group)
    for piece in _pieces(parts[0].shape, PIECE // len(group)):
        copies = {id(part): kept(part[piece]) for part in parts}  # a part for several is copied once
        take(piece, exchange([copies[id(part)] for part in parts]))


def _pieces(shape: Sequence[int], most: int) -> Iterator[tuple[slice, ...]]:
    """Yield the places of pieces of an array along its longest dimension, of about a number of elements."""
    dim = int(np.argmax(shape))
    step = max(1, most * shape[dim] // max(1, prod(shape)))
    for start in range(0, max(1, shape[dim]), step):
        yield (*[slice(None)] * dim, slice(start, start + step))


def _combined(computation: Function, values: list[Array]) -> Array:
    """Combine the values of several processes elementwise, in the order of the group."""
    promoted = [cast(value, _result_dtype(computation)) for value in values]
    return np.array(reduce(lambda a, b: computation(a, b)[0], promoted))


def _result_dtype(computation: Function) -> DType:
    """The element type of what a computation combines: that of the operands, or a wider one."""
    (dtype,) = element_dtypes(computation.output_types)
    return dtype


# Collective ops


@kernel("stablehlo.all_gather")
def all_gather(
    operands: Arrays,
    *,
    all_gather_dim: int,
    replica_groups: Array,
    channel_id: int,
    use_global_device_ids: bool,
) -> Arrays:
    """Concatenate the operands of a group's processes (all_gather)."""
    group = _group(_groups(replica_groups, channel_id, use_global_device_ids))
    parts = [[x] * len(group) for x in operands]
    return tuple([_exchanged("all_gather", channel_id, group, part, all_gather_dim) for part in parts])


def _exchanged(
    what: str, channel_id: int, group: list[ProcessId], parts: Sequence[Array], dimension: int
) -> Array:
    """Send each process of a group its part; concatenate the parts for this process."""
    shape = list(parts[0].shape)
    shape[dimension] *= len(group)
    found = np.empty(shape, parts[0].dtype)
    targets = np.split(found, len(group), dimension)

    def take(piece: tuple[slice, ...], values: list[Array]) -> None:
        for target, value in zip(targets, values, strict=True):
            target[piece] = value

    _exchange_pieces(what, channel_id, group, parts, take)
    return found


@kernel("stablehlo.all_reduce", overwrites="operands")
def all_reduce(
    operands: Arrays,
    *,
    replica_groups: Array,
    channel_id: int,
    use_global_device_ids: bool,
    computation: Function,
    overwrite: bool = False,
) -> Arrays:
    """Combine the operands of a group's processes elementwise (all_reduce).

    Of large operands, piece by piece, each process combines a part, and then gathers the parts of all.
    """
    groups = _groups(replica_groups, channel_id, use_global_device_ids)
    group = _group(groups)
    if len(group) == 1 or sum(x.size for x in operands) < LARGE:
        values = _exchange("all_reduce", channel_id, groups, operands)
        return tuple([_combined(computation, list(parts)) for parts in zip(*values, strict=True)])
    flat, dtype = [x.reshape(-1) for x in operands], _result_dtype(computation)
    reused = [overwrite and x.flags.writeable and x.dtype == dtype for x in flat]
    found = [x if is_reused else np.empty(x.shape, dtype) for x, is_reused in zip(flat, reused, strict=True)]
    exchange = current().exchanges("all_reduce", channel_id, group)
    for start in range(0, max(x.size for x in operands), PIECE):
        pieces = [x[start : start + PIECE] for x in flat]
        split = [np.array_split(x, len(group)) for x in pieces]
        values = exchange(kept(list(zip(*split, strict=True))))
        mine = tuple([_combined(computation, list(parts)) for parts in zip(*values, strict=True)])
        gathered = zip(*exchange([mine] * len(group)), strict=True)
        for target, parts in zip(found, gathered, strict=True):
            np.concatenate(parts, out=target[start : start + PIECE])
    return tuple([x.reshape(each.shape) for x, each in zip(found, operands, strict=True)])


@kernel("stablehlo.cross-replica-sum")
def cross_replica_sum(operand: Array, *, replica_groups: Array) -> Array:
    """Sum over replicas (cross-replica-sum)."""
    values = _exchange("cross-replica-sum", 0, _one_axis_groups(replica_groups), operand)
    total: Array = np.add.reduce(values, dtype=operand.dtype)
    return total


@kernel("stablehlo.reduce_scatter")
def reduce_scatter(
    operand: Array,
    *,
    scatter_dimension: int,
    replica_groups: Array,
    channel_id: int,
    use_global_device_ids: bool,
    computation: Function,
) -> Array:
    """Combine operands within a group, then split the result among its processes (reduce_scatter)."""
    group = _group(_groups(replica_groups, channel_id, use_global_device_ids))
    parts = np.split(operand, len(group), scatter_dimension)
    found = np.empty(parts[0].shape, _result_dtype(computation))

    def take(piece: tuple[slice, ...], values: list[Array]) -> None:
        found[piece] = _combined(computation, values)

    _exchange_pieces("reduce_scatter", channel_id, group, parts, take)
    return found


@kernel("stablehlo.all_to_all")
def all_to_all(
    operands: Arrays,
    *,
    split_dimension: int,
    concat_dimension: int,
    split_count: int,
    replica_groups: Array,
    channel_id: int,
) -> Arrays:
    """Split operands, exchange the parts within a group and concatenate them (all_to_all)."""
    group = _group(_one_axis_groups(replica_groups, channel_id))
    parts = [np.split(operand, split_count, split_dimension) for operand in operands]
    return tuple([_exchanged("all_to_all", channel_id, group, part, concat_dimension) for part in parts])


@kernel("stablehlo.collective_broadcast")
def collective_broadcast(
    operands: Arrays, *, replica_groups: Array, channel_id: int, has_dynamic_root: bool
) -> Arrays:
    """Copy the operands of a group's root process to all its processes (collective_broadcast)."""
    groups = _one_axis_groups(replica_groups, channel_id)
    data, roots = _data_and_roots(operands, has_dynamic_root)
    if _mine(groups) is None:
        return tuple([np.zeros_like(x) for x in data])
    group = _group(groups)
    _check_roots(roots, len(group))
    index = group.index(current().process_id)
    given = [x if root == index else None for x, root in zip(data, roots, strict=True)]
    values = _exchange("collective_broadcast", channel_id, groups, given)
    return tuple([_from(values, root, k).copy() for k, root in enumerate(roots)])


@kernel("stablehlo.collective_reduce")
def collective_reduce(
    operands: Arrays,
    *,
    replica_groups: Array,
    channel_id: int,
    use_global_device_ids: bool,
    has_dynamic_root: bool,
    computation: Function,
) -> Arrays:
    """Combine operands within a group into its root process (collective_reduce)."""
    groups = _groups(replica_groups, channel_id, use_global_device_ids)
    data, roots = _data_and_roots(operands, has_dynamic_root)
    if _mine(groups) is None:
        return tuple([np.zeros(x.shape, _result_dtype(computation)) for x in data])
    group = _group(groups)
    _check_roots(roots, len(group))
    index = group.index(current().process_id)
    members = range(len(group))
    given = [[x if root == i else None for x, root in zip(data, roots, strict=True)] for i in members]
    values = _exchange_parts("collective_reduce", channel_id, group, given)
    results = []
    for k, (x, root) in enumerate(zip(data, roots, strict=True)):
        if root == index:
            results.append(_combined(computation, [_from(values, i, k) for i in members]))
        else:
            results.append(np.zeros(x.shape, _result_dtype(computation)))
    return tuple(results)


def _data_and_roots(operands: Arrays, has_dynamic_root: bool) -> tuple[Arrays, list[int]]:
    """Return the data operands and, for each, the index of its root process in the group."""
    if not has_dynamic_root:
        return operands, [0] * len(operands)
    return operands[:-1], operands[-1].tolist()


def _from(values: list[Any], source: int, k: int) -> Array:
    """Return the k-th array from a process of the group, which sends it if it has the same roots."""
    found: Array | None = values[source][k]
    if found is None:
        raise RunError("the processes of a group have different roots")
    return found


def _check_roots(roots: list[int], size: int) -> None:
    wrong = next((root for root in roots if not 0 <= root < size), None)
    if wrong is not None:
        raise RunError(f"root {wrong} is out of range for a group of {size} processes (0 to {size - 1})")


@kernel("stablehlo.collective_permute")
def collective_permute(operand: Array, *, source_target_pairs: Array, channel_id: int) -> Array:
    """Send operands from source to target processes; zeros without a source (collective_permute)."""
    process = current()
    across = channel_id > 0
    mine = process.partition if across else process.replica
    groups = _one_axis_groups(np.zeros((0, 0), np.int64), channel_id)
    count = process.grid.partitions if across else process.grid.replicas
    wrong = [pair for pair in source_target_pairs.tolist() if not all(0 <= i < count for i in pair)]
    if wrong:
        kind = "partitions" if across else "replicas"
        raise RunError(f"source_target_pairs has {wrong[0]}, and the grid has {count} {kind}, counted from 0")
    pairs = [(int(source), int(target)) for source, target in source_target_pairs.tolist()]
    targets = {target for source, target in pairs if source == mine}
    given = [operand if i in targets else None for i in range(count)]
    values = _exchange_parts("collective_permute", channel_id, _group(groups), given)
    sources = [source for source, target in pairs if target == mine]
    return values[sources[0]].copy() if sources else np.zeros_like(operand)


# Process ids and asynchronous ops


@kernel("stablehlo.replica_id")
def replica_id() -> Array:
    """Replica id of this process (replica_id)."""
    return np.array(current().replica, np.uint32)


@kernel("stablehlo.partition_id")
def partition_id() -> Array:
    """Partition id of this process (partition_id)."""
    return np.array(current().partition, np.uint32)


@kernel("stablehlo.async_start", view=True, overwrites="operands")
def async_start(operands: Arrays, *, body: Function, overwrite: bool = False) -> Task:
    """Start the body as a task of its own, which owns its operands (async_start)."""
    process = current()
    given = operands if overwrite else kept(operands)
    return process.grid.start(process, lambda: body(*given))


@kernel("stablehlo.async_done", view=True)
def async_done(operand: Task) -> Any:
    """Wait for a task and return its results (async_done)."""
    current().grid.wait(lambda: operand.ended, lambda: "waiting for an async operation to complete")
    if operand.error is not None:
        raise operand.error
    (result,) = operand.result
    return result
