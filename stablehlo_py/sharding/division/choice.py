"""Choice of the axes along which an op is divided: of the ways that are legal, the one that moves least."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import prod

from stablehlo_py.ir.attributes import Attribute, DictAttr
from stablehlo_py.ir.core import Operation, Value
from stablehlo_py.ir.element_types import bit_width
from stablehlo_py.ir.types import QuantizedType, TensorType, Type
from stablehlo_py.sharding.axes import Axes, Sizes, even_prefix, total_size
from stablehlo_py.sharding.common_axes import common_axes
from stablehlo_py.sharding.division.devices import Layout, are_aligned, shard_size
from stablehlo_py.sharding.division.local_ops import divisible, splat, unpadded
from stablehlo_py.sharding.division.resharding import cost
from stablehlo_py.sharding.division.windows import Halo, Window, halo_of, mirrored, moved_operands, windowed
from stablehlo_py.sharding.projection import project
from stablehlo_py.sharding.rules import Rule
from stablehlo_py.sharding.shardings import DimSharding, Sharding
from stablehlo_py.sharding.values import shape_of

_NO_MESH: Attribute = DictAttr(())
_WORK = 1e-3  # of a multiplication, in bytes


@dataclass(frozen=True, slots=True)
class Placed:
    """A value of the divided program: of one device, with the layout of the whole."""

    value: Value
    layout: Layout
    shape: tuple[int, ...]


def stated_layout(sharding: Sharding | None, type: Type, sizes: Sizes) -> Layout:
    """Return the layout of a sharding; where values have no padding, as far as it divides evenly.

    Propagation lets the shardings of functions and manual computations divide evenly.
    """
    if not isinstance(type, TensorType):
        return ()
    if sharding is None or len(sharding.dims) != len(type.shape):
        return ((),) * len(type.shape)
    fitting = _fitting if _is_padded(type) else even_prefix
    pairs = zip(sharding.dims, type.shape, strict=True)
    return tuple([fitting(dim.axes, size or 0, sizes) for dim, size in pairs])


def _is_padded(type: Type) -> bool:
    """Test whether there may be padding in the shards of a tensor."""
    return isinstance(type, TensorType) and not isinstance(type.element_type, QuantizedType)


def _fitting(axes: Axes, size: int, sizes: Sizes) -> Axes:
    """Return axes that divide a dimension, or their part that does so evenly if its shards are no larger."""
    even = even_prefix(axes, size, sizes)
    parts = [total_size(found, sizes) for found in (even, axes)]
    return even if shard_size(size, parts[0]) == shard_size(size, parts[1]) else axes


def local_type(type: Type, layout: Layout, sizes: Sizes) -> Type:
    """Return the type of a shard."""
    if not isinstance(type, TensorType) or not any(layout):
        return type
    counts = [total_size(axes, sizes) for axes in layout]
    shape = [shard_size(size or 0, count) for size, count in zip(type.shape, counts, strict=True)]
    return TensorType(tuple(shape), type.element_type)


def layout_of(mapping: Sequence[Sequence[int]], axes: Sequence[Axes]) -> Layout:
    """Return the layout of a tensor whose dimensions consist of factors that axes divide."""
    return tuple([tuple([axis for factor in dim for axis in axes[factor]]) for dim in mapping])


def choose_axes(
    op: Operation, rule: Rule, given: Sequence[Placed], wanted: Sequence[Layout], sizes: Sizes
) -> list[Axes]:
    """Return the axes of each factor along which an op is divided, at the lowest cost of those tried.

    Args:
        op: The op.
        rule: Its sharding rule.
        given: Its operands.
        wanted: The layouts of its results that users want.
        sizes: The sizes of the mesh's axes.
    """
    return min(
        _ways(op, rule, given, wanted, sizes), key=lambda axes: _cost(op, rule, axes, given, wanted, sizes)
    )


def cheapest(
    op: Operation, rule: Rule, given: Sequence[Placed], wanted: Sequence[Layout], sizes: Sizes
) -> float:
    """Return the lowest cost of the ways to divide an op; see `choose_axes`."""
    ways = _ways(op, rule, given, wanted, sizes)
    return min([_cost(op, rule, axes, given, wanted, sizes) for axes in ways])


def _ways(
    op: Operation, rule: Rule, given: Sequence[Placed], wanted: Sequence[Layout], sizes: Sizes
) -> list[list[Axes]]:
    """Return the axes of each factor for each way that is tried."""
    layouts = [placed.layout for placed in given]
    tried = [
        (layouts, wanted),
        (layouts, list(map(_nothing, wanted))),
        (list(map(_nothing, layouts)), wanted),
    ]
    return [_legal(op, rule, _common(op, rule, *way, sizes), sizes) for way in tried]


def _nothing(layout: Layout) -> Layout:
    return ((),) * len(layout)


def _common(
    op: Operation, rule: Rule, given: Sequence[Layout], wanted: Sequence[Layout], sizes: Sizes
) -> list[Axes]:
    both = (*given, *wanted)
    shardings = [Sharding(_NO_MESH, tuple([DimSharding(axes, True) for axes in found])) for found in both]
    count = len(given)
    projection = project(shardings[:count], shardings[count:], rule, sizes, closed_if_missing=True)
    elements = [prod(shape_of(value)) for value in (*op.operands, *op.results)]
    return common_axes(projection, rule, elements, sizes)


def _legal(op: Operation, rule: Rule, axes: list[Axes], sizes: Sizes) -> list[Axes]:
    """Return the part of the axes along which the op can be divided.

    A factor that is a part of a dimension is divided evenly, and so is one of values that have no padding.
    """
    values = zip((*op.operands, *op.results), rule.tensors, strict=False)
    even = {
        f for value, dims in values for dim in dims for f in dim if len(dim) > 1 or not _is_padded(value.type)
    }
    even.update(unpadded(op, rule))
    found: list[Axes] = [()] * len(axes)
    for factor, is_divisible in enumerate(divisible(op, rule)):
        fitting = even_prefix if factor in even else _fitting
        found[factor] = fitting(axes[factor], rule.sizes[factor], sizes) if is_divisible else ()
    for factor, window in windowed(op, rule).items():
        found[factor] = _windowed_prefix(axes[factor], window, sizes)
    for factor in mirrored(op, rule):
        found[factor] = even_prefix(axes[factor], rule.sizes[factor], sizes)
    for dim in [dim for tensor in rule.tensors for dim in tensor]:
        for before, factor in pairwise(dim):
            if total_size(found[before], sizes) < rule.sizes[before]:
                found[factor] = ()
    return found


def _windowed_prefix(axes: Axes, window: Window, sizes: Sizes) -> Axes:
    """Return the longest prefix of axes along which devices compute windows, of near elements if possible."""
    prefixes = [axes[:count] for count in range(len(axes), 0, -1)]
    halos = [(prefix, halo_of(window, total_size(prefix, sizes))) for prefix in prefixes]
    possible = [(prefix, halo.is_whole) for prefix, halo in halos if halo is not None]
    return min(possible, key=lambda each: each[1], default=((), False))[0]


def halos_of(op: Operation, rule: Rule, axes: Sequence[Axes], sizes: Sizes) -> dict[int, Halo]:
    """Return what devices need for the windows of an op that axes divide, by factor."""
    found: dict[int, Halo] = {}
    for factor, window in windowed(op, rule).items():
        halo = halo_of(window, total_size(axes[factor], sizes)) if axes[factor] else None
        if halo is not None:
            found[factor] = halo
    return found


def _cost(
    op: Operation,
    rule: Rule,
    axes: list[Axes],
    given: Sequence[Placed],
    wanted: Sequence[Layout],
    sizes: Sizes,
) -> float:
    """Return the bytes that a device receives for an op, and a share of what it computes."""
    layouts = [layout_of(mapping, axes) for mapping in rule.tensors]
    total = 0.0
    reduced = [axis for factor in rule.of_kind("reduction") for axis in axes[factor]]
    for value, placed, layout in zip(op.operands, given, layouts, strict=False):
        if splat(placed.value) is None:
            total += reshard_cost(value, placed.layout, layout, sizes)
    for result, layout, target in zip(op.results, layouts[len(given) :], wanted, strict=True):
        dim = scattered_dim(layout, target, tuple(reduced), shape_of(result), sizes) if reduced else None
        if dim is None:
            total += reshard_cost(result, layout, target, sizes)
        if reduced and isinstance(result.type, TensorType):
            shards = prod([total_size(found, sizes) for found in layout])
            size = prod(shape_of(result)) * _width(result.type) / shards
            total += (2 if dim is None else 1) * size * (1 - 1 / total_size(reduced, sizes))
    shares = [(halo.left + halo.right) / halo.shard for halo in halos_of(op, rule, axes, sizes).values()]
    shares += [1.0 for factor in mirrored(op, rule) if axes[factor]]
    for index, _ in moved_operands(op) if shares else ():
        type = op.operands[index].type
        assert isinstance(type, TensorType)
        counts = [total_size(found, sizes) for found in layouts[index]]
        total += prod(shape_of(op.operands[index])) * _width(type) / prod(counts) * sum(shares)
    work = prod([size or 1 for size in rule.sizes])
    return total + _WORK * work / total_size([axis for factor in axes for axis in factor], sizes)


def scattered_dim(
    layout: Layout, wanted: Layout, reduced: Axes, shape: Sequence[int], sizes: Sizes
) -> int | None:
    """Return the dimension that users want divided along the axes of a reduction, and only that, or None."""
    differ = [dim for dim, (ours, theirs) in enumerate(zip(layout, wanted, strict=True)) if ours != theirs]
    if len(differ) != 1 or wanted[differ[0]] != (*layout[differ[0]], *reduced):
        return None
    counts = [total_size(found[differ[0]], sizes) for found in (layout, wanted)]
    return differ[0] if are_aligned(shape[differ[0]], *counts) else None


def cost_of_bytes(value: Value, received: Sequence[int], layout: Layout, sizes: Sizes) -> float:
    """Return the cost of elements that a device receives of a value, and of computing the value in a layout.

    Args:
        value: The value.
        received: The shape of the elements.
        layout: The layout.
        sizes: The sizes of the mesh's axes.
    """
    assert isinstance(value.type, TensorType)
    work = prod(shape_of(value)) / total_size([axis for axes in layout for axis in axes], sizes)
    return prod(received) * _width(value.type) + _WORK * work


def reshard_cost(value: Value, source: Layout, target: Layout, sizes: Sizes) -> float:
    """Return the bytes that a device receives in a change of the layout of a value."""
    if not isinstance(value.type, TensorType):
        return 0.0
    return cost(source, target, shape_of(value), _width(value.type), sizes)


def _width(type: TensorType) -> float:
    """Return the bytes of an element."""
    return bit_width(type.element_type) / 8
