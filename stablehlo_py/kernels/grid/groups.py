"""Process groups of collectives, by the strategies of the specification."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from stablehlo_py.kernels.grid.process import ProcessId
from stablehlo_py.kernels.registry import Array

Groups = list[list[ProcessId]]


class GridSize(NamedTuple):
    """The numbers of replicas and partitions of a process grid."""

    replicas: int
    partitions: int

    def number(self, process_id: ProcessId) -> int:
        """Return the number of a process, replica by replica."""
        replica, partition = process_id
        return replica * self.partitions + partition

    def fault(self, group: Sequence[ProcessId]) -> str:
        """Return why a process group is not one of the grid; "" if all of its processes are in the grid."""
        if all(0 <= r < self.replicas and 0 <= p < self.partitions for r, p in group):
            return ""
        grid = f"the grid of {self.replicas} replicas by {self.partitions} partitions"
        return f"process group {[*map(tuple, group)]} does not fit {grid}"


def _ids(replica_groups: Array, count: int) -> list[list[int]]:
    """Return replica groups as lists of ids; one group of all `count` ids if there are none."""
    rows = [[i for i in row if i != -1] for row in replica_groups.tolist()] if replica_groups.size else []
    return rows or [list(range(count))]


def cross_replica(replica_groups: Array, size: GridSize) -> Groups:
    """Return the groups of replica ids, within each partition (cross_replica)."""
    rows = _ids(replica_groups, size.replicas)
    return [[(r, p) for r in row] for row in rows for p in range(size.partitions)]


def cross_partition(replica_groups: Array, size: GridSize) -> Groups:
    """Return the groups of partition ids, within each replica (cross_partition)."""
    rows = _ids(replica_groups, size.partitions)
    return [[(r, p) for p in row] for row in rows for r in range(size.replicas)]


def cross_replica_and_partition(replica_groups: Array, size: GridSize) -> Groups:
    """Return the groups of replica ids, across all partitions (cross_replica_and_partition)."""
    rows = _ids(replica_groups, size.replicas)
    return [[(r, p) for p in range(size.partitions) for r in row] for row in rows]


def flattened_ids(replica_groups: Array, size: GridSize) -> Groups:
    """Return the groups of process numbers (flattened_ids)."""
    rows = _ids(replica_groups, size.replicas * size.partitions)
    return [[divmod(i, size.partitions) for i in row] for row in rows]


def process_groups(keywords: Mapping[str, Any], size: GridSize) -> Groups:
    """Return the process groups of a collective.

    Args:
        keywords: The attributes of the op: `replica_groups`, and `channel_id` and `use_global_device_ids` if
            the op has them.
        size: The size of the grid.
    """
    groups: Array = keywords["replica_groups"]
    across = keywords.get("channel_id", 0) > 0
    if "use_global_device_ids" not in keywords:  # an op that communicates along one axis of the grid
        return (cross_partition if across else cross_replica)(groups, size)
    if keywords["use_global_device_ids"]:
        return flattened_ids(groups, size)
    return (cross_replica_and_partition if across else cross_replica)(groups, size)


def process_pairs(keywords: Mapping[str, Any], size: GridSize) -> list[tuple[ProcessId, ProcessId]]:
    """Return the pairs of source and target of a collective_permute.

    Args:
        keywords: The attributes of the op: `source_target_pairs` and `channel_id`.
        size: The size of the grid.
    """
    pairs = keywords["source_target_pairs"].tolist()
    if keywords["channel_id"] > 0:
        return [((r, source), (r, target)) for r in range(size.replicas) for source, target in pairs]
    return [((source, p), (target, p)) for p in range(size.partitions) for source, target in pairs]
