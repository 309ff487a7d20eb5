"""Lowering of `chlo.ragged_dot`: a `dot_general` for each group, of the rows that belong to it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from stablehlo_py.ir.attributes import ArrayAttr, StructAttr
from stablehlo_py.ir.core import Operation, Value
from stablehlo_py.ir.types import I64, IntegerType, TensorType
from stablehlo_py.transforms.chlo.broadcasting import stablehlo_attribute
from stablehlo_py.transforms.chlo.sizes import (
    broadcast,
    constant_row,
    dynamic_slice,
    joined,
    row,
    size_of,
    static_slice,
    tensor,
    zeros,
)
from stablehlo_py.transforms.rewriter import Rewriter

_I1 = IntegerType(1)


def ragged_dot(rewriter: Rewriter, op: Operation) -> Sequence[Value] | None:
    """Lower by the kind of the ragged dimension.

    Groups of batch dimensions do not mix, and make no difference. Groups of other dimensions of lhs have a
    part of rhs each: their products are added. Groups of a contracting dimension have a result each.

    Returns:
        The result; None if the number of groups is unknown, or not one dimension is ragged.
    """
    return _RaggedDot(rewriter, op).lowered()


class _RaggedDot:
    """A ragged dot product that is lowered."""

    def __init__(self, rewriter: Rewriter, op: Operation) -> None:
        numbers = op.properties["ragged_dot_dimension_numbers"]
        assert isinstance(numbers, StructAttr)
        self.rewriter, self.op = rewriter, op
        self.lhs, self.rhs, self.group_sizes = op.operands
        self.numbers: dict[str, list[int]] = {name: list(value) for name, value in numbers.fields}
        self.all_ragged = self.numbers.pop("lhs_ragged_dimensions")
        self.group_dimensions = self.numbers.pop("rhs_group_dimensions")

    def lowered(self) -> Sequence[Value] | None:
        """Lower the op; see `ragged_dot`."""
        if len(self.all_ragged) != 1:
            return None
        (self.ragged,) = self.all_ragged
        result = tensor(self.op.results[0])
        if self.ragged in self.numbers["lhs_batching_dimensions"]:
            return [self._dot(self.lhs, self.rhs, self.numbers, result)]
        count = tensor(self.group_sizes).shape[-1]
        if count is None:
            return None
        if self.ragged not in self.numbers["lhs_contracting_dimensions"]:
            return [self._sum(count, result)]
        part = TensorType(result.shape[1:], result.element_type)
        parts = [self._dot(lhs, self.rhs, self.numbers, part) for lhs in self._groups(count)]
        rows = [self._with_one(value) for value in parts]
        return [self.rewriter.value("stablehlo.concatenate", rows, dimension=0, type=result)]

    def _sum(self, count: int, type: TensorType) -> Value:
        """Return the sum of the products of the groups, each with its part of rhs."""
        (group,) = self.group_dimensions
        numbers = dict(self.numbers)
        for name in ("rhs_batching_dimensions", "rhs_contracting_dimensions"):
            numbers[name] = [axis - (axis > group) for axis in numbers[name]]
        total: Value | None = None
        for index, lhs in enumerate(self._groups(count)):
            product = self._dot(lhs, self._part(self.rhs, group, index), numbers, type)
            total = product if total is None else self.rewriter.value("stablehlo.add", [total, product])
        return zeros(self.rewriter, self.lhs, type) if total is None else total

    def _groups(self, count: int) -> Iterator[Value]:
        """Yield lhs with zeros in place of what does not belong to a group, for each group."""
        rewriter, type = self.rewriter, tensor(self.lhs)
        sizes = tensor(self.group_sizes)
        outer = TensorType(sizes.shape[:-1], I64)
        start = zeros(rewriter, self.group_sizes, outer)
        positions = self._positions(type)
        zero = zeros(rewriter, self.lhs, type)
        wide, mask = TensorType(type.shape, I64), TensorType(type.shape, _I1)
        for index in range(count):
            size = self._part(self.group_sizes, sizes.rank - 1, index)
            if tensor(size).element_type is not I64:
                size = rewriter.value("stablehlo.convert", [size], type=outer)
            limit = rewriter.value("stablehlo.add", [start, size])
            first = broadcast(rewriter, start, self.lhs, wide, self._outer_dimensions())
            last = broadcast(rewriter, limit, self.lhs, wide, self._outer_dimensions())
            here = broadcast(rewriter, positions, self.lhs, wide, range(type.rank))
            tests = [
                rewriter.value("stablehlo.compare", [here, bound], comparison_direction=name, type=mask)
                for name, bound in (("GE", first), ("LT", last))
            ]
            belongs = rewriter.value("stablehlo.and", tests)
            yield rewriter.value("stablehlo.select", [belongs, self.lhs, zero], type=type)
            start = limit

    def _outer_dimensions(self) -> list[int]:
        """Return the dimensions of lhs for which there are sizes of their own."""
        rank = tensor(self.group_sizes).rank - 1
        batching, contracting = (
            self.numbers[f"lhs_{kind}_dimensions"] for kind in ("batching", "contracting")
        )
        if self.ragged in contracting:
            before = contracting[: contracting.index(self.ragged)]
        else:
            before = [axis for axis in range(self.ragged) if axis not in [*batching, *contracting]]
        return [*batching, *before][:rank]

    def _positions(self, type: TensorType) -> Value:
        """Return the positions in the ragged dimension; the other dimensions have size 1."""
        rewriter, size = self.rewriter, type.shape[self.ragged]
        shape = [1] * self.ragged, [1] * (type.rank - 1 - self.ragged)
        made = TensorType((*shape[0], size, *shape[1]), I64)
        if size is not None:
            return rewriter.value("stablehlo.iota", (), iota_dimension=self.ragged, type=made)
        sizes = [
            row(rewriter, size_of(rewriter, self.lhs, axis))
            if axis == self.ragged
            else constant_row(rewriter, [1])
            for axis in range(type.rank)
        ]
        return rewriter.value(
            "stablehlo.dynamic_iota", [joined(rewriter, sizes)], iota_dimension=self.ragged, type=made
        )

    def _part(self, value: Value, axis: int, index: int) -> Value:
        """Return what a value has at a position of a dimension, without the dimension."""
        rewriter, type = self.rewriter, tensor(value)
        starts = [index if each == axis else 0 for each in range(type.rank)]
        before, after = type.shape[:axis], type.shape[axis + 1 :]
        made = TensorType((*before, *after), type.element_type)
        if type.is_static:
            sliced = static_slice(rewriter, value, starts, (*before, index + 1, *after))
            return rewriter.value("stablehlo.reshape", [sliced], type=made)
        sizes = [row(rewriter, size_of(rewriter, value, each)) for each in range(type.rank)]
        limits = [*sizes[:axis], constant_row(rewriter, [index + 1]), *sizes[axis + 1 :]]
        one = TensorType((*before, 1, *after), type.element_type)
        first, strides = constant_row(rewriter, starts), constant_row(rewriter, [1] * type.rank)
        sliced = dynamic_slice(rewriter, value, first, joined(rewriter, limits), strides, one)
        if made.is_static:
            return rewriter.value("stablehlo.reshape", [sliced], type=made)
        shape = joined(rewriter, [*sizes[:axis], *sizes[axis + 1 :]])
        return rewriter.value("stablehlo.dynamic_reshape", [sliced, shape], type=made)

    def _dot(self, lhs: Value, rhs: Value, numbers: dict[str, list[int]], type: TensorType) -> Value:
        """Create a product of dense values."""
        found = self.op.attribute("precision_config")
        precision = None
        if isinstance(found, ArrayAttr):
            precision = ArrayAttr(tuple(map(stablehlo_attribute, found.value)))
        return self.rewriter.value(
            "stablehlo.dot_general", [lhs, rhs], **numbers, precision_config=precision, type=type
        )

    def _with_one(self, value: Value) -> Value:
        """Return a value with one more dimension, of size 1, in front."""
        rewriter, type = self.rewriter, tensor(value)
        made = TensorType((1, *type.shape), type.element_type)
        if type.is_static:
            return rewriter.value("stablehlo.reshape", [value], type=made)
        sizes = [constant_row(rewriter, [1])]
        sizes += [row(rewriter, size_of(rewriter, value, axis)) for axis in range(type.rank)]
        return rewriter.value("stablehlo.dynamic_reshape", [value, joined(rewriter, sizes)], type=made)
