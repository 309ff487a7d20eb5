"""Execution of StableHLO text on XLA's CPU backend."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

import numpy as np

Array = np.ndarray[Any, np.dtype[Any]]


@cache
def _backend() -> Any:
    os.environ.setdefault("JAX_PLATFORMS", "cpu")
    import jax
    from jax._src import xla_bridge

    jax.config.update("jax_enable_x64", True)
    return xla_bridge.get_backend("cpu")


def compiled(text: str) -> Callable[[Sequence[Array]], list[Array]]:
    """Compiles a module, and returns what runs its @main."""
    backend = _backend()
    import jax
    from jax._src import compiler
    from jax._src.interpreters import mlir
    from jaxlib import _jax
    from jaxlib.mlir import ir

    with mlir.make_ir_context():
        module = ir.Module.parse(text)
        devices = _jax.DeviceList(tuple(backend.local_devices()[:1]))
        program = backend.compile_and_load(module, devices, compiler.get_compile_options(1, 1))

    def call(inputs: Sequence[Array]) -> list[Array]:
        given = [jax.device_put(value) for value in inputs]
        found = program.execute_sharded(given).disassemble_into_single_device_arrays()
        return [np.asarray(result[0]) for result in found]

    return call


def run_xla(text: str, *inputs: Array) -> list[Array]:
    """Compiles a module and runs its @main."""
    return compiled(text)(inputs)
