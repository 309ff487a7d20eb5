"""Places of the devices of a mesh: groups along axes, shards of a layout."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from math import prod

import numpy as np
import numpy.typing as npt

from stablehlo_py.sharding.axes import Axes, Axis, total_size
from stablehlo_py.sharding.mesh import Mesh

Layout = tuple[Axes, ...]  # the axes that divide each dimension, major to minor
Ints = npt.NDArray[np.int64]


def shard_size(size: int, count: int) -> int:
    """Return the size of the shards of a dimension; the last ones are padded where it does not divide."""
    return -(-size // count)


def are_aligned(size: int, few: int, many: int) -> bool:
    """Test whether each shard of a dimension consists of whole ones of a finer division.

    Args:
        size: The size of the dimension.
        few: The number of shards; a dimension that is whole has no padding, and is always aligned.
        many: The number of the finer shards.
    """
    return few == 1 or shard_size(size, few) * few == shard_size(size, many) * many


class Devices:
    """The devices of a mesh.

    Args:
        mesh: The mesh.
    """

    def __init__(self, mesh: Mesh) -> None:
        self.mesh = mesh
        self.sizes = mesh.sizes
        self.count = mesh.num_devices
        ids = np.array(mesh.device_ids or range(self.count), np.int64)
        place = np.empty(self.count, np.int64)
        place[ids] = np.arange(self.count)
        shape = tuple(self.sizes.values())
        found = np.unravel_index(place, shape) if shape else ()
        self._coordinates = dict(zip(self.sizes, found, strict=True))  # of each device, by id

    def position(self, axes: Sequence[Axis]) -> Ints:
        """Return the position of each device along axes, by device id."""
        found = np.zeros(self.count, np.int64)
        for axis in axes:
            whole, size = self.sizes[axis.name], axis.size(self.sizes)
            minor = whole // (axis.pre_size * size) if axis.part else 1
            found = found * size + self._coordinates[axis.name] // minor % size
        return found

    def groups(self, axes: Sequence[Axis]) -> Ints:
        """Return the groups of devices that differ along axes alone, each in the order of the axes."""
        position = self.position(axes)
        rest = np.zeros(self.count, np.int64)
        for name, size in self.sizes.items():
            rest = rest * size + self._coordinates[name] - self._share(name, axes)
        order = np.lexsort((position, rest))
        return order.reshape(-1, prod([axis.size(self.sizes) for axis in axes])).astype(np.int64)

    def _share(self, name: str, axes: Sequence[Axis]) -> Ints:
        """Return the part of each device's coordinate along an axis that parts of it account for."""
        found = np.zeros(self.count, np.int64)
        for axis in axes:
            if axis.name == name:
                whole, size = self.sizes[name], axis.size(self.sizes)
                minor = whole // (axis.pre_size * size) if axis.part else 1
                found += self._coordinates[name] // minor % size * minor
        return found

    def axes_between(self, first: Ints, second: Ints) -> tuple[str, ...]:
        """Return the names of the axes along which devices differ from others, in the order of the mesh."""
        return tuple([name for name, at in self._coordinates.items() if np.any(at[first] != at[second])])

    def offsets(self, axes: Axes, size: int) -> Ints:
        """Return where the shard of each device starts, in a dimension of a size that axes divide."""
        return self.position(axes) * shard_size(size, total_size(axes, self.sizes))

    def place(self, shape: Sequence[int], layout: Layout, device: int) -> tuple[slice, ...]:
        """Return the part of an array that a device holds, without padding."""
        found = []
        for size, axes in zip(shape, layout, strict=True):
            count = shard_size(size, total_size(axes, self.sizes))
            start = min(int(self.position(axes)[device]) * count, size)
            found.append(slice(start, min(start + count, size)))
        return tuple(found)

    def shard(self, layout: Layout) -> Ints:
        """Return the number of the shard of a layout that each device holds."""
        return self.position([axis for axes in layout for axis in axes])

    def permutation(self, source: Layout, target: Layout) -> list[tuple[int, int]]:
        """Return pairs of devices: the first holds the shard in a layout that the second needs in another."""
        holders, needed = self._by_shard(source), self._by_shard(target)
        pairs = []
        for shard, devices in needed.items():
            holding = holders[shard]
            same = [device for device in devices if device in holding]
            pairs += [(device, device) for device in same]
            left = [device for device in holding if device not in same]
            pairs += zip(left, [device for device in devices if device not in same], strict=True)
        return sorted(pairs)

    def _by_shard(self, layout: Layout) -> dict[tuple[int, ...], list[int]]:
        """Return the devices that hold each shard, which is named by its place along each dimension."""
        found: dict[tuple[int, ...], list[int]] = {}
        for device, place in enumerate(np.stack([self.position(axes) for axes in layout], 1).tolist()):
            found.setdefault(tuple(place), []).append(device)
        return found


@lru_cache(maxsize=64)
def devices_of(mesh: Mesh) -> Devices:
    """Return the devices of a mesh."""
    return Devices(mesh)
