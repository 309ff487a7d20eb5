"""Primitives of the bytecode format: bytes, prefix varints, zigzag varints, padding of sections."""

from __future__ import annotations

from stablehlo_py.artifacts.faults import Fault

Data = bytes | memoryview
PADDING = 0xCB
_ONE = 1 << 1 | 1  # the varint 1
_WINDOW = 256  # bytes that usually contain a name


class Cursor:
    """A position in a range of a file. Offsets in faults are offsets in the file.

    Every read checks the range first, so that no length in a file causes an allocation larger than the file.

    Args:
        data: The file.
        at: The offset of the range.
        end: The end of the range, exclusive.
    """

    __slots__ = ("at", "data", "end")

    def __init__(self, data: Data, at: int = 0, end: int | None = None) -> None:
        self.data = data
        self.at = at
        self.end = len(data) if end is None else end

    @property
    def is_done(self) -> bool:
        """True at the end of the range."""
        return self.at >= self.end

    def need(self, size: int, what: str) -> None:
        """Raise Fault unless `size` more bytes are in the range."""
        if size > self.end - self.at:
            have = self.end - self.at
            raise Fault(self.at, f"expected {what} of {size} bytes, found {have} more bytes")

    def byte(self, what: str = "a byte") -> int:
        """Read a byte."""
        at = self.at
        if at >= self.end:
            raise Fault(at, f"expected {what}, found the end of the data")
        self.at = at + 1
        return self.data[at]

    def varint(self) -> int:
        """Read a prefix varint: the trailing zeros of its first byte count the bytes that follow."""
        at = self.at
        if at < self.end:
            first = self.data[at]
            if first & 1:
                self.at = at + 1
                return first >> 1
            if first & 2 and at + 1 < self.end:
                self.at = at + 2
                return (first | self.data[at + 1] << 8) >> 2
            return self._long_varint(first)
        raise Fault(at, "expected a variable-length integer, found the end of the data")

    def _long_varint(self, first: int) -> int:
        following = (first & -first).bit_length() - 1 if first else 8
        self.need(1 + following, "a variable-length integer")
        start = self.at
        self.at = stop = start + 1 + following
        if not first:
            return int.from_bytes(self.data[start + 1 : stop], "little")
        return int.from_bytes(self.data[start:stop], "little") >> (following + 1)

    def signed(self) -> int:
        """Read a zigzag varint."""
        value = self.varint()
        return (value >> 1) ^ -(value & 1)

    def flagged(self) -> tuple[int, bool]:
        """Read a varint whose lowest bit is a flag."""
        value = self.varint()
        return value >> 1, bool(value & 1)

    def count(self, what: str, least: int = 1) -> int:
        """Read a number of items, which must fit into the rest of the range.

        Args:
            what: The items, for messages.
            least: The minimum size of an item in bytes.
        """
        at = self.at
        number = self.varint()
        if number * least > self.end - self.at:
            have = self.end - self.at
            raise Fault(at, f"{number} {what} do not fit into the remaining {have} bytes")
        return number

    def numbers(self, what: str) -> list[int]:
        """Read a list of varints, and its length before it.

        Args:
            what: The items, for messages.
        """
        data, at = self.data, self.at
        if at + 1 < self.end and data[at] == _ONE and data[at + 1] & 1:  # most lists
            self.at = at + 2
            return [data[at + 1] >> 1]
        return self.varints(self.count(what))

    def varints(self, count: int) -> list[int]:
        """Read a number of varints."""
        data, at, end, found = self.data, self.at, self.end, []
        for _ in range(count):
            first = data[at] if at < end else 0
            if first & 1:  # most of them, without a call
                found.append(first >> 1)
                at += 1
            elif first & 2 and at + 1 < end:
                found.append((first | data[at + 1] << 8) >> 2)
                at += 2
            else:
                self.at = at
                found.append(self.varint())
                at = self.at
        self.at = at
        return found

    def take(self, size: int, what: str = "data") -> memoryview:
        """Read `size` bytes, as a view of the file."""
        self.need(size, what)
        start = self.at
        self.at = start + size
        return memoryview(self.data)[start : self.at]

    def part(self, size: int, what: str) -> Cursor:
        """Return a cursor over the next `size` bytes, and skip them."""
        self.need(size, what)
        start = self.at
        self.at = start + size
        return Cursor(self.data, start, self.at)

    def text(self, what: str) -> str:
        """Read bytes up to a NUL as text."""
        start, end, window = self.at, self.end, _WINDOW
        while (found := bytes(self.data[start : min(end, start + window)]).find(b"\0")) < 0:
            if start + window >= end:
                raise Fault(start, f"expected {what} that ends in a NUL byte")
            window *= 8  # not all at once: the rest of the file may be large
        self.at = start + found + 1
        return str(self.data[start : start + found], "utf-8", "surrogateescape")

    def align(self, alignment: int) -> None:
        """Skip padding up to a multiple of `alignment` bytes from the start of the file."""
        if alignment < 1 or alignment & (alignment - 1):
            raise Fault(self.at, f"expected an alignment that is a power of two, found {alignment}")
        while self.at & (alignment - 1):
            at = self.at
            value = self.byte("padding")
            if value != PADDING:
                raise Fault(at, f"expected a byte of padding (0x{PADDING:02X}), found 0x{value:02X}")

    def finish(self, what: str) -> None:
        """Raise Fault if bytes are left."""
        if self.at < self.end:
            raise Fault(self.at, f"{self.end - self.at} unexpected bytes after {what}")
