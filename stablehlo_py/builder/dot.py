"""Products of vectors, matrices and batches of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any

from stablehlo_py.builder.arguments import integers
from stablehlo_py.builder.computation_builder import ComputationBuilder
from stablehlo_py.builder.errors import BuildError
from stablehlo_py.builder.op import Operand, XlaOp
from stablehlo_py.builder.shape import shape_text


@dataclass(frozen=True)
class DotDimensionNumbers:
    """The contracting and batch dimensions of DotGeneral."""

    lhs_contracting_dimensions: Sequence[int] = ()
    rhs_contracting_dimensions: Sequence[int] = ()
    lhs_batch_dimensions: Sequence[int] = ()
    rhs_batch_dimensions: Sequence[int] = ()


_FIELDS = {field.name for field in fields(DotDimensionNumbers)}


class Dots(ComputationBuilder):
    """Dot and DotGeneral."""

    def Dot(self, lhs: Operand, rhs: Operand) -> XlaOp:
        """Multiplies vectors and matrices.

        [n] and [n] return a scalar; [m, k] and [k] return [m]; [k] and [k, n] return [n]; [m, k] and [k, n]
        return [m, n]: the last dimension of lhs is contracted with the first of rhs.

        Raises:
            BuildError: If ranks, sizes or element types do not match.

        Documents: 000, 001, 003.
        """
        left, right = self._operands(lhs, rhs)
        if left.rank not in (1, 2) or right.rank not in (1, 2):
            shapes = f"{shape_text(left.type)} and {shape_text(right.type)}"
            raise BuildError(f"Dot: expected vectors or matrices, got {shapes}; DotGeneral accepts any rank")
        return self.DotGeneral(left, right, DotDimensionNumbers([left.rank - 1], [0]))

    def DotGeneral(
        self,
        lhs: Operand,
        rhs: Operand,
        dimension_numbers: DotDimensionNumbers | Mapping[str, Sequence[int]],
    ) -> XlaOp:
        """Sums products over contracting dimensions, for each index of the batch dimensions.

        Args:
            lhs: An array.
            rhs: An array of the same element type.
            dimension_numbers: DotDimensionNumbers, or a mapping with its fields.

        Returns:
            An array with the batch dimensions, then the remaining ones of lhs, then those of rhs.

        Raises:
            BuildError: If the dimensions do not match.

        Documents: 001, 003. 003 allows one contracting dimension, and leading batch dimensions only.
        """
        left, right = self._operands(lhs, rhs)
        numbers: Any = dimension_numbers
        if isinstance(numbers, Mapping):
            numbers = DotDimensionNumbers(**numbers) if set(numbers) <= _FIELDS else None
        if not isinstance(numbers, DotDimensionNumbers):
            raise BuildError(f"DotGeneral: expected DotDimensionNumbers, got {dimension_numbers!r}")
        attributes = {
            "lhs_batching_dimensions": integers(numbers.lhs_batch_dimensions, "lhs_batch_dimensions"),
            "rhs_batching_dimensions": integers(numbers.rhs_batch_dimensions, "rhs_batch_dimensions"),
            "lhs_contracting_dimensions": integers(
                numbers.lhs_contracting_dimensions, "lhs_contracting_dimensions"
            ),
            "rhs_contracting_dimensions": integers(
                numbers.rhs_contracting_dimensions, "rhs_contracting_dimensions"
            ),
        }
        return self._one("dot_general", [left, right], attributes, element_type=left.element_type)
