"""Sorting, and the k largest elements."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, overload

from stablehlo_py.builder.arguments import integer
from stablehlo_py.builder.base import scalar_types
from stablehlo_py.builder.computation_builder import Computation, ComputationBuilder
from stablehlo_py.builder.errors import BuildError
from stablehlo_py.builder.op import Operand, XlaOp
from stablehlo_py.builder.shape import shape_text
from stablehlo_py.ir.types import I32, TensorType


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

        `Sort(operand, dimension)` sorts in ascending order, as does `Sort(keys, values, dimension)`, which
        reorders the values with their keys. `Sort(operands, comparator, dimension, is_stable)` sorts N
        arrays of the same shape together.

        Args:
            *arguments: The arguments of one of these forms. The comparator takes 2 N scalars, of which the
                2k-th and the 2k+1-th are elements of the k-th operand, and returns a pred: whether the
                former precede the latter. is_stable preserves the order of equal elements.
            **named: The same, by name.

        Returns:
            The array, or a tuple of several.

        Documents: 000 (one operand, no dimension), 003 (operand; keys and values), 001 (operands).
        """
        operands, comparator, dimension, is_stable = _sort_arguments(arguments, named)
        arrays = self._arrays(operands)
        axis = arrays[0].rank - 1 if integer(dimension, "dimension") == -1 else dimension
        scalars = [type for type in scalar_types(arrays) for _ in range(2)]
        attributes = {"dimension": axis, "is_stable": is_stable}
        return self._collated(self._emit("sort", arrays, attributes, [self._region(comparator, scalars)]))

    def TopK(self, operand: Operand, k: int, comparator: Computation = "Gt") -> XlaOp:
        """Returns the k largest elements along the minor dimension, and their indices.

        Args:
            operand: An array of rank 1 or more.
            k: The number of elements.
            comparator: A computation of two scalars, which returns whether the first precedes the second; by
                default whether it is greater.

        Returns:
            A tuple of the elements and their s32 indices. Equal elements keep their order.

        Raises:
            BuildError: If there are fewer than k elements.

        Documents: 001.
        """
        op = self._operand(operand)
        size = op.shape[-1] if op.rank else None
        if size is None or not 0 <= integer(k, "k") <= size:
            raise BuildError(f"TopK: the last dimension of {shape_text(op.type)} has fewer than {k} elements")
        last = op.rank - 1
        indices = self._one("iota", [], {"iota_dimension": last}, types=[TensorType(op.shape, I32)])
        scalars = [type for type in scalar_types([op, indices]) for _ in range(2)]
        body = self._region(lambda a, b, *_: self._apply(comparator, [a, b]), scalars)
        found = self._emit("sort", [op, indices], {"dimension": last, "is_stable": True}, [body])
        limits = [*op.shape[:-1], k]
        bounds = {"start_indices": [0] * op.rank, "limit_indices": limits, "strides": [1] * op.rank}
        return self._tuple([self._one("slice", [value], bounds) for value in found])


def _sort_arguments(arguments: tuple[Any, ...], named: dict[str, Any]) -> tuple[Any, Computation, int, bool]:
    """Return operands, comparator, dimension and stability, from any of the three forms."""
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
        raise BuildError(f"Sort: expected the arguments {', '.join(names)}")
    given.update(named)
    if names[0] not in given:
        raise BuildError("Sort: expected at least one operand")
    operands = [given["keys"], given["values"]] if is_keyed else given[names[0]]
    comparator = given.get("comparator", lambda a, b, *_: a < b)
    return operands, comparator, given.get("dimension", -1), given.get("is_stable", False)
