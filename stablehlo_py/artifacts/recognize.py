"""Detection of the format of a file, by its content.

It imports nothing else of this package, so that plain text is parsed without it.
"""

from __future__ import annotations

from typing import Literal

Data = bytes | bytearray | memoryview
Format = Literal["gzip", "bytecode", "jax.export", "unknown", ""]

MAGIC = b"ML\xefR"
GZIP = b"\x1f\x8b"
_MARKS = (b"\xff\xfe", b"\xfe\xff")  # byte order marks of UTF-16 and UTF-32, in which text has NUL bytes
_SMALL = b"\0\0"  # the upper half of the root offset at the start of a flatbuffer
_MODULE_SLOT = 4 + 2 * 13  # the vtable slot of the module in a jax.export container


def recognize(data: Data) -> Format:
    """Return the binary format of data; "" for text, "unknown" for other binary data.

    Args:
        data: The contents of a file.
    """
    start = bytes(data[:8])
    if start.startswith(GZIP):
        return "gzip"
    if start.startswith(MAGIC):
        return "bytecode"
    if start[2:4] != _SMALL or start.startswith(_MARKS):
        return ""
    return "jax.export" if _is_exported(data) else "unknown"


def _is_exported(data: Data) -> bool:
    """Return True if data is a flatbuffer with bytecode in the module field of a jax.export container."""
    root = _number(data, 0, 4)
    vtable = (root - _number(data, root, 4)) % (1 << 32)  # the difference has a sign
    if _number(data, vtable, 2) < _MODULE_SLOT + 2:
        return False
    place = root + _number(data, vtable + _MODULE_SLOT, 2)
    vector = place + _number(data, place, 4)
    return bytes(data[vector + 4 : vector + 8]) == MAGIC


def _number(data: Data, at: int, size: int) -> int:
    return int.from_bytes(data[at : at + size], "little")
