"""Propagation between the tensors of one op: the axes of each factor that its tensors agree on."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import chain
from math import gcd, prod

from stablehlo_py.sharding.axes import (
    Axes,
    Axis,
    Sizes,
    is_prefix,
    is_strict_prefix,
    prefix_without_any,
    total_size,
)
from stablehlo_py.sharding.projection import FactorSharding, Projection, TensorFactors

# Directions of propagation, whose unions and intersections are those of their bits.
NONE, FORWARD, BACKWARD, BOTH = 0, 1, 2, 3
DirectionOf = Callable[[int], int]
Strategy = Callable[[Projection, DirectionOf, Sequence[int], Sizes, bool], list[bool]]

# Basic propagation


def propagate_basic(
    projection: Projection, direction: DirectionOf, factors: Sequence[int], sizes: Sizes, elementwise: bool
) -> list[bool]:
    """Divide each factor along the axes that conflict with no tensor of the op.

    Args:
        projection: The shardings of the tensors by factor, which are changed.
        direction: The direction of propagation along a factor.
        factors: The sizes of the factors.
        sizes: The sizes of the mesh's axes.
        elementwise: Whether the op is elementwise.

    Returns:
        For each tensor, operands first, whether its sharding changed.
    """
    updated = [False] * len(projection.tensors)
    for factor, size in enumerate(factors):
        axes = _compatible_with_all(projection, factor, direction(factor), size, sizes)
        for index, tensor in enumerate(projection.tensors):
            updated[index] |= tensor.expand(factor, axes)
    return updated


def _compatible_with_all(
    projection: Projection, factor: int, direction: int, size: int, sizes: Sizes
) -> Axes:
    def prefix(axis: Axis, shards: int) -> Axis | None:
        found: Axis | None = axis
        for tensor in projection.tensors:
            if found is None:
                return None
            found = prefix_without_any(found, _of_other_factors(tensor, factor))
            here = tensor.factors.get(factor)
            if found is not None and here is not None:
                found = _within(found, tensor, here, shards, size, sizes)
        return found

    return _truncated(compatible_axes(projection, factor, direction), prefix, sizes)


# Aggressive propagation


def propagate_aggressive(
    projection: Projection, direction: DirectionOf, factors: Sequence[int], sizes: Sizes, elementwise: bool
) -> list[bool]:
    """Divide each tensor along as many axes as it can be; factors that conflict are taken in an order.

    The arguments and results are those of `propagate_basic`.
    """
    axes = [compatible_axes(projection, factor, direction(factor)) for factor in range(len(factors))]
    updated = [False] * len(projection.tensors)
    if not any(axes):
        return updated
    order = _order(projection, factors, axes, sizes, elementwise)
    count = projection.num_operands
    for index in chain(range(count, len(projection.tensors)), range(count)):
        tensor = projection.tensors[index]
        for factor in order:
            found = _propagated(tensor, factor, axes[factor], factors[factor], sizes)
            if not found:
                continue
            if index < count and elementwise:
                found = _as_in_results(projection.results, factor, found)
            updated[index] |= tensor.expand(factor, found)
    return updated


def _order(
    projection: Projection, factors: Sequence[int], axes: Sequence[Axes], sizes: Sizes, elementwise: bool
) -> list[int]:
    """Order factors by the size of the tensor that their axes come from, the largest first."""
    source = [(-1, -1)] * len(factors)  # of each factor: the size of the tensor, and which one it is
    for index, tensor in enumerate(projection.tensors):
        size = prod([factors[factor] for factor in tensor.factors])
        for factor, found in tensor.factors.items():
            if axes[factor] and is_prefix(axes[factor], found.axes) and size > source[factor][0]:
                source[factor] = (size, index)
    shards = [total_size(found, sizes) if elementwise else 0 for found in axes]
    return sorted(range(len(factors)), key=lambda f: (-source[f][0], -shards[f], source[f][1], f))


def _propagated(tensor: TensorFactors, factor: int, axes: Axes, size: int, sizes: Sizes) -> Axes:
    """Return the axes along which a factor of a tensor can be divided; empty if there are no more."""
    here = tensor.factors.get(factor)
    if here is None or not axes:
        return ()
    found = _truncated(axes, lambda axis, shards: _within(axis, tensor, here, shards, size, sizes), sizes)
    if not is_strict_prefix(here.axes, found):
        return ()
    others = _of_other_factors(tensor, factor)
    return _truncated(found, lambda axis, _: prefix_without_any(axis, others), sizes)


def _as_in_results(results: Sequence[TensorFactors], factor: int, axes: Axes) -> Axes:
    """Return axes without those that a result does not have: an operand need not be divided further."""
    for result in results:
        here = result.factors.get(factor)
        if here is not None and is_strict_prefix(here.axes, axes):
            axes = here.axes
    return axes


# Conflicts


def compatible_axes(projection: Projection, factor: int, direction: int) -> Axes:
    """Return the longest axes of a factor that the tensors agree on, whatever their other factors."""
    if direction == NONE:
        return ()
    first, second = projection.operands, projection.results
    if direction == BACKWARD:
        first, second = second, first
    found: Axes = ()
    can_expand = True
    for tensor in first:
        if factor in tensor.factors:
            found, can_expand = _agreed(found, tensor.factors[factor].axes, can_expand)
    can_expand &= direction == BOTH  # in one direction, the others can only conflict
    for tensor in second:
        if factor in tensor.factors:
            found, can_expand = _agreed(found, tensor.factors[factor].axes, can_expand)
    return found


def _agreed(old: Axes, new: Axes, can_expand: bool) -> tuple[Axes, bool]:
    """Return what two lists of axes agree on, and whether a third may still add to it."""
    found: list[Axis] = []
    common = min(len(old), len(new))
    for index in range(common):
        ours, theirs = old[index], new[index]
        if ours == theirs:
            found.append(ours)
        elif ours.name != theirs.name:
            return tuple(found), False
        elif theirs.starts(ours):
            if index + 1 < len(new):
                return (*found, theirs), False
            found.append(ours)
        elif ours.starts(theirs):
            if not can_expand or index + 1 < len(old):
                return (*found, ours), False
            found.append(theirs)
        else:
            return tuple(found), False
    found += old[common:]
    if can_expand:
        found += new[common:]
    return tuple(found), can_expand


def _truncated(axes: Axes, prefix: Callable[[Axis, int], Axis | None], sizes: Sizes) -> Axes:
    """Return axes up to the first conflict.

    Args:
        axes: The axes.
        prefix: Returns the part of an axis without conflicts, given the number of shards before it.
        sizes: The sizes of the mesh's axes.
    """
    shards = 1
    for index, axis in enumerate(axes):
        found = prefix(axis, shards)
        if found is None:
            return axes[:index]
        if found != axis:
            return (*axes[:index], found)
        shards *= axis.size(sizes)
    return axes


def _of_other_factors(tensor: TensorFactors, factor: int) -> list[Axis]:
    others = [found for index, found in tensor.factors.items() if index != factor]
    return [axis for found in others for axis in (*found.overflow, *found.axes)]


def _within(
    axis: Axis, tensor: TensorFactors, factor: FactorSharding, shards: int, size: int, sizes: Sizes
) -> Axis | None:
    """Return the part of an axis along which a factor of a tensor is or can be divided, or None."""
    found = prefix_without_any(axis, (*tensor.replicated, *tensor.unreduced))
    if found is None or any(each.contains(found) for each in factor.axes):
        return found
    if not factor.is_closed and not factor.overflow:
        if factor.is_minor_most:
            return found
        if size % shards == 0:
            count = found.size(sizes)
            common = gcd(size // shards, count)
            if common == count:
                return found
            if common != 1:
                return Axis(found.name, found.pre_size, common)
    return factor.axes[-1] if factor.axes and factor.axes[-1].starts(found) else None
