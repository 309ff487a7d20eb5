"""Shardy: manual computations run on the shards of each process, which otherwise has whole arrays."""

from __future__ import annotations

from typing import Any

import numpy as np

from stablehlo_py.diagnostics.diagnostic import Unsupported
from stablehlo_py.diagnostics.render import counted
from stablehlo_py.ir.attributes import StructAttr
from stablehlo_py.kernels.grid.mesh import TensorSharding
from stablehlo_py.kernels.grid.process import current
from stablehlo_py.kernels.registry import Array, Function, kernel
from stablehlo_py.kernels.shape import constant


@kernel("sdy.manual_computation", view=True)
def manual_computation(
    tensors: tuple[Any, ...],
    *,
    in_shardings: tuple[TensorSharding, ...],
    out_shardings: tuple[TensorSharding, ...],
    manual_axes: StructAttr,
    body: Function,
) -> tuple[Any, ...]:
    """Body run on this process's shards, its results joined to global arrays (sdy.manual_computation)."""
    axes = manual_axes["value"]
    sharding = next(iter((*in_shardings, *out_shardings)), None)
    if sharding is None or sharding.count(axes) == 1:
        return body(*tensors)
    _require_grid(sharding)
    replica, device = current().process_id
    results = body(*[_shard(x, s, axes, device) for x, s in zip(tensors, in_shardings, strict=True)])
    devices = sharding.along(axes, device)
    group = [(replica, member) for member in devices]
    values = current().meet("sdy.manual_computation", 0, group, results)
    return tuple(
        [
            _joined(dict(zip(devices, parts, strict=True)), s, axes)
            for parts, s in zip(zip(*values, strict=True), out_shardings, strict=True)
        ]
    )


def _require_grid(sharding: TensorSharding) -> None:
    devices, count = sharding.devices.size, current().grid.partitions
    if devices != count:
        raise Unsupported(
            f"{sharding.mesh} has {devices} devices, but the grid has {counted(count, 'partition')} "
            "(see the options replicas and partitions)"
        )


def _shard(whole: Any, sharding: TensorSharding, axes: tuple[str, ...], device: int) -> Any:
    """Return a device's shard of an array; values that are no arrays, such as tokens, unchanged."""
    if whole is None:
        return None
    return np.asarray(whole[sharding.part(whole.shape, axes, device)], order="C")


def _joined(parts: dict[int, Any], sharding: TensorSharding, axes: tuple[str, ...]) -> Any:
    """Return the array made of the devices' shards; among copies of a shard, the first."""
    first = next(iter(parts.values()))
    if first is None:
        return None
    counts = [sharding.count(names) for names in sharding.counted(axes)]
    whole: Array = np.empty(tuple(np.multiply(first.shape, counts)), first.dtype)
    for device, part in reversed(parts.items()):
        whole[sharding.part(whole.shape, axes, device)] = part
    return whole


kernel("sdy.constant", view=True)(constant)
