"""Static and dynamic slices, and selection between arrays."""

from __future__ import annotations

from collections.abc import Sequence

from stablehlo_py.builder.arguments import integers
from stablehlo_py.builder.computation_builder import ComputationBuilder
from stablehlo_py.builder.errors import BuildError
from stablehlo_py.builder.op import Operand, XlaOp
from stablehlo_py.builder.shape import shape_text


class Slices(ComputationBuilder):
    """Slice, DynamicSlice, DynamicUpdateSlice, Select and Clamp."""

    def Slice(
        self,
        operand: Operand,
        start_indices: Sequence[int],
        limit_indices: Sequence[int],
        strides: Sequence[int] = (),
    ) -> XlaOp:
        """Extracts a slice of an array.

        Args:
            operand: An array of rank N.
            start_indices: N integers, the inclusive starts, 0 <= start <= limit.
            limit_indices: N integers, the exclusive limits, limit <= size.
            strides: N strides; 1 by default.

        Raises:
            BuildError: If an index is out of bounds.

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
        """Extracts a slice of an array that starts at run-time indices.

        Args:
            operand: An array of rank N.
            start_indices: N integer scalars, or an array of N integers (the form of 000 and 003). Each is
                clamped to [0, size - size_indices[i]].
            size_indices: The N sizes of the slice.

        Raises:
            BuildError: If a size exceeds the operand's.

        Documents: 000, 001, 003. In 000 an out-of-bounds start wraps around.
        """
        op = self._operand(operand)
        attributes = {"slice_sizes": integers(size_indices, "size_indices")}
        return self._one("dynamic_slice", [op, *self._starts(start_indices, op)], attributes)

    def DynamicUpdateSlice(
        self, operand: Operand, update: Operand, start_indices: XlaOp | Sequence[Operand]
    ) -> XlaOp:
        """Replaces a slice of an array that starts at run-time indices.

        Args:
            operand: An array of rank N.
            update: An array of rank N, no larger than the operand.
            start_indices: N integer scalars, or an array of N integers (the form of 000 and 003). Each is
                clamped to [0, size - size of the update].

        Raises:
            BuildError: If the update is larger than the operand.

        Documents: 000, 001, 003. In 000 an out-of-bounds start wraps around.
        """
        op, new = self._operands(operand, update)
        return self._one("dynamic_update_slice", [op, new, *self._starts(start_indices, op)])

    def Select(self, pred: Operand, on_true: Operand, on_false: Operand) -> XlaOp:
        """Selects each element from on_true or on_false, by a predicate.

        Args:
            pred: A pred array of the same shape, or a scalar.
            on_true: An array; or a tuple, with a scalar pred.
            on_false: An array, or tuple, of the same shape and element type.

        Raises:
            BuildError: If the shapes differ.

        Documents: 000, 001, 003.
        """
        which = self._operand(pred)
        choices = on_true, on_false
        if any(isinstance(c, list | tuple) or (isinstance(c, XlaOp) and c.is_tuple) for c in choices):
            return self._select_tuple(which, *[self._operand(choice) for choice in choices])
        return self._one("select", [which, *self._operands(on_true, on_false)])

    def Clamp(self, min: Operand, operand: Operand, max: Operand) -> XlaOp:
        """Clamps each element to bounds: minimum(maximum(min, x), max).

        Args:
            min: The lower bound, an array of the operand's shape and element type, or a scalar.
            operand: An array.
            max: The upper bound, an array of the operand's shape and element type, or a scalar.

        Raises:
            BuildError: If the shapes differ.

        Documents: 000, 001, 003. 000 has the operand first, and an invalid formula.
        """
        low, op, high = self._bounds(min, operand, max)
        return self._one("clamp", [low, op, high])

    def _bounds(self, min: Operand, operand: Operand, max: Operand) -> list[XlaOp]:
        """Convert all three to one element type: that of the operand for numeric bounds."""
        op, low, high = self._operands(operand, min, max)
        return [low, op, high]

    def _select_tuple(self, pred: XlaOp, on_true: XlaOp, on_false: XlaOp) -> XlaOp:
        if pred.rank or on_true.type is not on_false.type:
            shapes = f"{shape_text(on_true.type)} and {shape_text(on_false.type)}"
            raise BuildError(f"Select: expected tuples of one shape and a scalar pred, got {shapes}")
        pairs = zip(on_true.elements, on_false.elements, strict=True)
        return self._tuple([self.Select(pred, a, b) for a, b in pairs])

    def _starts(self, start_indices: XlaOp | Sequence[Operand], op: XlaOp) -> list[XlaOp]:
        """Convert start indices to scalars; an array is split."""
        if isinstance(start_indices, list | tuple):
            return self._operands(*start_indices)
        indices = self._operand(start_indices)
        if indices.is_tuple:
            return list(indices.elements)
        if indices.rank == 0 and op.rank == 1:
            return [indices]
        if indices.shape != (op.rank,):
            raise BuildError(
                f"start_indices must have {op.rank} elements, one per dimension, not "
                f"{shape_text(indices.type)}"
            )
        return [self._element(indices, position) for position in range(op.rank)]

    def _element(self, vector: XlaOp, position: int) -> XlaOp:
        bounds = {"start_indices": [position], "limit_indices": [position + 1], "strides": [1]}
        return self._one("reshape", [self._one("slice", [vector], bounds)], shape=())
