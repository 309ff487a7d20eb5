"""Axes of a mesh, and parts of axes: the terms that shardings consist of."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import gcd, prod

Sizes = Mapping[str, int]  # the sizes of the axes of a mesh, by name, in the order of the mesh


@dataclass(frozen=True, slots=True)
class Axis:
    """An axis, or the part of one that remains after splitting it into factors.

    Attributes:
        name: The name of the axis.
        pre_size: The product of the sizes of the parts before this one, major to minor; 1 for a whole axis.
        part: The size of the part; 0 for a whole axis.
    """

    name: str
    pre_size: int = 1
    part: int = 0

    def size(self, sizes: Sizes) -> int:
        """Return the number of devices along the axis or part."""
        return self.part or sizes[self.name]

    @property
    def end(self) -> float:
        """The product of the sizes up to and with this part; infinity for a whole axis."""
        return self.pre_size * self.part if self.part else float("inf")

    def contains(self, other: Axis) -> bool:
        """Test whether another axis is this one or a part of it."""
        return self.name == other.name and (
            not self.part or (bool(other.part) and self.pre_size <= other.pre_size and self.end >= other.end)
        )

    def starts(self, other: Axis) -> bool:
        """Test whether this axis is a prefix of another: its major part, or all of it."""
        return other.contains(self) and self.pre_size == other.pre_size

    def overlaps(self, other: Axis) -> bool:
        """Test whether two axes have a part in common."""
        return self.name == other.name and self.pre_size < other.end and other.pre_size < self.end

    def can_coexist(self, other: Axis) -> bool:
        """Test whether the axis can be split so that both are products of its parts."""
        if self.name != other.name or not self.part or not other.part:
            return True
        first, last = sorted((self.pre_size, other.pre_size))
        next_first, next_last = sorted((int(self.end), int(other.end)))
        if next_first > last:
            return next_first % last == 0 and last % first == 0 and next_last % next_first == 0
        return last % next_first == 0

    def prefix_without(self, other: Axis) -> Axis | None:
        """Return the longest prefix that does not overlap another axis, or None."""
        if not self.can_coexist(other):
            return None
        if not self.overlaps(other):
            return self
        if self.pre_size >= other.pre_size:
            return None
        return Axis(self.name, self.pre_size, other.pre_size // self.pre_size)

    def suffix_without(self, other: Axis, sizes: Sizes) -> Axis | None:
        """Return the longest suffix that does not overlap another axis, or None."""
        if not self.can_coexist(other):
            return None
        if not self.overlaps(other):
            return self
        end, other_end = self._end_in(sizes), other._end_in(sizes)
        return None if end <= other_end else Axis(self.name, other_end, end // other_end)

    def _end_in(self, sizes: Sizes) -> int:
        return self.pre_size * self.part if self.part else sizes[self.name]

    def merged(self, other: Axis, sizes: Sizes) -> Axis | None:
        """Return this part and the next one as one axis; None if `other` is not the next part."""
        if self.name != other.name or not self.part or not other.part or self.end != other.pre_size:
            return None
        whole = self.part * other.part == sizes[self.name]
        return Axis(self.name) if whole else Axis(self.name, self.pre_size, self.part * other.part)


Axes = tuple[Axis, ...]


def total_size(axes: Iterable[Axis], sizes: Sizes) -> int:
    """Return the number of devices along axes."""
    return prod([axis.size(sizes) for axis in axes])


def appended(axes: Sequence[Axis], axis: Axis, sizes: Sizes) -> Axes:
    """Return axes with another one at the end, which is merged with the last where it continues it."""
    whole = axes[-1].merged(axis, sizes) if axes else None
    return (*axes, axis) if whole is None else (*axes[:-1], whole)


def prefix_without_any(axis: Axis, others: Iterable[Axis]) -> Axis | None:
    """Return the longest prefix of an axis that does not overlap any others, or None."""
    found: Axis | None = axis
    for other in others:
        if found is None:
            return None
        found = found.prefix_without(other)
    return found


def is_prefix(first: Sequence[Axis], second: Sequence[Axis]) -> bool:
    """Test whether axes are the major part of others, or all of them."""
    if not first:
        return True
    if len(first) > len(second) or list(first[:-1]) != list(second[: len(first) - 1]):
        return False
    return first[-1].starts(second[len(first) - 1])


def is_strict_prefix(first: Sequence[Axis], second: Sequence[Axis]) -> bool:
    """Test whether axes are the major part of others, and not all of them."""
    return is_prefix(first, second) and tuple(first) != tuple(second)


def even_prefix(axes: Iterable[Axis], size: int, sizes: Sizes) -> Axes:
    """Return the longest prefix of axes that divides a dimension evenly; the last may be a part."""
    found: list[Axis] = []
    for axis in axes:
        count = axis.size(sizes)
        common = gcd(count, size)
        if common > 1:
            found.append(axis if common == count else Axis(axis.name, axis.pre_size, common))
        if common < count:
            break
        size //= common
    return tuple(found)


def axes_text(axes: Iterable[Axis]) -> str:
    """Return axes as `data, model:(1)2`."""
    return ", ".join([f"{a.name}:({a.pre_size}){a.part}" if a.part else a.name for a in axes])


def in_mesh_order(axes: Iterable[Axis], sizes: Sizes) -> list[Axis]:
    """Return axes sorted by their place in the mesh, parts from major to minor."""
    place = {name: index for index, name in enumerate(sizes)}
    return sorted(axes, key=lambda axis: (place[axis.name], axis.pre_size, axis.part))


def sorted_and_merged(axes: Iterable[Axis], sizes: Sizes) -> Axes:
    """Return axes in the order of the mesh, with parts that continue each other as one."""
    found: Axes = ()
    for axis in in_mesh_order(axes, sizes):
        found = appended(found, axis, sizes)
    return found


def difference(axes: Iterable[Axis], others: Iterable[Axis], sizes: Sizes) -> Axes:
    """Return the parts of axes that are not in others."""
    ordered = sorted(others, key=lambda axis: (axis.name, axis.pre_size, axis.part))
    found: list[Axis] = []
    for axis in axes:
        left: Axis | None = axis
        while left is not None:
            other = next((each for each in ordered if left.overlaps(each)), None)
            if other is None:
                found.append(left)
                break
            prefix = left.prefix_without(other)
            if prefix is not None:
                found.append(prefix)
            left = left.suffix_without(other, sizes)
    return tuple(found)
