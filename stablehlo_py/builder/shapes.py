"""Operations that change the shape of an array and leave its elements as they are."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from stablehlo_py.builder.core import Core
from stablehlo_py.builder.op import XlaOp

if TYPE_CHECKING:
    from stablehlo_py.builder.op import Operand


class Shapes(Core):
    """Broadcasting, reshaping, transposing, concatenating, padding."""

    def Broadcast(self, operand: Operand, broadcast_sizes: Sequence[int]) -> XlaOp:
        """Repeats an array along new dimensions in front: output[i.., j..] = operand[j..].

        Documents: 000, 001, 003.
        """
        op = self._operand(operand)
        first = len(broadcast_sizes)
        return self.BroadcastInDim(op, [*broadcast_sizes, *op.shape], range(first, first + op.rank))  # type: ignore[list-item]

    def BroadcastInDim(
        self, operand: Operand, out_dim_size: Sequence[int], broadcast_dimensions: Sequence[int]
    ) -> XlaOp:
        """Repeats an array along new dimensions, and along those of size 1.

        Args:
          operand: an array.
          out_dim_size: the sizes of the result.
          broadcast_dimensions: which dimension of the result each of the operand's is. Its size must be the
            operand's, or the operand's must be 1.

        Raises BuildError for dimensions and sizes that do not fit.

        Documents: 001.
        """
        attributes = {"broadcast_dimensions": list(broadcast_dimensions)}
        return self._one("broadcast_in_dim", [self._operand(operand)], attributes, shape=tuple(out_dim_size))
