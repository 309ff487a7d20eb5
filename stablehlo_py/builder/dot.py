"""Products of vectors, matrices, and stacks of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any

from stablehlo_py.builder.arguments import integers
from stablehlo_py.builder.computation_builder import ComputationBuilder
from stablehlo_py.builder.errors import BuildError
from stablehlo_py.builder.op import XlaOp
from stablehlo_py.builder.shape import shape_text

if TYPE_CHECKING:
    from stablehlo_py.builder.op import Operand


@dataclass(frozen=True)
class DotDimensionNumbers:
    """Which dimensions DotGeneral sums over, and which it keeps in step."""

    lhs_contracting_dimensions: Sequence[int] = ()
    rhs_contracting_dimensions: Sequence[int] = ()
    lhs_batch_dimensions: Sequence[int] = ()
    rhs_batch_dimensions: Sequence[int] = ()


_FIELDS = {field.name for field in fields(DotDimensionNumbers)}


class Dots(ComputationBuilder):
    """Dot and DotGeneral."""

    def Dot(self, lhs: Operand, rhs: Operand) -> XlaOp:
        """The product of vectors and matrices.

        [n] and [n] give a scalar; [m, k] and [k] give [m]; [k] and [k, n] give [n]; [m, k] and [k, n] give
        [m, n]: the last dimension of lhs is contracted with the first of rhs.

        Raises BuildError for other ranks, sizes that differ and different element types.

        Documents: 000, 001, 003.
        """
        left, right = self._operands(lhs, rhs)
        if left.rank not in (1, 2) or right.rank not in (1, 2):
            shapes = f"{shape_text(left.type)} and {shape_text(right.type)}"
            raise BuildError(f"Dot: {shapes} are no vectors or matrices; DotGeneral takes any rank")
        return self.DotGeneral(left, right, DotDimensionNumbers([left.rank - 1], [0]))

    def DotGeneral(
        self,
        lhs: Operand,
        rhs: Operand,
        dimension_numbers: DotDimensionNumbers | Mapping[str, Sequence[int]],
    ) -> XlaOp:
        """Sums products over contracting dimensions, separately for each index of the batch dimensions.

        Args:
          lhs, rhs: arrays of one element type.
          dimension_numbers: DotDimensionNumbers, or a mapping by the names of its fields.

        Gives an array with the batch dimensions, then those left of lhs, then those left of rhs.

        Raises BuildError for dimensions that do not pair up.

        Documents: 001, 003. 003 allows one contracting dimension, and batch dimensions in front only.
        """
        left, right = self._operands(lhs, rhs)
        numbers: Any = dimension_numbers
        if isinstance(numbers, Mapping):
            numbers = DotDimensionNumbers(**numbers) if set(numbers) <= _FIELDS else None
        if not isinstance(numbers, DotDimensionNumbers):
            raise BuildError(f"DotGeneral: {dimension_numbers!r} are no DotDimensionNumbers")
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
