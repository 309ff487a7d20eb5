"""Operations between the replicas that run a program."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from stablehlo_py.builder.core import Computation, Core
from stablehlo_py.builder.op import XlaOp
from stablehlo_py.builder.reductions import scalar_types

if TYPE_CHECKING:
    from stablehlo_py.builder.op import Operand

Groups = Sequence[Sequence[int]]


class Collectives(Core):
    """AllReduce and its kin."""

    def AllReduce(
        self,
        operand: Operand | Sequence[Operand],
        computation: Computation,
        replica_groups: Groups = (),
        channel_id: int | None = None,
    ) -> XlaOp:
        """Combines the operands of the replicas of each group, element by element.

        Args:
          operand: an array, or a tuple of arrays that are combined each on its own.
          computation: of two scalars, gives one.
          replica_groups: which replicas go together; all of them by default.
          channel_id: for operations between modules, what they have in common.

        Gives what the operand is in shape.

        Documents: 001.
        """
        arrays = self._listed(operand)
        attributes = {"replica_groups": self._groups(replica_groups), **_channel(channel_id)}
        results = [self._all_reduce(array, computation, attributes) for array in arrays]
        return self._tuple(results) if len(results) > 1 or _is_tuple(operand) else results[0]

    def _all_reduce(self, array: XlaOp, computation: Computation, attributes: dict[str, Any]) -> XlaOp:
        body = self._region(computation, scalar_types([array] * 2))
        return self._one("all_reduce", [array], attributes, [body], element_type=array.element_type)

    def _groups(self, groups: Groups) -> np.ndarray[Any, np.dtype[np.int64]]:
        """Groups as StableHLO has them: a row each, filled up with -1; no rows for one group of all."""
        rows = [list(group) for group in groups]
        width = max(map(len, rows), default=0)
        filled = [[*row, *[-1] * (width - len(row))] for row in rows]
        return np.array(filled, np.int64).reshape(len(rows), width)


def _channel(channel_id: int | None) -> dict[str, Any]:
    """A channel's attribute; its type 1 is that of devices among themselves."""
    return {} if channel_id is None else {"channel_id": channel_id, "channel_type": 1}


def _is_tuple(operand: Any) -> bool:
    return operand.is_tuple if isinstance(operand, XlaOp) else isinstance(operand, list | tuple)
