"""Reductions along dimensions."""

from __future__ import annotations

from collections.abc import Sequence

from stablehlo_py.builder.arguments import integers
from stablehlo_py.builder.computation_builder import Computation, ComputationBuilder
from stablehlo_py.builder.op import Operand, XlaOp
from stablehlo_py.ir.types import TensorType


class Reductions(ComputationBuilder):
    """Reduce, and the common parts of other reductions."""

    def Reduce(
        self,
        operands: Operand | Sequence[Operand],
        init_values: Operand | Sequence[Operand],
        computation: Computation,
        dimensions: Sequence[int] | None = None,
    ) -> XlaOp:
        """Reduces arrays along dimensions with a computation.

        Args:
            operands: N arrays of the same shape.
            init_values: N scalars, the identity of the computation, which may be applied any number of times.
            computation: A computation from N accumulators and N elements to N scalars. It should be
                associative, since it is applied in an undefined order.
            dimensions: The dimensions to reduce; all by default.

        Returns:
            An array of the remaining dimensions, or a tuple of N arrays if N > 1.

        Documents: 000 (one array), 001, 003. 003's example of argmax compares with the wrong value.
        """
        arrays, scalars = self._with_init(operands, init_values)
        axes = list(range(arrays[0].rank)) if dimensions is None else integers(dimensions, "dimensions")
        body = self._region(computation, scalar_types([*scalars, *arrays]))
        return self._collated(self._emit("reduce", [*arrays, *scalars], {"dimensions": axes}, [body]))

    def _with_init(
        self, operands: Operand | Sequence[Operand], init_values: Operand | Sequence[Operand]
    ) -> tuple[list[XlaOp], list[XlaOp]]:
        """Convert operands and initial values; numbers take the operands' element types."""
        arrays = self._arrays(operands)
        given = init_values if isinstance(init_values, list | tuple) else [init_values]
        if len(given) != len(arrays):
            return arrays, self._listed(init_values)
        types = [array.element_type for array in arrays]
        return arrays, [self._operand(value, type) for value, type in zip(given, types, strict=True)]


def scalar_types(operands: Sequence[XlaOp]) -> list[TensorType]:
    """Return the scalar types of arrays, which are the parameter types of a computation on elements."""
    return [TensorType((), operand.element_type) for operand in operands]
