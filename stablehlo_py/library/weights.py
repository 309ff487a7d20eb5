"""The constants of a library: one block of bytes, in which each different array is once."""

from __future__ import annotations

from typing import Any, BinaryIO
from zlib import crc32

import numpy as np

from stablehlo_py.engines.native.runtime import ALIGNMENT


class Weights:
    """The constants of a library.

    Attributes:
        size: The number of bytes so far.
        checksum: The CRC-32 of the bytes, after `write`.
    """

    def __init__(self) -> None:
        self.size = 0
        self.checksum = 0
        self._arrays: list[tuple[int, Any]] = []
        self._known: dict[tuple[int, int], int] = {}  # offsets by identity: `_arrays` keeps the arrays

    def add(self, constant: Any) -> int:
        """Add an array; return the offset of its bytes."""
        array = np.asarray(constant)
        address = array.__array_interface__["data"][0]
        # Arrays of an address and a size have the same bytes in the same order if they are contiguous.
        key = (address, array.nbytes) if array.flags.c_contiguous else None
        if key is not None and key in self._known:
            return self._known[key]
        offset = self.size
        if key is not None:
            self._known[key] = offset
        self._arrays.append((offset, array))
        self.size = -(-(offset + array.nbytes) // ALIGNMENT) * ALIGNMENT
        return offset

    def write(self, stream: BinaryIO) -> None:
        """Write the block, one array after the other."""
        position = 0
        for offset, array in self._arrays:
            self._put(stream, bytes(offset - position))
            self._put(stream, np.ascontiguousarray(array).reshape(-1).view(np.uint8).data)
            position = offset + array.nbytes
        self._put(stream, bytes(self.size - position))

    def _put(self, stream: BinaryIO, data: Any) -> None:
        self.checksum = crc32(data, self.checksum)
        stream.write(data)
