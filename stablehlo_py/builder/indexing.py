"""NumPy's basic indexing."""

from __future__ import annotations

from typing import Any

from stablehlo_py.builder.computation_builder import ComputationBuilder
from stablehlo_py.builder.errors import BuildError
from stablehlo_py.builder.op import XlaOp
from stablehlo_py.builder.shape import shape_text


class Indexing(ComputationBuilder):
    """`op[...]`."""

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
    if isinstance(pick, int) and not isinstance(pick, bool):
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
