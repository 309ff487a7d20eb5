"""Divided programs: the program of one device of a mesh, run on all of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from stablehlo_py.diagnostics.diagnostic import RunError
from stablehlo_py.engines.program import Program
from stablehlo_py.interpreter.array_files import copied_part
from stablehlo_py.interpreter.inputs import convert_input
from stablehlo_py.ir.core import BlockArgument, Module, Operation
from stablehlo_py.ir.signature import Output, Signature, entry_signature
from stablehlo_py.ir.types import TensorType
from stablehlo_py.kernels.grid.process import ProcessId
from stablehlo_py.sharding.axes import Axis, total_size
from stablehlo_py.sharding.division.devices import Devices, Layout, devices_of, shard_size
from stablehlo_py.sharding.division.divide import Division


class DividedProgram:
    """A program that all devices of a mesh run, on their shards: it takes and returns whole arrays.

    Attributes:
        divided: The module of one device, with collectives.
        program: That module, compiled.
        name: The name of the function.
        signature: The inputs and results of the program before its division.
        remarks: The ops that every device computes as a whole, with the reason; the arguments (the function,
            for results) with a dimension that is divided along a part of its axes alone.
    """

    def __init__(self, whole: Module, program: Program, division: Division) -> None:
        self.divided = program.module
        self.program = program
        self.name = program.name
        shortened = [(each.where, each.remark) for each in division.shortened]
        self.remarks: Sequence[tuple[Operation | BlockArgument, str]] = [*division.remarks, *shortened]
        layouts: tuple[list[Layout], list[Layout]] = division.signatures.get(program.name, ([], []))
        self._arguments, self._results = layouts
        functions = whole.functions
        found = program.name in functions
        self.signature = entry_signature(whole, program.name) if found else Signature(program.name, (), ())
        self._devices = devices_of(division.mesh)

    def __call__(self, *inputs: Any) -> list[Any]:
        """Run with inputs in order; see `call`."""
        return self.call(inputs)

    def call(self, inputs: Sequence[Any] | Mapping[str, Any] = (), **io: Any) -> list[Any]:
        """Run the program on all devices.

        Args:
            inputs: The inputs in order, or a mapping by argument name: whole arrays, of the types that the
                program has before its division.
            io: `infeed`, `outfeed` and `seed`, as for `Program.call`.

        Returns:
            The results, as whole arrays; on MPI ranks, on the first alone.

        Raises:
            RunError: Invalid inputs, an error of the program, or another rank than the first.
        """
        found = self.gather(self.call_grid(inputs, **io))
        if found is None:
            raise RunError("rank 0 alone has the whole results; call_grid gives the shards of each")
        return found

    def call_grid(
        self, inputs: Sequence[Any] | Mapping[str, Any] = (), **io: Any
    ) -> dict[ProcessId, list[Any]]:
        """Run the program on all devices; return the shards of those of this process of the system.

        Args:
            inputs: As for `call`; of an array that is mapped from a file, the shards alone are read.
            io: As for `call`.

        Returns:
            The shards of the results, by process of the grid: (0, device). The last shards of a dimension
            that does not divide are padded.
        """
        pairs = zip(self.program.ordered(inputs), self.signature.inputs, strict=True)
        values = [convert_input(value, argument.type, str(argument)) for value, argument in pairs]
        shards = Shards(self._devices, values, self._arguments, self.program.local_process_ids())
        given: Mapping[Any, Any] = shards
        return self.program.call_grid(given, **io)

    def gather(self, found: Mapping[ProcessId, Sequence[Any]]) -> list[Any] | None:
        """Assemble the shards of the results of all devices.

        Args:
            found: What `call_grid` returns.

        Returns:
            The results as whole arrays; None on other ranks than the first.

        Raises:
            RunError: Another process failed, or the engine does not gather from other processes.
        """
        first = next(iter(found.values()), ())
        is_root = next(iter(found), None) == (0, 0)
        whole = list(map(_empty, first, self.signature.outputs, self._results)) if is_root else []

        def take(place: ProcessId, shards: Sequence[Any]) -> None:
            for array, part, layout in zip(whole, shards, self._results, strict=True):
                if any(layout):
                    where = self._devices.place(array.shape, layout, place[1])
                    array[where] = without_padding(part, where)

        if len(found) < len(self.program.process_ids()):
            self.program.gather(found, take)
        else:
            for place, shards in found.items():
                take(place, shards)
        return whole if is_root else None

    def slices(self, place: ProcessId, shards: Sequence[Any]) -> list[tuple[Output, Any]]:
        """Return the results of a device, without padding: which slice each is, and the array."""
        found: list[tuple[Output, Any]] = []
        for output, array, layout in zip(self.signature.outputs, shards, self._results, strict=True):
            if any(layout) and isinstance(output.type, TensorType):
                where = self._devices.place(_shape(output), layout, place[1])
                shape = tuple([part.stop - part.start for part in where])
                type = TensorType(shape, output.type.element_type)
                made = Output(output.index, output.name, type, slice_text(where))
                found.append((made, without_padding(array, where)))
            else:
                found.append((output, array))
        return found

    def device_name(self, place: ProcessId) -> str:
        """Return the position of a device in the mesh, as `data0_model1`."""
        axes = [(name, int(self._devices.position([Axis(name)])[place[1]])) for name in self._devices.sizes]
        return "_".join([f"{name}{at}" for name, at in axes])

    def __repr__(self) -> str:
        axes = ", ".join(f"{name}={size}" for name, size in self._devices.sizes.items())
        return f"<DividedProgram over {axes or 'one device'}: {self.program!r}>"


class Shards(Mapping[ProcessId, list[Any]]):
    """The shards of arrays by process, made when they are taken: nobody else keeps them.

    Args:
        devices: The devices.
        values: The whole arrays.
        layouts: Their layouts.
        places: The processes, each of a device.
    """

    def __init__(
        self,
        devices: Devices,
        values: Sequence[Any],
        layouts: Sequence[Layout],
        places: Sequence[ProcessId],
    ) -> None:
        self._devices, self._places = devices, places
        self._pairs = list(zip(values, layouts, strict=True))

    def __getitem__(self, place: ProcessId) -> list[Any]:
        return [shard(self._devices, value, layout, place[1]) for value, layout in self._pairs]

    def __iter__(self) -> Iterator[ProcessId]:
        return iter(self._places)

    def __len__(self) -> int:
        return len(self._places)


def shard(devices: Devices, array: Any, layout: Layout, device: int) -> Any:
    """Return the shard of an array that a device holds; what is no array is whole on all devices."""
    if not any(layout):
        return array
    part = copied_part(array, devices.place(array.shape, layout, device))
    counts = [total_size(axes, devices.sizes) for axes in layout]
    missing = [shard_size(*each) - here for *each, here in zip(array.shape, counts, part.shape, strict=True)]
    return np.pad(part, [(0, size) for size in missing]) if any(missing) else part


def without_padding(shard: Any, place: Sequence[slice]) -> Any:
    """Return the part of a shard that a place in the whole array has."""
    return shard[tuple([slice(part.stop - part.start) for part in place])]


def _empty(part: Any, output: Output, layout: Layout) -> Any:
    """Return an array for the shards of a result; what no axis divides is that of each device."""
    return np.empty(_shape(output), part.dtype) if any(layout) else part


def _shape(output: Output) -> list[int]:
    assert isinstance(output.type, TensorType)
    return [size or 0 for size in output.type.shape]


def slice_text(place: Sequence[slice]) -> str:
    """Return a place in an array as `[0:4,0:6]`."""
    return f"[{','.join(f'{part.start}:{part.stop}' for part in place)}]"
