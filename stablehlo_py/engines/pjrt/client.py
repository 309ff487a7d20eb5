"""The client of a platform: its devices, compilation, and execution. The only module that imports JAX."""

from __future__ import annotations

import atexit
import ctypes
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from functools import cache
from typing import Any

import numpy as np

from stablehlo_py.ir.records import dataclass
from stablehlo_py.ir.version import Version, version_of

Array = np.ndarray[Any, np.dtype[Any]]
HOST_PLATFORM = "cpu"
_DEVICE_FLAG = "xla_force_host_platform_device_count"
_READY, _LEFT = "ready", "left"
_PATIENCE = 24 * 60 * 60 * 1000  # milliseconds until another process has read its inputs


class DeviceError(Exception):
    """The platform or its devices are not available, or the coordinator cannot be reached."""


@dataclass(frozen=True, slots=True)
class Cluster:
    """The processes of the operating system that run a program together.

    Attributes:
        coordinator: The address (HOST:PORT) of process 0, or "auto" for what the environment states.
        processes: The number of processes.
        process: The number of this one, from 0.
    """

    coordinator: str
    processes: int | None = None
    process: int | None = None


class Client:
    """The devices of a platform, for programs on a number of them.

    Args:
        backend: JAX's client of the platform.
        count: The number of devices.
    """

    def __init__(self, backend: Any, count: int) -> None:
        self._backend = backend
        self.platform = str(backend.platform)
        self.devices = backend.devices()[:count]
        self.local = [i for i, d in enumerate(self.devices) if d.process_index == backend.process_index()]

    def connecting(self) -> AbstractContextManager[None]:
        """Within this context, processes that connect to each other print to standard error."""
        return nullcontext() if len(self.local) == len(self.devices) else _output_as_errors()

    def start_run(self) -> None:
        """Wait until all processes start a run; raise DeviceError if one has ended instead."""
        _runs.start()

    @property
    def version(self) -> Version:
        """The version of StableHLO that the plug-in of the platform reads."""
        from jaxlib.mlir.dialects import stablehlo

        bundled = version_of(stablehlo.get_current_version())
        plugin = getattr(self._backend, "stablehlo_current_version", None)
        return bundled if plugin is None else min(bundled, Version(*plugin))

    def compile(self, data: bytes, replicas: int, partitions: int, shardy: bool) -> Loaded:
        """Compile a program.

        Args:
            data: The program.
            replicas: The number of replicas.
            partitions: The number of partitions, which XLA makes where there are several.
            shardy: Whether Shardy partitions the program, or GSPMD.

        Raises:
            jax.errors.JaxRuntimeError: XLA cannot compile the program.
        """
        from jaxlib import xla_client

        options = xla_client.CompileOptions()
        build = options.executable_build_options
        options.num_replicas = build.num_replicas = replicas
        options.num_partitions = build.num_partitions = partitions
        build.use_spmd_partitioning = partitions > 1
        build.use_shardy_partitioner = shardy
        ids = np.array([device.id for device in self.devices]).reshape(replicas, partitions)
        build.device_assignment = xla_client.DeviceAssignment.create(ids)
        devices = xla_client.DeviceList(tuple(self.devices))
        return Loaded(self, self._backend.compile_and_load(data, devices, options))

    def load_targets(self) -> None:
        """Load the custom-call targets of the platform that JAX registers or initializes on first use."""
        if self.platform == HOST_PLATFORM:
            _load_host_targets()

    def refine(self, data: bytes) -> bytes:
        """Return a program with the dynamic shapes that follow from static ones replaced."""
        from jaxlib import _jax

        refined = _jax.mlir.refine_polymorphic_shapes(
            data, enable_shape_assertions=True, validate_static_shapes=True, enable_shardy=True
        )
        return refined if isinstance(refined, bytes) else str(refined).encode()


class Loaded:
    """A compiled program on the devices of a client.

    Args:
        client: The client.
        executable: JAX's executable.
    """

    def __init__(self, client: Client, executable: Any) -> None:
        self._client = client
        self._executable = executable

    def text(self) -> str:
        """Return the optimized program, as HLO text."""
        return "\n".join(module.to_string() for module in self._executable.hlo_modules())

    def run(self, inputs: Sequence[Sequence[Array]]) -> list[list[Array]]:
        """Execute the program.

        Args:
            inputs: The inputs of each device of this process.

        Returns:
            The results of each device of this process.
        """
        devices = [self._client.devices[i] for i in self._client.local]
        with self._client.connecting():
            parts = [_on_devices(values, devices) for values in zip(*inputs, strict=True)]
            given = [self._replicated(part) for part in parts]
            results = self._execute(given)
            columns = [[_host_array(shard) for shard in shards] for shards in results]
        return [[column[i] for column in columns] for i in range(len(devices))]

    def run_sharded(self, inputs: Sequence[Array], shapes: Sequence[tuple[int, ...]]) -> list[Array]:
        """Execute a partitioned program on global arrays.

        Args:
            inputs: The inputs.
            shapes: The global shapes of the results.

        Returns:
            The results.
        """
        with self._client.connecting():
            return self._run_sharded(inputs, shapes)

    def _run_sharded(self, inputs: Sequence[Array], shapes: Sequence[tuple[int, ...]]) -> list[Array]:
        import jax

        given = []
        for array, sharding in zip(inputs, self._shardings("parameter", len(inputs)), strict=True):
            with _wide_types():
                given.append(jax.make_array_from_callback(array.shape, sharding, array.__getitem__))
        found = self._execute(given)
        made = [
            jax.make_array_from_single_device_arrays(shape, sharding, shards)
            for shape, sharding, shards in zip(
                shapes, self._shardings("output", len(found)), found, strict=True
            )
        ]
        return [_host_array(_gathered(array)) for array in made]

    def _execute(self, given: Sequence[Any]) -> Any:
        found: Any = self._executable.execute_sharded(given)
        shards: Any = found.disassemble_into_single_device_arrays()
        for each in shards:
            each[0].block_until_ready()
        return shards

    def _replicated(self, shards: Sequence[Any]) -> Any:
        """Return one array of an array for each device; XLA does not see that they differ."""
        import jax
        from jax.sharding import Mesh, NamedSharding, PartitionSpec

        sharding = NamedSharding(Mesh(np.array(self._client.devices), ("device",)), PartitionSpec())
        return jax.make_array_from_single_device_arrays(shards[0].shape, sharding, list(shards))

    def _shardings(self, of: str, count: int) -> list[Any]:
        from jaxlib import xla_client

        stated = getattr(self._executable, f"get_{of}_shardings")()
        devices = tuple(self._client.devices)
        if stated is None:
            return [xla_client.GSPMDSharding.get_replicated(devices)] * count
        return [xla_client.GSPMDSharding(devices, each) for each in stated]


@cache
def _load_host_targets() -> None:
    """Give LAPACK's routines to their targets, which end the process without; register sparse products."""
    from jaxlib import cpu_sparse, lapack, xla_client

    lapack.prepare_lapack_call("getrf_ffi", np.dtype(np.float32))
    known = xla_client.custom_call_targets(HOST_PLATFORM)
    for name, function, version in cpu_sparse.registrations()[HOST_PLATFORM]:
        if name not in known:
            xla_client.register_custom_call_target(name, function, HOST_PLATFORM, version)


def _gathered(array: Any) -> Any:
    """Return an array whose shards are all in this process."""
    if array.is_fully_addressable or array.is_fully_replicated:
        return array
    from jax.experimental import multihost_utils

    return multihost_utils.process_allgather(array, tiled=True)


def _on_devices(values: Sequence[Array], devices: Sequence[Any]) -> list[Any]:
    import jax

    with _wide_types():
        return [jax.device_put(value, device) for value, device in zip(values, devices, strict=True)]


def _host_array(array: Any) -> Array:
    return np.array(array)  # JAX's own view is read-only


def _wide_types() -> AbstractContextManager[None]:
    """Within this context, JAX keeps 64-bit types, whatever the user's setting."""
    import jax

    enable: Callable[[bool], AbstractContextManager[None]] = jax.enable_x64
    return enable(True)


def connect(platform: str | None, count: int, cluster: Cluster | None) -> Client:
    """Return a client with a number of devices.

    The CPU has as many devices as are needed, if this engine is the first to ask JAX for them.

    Args:
        platform: The name of a platform ("cpu", "gpu", "tpu"), or None for JAX's default.
        count: The number of devices, of all processes.
        cluster: The processes, or None if there is only this one.

    Raises:
        DeviceError: There is no such platform, or it has too few devices.
    """
    with _output_as_errors() if cluster is not None else nullcontext():
        share = _local_count(count, cluster)
        backend = _backend(platform, share)
    if backend.platform == HOST_PLATFORM and len(backend.local_devices()) < share and _host.is_ours:
        _host.grow(share)
        backend = _backend(platform, share)
    found = len(backend.devices())
    if found < count:
        hint = f" (set XLA_FLAGS=--{_DEVICE_FLAG}={share} before JAX starts)"
        more = hint if backend.platform == HOST_PLATFORM else ""
        raise DeviceError(f"the program needs {count} devices, platform {backend.platform} has {found}{more}")
    return Client(backend, count)


def _backend(platform: str | None, share: int) -> Any:
    _host.reserve(share)
    from jax.extend.backend import get_backend

    try:
        return get_backend(platform)
    except RuntimeError as error:
        raise DeviceError(f"platform {platform or 'default'} is not available: {error}") from None


class _HostDevices:
    """The devices of the CPU, whose number JAX fixes when it first uses one.

    Attributes:
        is_ours: Whether this engine chose the number.
    """

    def __init__(self) -> None:
        self.is_ours = False

    def reserve(self, count: int) -> None:
        """Choose the number of devices, unless the user did, or has used JAX already."""
        import jax

        stated = jax.config.jax_num_cpu_devices > 0 or _DEVICE_FLAG in os.environ.get("XLA_FLAGS", "")
        if not self.is_ours and not stated:
            with suppress(RuntimeError):  # JAX has its devices
                self._choose(count)

    def grow(self, count: int) -> None:
        """Start again with more devices; programs that are compiled keep theirs."""
        from jax.extend.backend import clear_backends

        clear_backends()
        self._choose(count)

    def _choose(self, count: int) -> None:
        import jax

        jax.config.update("jax_num_cpu_devices", count)
        self.is_ours = True


_host = _HostDevices()


def _local_count(count: int, cluster: Cluster | None) -> int:
    """Return the number of devices of this process."""
    if cluster is None:
        return count
    processes = cluster.processes
    if processes is None:  # the environment states it
        import jax

        _start(cluster)
        processes = jax.process_count()
    if count % processes:
        raise DeviceError(
            f"{count} processes of the grid cannot be divided among {processes} processes of the system"
        )
    _start(cluster)
    return count // processes


@contextmanager
def _output_as_errors() -> Iterator[None]:
    """Send what libraries print to standard output to standard error, within a context."""
    _flush()
    kept = os.dup(1)
    os.dup2(2, 1)
    try:
        yield
    finally:
        _flush()
        os.dup2(kept, 1)
        os.close(kept)


def _flush() -> None:
    """Write the buffers of standard output: Python's, and that of C, which libraries print to."""
    sys.stdout.flush()
    if sys.platform != "win32":
        ctypes.CDLL(None).fflush(None)


@cache
def _start(cluster: Cluster | None) -> None:
    """Join the other processes; nothing if there are none."""
    if cluster is None:
        return
    import jax

    address = None if cluster.coordinator == "auto" else cluster.coordinator
    try:
        jax.distributed.initialize(address, cluster.processes, cluster.process)
    except (RuntimeError, ValueError) as error:
        raise DeviceError(f"coordinator {cluster.coordinator}: {error}") from None
    _runs.join()


class _Runs:
    """What processes tell each other before each run: XLA would wait for one that is gone, without a word."""

    def __init__(self) -> None:
        self._number, self._is_joined = 0, False

    def join(self) -> None:
        """Take part in the runs of several processes, until this one ends."""
        self._is_joined = True
        atexit.register(self._leave)  # before JAX waits for the others

    def start(self) -> None:
        """Wait for the other processes; see `Client.start_run`."""
        if not self._is_joined:
            return
        state, self._number = _distributed(), self._number + 1
        self._tell(_READY, self._number)
        for process in range(state.num_processes):
            if state.client.blocking_key_value_get(self._key(self._number, process), _PATIENCE) == _LEFT:
                raise DeviceError(f"another process failed: process {process} ended before the program")

    def _leave(self) -> None:
        with suppress(RuntimeError):  # the coordinator has ended
            self._tell(_LEFT, self._number + 1)

    def _tell(self, word: str, number: int) -> None:
        state = _distributed()
        if state.client is not None:
            state.client.key_value_set(self._key(number, state.process_id), word)

    def _key(self, number: int, process: int) -> str:
        return f"stablehlo_py/{number}/{process}"


_runs = _Runs()


def _distributed() -> Any:
    """Return JAX's connection to the other processes."""
    from jax._src.distributed import global_state

    return global_state
