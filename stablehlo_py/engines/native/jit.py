"""LLVM: from IR text to functions that can be called. Object code is kept in the disk cache."""

from __future__ import annotations

import ctypes
from dataclasses import dataclass
from functools import lru_cache
from hashlib import sha256
from typing import Any
from weakref import WeakValueDictionary

import llvmlite.binding as llvm
import numpy as np
from llvmlite import __version__

from stablehlo_py import cache
from stablehlo_py.engines.native.runtime import FUNCTIONS, PYTHON_FUNCTIONS, SIZE

_POINTERS = (ctypes.c_void_p,) * 2
# Holds Python's lock when it is called, and raises the exception that the function leaves.
_ENTRY = ctypes.PYFUNCTYPE(None, *_POINTERS, ctypes.c_void_p)
_MAIN = ctypes.CFUNCTYPE(None, *_POINTERS, ctypes.c_int64, ctypes.c_int64, ctypes.c_void_p)


@dataclass(frozen=True, slots=True, weakref_slot=True)
class Compiled:
    """Machine code, and the engine of LLVM that keeps it.

    Attributes:
        call: takes the addresses of the arguments' addresses, the scratch area and what `new_sync` gives.
        share: the part of one thread, without Python's lock; takes its number and that of threads as well.
    """

    engine: Any
    call: Any
    share: Any


_COMPILED: WeakValueDictionary[str, Compiled] = WeakValueDictionary()  # equal regions are compiled once
_PREFIX = "native-"
_MOST_ENTRIES = 512  # of the disk cache


def new_sync() -> Any:
    """What the threads and loops of one call share."""
    return _sync().copy()


@lru_cache
def _sync() -> Any:
    sync = np.zeros(SIZE, np.int64)
    for place, name in enumerate(PYTHON_FUNCTIONS, FUNCTIONS):
        sync[place] = ctypes.cast(getattr(ctypes.pythonapi, name), ctypes.c_void_p).value or 0
    return sync


@lru_cache
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


def compile_module(text: str) -> Compiled:
    """The functions of the module of a region, compiled, or loaded from the cache."""
    key = _key(text)
    compiled = _COMPILED.get(key)
    if compiled is None:
        name = f"{_PREFIX}{key[:32]}"
        code = cache.load(name, key, lambda data: isinstance(data, bytes))
        if code is None:
            code = object_code(text)
            cache.store(name, key, code)
            cache.trim(_PREFIX, _MOST_ENTRIES)
        compiled = _COMPILED[key] = _load(code)
    return compiled


def _key(text: str) -> str:
    """The name of a module on this machine: code is for one CPU, and made by one version of LLVM."""
    _, cpu, features = _host()
    parts = (__version__, str(llvm.llvm_version_info), cpu, features, text)
    return sha256("\0".join(parts).encode()).hexdigest()


def object_code(text: str) -> bytes:
    """Machine code for the text of a module."""
    machine = target_machine()
    module = llvm.parse_assembly(text)
    options = llvm.create_pipeline_tuning_options(speed_level=3)
    options.loop_vectorization = True
    options.slp_vectorization = True
    options.loop_unrolling = True
    builder = llvm.create_pass_builder(machine, options)
    builder.getModulePassManager().run(module, builder)
    code: bytes = machine.emit_object(module)
    return code


def _load(code: bytes) -> Compiled:
    engine = llvm.create_mcjit_compiler(llvm.parse_assembly(""), target_machine())
    engine.add_object_file(llvm.ObjectFileRef.from_data(code))
    engine.finalize_object()
    entry, main = (engine.get_function_address(name) for name in ("enter", "main"))
    return Compiled(engine, _ENTRY(entry), _MAIN(main) if main else None)
