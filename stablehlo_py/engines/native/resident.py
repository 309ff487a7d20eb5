"""Resident memory: the pages of LLVM's library, most of which are read once, when it is loaded.

The library is large, and loading it touches a third of it (symbols and relocations). The pages are clean
copies of the file, so that the process can release them. The system reads a page again from its cache if the
page is used later.
"""

from __future__ import annotations

import ctypes
import mmap
import re
import struct
import sys
from functools import cache
from pathlib import Path

_MAPS = Path("/proc/self/maps")  # Linux
_MAPPING = re.compile(r"^([0-9a-f]+)-([0-9a-f]+) r-.. ([0-9a-f]+) .* (/.*libllvmlite.*)$", re.ASCII | re.M)
_MAGIC = b"\x7fELF\x02\x01"  # of 64 bits, little-endian
_HEADERS = struct.Struct("<32xQ14xHH")  # the place of the segment headers, the size of a header, their number
_SEGMENT = struct.Struct("<IIQQQQ")  # type, flags, offset, two addresses, size in the file
_LOADED, _WRITABLE = 1, 2


def release_library_pages() -> None:
    """Give up the pages of the library that are as in its file, where the system has such a call."""
    for start, stop in _clean_mappings():
        ctypes.CDLL(None).madvise(ctypes.c_void_p(start), ctypes.c_size_t(stop - start), mmap.MADV_DONTNEED)


@cache
def _clean_mappings() -> list[tuple[int, int]]:
    """The addresses of the library's mappings without writable segments."""
    found = _MAPPING.findall(_MAPS.read_text()) if _MAPS.exists() else []
    written = {path: _written(Path(path)) for _, _, _, path in found}
    return [
        (int(start, 16), int(stop, 16))
        for start, stop, offset, path in found
        if not any(int(offset, 16) in part for part in written[path])
    ]


def _written(library: Path) -> list[range]:
    """The parts of a library's file in segments that can be written; all if it is not there."""
    if not library.exists():  # any more
        return [range(sys.maxsize)]
    with library.open("rb") as file:
        head = file.read(_HEADERS.size)
        if not head.startswith(_MAGIC):
            return [range(sys.maxsize)]
        first, size, count = _HEADERS.unpack(head)
        file.seek(first)
        table = file.read(size * count)
    found = []
    for at in range(0, size * count, size):
        kind, flags, offset, _, _, length = _SEGMENT.unpack_from(table, at)
        if kind == _LOADED and flags & _WRITABLE:
            found.append(range(offset - offset % mmap.PAGESIZE, offset + length))
    return found
