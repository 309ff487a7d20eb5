"""Parts of arrays, at places that are known now or at run time; choices between arrays."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from stablehlo_py.builder.arguments import integers
from stablehlo_py.builder.computation_builder import ComputationBuilder
from stablehlo_py.builder.errors import BuildError
from stablehlo_py.builder.op import XlaOp
from stablehlo_py.builder.shape import shape_text

if TYPE_CHECKING:
    from stablehlo_py.builder.op import Operand


class Slices(ComputationBuilder):
    """Slice, DynamicSlice, DynamicUpdateSlice, Select and Clamp."""

    def Slice(
        self,
        operand: Operand,
        start_indices: Sequence[int],
        limit_indices: Sequence[int],
        strides: Sequence[int] = (),
    ) -> XlaOp:
        """The elements from start to limit, which is not included.

        Args:
          operand: an array of rank N.
          start_indices, limit_indices: N integers each, 0 <= start <= limit <= size.
          strides: N steps; 1 by default.

        Raises BuildError for indices that are out of bounds.

        Documents: 000 and 003 (without strides, and without empty slices), 001.
        """
        op = self._operand(operand)
        attributes = {
            "start_indices": integers(start_indices, "start_indices"),
            "limit_indices": integers(limit_indices, "limit_indices"),
            "strides": integers(strides, "strides") or [1] * op.rank,
        }
        return self._one("slice", [op], attributes)

    def DynamicSlice(
        self,
        operand: Operand,
        start_indices: XlaOp | Sequence[Operand],
        size_indices: Sequence[int],
    ) -> XlaOp:
        """A part of an array that starts at indices known at run time.

        Args:
          operand: an array of rank N.
          start_indices: N integer scalars, or an array of N integers (the form of 000 and 003). Each is
            clamped to [0, size - size_indices[i]].
          size_indices: the N sizes of the result.

        Raises BuildError for sizes beyond the operand's.

        Documents: 000, 001, 003. In 000 a start that is out of bounds wraps around.
        """
        op = self._operand(operand)
        attributes = {"slice_sizes": integers(size_indices, "size_indices")}
        return self._one("dynamic_slice", [op, *self._starts(start_indices, op)], attributes)

    def DynamicUpdateSlice(
        self, operand: Operand, update: Operand, start_indices: XlaOp | Sequence[Operand]
    ) -> XlaOp:
        """An array with a part replaced that starts at indices known at run time.

        Args:
          operand: an array of rank N.
          update: an array of rank N, not larger than the operand.
          start_indices: N integer scalars, or an array of N integers (the form of 000 and 003). Each is
            clamped to [0, size - size of the update].

        Raises BuildError for an update that is larger than the operand.

        Documents: 000, 001, 003. In 000 a start that is out of bounds wraps around.
        """
        op, new = self._operands(operand, update)
        return self._one("dynamic_update_slice", [op, new, *self._starts(start_indices, op)])

    def Select(self, pred: Operand, on_true: Operand, on_false: Operand) -> XlaOp:
        """Takes each element from on_true or on_false, as pred says.

        Args:
          pred: a pred array of the others' shape, or a scalar.
          on_true, on_false: arrays of one shape and element type; or tuples, with a scalar pred.

        Raises BuildError for shapes that differ.

        Documents: 000, 001, 003.
        """
        which = self._operand(pred)
        choices = on_true, on_false
        if any(isinstance(c, list | tuple) or (isinstance(c, XlaOp) and c.is_tuple) for c in choices):
            return self._select_tuple(which, *[self._operand(choice) for choice in choices])
        return self._one("select", [which, *self._operands(on_true, on_false)])

    def Clamp(self, min: Operand, operand: Operand, max: Operand) -> XlaOp:
        """Keeps each element within bounds: minimum(maximum(min, x), max).

        Args:
          min, max: arrays of the operand's shape and element type, or scalars.
          operand: an array.

        Raises BuildError for other shapes.

        Documents: 000, 001, 003. 000 has the operand first, and a formula that is broken.
        """
        low, op, high = self._bounds(min, operand, max)
        return self._one("clamp", [low, op, high])

    def _bounds(self, min: Operand, operand: Operand, max: Operand) -> list[XlaOp]:
        """All three of one element type: that of the operand where the bounds are numbers."""
        op, low, high = self._operands(operand, min, max)
        return [low, op, high]

    def _select_tuple(self, pred: XlaOp, on_true: XlaOp, on_false: XlaOp) -> XlaOp:
        if pred.rank or on_true.type is not on_false.type:
            shapes = f"{shape_text(on_true.type)} and {shape_text(on_false.type)}"
            raise BuildError(f"Select: tuples must be of one shape, and pred a scalar; they are {shapes}")
        pairs = zip(on_true.elements, on_false.elements, strict=True)
        return self._tuple([self.Select(pred, a, b) for a, b in pairs])

    def _starts(self, start_indices: XlaOp | Sequence[Operand], op: XlaOp) -> list[XlaOp]:
        """Start indices as scalars: those of an array are taken out of it."""
        if isinstance(start_indices, list | tuple):
            return self._operands(*start_indices)
        indices = self._operand(start_indices)
        if indices.is_tuple:
            return list(indices.elements)
        if indices.rank == 0 and op.rank == 1:
            return [indices]
        if indices.shape != (op.rank,):
            raise BuildError(
                f"start_indices are {shape_text(indices.type)}, not one for each of {op.rank} dimensions"
            )
        return [self._element(indices, position) for position in range(op.rank)]

    def _element(self, vector: XlaOp, position: int) -> XlaOp:
        bounds = {"start_indices": [position], "limit_indices": [position + 1], "strides": [1]}
        return self._one("reshape", [self._one("slice", [vector], bounds)], shape=())
