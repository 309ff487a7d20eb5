"""LLVM: from IR text to functions that can be called. Object code is kept in the disk cache."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence
from functools import lru_cache
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple
from weakref import WeakValueDictionary

import llvmlite.binding as llvm
import numpy as np
from llvmlite import __version__

from stablehlo_py.engines.native.products.shared import shared_module
from stablehlo_py.engines.native.products.tiles import registers
from stablehlo_py.engines.native.resident import release_library_pages
from stablehlo_py.engines.native.runtime import FUNCTIONS, PYTHON_FUNCTIONS, sync_size
from stablehlo_py.storage import cache

_POINTERS = (ctypes.c_void_p,) * 2
# Holds Python's lock when it is called, and raises the exception that the function leaves.
_ENTER = ctypes.PYFUNCTYPE(None, ctypes.c_void_p, *_POINTERS, ctypes.c_void_p, ctypes.c_int64)
_MAIN = ctypes.CFUNCTYPE(None, *_POINTERS, ctypes.c_int64, ctypes.c_int64, ctypes.c_void_p)


class Library:
    """Machine code, with the engine of LLVM that keeps it.

    Args:
        code: An object file.
        rows: What belongs to it, as plain data.
        shared: The names of shared functions that it calls.
    """

    def __init__(self, code: bytes, rows: Sequence[Any] = (), shared: Sequence[str] = ()) -> None:
        self.rows = rows
        self._engine = llvm.create_mcjit_compiler(llvm.parse_assembly(""), target_machine())
        for part in (code, *map(_shared_code, shared)):
            self._engine.add_object_file(llvm.ObjectFileRef.from_data(part))
        self._engine.finalize_object()
        release_library_pages()

    def address(self, name: str) -> int:
        """The address of a function."""
        return int(self._engine.get_function_address(name))

    def enter(self) -> Any:
        """The function that runs another without Python's lock, which the caller holds.

        It takes the address of the function and that of the arguments; the scratch area and what
        `new_sync` gives, as objects of Python; and the number of threads, of which it is the first.
        """
        return _ENTER(self.address("enter"))

    def share(self, name: str) -> Any:
        """A region's function; takes the number of this thread and that of threads besides."""
        return _MAIN(self.address(name))


class Source(NamedTuple):
    """The text of a module, and what is kept with its code: rows of plain data, names of shared functions."""

    text: str
    rows: list[Any]
    shared: list[str]


_LIBRARIES: WeakValueDictionary[str, Library] = WeakValueDictionary()
_PREFIX = "native-"
_MOST_ENTRIES = 512  # of the disk cache


def new_sync(tasks: int = 0, threads: int = 1) -> Any:
    """What the threads and loops of one call share."""
    return _sync(sync_size(tasks, threads)).copy()


@lru_cache
def _sync(size: int) -> Any:
    sync = np.zeros(size, np.int64)
    for place, name in enumerate(PYTHON_FUNCTIONS, FUNCTIONS):
        sync[place] = ctypes.cast(getattr(ctypes.pythonapi, name), ctypes.c_void_p).value or 0
    return sync


@lru_cache
def _host() -> tuple[Any, str, str]:
    """LLVM's target of this machine, the name of its CPU and the features that it has."""
    release_library_pages()  # of loading it
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    return (
        llvm.Target.from_default_triple(),
        llvm.get_host_cpu_name(),
        llvm.get_host_cpu_features().flatten(),
    )


def host_features() -> str:
    """The features of this machine's CPU, as LLVM names them."""
    return _host()[2]


def target_machine() -> Any:
    """A description of this machine; the execution engine that is made with it owns it."""
    target, cpu, features = _host()
    return target.create_target_machine(cpu=cpu, features=features, opt=2, jit=True)


def load_library(description: str, source: Callable[[], Source]) -> Library:
    """Load a module from memory or the disk cache, or compile it.

    Args:
        description: What the module is made from: equal descriptions mean equal modules.
        source: Makes the module.
    """
    key = _key(description)
    library = _LIBRARIES.get(key)
    if library is None:
        library = _LIBRARIES[key] = _from_cache(key) or _compiled(key, source())
    return library


def _from_cache(key: str) -> Library | None:
    found = cache.load(_name(key), key, _is_entry)
    return None if found is None else Library(*found)


def _is_entry(data: Any) -> bool:
    return isinstance(data, tuple) and len(data) == 3 and isinstance(data[0], bytes)


def _compiled(key: str, source: Source) -> Library:
    entry = object_code(source.text), source.rows, source.shared
    cache.store(_name(key), key, entry)
    cache.trim(_PREFIX, _MOST_ENTRIES)
    return Library(*entry)


@lru_cache
def _shared_code(name: str) -> bytes:
    """The object file of a shared function, from the disk cache if it is there."""
    key = _key(name)
    found = cache.load(_name(key), key, lambda data: isinstance(data, bytes))
    if found is None:
        found = object_code(shared_module(name, registers(host_features())), vectorize=False)
        cache.store(_name(key), key, found)
    return bytes(found)


def _name(key: str) -> str:
    return f"{_PREFIX}{key[:32]}"


def _key(description: str) -> str:
    """The name of a module on this machine: code is for one CPU, and made by one version of LLVM."""
    _, cpu, features = _host()
    parts = (__version__, str(llvm.llvm_version_info), cpu, features, _sources(), description)
    return sha256("\0".join(parts).encode()).hexdigest()


@lru_cache
def _sources() -> str:
    """What changes whenever the emitters do."""
    return cache.stamp(cache.sources(Path(__file__).parent))


def object_code(text: str, vectorize: bool = True) -> bytes:
    """Machine code for the text of a module.

    Loops are unrolled and interleaved only where the text asks for it: code grows several times as large
    otherwise, and takes as much longer to compile.
    """
    machine = target_machine()
    module = llvm.parse_assembly(text)
    options = llvm.create_pipeline_tuning_options(speed_level=2)
    options.loop_vectorization = vectorize
    options.slp_vectorization = False
    options.loop_unrolling = False
    options.loop_interleaving = False
    builder = llvm.create_pass_builder(machine, options)
    builder.getModulePassManager().run(module, builder)
    release_library_pages()  # what optimizes does not emit code
    code: bytes = machine.emit_object(module)
    return code
