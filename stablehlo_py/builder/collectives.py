"""Collective operations among the replicas that run a program.

An operation without groups involves all replicas: StableHLO's replica_groups are then empty, or the ids from
0 if the operation has the number of replicas.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from stablehlo_py.builder.arguments import integer, integers, lists, pairs
from stablehlo_py.builder.base import scalar_types
from stablehlo_py.builder.call_site import call_site
from stablehlo_py.builder.computation_builder import Computation, ComputationBuilder
from stablehlo_py.builder.errors import BuildError
from stablehlo_py.builder.op import Operand, XlaOp
from stablehlo_py.builder.shape import shape_text
from stablehlo_py.builder.windows import pairs_array

Groups = Sequence[Sequence[int]]


class Collectives(ComputationBuilder):
    """AllReduce and other collectives."""

    def AllGather(
        self,
        operand: Operand,
        all_gather_dim: int,
        shard_count: int,
        replica_groups: Groups = (),
        channel_id: int | None = None,
    ) -> XlaOp:
        """Concatenates the operands of the replicas of each group, in the order of the group.

        Args:
            operand: An array.
            all_gather_dim: The dimension to concatenate along, which grows by the factor shard_count.
            shard_count: The number of replicas in a group.
            replica_groups: The groups of replicas; by default one of all replicas, in order.
            channel_id: The channel of a collective across modules.

        Documents: 001.
        """
        groups = _sharded(replica_groups, shard_count)
        attributes = {"all_gather_dim": all_gather_dim, "replica_groups": groups, **_channel(channel_id)}
        return self._one("all_gather", [self._operand(operand)], attributes)

    def AllReduce(
        self,
        operand: Operand | Sequence[Operand],
        computation: Computation,
        replica_groups: Groups = (),
        channel_id: int | None = None,
    ) -> XlaOp:
        """Combines the operands of the replicas of each group, element by element.

        Args:
            operand: An array, or a tuple of arrays that are reduced separately.
            computation: A reduction of two scalars, applied in an undefined order.
            replica_groups: The groups of replicas; by default one of all replicas.
            channel_id: The channel of a collective across modules.

        Returns:
            An array, or a tuple, of the operand's shape.

        Documents: 001.
        """
        attributes = {"replica_groups": _rows(replica_groups), **_channel(channel_id)}
        return self._each(operand, lambda array: self._reduced("all_reduce", array, computation, attributes))

    def AllToAll(
        self,
        operand: Operand,
        split_dimension: int,
        concat_dimension: int,
        split_count: int,
        replica_groups: Groups = (),
    ) -> XlaOp:
        """Sends the i-th of split_count blocks to the i-th replica of a group, and concatenates the blocks.

        Args:
            operand: An array.
            split_dimension: The dimension to split, whose size must be divisible by split_count.
            concat_dimension: The dimension to concatenate along.
            split_count: The number of replicas in a group.
            replica_groups: The groups of replicas; by default one of all replicas, in order.

        Documents: 001, 003 (whose prose swaps the two dimensions of its example).
        """
        attributes = {
            "split_dimension": split_dimension,
            "concat_dimension": concat_dimension,
            "split_count": split_count,
            "replica_groups": _sharded(replica_groups, split_count),
        }
        return self._one("all_to_all", [self._operand(operand)], attributes)

    def CollectivePermute(self, operand: Operand, source_target_pairs: Sequence[tuple[int, int]]) -> XlaOp:
        """Sends the operand from the first to the second replica of each pair.

        Sources are unique, and so are targets. A replica that is not a target receives zeros.

        Documents: 001.
        """
        attributes = {"source_target_pairs": pairs_array(pairs(source_target_pairs, "source_target_pairs"))}
        return self._one("collective_permute", [self._operand(operand)], attributes)

    def CrossReplicaSum(self, operand: Operand, replica_group_ids: Sequence[int] = ()) -> XlaOp:
        """Adds the operands of the replicas.

        Args:
            operand: An array.
            replica_group_ids: The group of each replica (003); all groups have the same size. By default all
                replicas are in one group.

        Raises:
            BuildError: For groups of different sizes.

        Documents: 000, 001, 003.
        """
        ids = integers(replica_group_ids, "replica_group_ids")
        groups = [[replica for replica, number in enumerate(ids) if number == g] for g in sorted(set(ids))]
        if len({len(group) for group in groups}) > 1:
            raise BuildError(f"CrossReplicaSum: the groups {groups} have different sizes")
        attributes = {"replica_groups": _rows(groups)}
        return self._each(operand, lambda array: self._reduced("all_reduce", array, "Add", attributes))

    def ReduceScatter(
        self,
        operand: Operand | Sequence[Operand],
        computation: Computation,
        scatter_dimension: int,
        shard_count: int,
        replica_groups: Groups = (),
        channel_id: int | None = None,
    ) -> XlaOp:
        """Reduces as AllReduce does; the i-th replica of a group receives the i-th block of the result.

        Args:
            operand: An array, or a tuple of arrays.
            computation: A reduction of two scalars, applied in an undefined order.
            scatter_dimension: The dimension to split, which shrinks by the factor shard_count.
            shard_count: The number of replicas in a group.
            replica_groups: The groups of replicas; by default one of all replicas, in order.
            channel_id: The channel of a collective across modules.

        Documents: 001.
        """
        attributes = {
            "scatter_dimension": integer(scatter_dimension, "scatter_dimension"),
            "replica_groups": _sharded(replica_groups, shard_count),
            **_channel(channel_id),
        }

        def scattered(array: XlaOp) -> XlaOp:
            sizes, is_there = [*array.shape], 0 <= scatter_dimension < array.rank
            size = sizes[scatter_dimension] if is_there else None
            if not is_there or (size is not None and size % shard_count):
                raise BuildError(
                    f"ReduceScatter: dimension {scatter_dimension} of {shape_text(array.type)} "
                    f"is not divisible into {shard_count} blocks"
                )
            sizes[scatter_dimension] = None if size is None else size // shard_count
            return self._reduced("reduce_scatter", array, computation, attributes, shape=sizes)

        return self._each(operand, scattered)

    def ReplicaId(self) -> XlaOp:
        """Returns the id of the current replica, a u32 scalar from 0.

        Documents: 001.
        """
        return self._one("replica_id", [])

    def _each(self, operand: Any, reduced: Any) -> XlaOp:
        """Apply a function to an array, or to each element of a tuple."""
        op = self._operand(operand)
        if not op.is_tuple:
            return reduced(op)  # type: ignore[no-any-return]
        if not op.elements:
            raise BuildError(f"{call_site().operation}: the tuple is empty")
        return self._tuple([self._each(element, reduced) for element in op.elements])

    def _reduced(
        self, name: str, array: XlaOp, computation: Computation, attributes: dict[str, Any], **known: Any
    ) -> XlaOp:
        body = self._region(computation, scalar_types([array, array]))
        return self._one(name, [array], attributes, [body], element_type=array.element_type, **known)


def _sharded(groups: Groups, count: int) -> np.ndarray[Any, np.dtype[np.int64]]:
    """Return groups of a given size; by default one of all replicas, in order."""
    rows = lists(groups, "replica_groups") or [list(range(integer(count, "the group size")))]
    if any(len(row) != count for row in rows):
        raise BuildError(f"{call_site().operation}: the groups {rows} do not have size {count}")
    return _rows(rows)


def _rows(groups: Groups) -> np.ndarray[Any, np.dtype[np.int64]]:
    """Convert groups to StableHLO's rows, padded with -1."""
    rows = lists(groups, "replica_groups")
    width = max(map(len, rows), default=0)
    filled = [[*row, *[-1] * (width - len(row))] for row in rows]
    return np.array(filled, np.int64).reshape(len(rows), width)


def _channel(channel_id: int | None) -> dict[str, Any]:
    """Return the attribute of a channel, of type 1: device to device."""
    return (
        {}
        if channel_id is None
        else {"channel_handle": {"handle": integer(channel_id, "channel_id"), "type": 1}}
    )
