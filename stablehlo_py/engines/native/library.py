"""Libraries: machine code of modules, from the disk cache or compiled, and the functions in it."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple, Protocol
from weakref import WeakValueDictionary

import numpy as np

from stablehlo_py.engines.native.linking import Executable, MissingFunction, Unlinkable
from stablehlo_py.engines.native.machine import machine, optimizes
from stablehlo_py.engines.native.runtime import (
    CREDIT,
    FUNCTIONS,
    MOST_CREDIT,
    PYTHON_FUNCTIONS,
    sync_size,
)
from stablehlo_py.storage import cache

_POINTERS = (ctypes.c_void_p,) * 2
# Holds Python's lock when it is called, and raises the exception that the function leaves.
_ENTER = ctypes.PYFUNCTYPE(None, ctypes.c_void_p, *_POINTERS, ctypes.c_void_p, ctypes.c_int64)
_MAIN = ctypes.CFUNCTYPE(None, *_POINTERS, ctypes.c_int64, ctypes.c_int64, ctypes.c_void_p)


class Linked(Protocol):
    """Machine code in memory."""

    def address(self, name: str) -> int:
        """The address of a function."""


class Library:
    """Machine code that keeps its memory.

    Args:
        code: Object files.
        rows: Plain data that describes its functions.
    """

    def __init__(self, code: Sequence[bytes], rows: Sequence[Any] = ()) -> None:
        self.rows = rows
        self._linked = _linked([*code, _runtime_code()] if code else [])

    def address(self, name: str) -> int:
        """The address of a function."""
        return self._linked.address(name)

    def enter(self) -> Any:
        """The function that releases Python's lock, which the caller holds, and runs a region.

        It takes the addresses of the function and of the arguments; the scratch area and what
        `new_sync` gives, as objects of Python; and the number of threads, of which it is the first.
        """
        return _ENTER(self.address("enter"))

    def share(self, name: str) -> Any:
        """A region's function; takes the number of this thread and the number of other threads."""
        return _MAIN(self.address(name))


def _linked(objects: Sequence[bytes]) -> Linked:
    try:
        return Executable(objects)
    except MissingFunction:  # LLVM has none either, and would call nothing
        raise
    except Unlinkable:
        from stablehlo_py.engines.native.jit import link

        return link(objects)


class Source(NamedTuple):
    """The code of a module, and the data stored with it.

    Attributes:
        text: LLVM IR that is optimized.
        cold: LLVM IR that is not.
        rows: Plain data.
    """

    text: str
    cold: str
    rows: list[Any]


_LIBRARIES: WeakValueDictionary[str, Library] = WeakValueDictionary()
_PREFIX = "native-"
_MOST_ENTRIES = 512  # of the disk cache


SHARING = np.full(1, MOST_CREDIT)  # nanoseconds: the credit of this process for sharing nests of loops


def new_sync(tasks: int = 0, threads: int = 1) -> Any:
    """Create the array of state that the threads and loops of one call share."""
    return _sync(sync_size(tasks, threads)).copy()


@lru_cache
def _sync(size: int) -> Any:
    sync = np.zeros(size, np.int64)
    sync[CREDIT] = SHARING.ctypes.data
    for place, name in enumerate(PYTHON_FUNCTIONS, FUNCTIONS):
        sync[place] = ctypes.cast(getattr(ctypes.pythonapi, name), ctypes.c_void_p).value or 0
    return sync


def load_library(description: str, source: Callable[[], Source], are_rows: Callable[[Any], bool]) -> Library:
    """Load a module from memory or the disk cache, or compile it.

    Args:
        description: The input of the module's compilation: equal descriptions mean equal modules.
        source: Creates the module.
        are_rows: Checks the structure of the rows that the disk cache has.
    """
    key = _key(description)
    library = _LIBRARIES.get(key)
    if library is None:
        library = _LIBRARIES[key] = _from_cache(key, are_rows) or _compiled(key, source())
    return library


def _from_cache(key: str, are_rows: Callable[[Any], bool]) -> Library | None:
    def is_entry(data: Any) -> bool:
        match data:
            case (list() as code, rows):
                return {*map(type, code)} <= {bytes} and are_rows(rows)
        return False

    found = cache.load(_name(key), key, is_entry)
    return None if found is None else Library(*found)


def _compiled(key: str, source: Source) -> Library:
    entry = _object_code(source.text, source.cold), source.rows
    cache.store(_name(key), key, entry)
    cache.trim(_PREFIX, _MOST_ENTRIES)
    return Library(*entry)


def _object_code(text: str, cold: str) -> list[bytes]:
    """Compile the optimized and the unoptimized module, each unless it is empty."""
    if not text and not cold:
        return []
    from stablehlo_py.engines.native import jit

    return [*([jit.object_code(text)] if text else []), *([jit.translated(cold)] if cold else [])]


def _runtime_code() -> bytes:
    """The object file of the run-time part for the target."""
    return _runtime_code_for(_key("the run-time part"))


@lru_cache
def _runtime_code_for(key: str) -> bytes:
    """The object file of the run-time part, from the disk cache if it is there."""
    found = cache.load(_name(key), key, lambda data: isinstance(data, bytes))
    if found is None:
        from stablehlo_py.engines.native import jit

        found = jit.runtime_code()
        cache.store(_name(key), key, found)
    return bytes(found)


def _name(key: str) -> str:
    return cache.entry_name(_PREFIX, key)


def _key(description: str) -> str:
    """Describe a module on this machine."""
    return f"{version()}\0{description}"


def version() -> str:
    """The versions that code depends on: the CPU, LLVM, whether it optimizes, and the emitters."""
    return f"{machine()}\0{optimizes()}\0{_emitters()}"


@lru_cache
def _emitters() -> str:
    return cache.stamp(cache.sources(Path(__file__).parent))
