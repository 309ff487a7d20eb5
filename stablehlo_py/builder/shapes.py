"""Shape manipulation: operations that move elements without changing them."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, overload

from stablehlo_py.builder.arguments import integer, integers
from stablehlo_py.builder.base import listed
from stablehlo_py.builder.computation_builder import ComputationBuilder
from stablehlo_py.builder.errors import BuildError
from stablehlo_py.builder.op import Operand, XlaOp
from stablehlo_py.builder.shape import shape_text
from stablehlo_py.layout import Shape


class PaddingConfigDimension(NamedTuple):
    """The padding of one dimension in Pad."""

    edge_padding_low: int = 0
    edge_padding_high: int = 0
    interior_padding: int = 0


PaddingConfig = Sequence[PaddingConfigDimension | Sequence[int] | Mapping[str, int]]


class Shapes(ComputationBuilder):
    """Broadcasting, reshaping, transposition, concatenation and padding."""

    def Broadcast(self, operand: Operand, broadcast_sizes: Sequence[int]) -> XlaOp:
        """Adds leading dimensions to an array and repeats it along them: output[i.., j..] = operand[j..].

        Args:
            operand: An array of shape [b0, .., bM].
            broadcast_sizes: The sizes [a0, .., aN] of the new dimensions.

        Returns:
            An array of shape [a0, .., aN, b0, .., bM].

        Documents: 000, 001, 003.
        """
        op, sizes = self._operand(operand), integers(broadcast_sizes, "broadcast_sizes")
        first = len(sizes)
        attributes = {"broadcast_dimensions": list(range(first, first + op.rank))}
        return self._one("broadcast_in_dim", [op], attributes, shape=[*sizes, *op.shape])

    def BroadcastInDim(
        self, operand: Operand, out_dim_size: Sequence[int], broadcast_dimensions: Sequence[int]
    ) -> XlaOp:
        """Repeats an array along new dimensions and dimensions of size 1.

        Args:
            operand: An array.
            out_dim_size: The dimension sizes of the result.
            broadcast_dimensions: The dimension of the result for each dimension of the operand. Their sizes
                must be equal, or the operand's must be 1.

        Raises:
            BuildError: If dimensions or sizes do not match.

        Documents: 001.
        """
        sizes = integers(out_dim_size, "out_dim_size")
        attributes = {"broadcast_dimensions": integers(broadcast_dimensions, "broadcast_dimensions")}
        return self._one("broadcast_in_dim", [self._operand(operand)], attributes, shape=sizes)

    def Collapse(self, operand: Operand, dimensions: Sequence[int]) -> XlaOp:
        """Collapses consecutive dimensions to one.

        Args:
            operand: An array.
            dimensions: The consecutive dimensions. For f32[4,2,3], [0, 1] returns f32[8,3], and [1, 2]
                returns f32[4,6]; the documents' example swaps these results.

        Raises:
            BuildError: If the dimensions are not consecutive, such as [1, 0] or [0, 2].

        Documents: 000, 001, 003.
        """
        op, chosen = self._operand(operand), integers(dimensions, "dimensions")
        if chosen and (chosen != list(range(chosen[0], chosen[0] + len(chosen))) or chosen[0] < 0):
            raise BuildError(f"Collapse: the dimensions {chosen} are not consecutive")
        if chosen and chosen[-1] >= op.rank:
            raise BuildError(f"Collapse: {shape_text(op.type)} has no dimension {chosen[-1]}")
        if not chosen:
            return op
        first, after = chosen[0], chosen[-1] + 1
        merged = math.prod(self._static(op)[first:after])
        return self._one("reshape", [op], shape=[*op.shape[:first], merged, *op.shape[after:]])

    def Concatenate(self, operands: Sequence[Operand], dimension: int) -> XlaOp:
        """Concatenates arrays along a dimension.

        Args:
            operands: Arrays of rank 1 or more, of the same element type, and of the same sizes in all other
                dimensions.
            dimension: The dimension, less than the rank (the "[0, N)" of the documents refers to the rank).

        Raises:
            BuildError: If the arrays differ in other dimensions.

        Documents: 000, 001, 003.
        """
        return self._one("concatenate", self._operands(*listed(operands)), {"dimension": dimension})

    def ConcatInDim(self, operands: Sequence[Operand], dimension: int) -> XlaOp:
        """Concatenates arrays along a dimension: Concatenate, by its name in XlaBuilder.

        Documents: 000, 001, 003.
        """
        return self.Concatenate(operands, dimension)

    def Pad(self, operand: Operand, padding_value: Operand, padding_config: PaddingConfig) -> XlaOp:
        """Pads an array with a value, around it and between its elements.

        Args:
            operand: An array.
            padding_value: A scalar of its element type.
            padding_config: The low, high and interior padding of each dimension, as a PaddingConfigDimension,
                three numbers in this order, or a mapping with those names. Negative low and high padding
                removes elements, after interior padding.

        Raises:
            BuildError: If interior padding is negative, or the number of dimensions does not match.

        Documents: 000, 001, 003. A caption in 000 gives the order as high, low, interior.
        """
        op, value = self._operands(operand, padding_value)
        if not isinstance(padding_config, Sequence):
            raise BuildError(f"Pad: padding_config must be a list, not {padding_config!r}")
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
        """Changes the shape of an array.

        `Reshape(operand, new_sizes)`, or `Reshape(operand, dimensions, new_sizes)`.

        Args:
            operand: An array.
            dimensions: The order in which its elements are read, from major to minor: a permutation of all
                dimensions, by default in order.
            new_sizes: The dimension sizes of the result.

        Raises:
            BuildError: If the number of elements differs.

        Documents: 000, 001, 003.
        """
        if new_sizes is None:
            dimensions, new_sizes = None, dimensions
        if new_sizes is None:
            raise BuildError("Reshape: new_sizes is missing")
        op, sizes = self._operand(operand), integers(new_sizes, "new_sizes")
        order = list(range(op.rank)) if dimensions is None else integers(dimensions, "dimensions")
        if order != list(range(op.rank)):
            op = self._one("transpose", [op], {"permutation": order})
        return self._one("reshape", [op], shape=sizes)

    def Rev(self, operand: Operand, dimensions: Sequence[int]) -> XlaOp:
        """Reverses the order of elements along dimensions: index i becomes N - 1 - i.

        Raises:
            BuildError: If a dimension is out of range or repeated.

        Documents: 000, 001, 003.
        """
        attributes = {"dimensions": integers(dimensions, "dimensions")}
        return self._one("reverse", [self._operand(operand)], attributes)

    def Transpose(self, operand: Operand, permutation: Sequence[int]) -> XlaOp:
        """Permutes dimensions: the i-th of the result is the permutation[i]-th of the operand.

        Raises:
            BuildError: If it is not a permutation.

        Documents: 000, 001, 003.
        """
        attributes = {"permutation": integers(permutation, "permutation")}
        return self._one("transpose", [self._operand(operand)], attributes)

    def GetDimensionSize(self, operand: Operand, dimension: int) -> XlaOp:
        """Returns the size of a dimension as an s32 scalar, which SetDimensionSize may have set at run time.

        Documents: 001.
        """
        return self._one("get_dimension_size", [self._operand(operand)], {"dimension": dimension})

    def SetDimensionSize(self, operand: Operand, size: Operand, dimension: int) -> XlaOp:
        """Sets the size of a dimension to a run-time value.

        Args:
            operand: An array.
            size: An s32 scalar, at most the current size of the dimension.
            dimension: The dimension.

        Returns:
            An array of the same shape, with the size of the dimension as its bound; later reductions
            ignore elements beyond the size. Its type is bounded: tensor<?xf32, #stablehlo.bounds<10>>.

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
        """Return the sizes of a static array; raise BuildError if one is dynamic."""
        sizes = [size for size in op.shape if size is not None]
        if len(sizes) != op.rank:
            raise BuildError(f"{shape_text(op.type)} has a dynamic dimension")
        return sizes


def _padding(given: Any) -> PaddingConfigDimension:
    try:
        is_named = isinstance(given, Mapping)
        return PaddingConfigDimension(**given) if is_named else PaddingConfigDimension(*given)
    except TypeError:
        names = ", ".join(PaddingConfigDimension._fields)
        raise BuildError(f"Pad: expected {names} for each dimension, got {given!r}") from None
