"""Dimensions that the axes of a sharding do not divide evenly."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from typing import NamedTuple

from stablehlo_py.ir.core import BlockArgument, Module, Operation
from stablehlo_py.ir.signature import function_type
from stablehlo_py.ir.types import TensorType, Type
from stablehlo_py.sharding.annotations import argument_shardings, result_shardings, sharding_of
from stablehlo_py.sharding.axes import Axes, Sizes, axes_text, even_prefix
from stablehlo_py.sharding.mesh import Meshes
from stablehlo_py.sharding.shardings import Sharding


class Uneven(NamedTuple):
    """A dimension whose shards are not all of one size.

    Attributes:
        where: The op that defines the value, or the argument; the function, of a result.
        what: What it is, such as "result 0 of @main".
        dimension: The dimension.
        size: Its size.
        axes: The axes of the mesh that divide it.
        shards: The number of its shards.
        even: Those axes, as far as they divide it evenly.
    """

    where: Operation | BlockArgument
    what: str
    dimension: int
    size: int
    axes: Axes
    shards: int
    even: Axes

    @property
    def is_boundary(self) -> bool:
        """Test whether the value is an argument or result of a function."""
        return isinstance(self.where, BlockArgument) or self.where.is_function

    @property
    def padding(self) -> int:
        """The elements by which the dimension would have to grow."""
        return -self.size % self.shards

    @property
    def remark(self) -> str:
        """What becomes of an argument or result."""
        left = f"it is divided along {axes_text(self.even)} alone" if self.even else "it is not divided"
        return f"{self}: {left}"

    def __str__(self) -> str:
        axes = axes_text(self.axes)
        return (
            f"dimension {self.dimension} of {self.what} has size {self.size}, which the {self.shards} "
            f"devices along {axes} do not divide"
        )


def uneven(module: Module) -> list[Uneven]:
    """Return the dimensions that the shardings of a program do not divide evenly."""
    meshes = Meshes(module)
    return [
        Uneven(
            where,
            what,
            dimension,
            size or 0,
            dim.axes,
            dim.num_shards(sizes),
            even_prefix(dim.axes, size or 0, sizes),
        )
        for where, what, type, sharding in _shardings(module)
        if sharding is not None and isinstance(type, TensorType) and len(type.shape) == len(sharding.dims)
        for sizes in _sizes(meshes, sharding)
        for dimension, (size, dim) in enumerate(zip(type.shape, sharding.dims, strict=True))
        if dim.axes and (size or 0) % dim.num_shards(sizes)
    ]


def _sizes(meshes: Meshes, sharding: Sharding) -> Iterator[Sizes]:
    """Yield the sizes of the axes of a sharding's mesh, if it is defined and has them."""
    with suppress(KeyError):
        sizes = meshes.find(sharding.mesh).sizes
        if all(axis.name in sizes for axis in sharding.axes):
            yield sizes


Stated = tuple[Operation | BlockArgument, str, Type, Sharding | None]


def _shardings(module: Module) -> Iterator[Stated]:
    for op in module.walk():
        type = function_type(op) if op.is_function else None
        if type is None:
            yield from ((op, str(result), result.type, sharding_of(result)) for result in op.results)
            continue
        arguments = op.entry_block.arguments if op.regions and op.regions[0].blocks else ()
        for argument, sharding in zip(arguments, argument_shardings(op), strict=False):
            yield argument, str(argument), argument.type, sharding
        name = op.python_value("sym_name")
        for index, (each, sharding) in enumerate(zip(type.results, result_shardings(op), strict=True)):
            yield op, f"result {index} of @{name}", each, sharding
