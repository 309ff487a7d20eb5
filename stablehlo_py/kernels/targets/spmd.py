"""Conversion of arrays to shards and back: the custom calls of XLA's SPMD partitioner.

Outside of a manual region each process has whole arrays, inside it its own shard. Devices are the partitions
of the grid: in `{devices=[2,1]<=[2]}`, partition 0 has the first half of the rows.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from stablehlo_py.diagnostics.diagnostic import Unsupported
from stablehlo_py.ir.tile_shardings import MHLO_SHARDING, read_tile_shardings
from stablehlo_py.kernels.grid.process import current
from stablehlo_py.kernels.registry import Array, Ints
from stablehlo_py.kernels.targets.registry import custom_call


@custom_call("SPMDFullToShardShape", attributes={}, signature="T[*r] -> T[*r]")
def full_to_shard(full: Array, *, operand_shardings: tuple[str | None, ...]) -> Array:
    """Return this process's shard of an array that every process has as a whole."""
    devices = _devices(operand_shardings[0], full.ndim)
    if devices is None:
        return full
    tiles = devices.shape[: full.ndim]
    if any(size % count for size, count in zip(full.shape, tiles, strict=True)):
        raise Unsupported(f"shape {list(full.shape)} does not divide into {list(tiles)} equal tiles")
    return np.ascontiguousarray(full[_shard_slices(devices, current().partition, full.shape)])


@custom_call("SPMDShardToFullShape", attributes={}, signature="T[*r] -> T[*r]")
def shard_to_full(shard: Array, *, attributes: dict[str, Any]) -> Array:
    """Return the array made of the shards of all processes of a replica."""
    devices = _devices(attributes.get(MHLO_SHARDING), shard.ndim)
    if devices is None:
        return shard
    full: Array = np.empty(tuple(np.multiply(shard.shape, devices.shape[: shard.ndim])), shard.dtype)
    replica, _ = current().process_id
    group = [(replica, partition) for partition in range(devices.size)]
    for device, part in enumerate(current().meet("SPMDShardToFullShape", 0, group, shard)):
        full[_shard_slices(devices, device, full.shape)] = part
    return full


def _devices(sharding: str | None, rank: int) -> Array | None:
    """Return the devices of each tile: a dimension for each of the array's, and one for copies.

    None if every device has the whole array. Raises Unsupported for other shardings.
    """
    parts = read_tile_shardings(sharding or "")
    are_tiles = (sharding or "").startswith("{devices")
    if are_tiles and (parts is None or parts[0].devices.ndim < rank):
        raise Unsupported(f"{sharding} is not a sharding of an array of rank {rank}")
    if parts is None or len(parts) != 1 or parts[0].word == "maximal":
        stated = f"it is {sharding}" if sharding else "a @Sharding call with mhlo.sharding would state it"
        raise Unsupported(f"the sharding of the full array is unknown: {stated}")
    devices, count = parts[0].devices, current().grid.partitions
    if parts[0].word:
        return None
    if devices.size != count:
        raise Unsupported(
            f"{sharding} has {devices.size} devices, but the grid has {count} partitions "
            "(see the options replicas and partitions)"
        )
    return devices


def _shard_slices(devices: Array, device: int, full: Ints) -> tuple[slice, ...]:
    """Return the slices of an array that the tile of a device covers."""
    (index,) = np.argwhere(devices == device).tolist()
    sizes = [size // count for size, count in zip(full, devices.shape, strict=False)]
    return tuple([slice(at * size, (at + 1) * size) for at, size in zip(index, sizes, strict=False)])
