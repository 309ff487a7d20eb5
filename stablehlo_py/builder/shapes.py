"""Operations that change the shape of an array and leave its elements as they are."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, overload

from stablehlo_py.builder.arguments import integer, integers
from stablehlo_py.builder.base import listed
from stablehlo_py.builder.computation_builder import ComputationBuilder
from stablehlo_py.builder.errors import BuildError
from stablehlo_py.builder.op import XlaOp
from stablehlo_py.builder.shape import shape_text
from stablehlo_py.layout import Shape

if TYPE_CHECKING:
    from stablehlo_py.builder.op import Operand


class PaddingConfigDimension(NamedTuple):
    """How Pad changes one dimension."""

    edge_padding_low: int = 0
    edge_padding_high: int = 0
    interior_padding: int = 0


PaddingConfig = Sequence[PaddingConfigDimension | Sequence[int] | Mapping[str, int]]


class Shapes(ComputationBuilder):
    """Broadcasting, reshaping, transposing, concatenating, padding."""

    def Broadcast(self, operand: Operand, broadcast_sizes: Sequence[int]) -> XlaOp:
        """Repeats an array along new dimensions in front: output[i.., j..] = operand[j..].

        Args:
          operand: an array of shape [b0, .., bM].
          broadcast_sizes: the sizes [a0, .., aN] of the new dimensions.

        Gives an array of shape [a0, .., aN, b0, .., bM].

        Documents: 000, 001, 003.
        """
        op, sizes = self._operand(operand), integers(broadcast_sizes, "broadcast_sizes")
        first = len(sizes)
        attributes = {"broadcast_dimensions": list(range(first, first + op.rank))}
        return self._one("broadcast_in_dim", [op], attributes, shape=[*sizes, *op.shape])

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
        sizes = integers(out_dim_size, "out_dim_size")
        attributes = {"broadcast_dimensions": integers(broadcast_dimensions, "broadcast_dimensions")}
        return self._one("broadcast_in_dim", [self._operand(operand)], attributes, shape=sizes)

    def Collapse(self, operand: Operand, dimensions: Sequence[int]) -> XlaOp:
        """Makes one dimension of several that follow each other, in the place of the first.

        Of f32[4,2,3], the dimensions [0, 1] give f32[8,3], and [1, 2] give f32[4,6]: the documents' example
        has these two the other way round.

        Raises BuildError for dimensions that do not follow each other, such as [1, 0] or [0, 2].

        Documents: 000, 001, 003.
        """
        op, chosen = self._operand(operand), integers(dimensions, "dimensions")
        if chosen and (chosen != list(range(chosen[0], chosen[0] + len(chosen))) or chosen[0] < 0):
            raise BuildError(f"Collapse: the dimensions {chosen} do not follow each other")
        if chosen and chosen[-1] >= op.rank:
            raise BuildError(f"Collapse: {shape_text(op.type)} has no dimension {chosen[-1]}")
        if not chosen:
            return op
        first, after = chosen[0], chosen[-1] + 1
        merged = math.prod(self._static(op)[first:after])
        return self._one("reshape", [op], shape=[*op.shape[:first], merged, *op.shape[after:]])

    def Concatenate(self, operands: Sequence[Operand], dimension: int) -> XlaOp:
        """Joins arrays along a dimension, in the order in which they are given.

        Args:
          operands: one array or more, of rank 1 or more, of one element type, and of the same sizes in all
            dimensions but the one.
          dimension: from 0 to the rank (the documents' "[0, N)" is about the rank, not the operands).

        Raises BuildError for arrays that differ in other dimensions.

        Documents: 000, 001, 003.
        """
        return self._one("concatenate", self._operands(*listed(operands)), {"dimension": dimension})

    def ConcatInDim(self, operands: Sequence[Operand], dimension: int) -> XlaOp:
        """Concatenate, by the name that it has in XlaBuilder.

        Documents: 000, 001, 003.
        """
        return self.Concatenate(operands, dimension)

    def Pad(self, operand: Operand, padding_value: Operand, padding_config: PaddingConfig) -> XlaOp:
        """Puts a value around an array and between its elements.

        Args:
          operand: an array.
          padding_value: a scalar of its element type.
          padding_config: for each dimension low, high and interior padding, as a PaddingConfigDimension, as
            three numbers in this order, or as a mapping by those names. Low and high may be negative, which
            takes elements away, after the interior padding.

        Raises BuildError for negative interior padding, or another number of dimensions.

        Documents: 000, 001, 003. A caption in 000 gives the order as high, low, interior.
        """
        op, value = self._operands(operand, padding_value)
        if not isinstance(padding_config, Sequence):
            raise BuildError(f"Pad: padding_config must be a list, but it is {padding_config!r}")
        each = [_padding(given) for given in padding_config]
        attributes = {
            "edge_padding_low": [p.edge_padding_low for p in each],
            "edge_padding_high": [p.edge_padding_high for p in each],
            "interior_padding": [p.interior_padding for p in each],
        }
        return self._one("pad", [op, value], attributes)

    @overload
    def Reshape(self, operand: Operand, new_sizes: Sequence[int], /) -> XlaOp: ...
    @overload
    def Reshape(self, operand: Operand, *, new_sizes: Sequence[int]) -> XlaOp: ...
    @overload
    def Reshape(self, operand: Operand, dimensions: Sequence[int], new_sizes: Sequence[int]) -> XlaOp: ...
    def Reshape(
        self,
        operand: Operand,
        dimensions: Sequence[int] | None = None,
        new_sizes: Sequence[int] | None = None,
    ) -> XlaOp:
        """The elements in another shape.

        `Reshape(operand, new_sizes)`, or `Reshape(operand, dimensions, new_sizes)`.

        Args:
          operand: an array.
          dimensions: in which order its elements are taken, from the dimension that varies slowest: a
            permutation of all, by default from the first to the last.
          new_sizes: the sizes of the result, of as many elements.

        Raises BuildError for another number of elements.

        Documents: 000, 001, 003.
        """
        if new_sizes is None:
            dimensions, new_sizes = None, dimensions
        if new_sizes is None:
            raise BuildError("Reshape: new_sizes are missing")
        op, sizes = self._operand(operand), integers(new_sizes, "new_sizes")
        order = list(range(op.rank)) if dimensions is None else integers(dimensions, "dimensions")
        if order != list(range(op.rank)):
            op = self._one("transpose", [op], {"permutation": order})
        return self._one("reshape", [op], shape=sizes)

    def Rev(self, operand: Operand, dimensions: Sequence[int]) -> XlaOp:
        """Turns the order of elements around along dimensions: index i becomes N - 1 - i.

        Raises BuildError for a dimension that is not there, or there twice.

        Documents: 000, 001, 003.
        """
        attributes = {"dimensions": integers(dimensions, "dimensions")}
        return self._one("reverse", [self._operand(operand)], attributes)

    def Transpose(self, operand: Operand, permutation: Sequence[int]) -> XlaOp:
        """Permutes dimensions: the i-th of the result is the permutation[i]-th of the operand.

        Raises BuildError for what is no permutation.

        Documents: 000, 001, 003.
        """
        attributes = {"permutation": integers(permutation, "permutation")}
        return self._one("transpose", [self._operand(operand)], attributes)

    def GetDimensionSize(self, operand: Operand, dimension: int) -> XlaOp:
        """The size of a dimension, as an s32 scalar; at run time where SetDimensionSize has set it.

        Documents: 001.
        """
        return self._one("get_dimension_size", [self._operand(operand)], {"dimension": dimension})

    def SetDimensionSize(self, operand: Operand, size: Operand, dimension: int) -> XlaOp:
        """The array, with a size of a dimension that is known at run time only.

        Args:
          operand: an array.
          size: an s32 scalar, at most the size that the dimension has.
          dimension: which.

        Gives an array of the same shape, whose size in the dimension is the bound of what it will be; later
        reductions leave out what is beyond. Its type is bounded: tensor<?xf32, #stablehlo.bounds<10>>.

        Documents: 001.
        """
        op, count = self._operand(operand), self._operand(size)
        shape = Shape.of_type(op.type)
        if not 0 <= integer(dimension, "dimension") < op.rank:
            raise BuildError(f"SetDimensionSize: {shape_text(op.type)} has no dimension {dimension}")
        dynamic = tuple([d == dimension or varies for d, varies in enumerate(shape.dynamic)])
        bounded = Shape(shape.element_type, shape.dimensions, dynamic=dynamic).to_type()
        return self._one("set_dimension_size", [op, count], {"dimension": dimension}, types=[bounded])

    def _static(self, op: XlaOp) -> list[int]:
        """The sizes of an array all of whose sizes are known. Raises BuildError for others."""
        sizes = [size for size in op.shape if size is not None]
        if len(sizes) != op.rank:
            raise BuildError(f"{shape_text(op.type)} has a size that is not known")
        return sizes


def _padding(given: Any) -> PaddingConfigDimension:
    try:
        is_named = isinstance(given, Mapping)
        return PaddingConfigDimension(**given) if is_named else PaddingConfigDimension(*given)
    except TypeError:
        names = ", ".join(PaddingConfigDimension._fields)
        raise BuildError(f"Pad: {given!r} does not give {names} of a dimension") from None
