"""Broadcasting of static values and of values with `#stablehlo.bounds`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from stablehlo_py.ir.attributes import BOUNDS, StructAttr, bounds
from stablehlo_py.ir.core import Value
from stablehlo_py.ir.types import I32, TensorType, Type
from stablehlo_py.transforms.chlo.sizes import tensor
from stablehlo_py.transforms.rewriter import Rewriter


@dataclass(frozen=True, slots=True)
class Size:
    """The size of a dimension.

    Attributes:
        limit: The size, or the bound of a dynamic one.
        source: The value that has the dynamic size; None for a static one.
        axis: The dimension of the source.
    """

    limit: int
    source: Value | None = None
    axis: int = 0


def is_static_or_bounded(type: TensorType) -> bool:
    """Test whether each dimension has a size or a bound."""
    return all(size is not None or bound is not None for size, bound in _limits(type))


def sizes_of(value: Value) -> list[Size]:
    """Return the sizes of a value, each of which is static or bounded."""
    found: list[Size] = []
    for axis, (size, bound) in enumerate(_limits(tensor(value))):
        assert size is not None or bound is not None
        found.append(Size(bound or 0, value, axis) if size is None else Size(size))
    return found


def _limits(type: TensorType) -> zip[tuple[int | None, int | None]]:
    return zip(type.shape, bounds(type), strict=True)


def common_sizes(values: Sequence[Value]) -> list[Size] | None:
    """Return the sizes of what values are broadcast to; None where a static size meets a bounded one."""
    found: list[Size] = []
    for value in values:
        sizes = sizes_of(value)
        rank = max(len(found), len(sizes))
        pairs = zip(_aligned(found, rank), _aligned(sizes, rank), strict=True)
        merged = [_common(a, b) for a, b in pairs]
        found = [size for size in merged if size is not None]
        if len(found) < rank:
            return None
    return found


def _aligned(sizes: list[Size], rank: int) -> list[Size]:
    return [*[Size(1)] * (rank - len(sizes)), *sizes]


def _common(a: Size, b: Size) -> Size | None:
    if a.limit == 1:
        return b
    is_same = a.limit == b.limit and (a.source is None) == (b.source is None)
    return a if b.limit == 1 or is_same else None


def expanded(rewriter: Rewriter, value: Value, sizes: Sequence[Size]) -> Value:
    """Broadcast a value to sizes, aligned at the last dimension.

    A dimension that becomes dynamic is broadcast to the bound, then set to the size.
    """
    element = tensor(value).element_type
    if value.type is _type(sizes, element):
        return value
    own = sizes_of(value)
    first = len(sizes) - len(own)
    padded = [Size(1)] * first + own
    filled = [
        wide if size.source is not None else Size(wide.limit)
        for size, wide in zip(padded, sizes, strict=True)
    ]
    dimensions = list(range(first, len(sizes)))
    made = rewriter.value(
        "stablehlo.broadcast_in_dim", [value], type=_type(filled, element), broadcast_dimensions=dimensions
    )
    for axis, (size, wide) in enumerate(zip(filled, sizes, strict=True)):
        if size.source is None and wide.source is not None:
            filled[axis] = wide
            length = rewriter.value(
                "stablehlo.get_dimension_size", [wide.source], dimension=wide.axis, type=TensorType((), I32)
            )
            made = rewriter.value(
                "stablehlo.set_dimension_size", [made, length], dimension=axis, type=_type(filled, element)
            )
    return made


def _type(sizes: Sequence[Size], element: Type) -> TensorType:
    shape = tuple([None if size.source is not None else size.limit for size in sizes])
    limits = tuple([None if size.source is None else size.limit for size in sizes])
    encoding = None if None not in shape else StructAttr(BOUNDS, (("bounds", limits),))
    return TensorType(shape, element, encoding)
