"""The wire format of protobuf: fields with numbers, in ranges of a file."""

from __future__ import annotations

from collections.abc import Iterator

Data = bytes | memoryview
VARINT, FIXED64, DELIMITED, FIXED32 = 0, 1, 2, 5  # wire types
_FIXED = {FIXED64: 8, FIXED32: 4}
_MAX_SHIFT = 63
_NUMBERS = 1 << 29  # of fields


class WireError(Exception):
    """Bytes that are no message.

    Args:
        offset: The byte offset in the file.
        message: The problem, and what was expected.
    """

    def __init__(self, offset: int, message: str) -> None:
        super().__init__(message)
        self.offset = offset
        self.message = message


def varint(data: Data, at: int, end: int) -> tuple[int, int]:
    """Read an integer of at most 64 bits; return it and the offset after it."""
    value = shift = 0
    while True:
        if at >= end:
            raise WireError(at, "expected an integer, found the end of the data")
        byte = data[at]
        at += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, at
        shift += 7
        if shift > _MAX_SHIFT:
            raise WireError(at, "expected an integer of at most 64 bits")


def fields(data: Data, start: int, end: int) -> Iterator[tuple[int, int, int, int]]:
    """Iterate over the fields of a message.

    Args:
        data: The file.
        start: The offset of the message.
        end: The offset after it.

    Yields:
        The number and the wire type of a field, and the range of its content; of an integer its value
        instead of the start.

    Raises:
        WireError: If the range is no message.
    """
    at = start
    while at < end:
        place = at
        tag, at = varint(data, at, end)
        wire = tag & 7
        if not 0 < tag >> 3 < _NUMBERS:
            raise WireError(
                place, f"expected a field with a number from 1 to {_NUMBERS - 1}, found {tag >> 3}"
            )
        if wire == VARINT:
            value, at = varint(data, at, end)
            yield tag >> 3, wire, value, at
            continue
        if wire == DELIMITED:
            size, at = varint(data, at, end)
        elif wire in _FIXED:
            size = _FIXED[wire]
        else:
            raise WireError(place, f"expected a field, found the wire type {wire}")
        if size > end - at:
            raise WireError(at, f"expected a field of {size} bytes, found {end - at} more bytes")
        yield tag >> 3, wire, at, at + size
        at += size
