"""Sorting, and the best of a row."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, overload

from stablehlo_py.builder.arguments import integer
from stablehlo_py.builder.computation_builder import Computation, ComputationBuilder
from stablehlo_py.builder.errors import BuildError
from stablehlo_py.builder.op import XlaOp
from stablehlo_py.builder.reductions import scalar_types
from stablehlo_py.builder.shape import shape_text
from stablehlo_py.ir.types import I32, TensorType

if TYPE_CHECKING:
    from stablehlo_py.builder.op import Operand


class Sorts(ComputationBuilder):
    """Sort and TopK."""

    @overload
    def Sort(self, operand: XlaOp, dimension: int = -1) -> XlaOp: ...
    @overload
    def Sort(self, keys: XlaOp, values: XlaOp, dimension: int = -1) -> XlaOp: ...
    @overload
    def Sort(
        self,
        operands: Sequence[XlaOp],
        comparator: Computation,
        dimension: int = -1,
        is_stable: bool = False,
    ) -> XlaOp: ...
    def Sort(self, *arguments: Any, **named: Any) -> XlaOp:
        """Sorts arrays along a dimension, the last by default.

        `Sort(operand, dimension)` is in ascending order, and so is `Sort(keys, values, dimension)`, which
        puts the values where their keys go. `Sort(operands, comparator, dimension, is_stable)` sorts N arrays
        of the same sizes together.

        Args:
          comparator: of 2 N scalars, gives a pred: of the k-th operand, the 2k-th is one element and the
            2k+1-th another; whether the first ones come before the second ones.
          is_stable: whether elements that are equal keep their order.

        Gives the array, or a tuple of several.

        Documents: 000 (one operand, no dimension), 003 (operand; keys and values), 001 (operands).
        """
        operands, comparator, dimension, is_stable = _sort_arguments(arguments, named)
        arrays = self._arrays(operands)
        axis = arrays[0].rank - 1 if integer(dimension, "dimension") == -1 else dimension
        scalars = [type for type in scalar_types(arrays) for _ in range(2)]
        attributes = {"dimension": axis, "is_stable": is_stable}
        return self._collated(self._emit("sort", arrays, attributes, [self._region(comparator, scalars)]))

    def TopK(self, operand: Operand, k: int, comparator: Computation = "Gt") -> XlaOp:
        """The k best elements along the last dimension, and where they were.

        Args:
          operand: an array of rank 1 or more.
          k: how many.
          comparator: of two scalars, whether the first one is better; by default if it is greater.

        Gives a tuple of the elements and their s32 indices. Of equals, the first one comes first.

        Raises BuildError if there are less than k.

        Documents: 001.
        """
        op = self._operand(operand)
        size = op.shape[-1] if op.rank else None
        if size is None or not 0 <= integer(k, "k") <= size:
            raise BuildError(f"TopK: {shape_text(op.type)} has no {k} elements in its last dimension")
        last = op.rank - 1
        indices = self._one("iota", [], {"iota_dimension": last}, types=[TensorType(op.shape, I32)])
        scalars = [type for type in scalar_types([op, indices]) for _ in range(2)]
        body = self._region(lambda a, b, *_: self._apply(comparator, [a, b]), scalars)
        found = self._emit("sort", [op, indices], {"dimension": last, "is_stable": True}, [body])
        limits = [*op.shape[:-1], k]
        bounds = {"start_indices": [0] * op.rank, "limit_indices": limits, "strides": [1] * op.rank}
        return self._tuple([self._one("slice", [value], bounds) for value in found])


def _sort_arguments(arguments: tuple[Any, ...], named: dict[str, Any]) -> tuple[Any, Computation, int, bool]:
    """Operands, comparator, dimension and stability of any of the three forms."""
    names: tuple[str, ...] = ("operands", "comparator", "dimension", "is_stable")
    values = arguments[1] if len(arguments) > 1 else named.get("values")
    is_keyed = isinstance(values, XlaOp)
    if is_keyed:
        names = ("keys", "values", "dimension")
    elif "operand" in named or not (
        "comparator" in named or (len(arguments) > 1 and not isinstance(arguments[1], int))
    ):
        names = ("operand", "dimension")
    given = dict(zip(names, arguments, strict=False))
    if len(arguments) > len(names) or set(named) - set(names[len(arguments) :]):
        raise BuildError(f"Sort: {', '.join(names)} are its arguments")
    given.update(named)
    if names[0] not in given:
        raise BuildError("Sort: there is nothing to sort")
    operands = [given["keys"], given["values"]] if is_keyed else given[names[0]]
    comparator = given.get("comparator", lambda a, b, *_: a < b)
    return operands, comparator, given.get("dimension", -1), given.get("is_stable", False)
