"""Resident memory: the pages of LLVM's library, most of which are read once, when it is loaded.

The library is large, and loading it touches a third of it (symbols and relocations). The pages are clean
copies of the file, so that the process can give them up; those that are needed again come from the cache of
the system.
"""

from __future__ import annotations

import ctypes
import mmap
import re
from functools import cache
from pathlib import Path

_MAPS = Path("/proc/self/smaps")  # Linux
_MAPPING = re.compile(r"^([0-9a-f]+)-([0-9a-f]+) r-.. .*libllvmlite.*\n((?:[A-Z].*\n)+)", re.ASCII | re.M)


def release_library_pages() -> None:
    """Give up the pages of the library that are as in its file, where the system has such a call."""
    for start, stop in _clean_mappings():
        ctypes.CDLL(None).madvise(ctypes.c_void_p(start), ctypes.c_size_t(stop - start), mmap.MADV_DONTNEED)


@cache
def _clean_mappings() -> list[tuple[int, int]]:
    """The addresses of the library's mappings that cannot be written, and have not been."""
    clean = [found for found in _mappings() if _kilobytes("Anonymous", found[3]) == 0]
    return [(int(found[1], 16), int(found[2], 16)) for found in clean]


def resident_library_pages() -> int:
    """The size of the library's pages in memory, in KiB; 0 where the system does not tell."""
    return sum(_kilobytes("Rss", found[3]) for found in _mappings())


def _mappings() -> list[re.Match[str]]:
    return list(_MAPPING.finditer(_MAPS.read_text())) if _MAPS.exists() else []


def _kilobytes(name: str, fields: str) -> int:
    found = re.search(rf"^{name}: +(\d+) kB$", fields, re.M)
    return int(found[1]) if found else -1
