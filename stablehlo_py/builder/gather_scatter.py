"""Gather and scatter: slices at many run-time indices, collected or updated."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from stablehlo_py.builder.arguments import integer, integers
from stablehlo_py.builder.base import scalar_types
from stablehlo_py.builder.computation_builder import Computation, ComputationBuilder
from stablehlo_py.builder.errors import BuildError
from stablehlo_py.builder.op import Operand, XlaOp


class GatherScatter(ComputationBuilder):
    """Gather and Scatter."""

    def Gather(
        self,
        operand: Operand,
        start_indices: Operand | None = None,
        index_vector_dim: int | Sequence[int] | None = None,
        offset_dims: Sequence[int] = (),
        slice_sizes: Sequence[int] = (),
        collapsed_slice_dims: Sequence[int] = (),
        start_index_map: Sequence[int] = (),
        indices_are_sorted: bool = False,
        unique_indices: bool = False,
        *,
        gather_indices: Operand | None = None,
        output_window_dims: Sequence[int] = (),
        elided_window_dims: Sequence[int] = (),
        window_bounds: Sequence[int] = (),
        gather_dims_to_operand_dims: Sequence[int] = (),
    ) -> XlaOp:
        """Gathers slices of an array at run-time indices.

        Args:
            operand: The array.
            start_indices: An integer array of index vectors. An out-of-bounds start is clamped.
            index_vector_dim: The dimension of start_indices that contains the index vectors; the last by
                default. The rank of start_indices stands for an implicit dimension of size 1.
            offset_dims: The dimensions of the result that contain the slices.
            slice_sizes: The sizes of a slice, one for each dimension of the operand.
            collapsed_slice_dims: The dimensions of slices, of size 1, that are removed.
            start_index_map: The dimension of the operand for each element of an index vector.
            indices_are_sorted: Asserts that the indices are sorted.
            unique_indices: Asserts that the indices are unique; unused in StableHLO.
            gather_indices: start_indices, in 003.
            output_window_dims: offset_dims, in 003.
            elided_window_dims: collapsed_slice_dims, in 003.
            window_bounds: slice_sizes, in 003.
            gather_dims_to_operand_dims: start_index_map, in 003.

        The order of 001's signature (offset_dims, collapsed_slice_dims, slice_sizes, start_index_map after
        start_indices) is accepted as well, if a list is in the position of index_vector_dim.

        Returns:
            An array with the dimensions of start_indices, without index_vector_dim, and offset_dims.

        Documents: 001, 003 (whose example of gather_nd swaps the two index spaces).
        """
        if isinstance(index_vector_dim, Sequence):
            start_index_map = _either(collapsed_slice_dims, start_index_map, "start_index_map")
            offset_dims, collapsed_slice_dims, index_vector_dim = index_vector_dim, offset_dims, None
        given = start_indices if start_indices is not None else gather_indices
        if given is None:
            raise BuildError("Gather: start_indices is missing")
        attributes = {
            "offset_dims": _either(offset_dims, output_window_dims, "offset_dims"),
            "collapsed_slice_dims": _either(collapsed_slice_dims, elided_window_dims, "collapsed_slice_dims"),
            "start_index_map": _either(start_index_map, gather_dims_to_operand_dims, "start_index_map"),
            "slice_sizes": _either(slice_sizes, window_bounds, "slice_sizes"),
            "indices_are_sorted": indices_are_sorted or None,
        }
        return self._gather(self._operand(operand), self._operand(given), index_vector_dim, attributes)

    def _gather(
        self, op: XlaOp, indices: XlaOp, index_vector_dim: int | None, attributes: dict[str, Any]
    ) -> XlaOp:
        batching: dict[str, Any] = {"operand_batching_dims": [], "start_indices_batching_dims": []}
        last = indices.rank - 1
        at = last if index_vector_dim is None else integer(index_vector_dim, "index_vector_dim")
        batching["index_vector_dim"] = at
        return self._one("gather", [op, indices], attributes | batching)

    def Scatter(
        self,
        operands: Operand | Sequence[Operand],
        scatter_indices: Operand,
        updates: Operand | Sequence[Operand],
        update_computation: Computation,
        index_vector_dim: int,
        update_window_dims: Sequence[int],
        inserted_window_dims: Sequence[int],
        scatter_dims_to_operand_dims: Sequence[int],
        indices_are_sorted: bool = False,
        unique_indices: bool = False,
    ) -> XlaOp:
        """Combines slices with updates, at run-time indices.

        Args:
            operands: N arrays of the same shape.
            scatter_indices: An integer array of index vectors. Out-of-bounds updates are skipped.
            updates: N arrays of the same shape, of rank len(update_window_dims) + rank(scatter_indices) - 1.
            update_computation: A computation from N elements of the operands and N of the updates to N
                scalars. The order of updates to the same element is undefined.
            index_vector_dim: The dimension of scatter_indices that contains the index vectors. The rank of
                scatter_indices stands for an implicit dimension of size 1.
            update_window_dims: The dimensions of updates that contain the slices.
            inserted_window_dims: The dimensions of operands, of size 1 in slices, that updates do not have.
            scatter_dims_to_operand_dims: The dimension of the operands for each element of an index vector.
            indices_are_sorted: Asserts that the indices are sorted.
            unique_indices: Asserts that the indices are unique.

        Returns:
            An array of the operand's shape, or a tuple of N arrays.

        Documents: 003 (one operand), 001.
        """
        arrays, news = self._arrays(operands), self._arrays(updates)
        attributes = {
            "update_window_dims": integers(update_window_dims, "update_window_dims"),
            "inserted_window_dims": integers(inserted_window_dims, "inserted_window_dims"),
            "input_batching_dims": [],
            "scatter_indices_batching_dims": [],
            "scatter_dims_to_operand_dims": integers(
                scatter_dims_to_operand_dims, "scatter_dims_to_operand_dims"
            ),
            "index_vector_dim": integer(index_vector_dim, "index_vector_dim"),
            "indices_are_sorted": indices_are_sorted,
            "unique_indices": unique_indices,
        }
        body = self._region(update_computation, scalar_types([*arrays, *news]))
        values = [*arrays, self._operand(scatter_indices), *news]
        return self._collated(self._emit("scatter", values, attributes, [body]))


def _either(values: Sequence[int], older: Sequence[int], name: str) -> list[int]:
    """Return the argument with the current name, or else that with the name in 003."""
    return integers(values, name) or integers(older, name)
