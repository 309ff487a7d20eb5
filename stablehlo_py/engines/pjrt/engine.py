"""The PJRT engine: XLA compiles whole modules, for any platform that JAX has."""

from __future__ import annotations

import sys
from importlib.util import find_spec
from time import perf_counter
from typing import Literal

from stablehlo_py.diagnostics.diagnostic import RunError, Unsupported
from stablehlo_py.engines.engine import Executable, Options
from stablehlo_py.engines.pjrt.client import Cluster, DeviceError, connect
from stablehlo_py.engines.pjrt.device_module import device_module
from stablehlo_py.engines.pjrt.executable import PjrtExecutable
from stablehlo_py.ir.core import Module
from stablehlo_py.ir.records import dataclass


@dataclass(frozen=True)
class PjrtEngine:
    """An engine that compiles and runs modules with XLA.

    Attributes:
        platform: The platform, such as "cpu", "gpu" or "tpu"; None for the default of JAX.
        coordinator: The address (HOST:PORT) of the first of several processes that run a program together,
            "auto" for what the environment states, or None for a single process.
        processes: The number of these processes.
        process: The number of this one, from 0.
    """

    platform: str | None = None
    coordinator: str | None = None
    processes: int | None = None
    process: int | None = None

    name = "pjrt"
    takes: Literal["module"] = "module"

    @property
    def spans_processes(self) -> bool:
        """Whether several processes of the system run a program together."""
        return self.coordinator is not None

    @property
    def rank(self) -> int:
        """The number of this process."""
        return self.process or 0

    def is_available(self) -> bool:
        """Return True if JAX is installed."""
        return find_spec("jax") is not None

    def prepare(self, module: Module, entry: str, options: Options) -> Executable:
        """Compile a function; see `engines.engine.ModuleEngine`.

        Raises:
            Unsupported: XLA cannot compile the function, or the options ask for what it cannot do.
            RunError: The devices are not available.
        """
        _check_options(options)
        device = device_module(module, entry, *options.grid)
        begin = perf_counter()
        try:
            client = connect(self.platform, device.replicas * device.partitions, self._cluster())
        except DeviceError as error:
            raise RunError(str(error)) from None
        return PjrtExecutable(device, client, options, perf_counter() - begin)

    def _cluster(self) -> Cluster | None:
        if self.coordinator is None:
            return None
        return Cluster(self.coordinator, self.processes, self.process)


def _check_options(options: Options) -> None:
    """Raise Unsupported for options of which XLA knows nothing."""
    if options.observation is not None:
        raise Unsupported(
            "engine pjrt runs a program as a whole: it cannot observe ops (profile, trace, probe, nan-check)"
        )
    limits = options.limits
    if limits is not None and (limits.timeout is not None or (limits.max_steps or 0) < sys.maxsize):
        raise Unsupported("engine pjrt cannot stop a running program: it has no limits of steps and time")


ENGINE = PjrtEngine()
