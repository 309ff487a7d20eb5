"""XLA's annotations: a program with `mhlo.sharding` gets the mesh and the shardings that state the same.

The axes of the mesh are the factors of the number of devices by which annotations count their tiles;
`[4,2]<=[2,4]T(1,0)` and `[2,1,4]<=[8]` are shardings over axes of 2 and 4 devices. Where annotations list
devices in another order, that of the first is the order of the mesh.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from stablehlo_py.ir.attributes import ArrayAttr, DictAttr, IntegerAttr, StringAttr, SymbolRefAttr
from stablehlo_py.ir.core import Module, Operation
from stablehlo_py.ir.signature import function_type
from stablehlo_py.ir.tile_shardings import MHLO_SHARDING, TileSharding, read_tile_shardings
from stablehlo_py.ir.types import Type
from stablehlo_py.sharding.annotations import set_entry
from stablehlo_py.sharding.assignment import set_mesh
from stablehlo_py.sharding.axes import Axes, Axis
from stablehlo_py.sharding.custom_calls import target_of
from stablehlo_py.sharding.edits import Edits, redirect
from stablehlo_py.sharding.errors import ShardingError
from stablehlo_py.sharding.mesh import Mesh, has_mesh
from stablehlo_py.sharding.shardings import (
    SHARDING,
    DimSharding,
    Sharding,
    per_value,
    rank_of,
    replicated,
    to_attribute,
)

_CONSTRAINT = "sdy.sharding_constraint"
_MARK, _TO_SHARD, _CONVERSION = "Sharding", "SPMDFullToShardShape", "SPMD"
_FORMS = "the forms are {replicated}, {maximal device=0}, {manual}, {devices=[2,1]<=[2]} and tuples of these"
_UNSPECIFIED = re.compile(r"unspecified_dims=\[(\d+(?:,\d+)*)\]")  # in the backend_config of a mark
_Ints = npt.NDArray[np.int64]


class _Stated(NamedTuple):
    """An annotation: of an argument or result of a function, or of the results of an op.

    Attributes:
        op: The function or op.
        key: The attribute of the function that holds it, or "".
        number: That of the argument or result.
        types: The types of the values.
        text: Its text.
    """

    op: Operation
    key: str
    number: int
    types: Sequence[Type]
    text: str

    def read(self, devices: int | None) -> list[TileSharding]:
        """Read the shardings of the values; raise ShardingError if they do not fit them or the devices."""
        found = read_tile_shardings(self.text)
        if found is None:
            raise ShardingError(self.op, f"{MHLO_SHARDING} {self.text} is not understood: {_FORMS}")
        if len(found) == 1:
            found *= len(self.types)
        if len(found) != len(self.types):
            count = f"{len(found)} shardings for {len(self.types)} values"
            raise ShardingError(self.op, f"{MHLO_SHARDING} {self.text} has {count}")
        devices = devices or _device_count(found)
        for sharding, type in zip(found, self.types, strict=True):
            if not sharding.word and sharding.rank != rank_of(type):
                rank = f"is for rank {sharding.rank}, and the value has rank {rank_of(type)}"
                raise ShardingError(self.op, f"{MHLO_SHARDING} {self.text} {rank}")
            if not sharding.word and sharding.devices.size != devices:
                size = f"has {sharding.devices.size} devices, and the program has {devices}"
                raise ShardingError(self.op, f"{MHLO_SHARDING} {self.text} {size}")
        return found


def is_sharded(module: Module) -> bool:
    """Test whether a module has a mesh of several devices, or annotations of XLA."""
    return has_mesh(module) or any(True for _ in _annotations(module))


def import_tiles(module: Module) -> bool:
    """Give a module without a mesh the one that its annotations `mhlo.sharding` imply, and shardings.

    What is between `SPMDFullToShardShape` and `SPMDShardToFullShape` runs on shards already, and stays so.

    Args:
        module: The module, which is changed.

    Returns:
        Whether it has such annotations, and no mesh of its own.

    Raises:
        ShardingError: For an annotation of another form, or one that does not fit its value or the devices.
    """
    if has_mesh(module):
        return False
    devices = _num_devices(module)
    stated: list[tuple[_Stated, list[TileSharding]]] = []
    for each in _annotations(module):
        shardings = each.read(devices)
        devices = devices or _device_count(shardings)
        stated.append((each, shardings))
    mesh = _TileMesh([(each.op, s) for each, shardings in stated for s in shardings if not s.word])
    if not mesh.mesh.axes:
        return False
    name = SymbolRefAttr(set_mesh(module, mesh.mesh))
    edits = Edits()
    for each, shardings in stated:
        if all(s.word != "manual" and "manual" not in s.kinds for s in shardings):
            pairs = zip(shardings, each.types, strict=True)
            _annotate(each, [mesh.sharding(s, rank_of(type), name) for s, type in pairs], edits)
    edits.apply()
    return True


def _device_count(shardings: Sequence[TileSharding]) -> int | None:
    """Return the number of devices of the first sharding that has tiles."""
    return next((sharding.devices.size for sharding in shardings if not sharding.word), None)


def _num_devices(module: Module) -> int | None:
    found = module.op.attributes.get("mhlo.num_partitions")
    return found.value if isinstance(found, IntegerAttr) and found.value > 1 else None


def _annotations(module: Module) -> Iterator[_Stated]:
    for op in module.walk():
        type = function_type(op) if op.is_function else None
        for key, types in (("arg_attrs", type.inputs), ("res_attrs", type.results)) if type else ():
            entries = op.attribute(key)
            for index, entry in enumerate(entries.value if isinstance(entries, ArrayAttr) else ()):
                found = entry.get(MHLO_SHARDING) if isinstance(entry, DictAttr) else None
                if isinstance(found, StringAttr):
                    yield _Stated(op, key, index, types[index : index + 1], found.value)
        found = op.attributes.get(MHLO_SHARDING)
        if isinstance(found, StringAttr) and op.results and not _is_conversion(op):
            yield _Stated(op, "", 0, [result.type for result in op.results], found.value)


def _is_conversion(op: Operation) -> bool:
    """Test whether an op converts whole arrays to shards or back, or states the shards of one that does."""
    users = [use.op for use in op.results[0].uses]
    return target_of(op).startswith(_CONVERSION) or any(target_of(user) == _TO_SHARD for user in users)


def _annotate(stated: _Stated, shardings: list[Sharding], edits: Edits) -> None:
    op = stated.op
    if stated.key:
        set_entry(op, stated.key, stated.number, shardings[0], but=MHLO_SHARDING)
        return
    del op.attributes[MHLO_SHARDING]
    if target_of(op) != _MARK:
        op.attributes[SHARDING] = per_value(shardings)
        return
    sharding = {"sharding": to_attribute(_opened(shardings[0], op))}
    made = Operation(_CONSTRAINT, op.operands, [op.results[0].type], sharding)
    edits.insert_after(op, made)
    redirect(op.results[0], made.results[0])
    edits.remove(op)


def _opened(sharding: Sharding, op: Operation) -> Sharding:
    """Return the sharding of a mark with its unspecified dimensions open, to which propagation adds axes."""
    stated = op.attribute("backend_config")
    found = _UNSPECIFIED.search(stated.value) if isinstance(stated, StringAttr) else None
    numbers = found[1].split(",") if found is not None else []
    dims = [replace(dim, is_closed=str(number) not in numbers) for number, dim in enumerate(sharding.dims)]
    return replace(sharding, dims=tuple(dims))


class _TileMesh:
    """The mesh over whose axes all tile shardings of a program are shardings.

    Args:
        tiled: The tile shardings, with their ops.

    Raises:
        ShardingError: If there is none.
    """

    def __init__(self, tiled: Sequence[tuple[Operation, TileSharding]]) -> None:
        self._place = np.arange(tiled[0][1].devices.size if tiled else 1)  # of each device in the mesh
        irregular = [s for _, s in tiled if _digits(s.devices) is None]
        if irregular:
            self._place = np.argsort(irregular[0].devices.reshape(-1))
        cuts = set[int]()
        for op, sharding in tiled:
            digits = _digits(self._place[sharding.devices])
            if digits is None:
                raise ShardingError(op, f"{MHLO_SHARDING} has the devices in an order that is no mesh's")
            cuts |= {end for dim in digits for size, stride in dim for end in (stride, stride * size)}
            if any(after % before for before, after in pairwise(sorted(cuts))):
                raise ShardingError(op, f"{MHLO_SHARDING} and others have no mesh in common")
        pairs = list(pairwise(sorted(cuts)))[::-1]
        self._names = {stride: f"axis_{number}" for number, (stride, _) in enumerate(pairs)}
        ids = tuple(np.argsort(self._place).tolist()) if irregular else ()
        axes = [(self._names[stride], end // stride) for stride, end in pairs]
        self.mesh = Mesh(tuple(axes), ids)

    def sharding(self, tiles: TileSharding, rank: int, name: SymbolRefAttr) -> Sharding:
        """Return the sharding of a value of a rank."""
        digits = _digits(self._place[tiles.devices]) if not tiles.word else []
        if not digits:
            return replicated(rank, name, True)
        dims = [DimSharding(self._axes(dim), True) for dim in digits[: tiles.rank]]
        return Sharding(name, tuple(dims))

    def _axes(self, digits: Sequence[tuple[int, int]]) -> Axes:
        return tuple(
            [
                Axis(name)
                for size, stride in digits
                for start, name in self._names.items()
                if stride <= start < stride * size
            ]
        )


_Digits = list[list[tuple[int, int]]]  # of each dimension, major to minor: sizes and strides


def _digits(places: _Ints) -> _Digits | None:
    """Return how the places of tiles grow along each dimension; None if they do not regularly."""
    flat, found = places.reshape(-1), list[tuple[int, int]]()
    if flat[0]:
        return None
    dims: _Digits = []
    for count in reversed(places.shape):
        found = []
        while count > 1:
            stride = int(flat[1])  # the first is 0
            steps = flat[:count] == stride * np.arange(count)
            size = count if steps.all() else int(np.argmin(steps))
            rows = flat.reshape(-1, size) if flat.size % size == 0 and count % size == 0 else None
            if stride < 1 or rows is None or (rows - rows[:, :1] != stride * np.arange(size)).any():
                return None
            found.insert(0, (size, stride))
            flat, count = rows[:, 0], count // size
        dims.insert(0, found)
    return dims
