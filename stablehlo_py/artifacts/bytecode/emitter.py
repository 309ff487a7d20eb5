"""Writer of the primitives of the bytecode format, the inverse of `cursor`."""

from __future__ import annotations

from stablehlo_py.artifacts.bytecode.cursor import PADDING

_ALIGNED = 0x80
_MOST_BYTES = 9  # maximum size of a varint


_LARGE = 1 << 20  # bytes of a view that is kept, rather than copied

Piece = bytes | bytearray | memoryview


class Emitter:
    """A buffer of bytes being written; large views stay views.

    Attributes:
        data: The bytes behind the last view.
        alignment: The required alignment of the section with these bytes.
    """

    __slots__ = ("_before", "_pieces", "alignment", "data")

    def __init__(self) -> None:
        self.data = bytearray()
        self.alignment = 1
        self._pieces: list[Piece] = []
        self._before = 0

    def __len__(self) -> int:
        return self._before + len(self.data)

    @property
    def pieces(self) -> list[Piece]:
        """The bytes and views, in order."""
        return [*self._pieces, self.data] if self.data else [*self._pieces]

    def byte(self, value: int) -> None:
        """Write a byte."""
        self.data.append(value)

    def varint(self, value: int) -> None:
        """Write a prefix varint of as few bytes as possible."""
        if value < 0x80:
            self.data.append(value << 1 | 1)
            return
        size = (value.bit_length() + 6) // 7
        if size < _MOST_BYTES:
            self.data += ((value << 1 | 1) << (size - 1)).to_bytes(size, "little")
        else:
            self.data += b"\0" + value.to_bytes(8, "little")

    def signed(self, value: int) -> None:
        """Write a zigzag varint."""
        self.varint(value << 1 if value >= 0 else ~(value << 1))

    def flagged(self, value: int, flag: bool) -> None:
        """Write a varint whose lowest bit is a flag."""
        self.varint(value << 1 | flag)

    def raw(self, data: Piece) -> None:
        """Write bytes; a large view must not change before it is written to a file."""
        if not isinstance(data, memoryview) or len(data) < _LARGE:
            self.data += data
            return
        self._pieces += [self.data, data]
        self._before += len(self.data) + len(data)
        self.data = bytearray()

    def text(self, text: str) -> None:
        """Write text and a NUL byte."""
        self.data += text.encode("utf-8", "surrogateescape") + b"\0"

    def align(self, alignment: int) -> None:
        """Write padding up to a multiple of `alignment`."""
        self.alignment = max(self.alignment, alignment)
        self.data += bytes([PADDING]) * (-len(self) % alignment)

    def section(self, number: int, content: Emitter) -> None:
        """Write a section with the alignment that its content requires.

        Args:
            number: The number of the section.
            content: The content.
        """
        self.byte(number | (_ALIGNED if content.alignment > 1 else 0))
        self.varint(len(content))
        if content.alignment > 1:
            self.varint(content.alignment)
            self.align(content.alignment)
        for piece in content.pieces:
            self.raw(piece)
