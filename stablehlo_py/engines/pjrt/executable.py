"""Compiled programs: one for each set of input shapes, on one device or on a grid of them."""

from __future__ import annotations

from collections.abc import Sequence
from time import perf_counter
from typing import Any

import numpy as np

from stablehlo_py.diagnostics.diagnostic import RunError, Unsupported
from stablehlo_py.engines.engine import Executable, Options
from stablehlo_py.engines.numpy.engine import ENGINE as NUMPY
from stablehlo_py.engines.numpy.folding import constant_folder
from stablehlo_py.engines.pjrt.client import Client, DeviceError, Loaded
from stablehlo_py.engines.pjrt.device_module import DeviceModule, has_dynamic_shapes
from stablehlo_py.engines.pjrt.encode import decode, encode
from stablehlo_py.engines.pjrt.errors import xla_error
from stablehlo_py.engines.pjrt.external_calls import check_calls
from stablehlo_py.engines.pjrt.host_ops import HostPart
from stablehlo_py.interpreter.lower import ModuleLowering
from stablehlo_py.ir.signature import function_type
from stablehlo_py.ir.types import TensorType
from stablehlo_py.kernels.grid.process import Grid, ProcessId
from stablehlo_py.opset.definition import has_trait

Shapes = tuple[tuple[int, ...], ...]


class PjrtExecutable:
    """A function that XLA compiled: a `GridExecutable`.

    Args:
        device: What the devices execute.
        client: The client of the platform.
        options: The options of execution.
        started: The time that JAX took to start, in seconds.

    Attributes:
        seconds: The times of starting JAX, as "jax", and of XLA's compilation, as "xla".
    """

    def __init__(self, device: DeviceModule, client: Client, options: Options, started: float) -> None:
        self.seconds = {"jax": started, "xla": 0.0}
        self._device = device
        self._client = client
        self._grid = options.grid
        self._host = None if device.host is None else _host_call(device.host, options)
        self._compiled: dict[Shapes, Loaded] = {}
        if not device.is_dynamic:
            self._loaded(())

    @property
    def plan(self) -> str:
        """The program that XLA made, as HLO text; the module, if shapes are known only with inputs."""
        loaded = next(iter(self._compiled.values()), None)
        return str(self._device.module) if loaded is None else loaded.text()

    def __call__(self, *inputs: Any) -> Sequence[Any]:
        """Run the function with the same inputs on all devices; return the results of the first."""
        count = len(self._client.local)
        return self._run([inputs] * count)[0]

    def local_process_ids(self) -> list[ProcessId]:
        """Return the processes of the grid whose devices are in this process of the system."""
        replicas, partitions = self._grid
        places = [(r, p) for r in range(replicas) for p in range(partitions)]
        return [places[i] for i in self._client.local]

    def run_grid(self, grid: Grid, inputs: Sequence[Sequence[Any]]) -> Sequence[Sequence[Any]]:
        """Run the function for each local process of a grid."""
        return self._run(inputs)

    def _run(self, inputs: Sequence[Sequence[Any]]) -> list[Sequence[Any]]:
        loaded = self._loaded(self._shapes(inputs[0]))
        try:
            self._client.start_run()
        except DeviceError as error:
            raise RunError(str(error)) from None
        try:
            if self._device.is_sharded:
                results = [loaded.run_sharded(inputs[0], self._result_shapes())] * len(inputs)
            else:
                results = loaded.run(inputs)
        except Exception as error:
            raise _translated(RunError, error, self._device) from error
        return [list(each) if self._host is None else self._host(*each) for each in results]

    def _shapes(self, inputs: Sequence[Any]) -> Shapes:
        return tuple([np.shape(value) for value in inputs]) if self._device.is_dynamic else ()

    def _result_shapes(self) -> Shapes:
        type = function_type(self._device.module.functions["main"])
        assert type is not None
        shapes: Any = [t.shape for t in type.results if isinstance(t, TensorType) and t.is_static]
        return tuple(shapes)

    def _loaded(self, shapes: Shapes) -> Loaded:
        """Return the program for the shapes of dynamic inputs."""
        if shapes not in self._compiled:
            self._compiled[shapes] = self._compile(shapes)
        return self._compiled[shapes]

    def _compile(self, shapes: Shapes) -> Loaded:
        device, client = self._device, self._client
        module = device.specialized(shapes) if device.is_dynamic else device.module
        is_dynamic = has_dynamic_shapes(module)
        data = encode(module, client.version, client.platform, as_text=is_dynamic)
        has_calls = any(has_trait(op.name, "external_call") for op in module.walk())
        if has_calls:
            client.load_targets()
        shardy = any(has_trait(op.name, "mesh") for op in module.body.ops)
        try:
            if is_dynamic:
                data = client.refine(data)
                if has_calls:  # with sizes now that were unknown
                    check_calls(decode(data), device.original)
            begin = perf_counter()
            loaded = client.compile(data, device.replicas, device.partitions, shardy)
        except Exception as error:
            raise _translated(Unsupported, error, device) from error
        self.seconds["xla"] += perf_counter() - begin
        return loaded


def _translated(kind: type[RunError], error: Exception, device: DeviceModule) -> Exception:
    """Return the error of the program for an error of XLA; any other is a defect of this package."""
    if isinstance(error, RuntimeError | ValueError):  # JaxRuntimeError is a RuntimeError
        return xla_error(kind, error, device.original)
    return error


def _host_call(part: HostPart, options: Options) -> Executable:
    """Return the function of the ops that the host executes."""
    lowered = ModuleLowering(part.module, constant_folder(options))
    return NUMPY.prepare(lowered[part.name], options)
