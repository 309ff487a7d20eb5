"""LLVM: from IR text to a function that can be called."""

from __future__ import annotations

import ctypes
from dataclasses import dataclass
from functools import cache
from typing import Any

import llvmlite.binding as llvm
import numpy as np

from stablehlo_py.engines.native.runtime import FUNCTIONS, PYTHON_FUNCTIONS, SIZE

_POINTERS = (ctypes.c_void_p,) * 2
# Holds Python's lock when it is called, and raises the exception that the function leaves.
_ENTRY = ctypes.PYFUNCTYPE(None, *_POINTERS, ctypes.c_void_p)
_MAIN = ctypes.CFUNCTYPE(None, *_POINTERS, ctypes.c_int64, ctypes.c_int64, ctypes.c_void_p)


@dataclass(frozen=True, slots=True)
class Compiled:
    """Machine code, and the engine of LLVM that keeps it.

    Attributes:
        call: takes the addresses of the arguments' addresses, the scratch area and what `new_sync` gives.
        share: the part of one thread, without Python's lock; takes its number and that of threads as well.
    """

    engine: Any
    call: Any
    share: Any


def new_sync() -> Any:
    """What the threads and loops of one call share."""
    return _sync().copy()


@cache
def _sync() -> Any:
    sync = np.zeros(SIZE, np.int64)
    for place, name in enumerate(PYTHON_FUNCTIONS, FUNCTIONS):
        sync[place] = ctypes.cast(getattr(ctypes.pythonapi, name), ctypes.c_void_p).value or 0
    return sync


@cache
def _host() -> tuple[Any, str, str]:
    """LLVM's target of this machine, the name of its CPU and the features that it has."""
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    return (
        llvm.Target.from_default_triple(),
        llvm.get_host_cpu_name(),
        llvm.get_host_cpu_features().flatten(),
    )


def target_machine() -> Any:
    """A description of this machine; the execution engine that is made with it owns it."""
    target, cpu, features = _host()
    return target.create_target_machine(cpu=cpu, features=features, opt=3, jit=True)


def compile_module(text: str, level: int = 3) -> Compiled:
    """Compiles the module of a region."""
    machine = target_machine()
    module = llvm.parse_assembly(text)
    options = llvm.create_pipeline_tuning_options(speed_level=level)
    options.loop_vectorization = True
    options.slp_vectorization = True
    options.loop_unrolling = True
    builder = llvm.create_pass_builder(machine, options)
    builder.getModulePassManager().run(module, builder)
    engine = llvm.create_mcjit_compiler(module, machine)
    engine.finalize_object()
    entry, main = _ENTRY(engine.get_function_address("enter")), engine.get_function_address("main")
    return Compiled(engine, entry, _MAIN(main) if main else None)
