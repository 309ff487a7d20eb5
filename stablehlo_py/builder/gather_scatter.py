"""Slices at many places that are known at run time: collecting them, and combining into them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from stablehlo_py.builder.arguments import integer, integers
from stablehlo_py.builder.computation_builder import Computation, ComputationBuilder
from stablehlo_py.builder.errors import BuildError
from stablehlo_py.builder.op import XlaOp
from stablehlo_py.builder.reductions import scalar_types

if TYPE_CHECKING:
    from stablehlo_py.builder.op import Operand


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
        """Collects slices of an array that start at indices known at run time.

        Args:
          operand: the array.
          start_indices: an integer array of index vectors. A start that is out of bounds is clamped.
          index_vector_dim: the dimension of start_indices along index vectors; the last by default. Its rank
            stands for a dimension of size 1 that is not written.
          offset_dims: the dimensions of the result that are along slices.
          slice_sizes: the sizes of a slice, one for each dimension of the operand.
          collapsed_slice_dims: the dimensions of slices, of size 1, that the result does not have.
          start_index_map: which dimension of the operand each element of an index vector is for.
          indices_are_sorted: a promise.
          unique_indices: a promise, of which StableHLO makes nothing.
          gather_indices, output_window_dims, elided_window_dims, window_bounds, gather_dims_to_operand_dims:
            003's names of start_indices, offset_dims, collapsed_slice_dims, slice_sizes, start_index_map.

        The order of 001's signature (offset_dims, collapsed_slice_dims, slice_sizes, start_index_map behind
        start_indices) is taken, too: then a list is in the place of index_vector_dim.

        Gives an array with the dimensions of start_indices, without index_vector_dim, and offset_dims.

        Documents: 001, 003 (whose example of gather_nd swaps the two index spaces).
        """
        if isinstance(index_vector_dim, Sequence):
            start_index_map = _either(collapsed_slice_dims, start_index_map, "start_index_map")
            offset_dims, collapsed_slice_dims, index_vector_dim = index_vector_dim, offset_dims, None
        given = start_indices if start_indices is not None else gather_indices
        if given is None:
            raise BuildError("Gather: start_indices are missing")
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
        """Combines slices into arrays, at indices known at run time.

        Args:
          operands: N arrays of the same sizes.
          scatter_indices: an integer array of index vectors. What is out of bounds is left out.
          updates: N arrays of the same sizes, of rank len(update_window_dims) + rank(scatter_indices) - 1.
          update_computation: of N elements of the operands and N of the updates; gives N scalars. The order
            of updates to the same element is open.
          index_vector_dim: the dimension of scatter_indices that an index vector is along. Its rank stands
            for a dimension of size 1 that is not written.
          update_window_dims: the dimensions of updates that are along slices.
          inserted_window_dims: the dimensions of operands, of size 1 in slices, that updates do not have.
          scatter_dims_to_operand_dims: the dimension of the operands that each element of an index vector
            is for.
          indices_are_sorted, unique_indices: promises.

        Gives an array of the operand's shape, or a tuple of N.

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
    """What is given by today's name, or else by that of 003."""
    return integers(values, name) or integers(older, name)
