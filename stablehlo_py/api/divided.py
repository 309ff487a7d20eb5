"""Divided programs: the program of one device of a mesh, run on all of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from stablehlo_py.engines.program import Program
from stablehlo_py.interpreter.inputs import convert_input
from stablehlo_py.ir.core import Module, Operation
from stablehlo_py.ir.signature import signature
from stablehlo_py.sharding.axes import total_size
from stablehlo_py.sharding.division.devices import Devices, Layout, devices_of
from stablehlo_py.sharding.division.divide import Division


class DividedProgram:
    """A program that all devices of a mesh run, on their shards: it takes and returns whole arrays.

    Attributes:
        divided: The module of one device, with collectives.
        program: That module, compiled.
        remarks: The ops that every device computes as a whole, with the reason.
    """

    def __init__(self, whole: Module, program: Program, division: Division) -> None:
        self.divided = program.module
        self.program = program
        self.remarks: Sequence[tuple[Operation, str]] = division.remarks
        layouts: tuple[list[Layout], list[Layout]] = division.signatures.get(program.name, ([], []))
        self._arguments, self._results = layouts
        functions = whole.functions
        self._inputs = signature(functions[program.name]).inputs if program.name in functions else ()
        self._devices = devices_of(division.mesh)

    def __call__(self, *inputs: Any) -> list[Any]:
        """Run with inputs in order; see `call`."""
        return self.call(inputs)

    def call(self, inputs: Sequence[Any] | Mapping[str, Any] = ()) -> list[Any]:
        """Run the program on all devices.

        Args:
            inputs: The inputs in order, or a mapping by argument name: whole arrays, of the types that the
                program has before its division.

        Returns:
            The results, as whole arrays.

        Raises:
            RunError: Invalid inputs, or an error of the program.
        """
        pairs = zip(self.program.ordered(inputs), self._inputs, strict=True)
        values = [convert_input(value, argument.type, str(argument)) for value, argument in pairs]
        places = self.program.process_ids()
        given: Mapping[Any, Any] = {
            place: [
                shard(self._devices, value, layout, place[1])
                for value, layout in zip(values, self._arguments, strict=True)
            ]
            for place in places
        }
        found = self.program.call_grid(given)
        return [
            assemble(self._devices, [found[place][index] for place in places], layout)
            for index, layout in enumerate(self._results)
        ]

    def __repr__(self) -> str:
        axes = ", ".join(f"{name}={size}" for name, size in self._devices.sizes.items())
        return f"<DividedProgram over {axes or 'one device'}: {self.program!r}>"


def shard(devices: Devices, array: Any, layout: Layout, device: int) -> Any:
    """Return the shard of an array that a device holds; what is no array is whole on all devices."""
    if not any(layout):
        return array
    return array[_place(devices, array.shape, layout, device)]


def assemble(devices: Devices, shards: Sequence[Any], layout: Layout) -> Any:
    """Return the array whose shards the devices hold, in the order of their ids."""
    first = shards[0]
    if not any(layout):
        return first
    counts = [total_size(axes, devices.sizes) for axes in layout]
    shape = tuple([size * count for size, count in zip(first.shape, counts, strict=True)])
    found = np.empty(shape, first.dtype)
    for device, part in enumerate(shards):
        found[_place(devices, shape, layout, device)] = part
    return found


def _place(devices: Devices, shape: Sequence[int], layout: Layout, device: int) -> tuple[slice, ...]:
    found = []
    for size, axes in zip(shape, layout, strict=True):
        count = size // total_size(axes, devices.sizes)
        start = int(devices.position(axes)[device]) * count
        found.append(slice(start, start + count))
    return tuple(found)
