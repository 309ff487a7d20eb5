"""Products of vectors, matrices and batches of them, and convolutions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any

from stablehlo_py.builder.arguments import integers, pairs
from stablehlo_py.builder.computation_builder import ComputationBuilder
from stablehlo_py.builder.errors import BuildError
from stablehlo_py.builder.op import Operand, XlaOp
from stablehlo_py.builder.shape import shape_text
from stablehlo_py.builder.windows import Padding, Pairs, padding_pairs, pairs_array


@dataclass(frozen=True)
class DotDimensionNumbers:
    """The contracting and batch dimensions of DotGeneral."""

    lhs_contracting_dimensions: Sequence[int] = ()
    rhs_contracting_dimensions: Sequence[int] = ()
    lhs_batch_dimensions: Sequence[int] = ()
    rhs_batch_dimensions: Sequence[int] = ()


_FIELDS = {field.name for field in fields(DotDimensionNumbers)}


class Contractions(ComputationBuilder):
    """Dot and DotGeneral; Conv and ConvWithGeneralPadding, with XLA's default dimension numbers."""

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

    def Conv(
        self,
        lhs: Operand,
        rhs: Operand,
        window_strides: Sequence[int],
        padding: Padding | str,
        feature_group_count: int = 1,
        batch_group_count: int = 1,
    ) -> XlaOp:
        """Computes a convolution as ConvWithGeneralPadding does, with padding by name.

        SAME pads with zeros to ceil(size / stride) output positions in each dimension, with odd padding at
        the high end; VALID does not pad.

        Documents: 000, 001, 003.
        """
        left, right = self._conv_operands(lhs, rhs)
        strides = integers(window_strides, "window_strides")
        if len(strides) != left.rank - 2:
            raise BuildError(f"Conv: {shape_text(left.type)} requires {left.rank - 2} window_strides")
        zeros = padding_pairs(padding, left.shape[2:], right.shape[2:], strides)
        return self._convolution(left, right, strides, zeros, (), (), feature_group_count, batch_group_count)

    def ConvWithGeneralPadding(
        self,
        lhs: Operand,
        rhs: Operand,
        window_strides: Sequence[int],
        padding: Pairs,
        lhs_dilation: Sequence[int] = (),
        rhs_dilation: Sequence[int] = (),
        feature_group_count: int = 1,
        batch_group_count: int = 1,
    ) -> XlaOp:
        """Slides a window over n spatial dimensions and sums the products at each position.

        The kernel is not flipped.

        Args:
            lhs: The input, of rank n + 2: batch, features, spatial dimensions.
            rhs: The kernel, of rank n + 2: output features, input features, spatial dimensions.
            window_strides: The n strides of the window.
            padding: The n pairs of low and high zero padding; negative padding removes elements.
            lhs_dilation: The n factors d, each of which inserts d - 1 zeros between elements of lhs; 1 by
                default.
            rhs_dilation: The same for rhs.
            feature_group_count: The number of groups of input and output features. The kernel has only the
                input features of one group.
            batch_group_count: The number of groups of the batch. The output has only the batch of one group.

        Returns:
            An array of rank n + 2: batch, output features, window positions.

        Raises:
            BuildError: If sizes do not match.

        Documents: 000, 003 (without groups), 001.
        """
        left, right = self._conv_operands(lhs, rhs)
        return self._convolution(
            left,
            right,
            window_strides,
            pairs(padding, "padding"),
            lhs_dilation,
            rhs_dilation,
            feature_group_count,
            batch_group_count,
        )

    def _conv_operands(self, lhs: Operand, rhs: Operand) -> list[XlaOp]:
        both = self._operands(lhs, rhs)
        if any(op.rank < 2 for op in both):
            raise BuildError(
                f"Conv: {shape_text(both[0].type)} and {shape_text(both[1].type)} must have the rank n + 2"
            )
        return both

    def _convolution(
        self,
        lhs: XlaOp,
        rhs: XlaOp,
        window_strides: Sequence[int],
        padding: Pairs,
        lhs_dilation: Sequence[int],
        rhs_dilation: Sequence[int],
        feature_group_count: int,
        batch_group_count: int,
    ) -> XlaOp:
        attributes = {
            **_dimension_numbers(lhs.rank - 2),
            "window_strides": integers(window_strides, "window_strides"),
            "padding": pairs_array(padding),
            "lhs_dilation": integers(lhs_dilation, "lhs_dilation") or None,
            "rhs_dilation": integers(rhs_dilation, "rhs_dilation") or None,
            "feature_group_count": feature_group_count,
            "batch_group_count": batch_group_count,
        }
        return self._one("convolution", [lhs, rhs], attributes, element_type=lhs.element_type)


def _dimension_numbers(count: int) -> dict[str, Any]:
    """Return [b, f, 0, ..]x[o, i, 0, ..]->[b, f, 0, ..], for a number of spatial dimensions."""
    spatial = list(range(2, count + 2))
    return {
        "input_batch_dimension": 0,
        "input_feature_dimension": 1,
        "input_spatial_dimensions": spatial,
        "kernel_output_feature_dimension": 0,
        "kernel_input_feature_dimension": 1,
        "kernel_spatial_dimensions": spatial,
        "output_batch_dimension": 0,
        "output_feature_dimension": 1,
        "output_spatial_dimensions": spatial,
    }
