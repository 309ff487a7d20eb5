"""Reductions of whole dimensions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from stablehlo_py.builder.arguments import integers
from stablehlo_py.builder.computation_builder import Computation, ComputationBuilder
from stablehlo_py.builder.op import XlaOp
from stablehlo_py.ir.types import TensorType

if TYPE_CHECKING:
    from stablehlo_py.builder.op import Operand


class Reductions(ComputationBuilder):
    """Reduce and its kin."""

    def Reduce(
        self,
        operands: Operand | Sequence[Operand],
        init_values: Operand | Sequence[Operand],
        computation: Computation,
        dimensions: Sequence[int] | None = None,
    ) -> XlaOp:
        """Folds the elements along dimensions into one, with a computation.

        Args:
          operands: N arrays of the same sizes.
          init_values: N scalars, an identity of the computation: it may be used any number of times.
          computation: of N accumulators and N elements, in this order; gives N scalars. Its order of
            application is open, so it should be associative.
          dimensions: those to reduce; all by default.

        Gives an array of the sizes that are left, a tuple of N arrays if N > 1.

        Documents: 000 (one array), 001, 003. 003's example of argmax compares with the wrong value.
        """
        arrays, scalars = self._with_init(operands, init_values)
        axes = list(range(arrays[0].rank)) if dimensions is None else integers(dimensions, "dimensions")
        body = self._region(computation, scalar_types([*scalars, *arrays]))
        return self._collated(self._emit("reduce", [*arrays, *scalars], {"dimensions": axes}, [body]))

    def _with_init(
        self, operands: Operand | Sequence[Operand], init_values: Operand | Sequence[Operand]
    ) -> tuple[list[XlaOp], list[XlaOp]]:
        """Operands and initial values; numbers among these take the operands' element types."""
        arrays = self._arrays(operands)
        given = init_values if isinstance(init_values, list | tuple) else [init_values]
        if len(given) != len(arrays):
            return arrays, self._listed(init_values)
        types = [array.element_type for array in arrays]
        return arrays, [self._operand(value, type) for value, type in zip(given, types, strict=True)]


def scalar_types(operands: Sequence[XlaOp]) -> list[TensorType]:
    """The types of the elements of arrays, as a computation over them takes them."""
    return [TensorType((), operand.element_type) for operand in operands]
