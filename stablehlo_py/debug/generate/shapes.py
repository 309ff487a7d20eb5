"""Steps of random programs that change shapes, with static sizes or with sizes as operands."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from stablehlo_py.debug.generate.chain import element_of
from stablehlo_py.debug.generate.elements import Array
from stablehlo_py.ir.attributes import Attribute, BoolAttr, DenseArrayAttr, EnumAttr, IntegerAttr, StructAttr
from stablehlo_py.ir.core import Value
from stablehlo_py.ir.types import I32, I64, QuantizedType, TensorType

if TYPE_CHECKING:
    from stablehlo_py.debug.generate.writer import Writer

MOST = 2000  # elements of a result

Row = tuple[Callable[["Writer"], None], tuple[str, ...]]  # a kind of step, and the ops that it needs


def row(append: Callable[[Writer], None], *needs: str) -> Row:
    """Return a kind of step that needs ops of StableHLO."""
    return append, tuple([f"stablehlo.{name}" for name in needs])


def ints(values: Sequence[int]) -> DenseArrayAttr:
    """Return a list of numbers as an attribute."""
    return DenseArrayAttr(I64, tuple(int(value) for value in values))


def direction(name: str) -> dict[str, Attribute]:
    """Return the attribute of a comparison."""
    return {"comparison_direction": EnumAttr("stablehlo.comparison_direction", name)}


def transpose(writer: Writer) -> None:
    """Append a transpose."""
    x = writer.any()
    order = writer.rng.permutation(len(writer.shape_of(x)))
    result = writer.like(x, [writer.shape_of(x)[d] for d in order])
    writer.put("stablehlo.transpose", [x], [result], {"permutation": ints(order.tolist())})


def _regrouped(writer: Writer, x: Value) -> list[int]:
    """Draw the shape of a reshape: with a dimension of size 1 more, or one dimension."""
    shape = [*writer.shape_of(x), 1]
    return [int(np.prod(shape))] if writer.rng.random() < 0.3 else writer.rng.permutation(shape).tolist()


def _stretched(writer: Writer, x: Value) -> tuple[list[int], range]:
    """Draw the shape of a broadcast, and the dimensions of it that the operand has."""
    shape = [size if size > 1 else int(writer.rng.integers(1, 4)) for size in writer.shape_of(x)]
    if len(shape) < 4:
        shape = [int(writer.rng.integers(1, 4)), *shape]
    return shape, range(len(shape) - len(writer.shape_of(x)), len(shape))


def reshape(writer: Writer) -> None:
    """Append a reshape, with a dimension of size 1 more, or to one dimension."""
    x = writer.any()
    result = _regrouped(writer, x)
    writer.put("stablehlo.reshape", [x], [writer.like(x, result)])


def broadcast(writer: Writer) -> None:
    """Append a broadcast_in_dim."""
    x = writer.any()
    shape, axes = _stretched(writer, x)
    if np.prod(shape) < MOST:
        attributes: dict[str, Attribute] = {"broadcast_dimensions": ints(axes)}
        writer.put("stablehlo.broadcast_in_dim", [x], [writer.like(x, shape)], attributes)


def reverse(writer: Writer) -> None:
    """Append a reverse of the last dimension."""
    x = writer.any(1)
    writer.put(
        "stablehlo.reverse", [x], [writer.actual(x)], {"dimensions": ints([len(writer.shape_of(x)) - 1])}
    )


def slice(writer: Writer) -> None:
    """Append a slice."""
    x = writer.any(1)
    start = [int(writer.rng.integers(0, size)) for size in writer.shape_of(x)]
    strides = writer.rng.integers(1, 3, len(start)).tolist()
    sizes = [-(-(n - a) // s) for n, a, s in zip(writer.shape_of(x), start, strides, strict=True)]
    attributes: dict[str, Attribute] = {
        "start_indices": ints(start), "limit_indices": ints(writer.shape_of(x)), "strides": ints(strides)
    }  # fmt: skip
    writer.put("stablehlo.slice", [x], [writer.like(x, sizes)], attributes)


def pad(writer: Writer) -> None:
    """Append a pad, also with negative padding."""
    x = writer.any(1)
    low, high, inner = writer.rng.integers(-1, 2, (3, len(writer.shape_of(x))))
    inner = np.maximum(inner, 0)
    sizes = np.maximum(
        np.array(writer.shape_of(x)) + low + high + (np.array(writer.shape_of(x)) - 1) * inner, 0
    )
    if (np.array(writer.shape_of(x)) + low + high + (np.array(writer.shape_of(x)) - 1) * inner >= 0).all():
        attributes: dict[str, Attribute] = {
            "edge_padding_low": ints(low),
            "edge_padding_high": ints(high),
            "interior_padding": ints(inner),
        }  # fmt: skip
        value = writer.scalar(element_of(x))
        writer.put("stablehlo.pad", [x, value], [writer.like(x, sizes)], attributes)


def concatenate(writer: Writer) -> None:
    """Append a concatenation of up to three values."""
    x = writer.any(1)
    axis = int(writer.rng.integers(0, len(writer.shape_of(x))))
    parts = [x, writer.fetch(x.type, writer.shape_of(x)), x][: int(writer.rng.integers(1, 4))]
    shape = list(writer.shape_of(x))
    shape[axis] *= len(parts)
    if np.prod(shape) < MOST:
        dimension = IntegerAttr(axis, I64)
        writer.put("stablehlo.concatenate", parts, [writer.like(x, shape)], {"dimension": dimension})


def dynamic_slice(writer: Writer) -> None:
    """Append a dynamic_slice."""
    x = writer.any(1)
    sizes = [int(writer.rng.integers(1, size + 1)) for size in writer.shape_of(x)]
    starts = [writer.scalar(I32) for _ in sizes]
    writer.put("stablehlo.dynamic_slice", [x, *starts], [writer.like(x, sizes)], {"slice_sizes": ints(sizes)})


def dynamic_update_slice(writer: Writer) -> None:
    """Append a dynamic_update_slice."""
    x = writer.any(1)
    update = writer.fetch(
        writer.like(x, [int(writer.rng.integers(1, size + 1)) for size in writer.shape_of(x)])
    )
    starts = [writer.scalar(I32) for _ in writer.shape_of(x)]
    writer.put("stablehlo.dynamic_update_slice", [x, update, *starts], [writer.actual(x)])


def iota(writer: Writer) -> None:
    """Append an iota."""
    shape = writer.shape_of(writer.any(1))
    elements = [element for element in writer.elements[1:] if not isinstance(element, QuantizedType)]
    result = TensorType(shape, elements[int(writer.rng.integers(0, len(elements)))])
    axis = IntegerAttr(int(writer.rng.integers(0, len(shape))), I64)
    writer.put("stablehlo.iota", [], [result], {"iota_dimension": axis})


def gather(writer: Writer) -> None:
    """Rows, and windows of one column less."""
    x = writer.any(2)
    _, columns, *rest = writer.shape_of(x)
    width = max(columns - 1, 1)
    indices = writer.fetch(TensorType((3, 2), I32))
    attributes: dict[str, Attribute] = {
        "dimension_numbers": _rows(len(writer.shape_of(x))), "slice_sizes": ints([1, width, *rest]),
        "indices_are_sorted": BoolAttr(False),
    }  # fmt: skip
    writer.put("stablehlo.gather", [x, indices], [writer.like(x, [3, width, *rest])], attributes)


def _rows(rank: int) -> StructAttr:
    """Return the dimension numbers of windows of one row each."""
    return StructAttr("stablehlo.gather", (
        ("offset_dims", tuple(range(1, rank))), ("collapsed_slice_dims", (0,)),
        ("operand_batching_dims", ()), ("start_indices_batching_dims", ()),
        ("start_index_map", (0, 1)), ("index_vector_dim", 1),
    ))  # fmt: skip


# Dynamic shapes: the sizes are operands, and types leave dimensions open.


def lengths(writer: Writer, shape: Sequence[int]) -> Value:
    """Return the sizes of a shape as a vector, of constants and of sizes of known values."""
    sizes = [int(size) for size in shape]
    vector = TensorType((len(sizes),), I32)
    if writer.rng.random() < 0.5 or not sizes or not writer.allows("stablehlo.get_dimension_size"):
        return writer.builder.constant(np.array(sizes, np.int32), vector)
    parts = [_length(writer, size) for size in sizes]
    if len(parts) == 1 or not writer.allows("stablehlo.concatenate"):
        return parts[0] if len(parts) == 1 else writer.builder.constant(np.array(sizes, np.int32), vector)
    attributes: dict[str, Attribute] = {"dimension": IntegerAttr(0, I64)}
    return writer.builder.create("stablehlo.concatenate", parts, [vector], attributes).result


def _length(writer: Writer, size: int) -> Value:
    """Return a size as a vector of one element."""
    places = [(x, d) for x in writer.known for d, each in enumerate(writer.shape_of(x)) if each == size]
    one = TensorType((1,), I32)
    if not places:
        return writer.builder.constant(np.array([size], np.int32), one)
    x, d = places[int(writer.rng.integers(0, len(places)))]
    scalar = _size_of(writer, x, d)
    return writer.builder.create("stablehlo.reshape", [scalar], [one]).result


def _size_of(writer: Writer, x: Value, dimension: int) -> Value:
    attributes: dict[str, Attribute] = {"dimension": IntegerAttr(dimension, I64)}
    scalar = TensorType((), I32)
    return writer.builder.create("stablehlo.get_dimension_size", [x], [scalar], attributes).result


def get_dimension_size(writer: Writer) -> None:
    """Append a get_dimension_size."""
    x = writer.any(1)
    writer.known.append(_size_of(writer, x, int(writer.rng.integers(0, len(writer.shape_of(x))))))


def dynamic_reshape(writer: Writer) -> None:
    """Append a dynamic_reshape, with a dimension of size 1 more, or to one dimension."""
    x = writer.any()
    result = _regrouped(writer, x)
    writer.put("stablehlo.dynamic_reshape", [x, lengths(writer, result)], [writer.like(x, result)])


def dynamic_broadcast(writer: Writer) -> None:
    """Append a dynamic_broadcast_in_dim."""
    x = writer.any()
    shape, axes = _stretched(writer, x)
    if np.prod(shape) < MOST:
        attributes: dict[str, Attribute] = {"broadcast_dimensions": ints(axes)}
        operands = [x, lengths(writer, shape)]
        writer.put("stablehlo.dynamic_broadcast_in_dim", operands, [writer.like(x, shape)], attributes)


def dynamic_iota(writer: Writer) -> None:
    """Append a dynamic_iota."""
    shape = writer.shape_of(writer.any(1))
    elements = [element for element in writer.elements[1:] if not isinstance(element, QuantizedType)]
    result = TensorType(shape, elements[int(writer.rng.integers(0, len(elements)))])
    axis = IntegerAttr(int(writer.rng.integers(0, len(shape))), I64)
    writer.put("stablehlo.dynamic_iota", [lengths(writer, shape)], [result], {"iota_dimension": axis})


def dynamic_pad(writer: Writer) -> None:
    """Append a dynamic_pad, also with negative padding."""
    x = writer.any(1)
    shape = np.array(writer.shape_of(x))
    low, high = writer.rng.integers(-1, 2, (2, len(shape)))
    inner = writer.rng.integers(0, 2, len(shape))
    sizes = shape + low + high + (shape - 1) * inner
    if (sizes >= 0).all():
        operands = [x, writer.scalar(element_of(x)), *[_vector(writer, each) for each in (low, high, inner)]]
        writer.put("stablehlo.dynamic_pad", operands, [writer.like(x, sizes)])


def real_dynamic_slice(writer: Writer) -> None:
    """Append a real_dynamic_slice up to the end of each dimension."""
    x = writer.any(1)
    shape = writer.shape_of(x)
    start = [int(writer.rng.integers(0, size)) for size in shape]
    strides = writer.rng.integers(1, 3, len(start)).tolist()
    sizes = [-(-(n - a) // s) for n, a, s in zip(shape, start, strides, strict=True)]
    operands = [x, _vector(writer, start), lengths(writer, shape), _vector(writer, strides)]
    writer.put("stablehlo.real_dynamic_slice", operands, [writer.like(x, sizes)])


def dynamic_gather(writer: Writer) -> None:
    """Append a gather of rows, or of windows with one column less; the sizes are an operand."""
    x = writer.any(2)
    _, columns, *rest = writer.shape_of(x)
    width = max(columns - 1, 1)
    indices = writer.fetch(TensorType((3, 2), I32))
    attributes: dict[str, Attribute] = {
        "dimension_numbers": _rows(len(writer.shape_of(x))), "indices_are_sorted": BoolAttr(False)
    }  # fmt: skip
    operands = [x, indices, _vector(writer, [1, width, *rest])]
    writer.put("stablehlo.dynamic_gather", operands, [writer.like(x, [3, width, *rest])], attributes)


def _vector(writer: Writer, numbers: Sequence[int] | Array) -> Value:
    return writer.builder.constant(np.asarray(numbers, np.int32), TensorType((len(numbers),), I32))


SHAPES: tuple[Row, ...] = (
    row(transpose, "transpose"),
    row(reshape, "reshape"),
    row(broadcast, "broadcast_in_dim"),
    row(reverse, "reverse"),
    row(slice, "slice"),
    row(pad, "pad"),
    row(concatenate, "concatenate"),
    row(dynamic_slice, "dynamic_slice"),
    row(dynamic_update_slice, "dynamic_update_slice"),
    row(iota, "iota"),
    row(gather, "gather"),
)
DYNAMIC: tuple[Row, ...] = (
    row(get_dimension_size, "get_dimension_size"),
    row(dynamic_reshape, "dynamic_reshape", "reshape"),
    row(dynamic_broadcast, "dynamic_broadcast_in_dim", "reshape"),
    row(dynamic_iota, "dynamic_iota", "reshape"),
    row(dynamic_pad, "dynamic_pad"),
    row(real_dynamic_slice, "real_dynamic_slice", "reshape"),
    row(dynamic_gather, "dynamic_gather"),
)
