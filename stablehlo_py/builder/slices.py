"""Static and dynamic slices, NumPy's basic indexing, and selection between arrays."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from stablehlo_py.builder.arguments import integers
from stablehlo_py.builder.computation_builder import ComputationBuilder
from stablehlo_py.builder.errors import BuildError
from stablehlo_py.builder.op import Operand, XlaOp
from stablehlo_py.builder.shape import shape_text


class Slices(ComputationBuilder):
    """Slice, DynamicSlice, DynamicUpdateSlice, Select, Clamp and `op[...]`."""

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
        op, low, high = self._operands(operand, min, max)  # numbers take the operand's element type
        return self._one("clamp", [low, op, high])

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

    def index(self, operand: XlaOp, index: Any) -> XlaOp:
        """Build `operand[index]`: a slice, a reverse for negative steps, a reshape to drop dimensions.

        An XlaOp as an index builds a dynamic slice. Raise BuildError if an index is out of range or invalid.
        """
        op = self._operand(operand)
        picked = _expanded(index if isinstance(index, tuple) else (index,), op)
        starts, limits, strides = [], [], []
        backwards = [d for d, p in enumerate(picked) if isinstance(p, slice) and (p.step or 1) < 0]
        for dimension, pick in enumerate(picked):
            start, limit, stride = _bounds(pick, op, dimension)
            starts.append(start)
            limits.append(limit)
            strides.append(stride)
        result = self._one(
            "slice", [op], {"start_indices": starts, "limit_indices": limits, "strides": strides}
        )
        if backwards:
            result = self._one("reverse", [result], {"dimensions": backwards})
        return self._picked(result, picked)

    def _picked(self, op: XlaOp, picked: list[Any]) -> XlaOp:
        """Take the dynamic slice of XlaOp indices, and remove indexed dimensions."""
        for dimension, pick in enumerate(picked):
            if isinstance(pick, XlaOp):
                op = self._at(op, pick, dimension)
        sizes = [size for size, pick in zip(op.shape, picked, strict=True) if isinstance(pick, slice)]
        return op if len(sizes) == op.rank else self._one("reshape", [op], shape=sizes)

    def _at(self, op: XlaOp, start: XlaOp, dimension: int) -> XlaOp:
        zero = self._operand(0, start.element_type)
        starts = [start if d == dimension else zero for d in range(op.rank)]
        sizes = [1 if d == dimension else size for d, size in enumerate(op.shape)]
        return self._one("dynamic_slice", [op, *starts], {"slice_sizes": sizes})


def _expanded(index: tuple[Any, ...], op: XlaOp) -> list[Any]:
    """Expand an index to one for each dimension."""
    dots = [position for position, pick in enumerate(index) if pick is Ellipsis]
    if len(dots) > 1 or len(index) - len(dots) > op.rank:
        raise BuildError(f"{shape_text(op.type)} has {op.rank} dimensions, but the index has {len(index)}")
    at = dots[0] if dots else len(index)
    missing = op.rank - len(index) + len(dots)
    return [*index[:at], *[slice(None)] * missing, *index[at + len(dots) :]]


def _bounds(pick: Any, op: XlaOp, dimension: int) -> tuple[int, int, int]:
    """Return start, limit and stride of a slice, in ascending order."""
    size = op.shape[dimension]
    if size is None:
        raise BuildError(f"dimension {dimension} of {shape_text(op.type)} is dynamic")
    if isinstance(pick, XlaOp):
        return 0, size, 1
    if isinstance(pick, int | np.integer) and not isinstance(pick, bool):
        pick = int(pick)
        if not -size <= pick < size:
            raise BuildError(
                f"index {pick} is out of range for dimension {dimension} of {shape_text(op.type)}"
            )
        return pick % size, pick % size + 1, 1
    if not isinstance(pick, slice):
        raise BuildError(f"invalid index {pick!r}: expected an integer, a slice, ... or an XlaOp")
    chosen = range(size)[pick]
    if not chosen:
        return 0, 0, 1
    low, high = min(chosen[0], chosen[-1]), max(chosen[0], chosen[-1])
    return low, high + 1, abs(chosen.step)
