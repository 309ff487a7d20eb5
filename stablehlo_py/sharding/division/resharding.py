"""Change of a layout: the steps from one to another, and the bytes that they move."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from math import prod
from typing import NamedTuple

from stablehlo_py.ir.core import Value
from stablehlo_py.sharding.axes import Axes, Axis, Sizes, total_size
from stablehlo_py.sharding.division.devices import Layout, are_aligned, shard_size
from stablehlo_py.sharding.division.emitter import Emitter


class Step(NamedTuple):
    """A step of a change of layout.

    Attributes:
        kind: "slice", "gather", "exchange" (of axes between two dimensions) or "permute".
        layout: The layout after it.
        axes: The axes that are added, gathered or moved: of each dimension for a slice.
        dim: The dimension that is gathered or split.
        source: The dimension from which axes are moved.
    """

    kind: str
    layout: Layout
    axes: Layout
    dim: int = 0
    source: int = 0


def split_at(layout: Layout, other: Layout, sizes: Sizes) -> Layout:
    """Split the axes of a layout where those of another begin or end, so that whole axes can be compared."""
    cuts: dict[str, set[int]] = {}
    for axis in [axis for axes in (*layout, *other) for axis in axes if axis.part]:
        cuts.setdefault(axis.name, set()).update((axis.pre_size, axis.pre_size * axis.part))
    return tuple([tuple([part for axis in axes for part in _parts(axis, cuts, sizes)]) for axes in layout])


def _parts(axis: Axis, cuts: dict[str, set[int]], sizes: Sizes) -> list[Axis]:
    if axis.name not in cuts:
        return [axis]
    end = axis.pre_size * axis.size(sizes)
    inside = [cut for cut in cuts[axis.name] if axis.pre_size < cut < end]
    points = sorted({axis.pre_size, *inside, end})
    if any(after % before for before, after in pairwise(points)):
        return [axis]
    return [Axis(axis.name, before, after // before) for before, after in pairwise(points)]


class _Fit:
    """Which divisions of the dimensions of a tensor consist of whole shards of others.

    Args:
        shape: The global shape.
        sizes: The sizes of the mesh's axes.
    """

    def __init__(self, shape: Sequence[int], sizes: Sizes) -> None:
        self.shape, self.sizes = shape, sizes

    def __call__(self, dim: int, few: Axes, many: Axes) -> bool:
        """Test whether shards along axes consist of those along more axes."""
        return are_aligned(self.shape[dim], total_size(few, self.sizes), total_size(many, self.sizes))


def steps(source: Layout, target: Layout, shape: Sequence[int], sizes: Sizes) -> list[Step]:
    """Return the steps from one layout of a tensor to another.

    A dimension that does not divide is gathered where its shards have their ends at other places.

    Args:
        source: The layout.
        target: The other one.
        shape: The global shape.
        sizes: The sizes of the mesh's axes.
    """
    here, there = split_at(source, target, sizes), split_at(target, source, sizes)
    found, fit = list[Step](), _Fit(shape, sizes)
    here = _slice(here, there, found, fit)
    here = _exchange(here, there, found, fit)
    if here != there and _counts(here, sizes) == _counts(there, sizes):
        found.append(Step("permute", there, ()))
        return found
    for dim, (ours, theirs) in enumerate(zip(here, there, strict=True)):
        common = _common(ours, theirs)
        if not fit(dim, ours[:common], ours) or not fit(dim, ours[:common], theirs):
            common = 0
        if common < len(ours):
            here = (*here[:dim], ours[:common], *here[dim + 1 :])
            found.append(Step("gather", here, (ours[common:],), dim))
    _slice(here, there, found, fit)
    return found


def _common(ours: Axes, theirs: Axes) -> int:
    count = 0
    while count < min(len(ours), len(theirs)) and ours[count] == theirs[count]:
        count += 1
    return count


def _counts(layout: Layout, sizes: Sizes) -> list[int]:
    return [total_size(axes, sizes) for axes in layout]


def _slice(here: Layout, there: Layout, found: list[Step], fit: _Fit) -> Layout:
    """Divide dimensions along axes that divide no other one, which moves nothing."""
    used = {axis.name for axes in here for axis in axes}
    added: list[Axes] = []
    for dim, (ours, theirs) in enumerate(zip(here, there, strict=True)):
        rest = theirs[len(ours) :] if theirs[: len(ours)] == ours and fit(dim, ours, theirs) else ()
        count = 0
        while count < len(rest) and rest[count].name not in used:
            count += 1
        held = [axis for axes in here for axis in axes]
        while count < len(rest) and not any(axis.overlaps(rest[count]) for axis in held):
            count += 1
        added.append(rest[:count])
    if not any(added):
        return here
    made = tuple([(*ours, *more) for ours, more in zip(here, added, strict=True)])
    found.append(Step("slice", made, tuple(added)))
    return made


def _exchange(here: Layout, there: Layout, found: list[Step], fit: _Fit) -> Layout:
    """Move axes from the end of a dimension to the end of another one."""
    for source in range(len(here)):
        rest = here[source][_common(here[source], there[source]) :]
        for target in range(len(here)):
            wanted = there[target][len(here[target]) :]
            starts = there[target][: len(here[target])] == here[target]
            count = next((n for n in range(len(rest), 0, -1) if rest[-n:] == wanted[:n]), 0)
            if source == target or not starts or not count:
                continue
            moved = rest[-count:]
            fits = (
                fit(source, here[source][:-count], here[source]),
                fit(target, here[target], (*here[target], *moved)),
            )
            if not all(fits):
                continue
            dims = list(here)
            dims[source] = here[source][:-count]
            dims[target] = (*here[target], *moved)
            here = tuple(dims)
            found.append(Step("exchange", here, (moved,), target, source))
            break
    return here


def cost(source: Layout, target: Layout, shape: Sequence[int], width: float, sizes: Sizes) -> float:
    """Return the bytes that a device receives in a change of layout.

    Args:
        source: The layout.
        target: The other one.
        shape: The global shape.
        width: The bytes of an element.
        sizes: The sizes of the mesh's axes.
    """
    total = 0.0
    for step in steps(source, target, shape, sizes):
        size = prod(shape) * width / prod(_counts(step.layout, sizes))
        if step.kind == "slice":
            continue
        share = 1 - 1 / total_size(step.axes[0], sizes) if step.axes else 1.0
        total += size * share
    return total


def reshard(emitter: Emitter, value: Value, source: Layout, target: Layout, shape: Sequence[int]) -> Value:
    """Append the ops that change the layout of a value, and return the value in the other one.

    Args:
        emitter: Appends ops.
        value: The shards.
        source: Their layout.
        target: The other one.
        shape: The global shape.
    """
    here, sizes = source, emitter.devices.sizes
    for step in steps(source, target, shape, sizes):
        counts = _counts(step.layout, sizes)
        match step.kind:
            case "slice":
                value = emitter.slice(value, step.axes)
            case "gather":
                value = emitter.all_gather(value, step.dim, step.axes[0])
            case "exchange":
                value = emitter.all_to_all(value, step.dim, step.source, step.axes[0])
            case _:
                value = emitter.permute(value, emitter.devices.permutation(here, step.layout))
        value = emitter.cut(value, [shard_size(*each) for each in zip(shape, counts, strict=True)])
        here = step.layout
    return value
