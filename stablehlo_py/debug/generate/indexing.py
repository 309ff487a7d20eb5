"""Steps of sharded programs that index: rotations, shifts, lookups of elements, scatters that combine."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from stablehlo_py.debug.generate.chain import element_of
from stablehlo_py.debug.generate.shapes import MOST, Row, ints, row
from stablehlo_py.debug.generate.sums import function_of, has_exact_sums, keep
from stablehlo_py.ir.attributes import Attribute, BoolAttr, IntegerAttr, StructAttr
from stablehlo_py.ir.core import Value
from stablehlo_py.ir.types import I1, I32, I64, ComplexType, QuantizedType, TensorType

if TYPE_CHECKING:
    from stablehlo_py.debug.generate.writer import Writer

_COUNTS = (2, 3, 4, 8)  # of indices


def rotate(writer: Writer) -> None:
    """Append the two slices of a dimension in the other order; or one of them, and another value."""
    x = writer.any(1)
    shape = writer.shape_of(x)
    dim = int(writer.rng.integers(0, len(shape)))
    at = int(writer.rng.integers(0, shape[dim] + 1))
    parts = [_slice(writer, x, dim, at, shape[dim]), _slice(writer, x, dim, 0, at)]
    if writer.rng.random() < 0.3:
        index = int(writer.rng.integers(0, 2))
        parts[index] = writer.fetch(writer.like(x, writer.shape_of(parts[index])))
    attributes: dict[str, Attribute] = {"dimension": IntegerAttr(dim, I64)}
    writer.put("stablehlo.concatenate", parts, [writer.actual(x)], attributes)


def _slice(writer: Writer, x: Value, dim: int, start: int, limit: int) -> Value:
    shape = writer.shape_of(x)
    starts = [start if d == dim else 0 for d in range(len(shape))]
    limits = [limit if d == dim else size for d, size in enumerate(shape)]
    attributes: dict[str, Attribute] = {
        "start_indices": ints(starts), "limit_indices": ints(limits), "strides": ints([1] * len(shape))
    }  # fmt: skip
    sizes = [limit - start for start, limit in zip(starts, limits, strict=True)]
    return writer.builder.create("stablehlo.slice", [x], [writer.like(x, sizes)], attributes).result


def look_up(writer: Writer) -> None:
    """Append a gather of single elements of one dimension or two, and all of the others."""
    x = writer.any(1)
    shape = writer.shape_of(x)
    indexed = _indexed(writer, shape)
    rest = [size for d, size in enumerate(shape) if d not in indexed]
    indices, count, dimension = _indices(writer, shape, indexed)
    if count * np.prod(rest) >= MOST:
        return
    numbers = StructAttr("stablehlo.gather", (
        ("offset_dims", tuple(range(1, len(rest) + 1))), ("collapsed_slice_dims", tuple(sorted(indexed))),
        ("operand_batching_dims", ()), ("start_indices_batching_dims", ()),
        ("start_index_map", indexed), ("index_vector_dim", dimension),
    ))  # fmt: skip
    attributes: dict[str, Attribute] = {
        "dimension_numbers": numbers, "indices_are_sorted": BoolAttr(False),
        "slice_sizes": ints([1 if d in indexed else size for d, size in enumerate(shape)]),
    }  # fmt: skip
    writer.put("stablehlo.gather", [x, indices], [writer.like(x, [count, *rest])], attributes)


def combine(writer: Writer) -> None:
    """Append a scatter to single elements of one dimension or two, combined by an op in any order."""
    x = writer.any(1)
    shape, element = writer.shape_of(x), element_of(x)
    if isinstance(element, QuantizedType | ComplexType):
        return
    names = ["and", "or"] if element == I1 else ["maximum", "minimum", *["add"] * has_exact_sums(writer, x)]
    name = f"stablehlo.{names[int(writer.rng.integers(0, len(names)))]}"
    if not writer.allows(name):
        return
    if writer.rng.random() < 0.5:
        indexed: tuple[int, ...] = (0,)  # of a small table; the value that is drawn has the updates
        table = writer.fetch(writer.like(x, [int(writer.rng.integers(1, 4)), *shape[1:]]))
        indices, _, dimension = _indices(writer, writer.shape_of(table), indexed, shape[0])
        updates = x
    else:
        indexed, table = _indexed(writer, shape), x
        indices, count, dimension = _indices(writer, shape, indexed)
        rest = [size for d, size in enumerate(shape) if d not in indexed]
        updates = writer.fetch(writer.like(x, [count, *rest]))
    numbers = StructAttr("stablehlo.scatter", (
        ("update_window_dims", tuple(range(1, len(writer.shape_of(updates))))),
        ("inserted_window_dims", tuple(sorted(indexed))),
        ("input_batching_dims", ()), ("scatter_indices_batching_dims", ()),
        ("scatter_dims_to_operand_dims", indexed), ("index_vector_dim", dimension),
    ))  # fmt: skip
    attributes: dict[str, Attribute] = {
        "scatter_dimension_numbers": numbers, "indices_are_sorted": BoolAttr(False),
        "unique_indices": BoolAttr(False),
    }  # fmt: skip
    body = function_of(TensorType((), element), name, TensorType((), element))
    operands, types = [table, indices, updates], [writer.actual(table)]
    keep(writer, writer.builder.create("stablehlo.scatter", operands, types, attributes, [body]).result)


def _indexed(writer: Writer, shape: Sequence[int]) -> tuple[int, ...]:
    """Draw the dimensions that are indexed, in any order."""
    order = writer.rng.permutation(len(shape)).tolist()
    return tuple(order[: int(writer.rng.integers(1, 3))])


def _indices(
    writer: Writer, shape: Sequence[int], indexed: Sequence[int], number: int = 0
) -> tuple[Value, int, int]:
    """Draw indices, mostly within bounds; return how many they are, and the dimension of the vectors."""
    count = number or int(writer.rng.choice(_COUNTS))
    dimension = int(writer.rng.integers(0, 2))
    sizes = (count, len(indexed)) if dimension else (len(indexed), count)
    type = TensorType(sizes, I32)
    if writer.rng.random() < 0.3:
        return writer.fetch(type), count, dimension
    columns = [writer.rng.integers(-1, shape[dim] + 1, count) for dim in indexed]
    return writer.builder.constant(np.stack(columns, dimension).astype(np.int32), type), count, dimension


INDEXING: tuple[Row, ...] = (
    row(rotate, "slice", "concatenate"),
    row(look_up, "gather"),
    row(combine, "scatter"),
)
