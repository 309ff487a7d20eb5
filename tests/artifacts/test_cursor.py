"""Primitives of the bytecode format, by its definition: prefix varints, zigzag, texts, padding, ranges."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from stablehlo_py.artifacts.bytecode.cursor import Cursor
from stablehlo_py.artifacts.bytecode.emitter import Emitter
from stablehlo_py.artifacts.bytecode.sections import read_section
from stablehlo_py.artifacts.faults import Fault

VARINT = "a variable-length integer"


def varint(value: int) -> bytes:
    """By definition: below its lowest 1, the first byte has as many zeros as bytes follow; 0 has 8."""
    for size in range(1, 9):
        if value < 1 << 7 * size:
            return (value << size | 1 << size - 1).to_bytes(size, "little")
    return b"\0" + value.to_bytes(8, "little")


VALUES = [*(1 << 7 * size for size in range(1, 9)), *((1 << 7 * size) - 1 for size in range(1, 10)), 0, 1]


def test_varints_by_hand() -> None:
    expected = {0: "01", 127: "ff", 128: "0202", 16383: "feff", 16384: "040002"}
    assert {value: varint(value).hex() for value in expected} == expected
    assert varint(1 << 56) == bytes([0, 0, 0, 0, 0, 0, 0, 0, 1])


@pytest.mark.parametrize("value", VALUES)
def test_varints(value: int) -> None:
    data = varint(value)
    for start, after in ((0, b""), (2, b"\xff\xff")):
        cursor = Cursor(b"\x03" * start + data + after, start)
        assert cursor.varint() == value and cursor.at == start + len(data)
        assert cursor.is_done is (not after)
        assert Cursor(varint(2) + 2 * data + after).numbers("numbers") == [value, value]
        assert Cursor(varint(1) + data + after).numbers("numbers") == [value]
    assert Cursor(data).signed() == (value // 2 if value % 2 == 0 else -(value + 1) // 2)
    assert Cursor(data).flagged() == (value // 2, value % 2 == 1)
    made = Emitter()
    made.varint(value)
    assert bytes(made.data) == data and len(made) == len(data)
    for size in range(len(data)):
        with pytest.raises(Fault):
            Cursor(data, 0, size).varint()
        with pytest.raises(Fault):
            Cursor(data, 0, size).varints(1)


@pytest.mark.parametrize(
    ("value", "unsigned"), [(0, 0), (-1, 1), (1, 2), (-2, 3), (63, 126), (-64, 127), (64, 128)]
)
def test_signs(value: int, unsigned: int) -> None:
    """Zigzag: numbers with small absolute values are small."""
    made = Emitter()
    made.signed(value)
    assert bytes(made.data) == varint(unsigned) and Cursor(varint(unsigned)).signed() == value


@pytest.mark.parametrize(
    ("read", "data", "value", "after"),
    [
        (lambda c: c.byte(), b"\x07\x08", 7, 1),
        (lambda c: bytes(c.take(2)), b"abc", b"ab", 2),
        (lambda c: bytes(c.take(0)), b"", b"", 0),
        (lambda c: c.text("a name"), b"ab\0c\0", "ab", 3),
        (lambda c: c.text("a name"), b"x" * 256 + b"\0", "x" * 256, 257),
        (lambda c: c.text("a name"), b"x" * 3000 + b"\0\0", "x" * 3000, 3001),
        (lambda c: c.count("items"), varint(2) + b"ab", 2, 1),
        (lambda c: c.count("items", 3), varint(2) + b"abcdef", 2, 1),
        (lambda c: c.count("items", 3), varint(0), 0, 1),
        (lambda c: c.numbers("numbers"), varint(0), [], 1),
        (lambda c: (c.byte(), c.align(4))[0], b"\x01\xcb\xcb\xcb\x02", 1, 4),
        (lambda c: c.align(1), b"\x05", None, 0),
        (lambda c: c.need(2, "data"), b"ab", None, 0),
        (lambda c: c.finish("all"), b"", None, 0),
    ],
)
def test_reads(read: Callable[[Cursor], Any], data: bytes, value: Any, after: int) -> None:
    cursor = Cursor(data)
    assert (read(cursor), cursor.at) == (value, after)


@pytest.mark.parametrize(
    ("read", "data", "at", "message"),
    [
        (lambda c: c.byte(), b"", 0, "expected a byte, found the end of the data"),
        (lambda c: c.take(3), b"ab", 0, "expected data of 3 bytes, found 2 more bytes"),
        (lambda c: c.part(3, "a section"), b"ab", 0, "expected a section of 3 bytes, found 2 more bytes"),
        (lambda c: c.text("a name"), b"ab", 0, "expected a name that ends in a NUL byte"),
        (lambda c: c.text("a name"), b"a" * 256, 0, "expected a name that ends in a NUL byte"),
        (lambda c: c.text("a name"), b"a" * 5000, 0, "expected a name that ends in a NUL byte"),
        (lambda c: c.count("items"), varint(3) + b"ab", 0, "3 items do not fit into the remaining 2 bytes"),
        (lambda c: c.count("i", 3), varint(2) + b"abcde", 0, "2 i do not fit into the remaining 5 bytes"),
        (lambda c: c.varint(), b"", 0, f"expected {VARINT}, found the end of the data"),
        (lambda c: c.varint(), b"\x04\0", 0, f"expected {VARINT} of 3 bytes, found 2 more bytes"),
        (lambda c: c.align(3), b"", 0, "expected an alignment that is a power of two, found 3"),
        (lambda c: c.align(0), b"", 0, "expected an alignment that is a power of two, found 0"),
        (lambda c: (c.byte(), c.align(2)), b"\x01\x02", 1, "expected a byte of padding (0xCB), found 0x02"),
        (lambda c: (c.byte(), c.align(2)), b"\x01", 1, "expected padding, found the end of the data"),
        (lambda c: (c.byte(), c.finish("all")), b"\x01\x02\x03", 1, "2 unexpected bytes after all"),
    ],
)  # fmt: skip
def test_faults(read: Callable[[Cursor], Any], data: bytes, at: int, message: str) -> None:
    with pytest.raises(Fault) as raised:
        read(Cursor(data))
    assert (raised.value.offset, raised.value.message, str(raised.value)) == (at, message, message)


def test_parts_end_where_they_say() -> None:
    cursor = Cursor(b"abcdef", 1, 5)
    part = cursor.part(2, "a section")
    assert (part.at, part.end, cursor.at, cursor.end) == (1, 3, 3, 5)
    assert bytes(part.take(2)) == b"bc" and part.is_done and not cursor.is_done
    with pytest.raises(Fault):
        part.byte()
    assert bytes(cursor.take(2)) == b"de" and cursor.is_done


def test_alignment() -> None:
    """Padding is counted from the start of what is written; a section has the largest alignment in it."""
    made = Emitter()
    made.byte(1)
    made.align(4)
    assert (bytes(made.data), made.alignment) == (b"\x01\xcb\xcb\xcb", 4)
    made.align(2)
    made.align(4)
    assert (bytes(made.data), made.alignment) == (b"\x01\xcb\xcb\xcb", 4)
    made.byte(2)
    for before, padding in ((0, 1), (1, 0), (2, 3), (3, 2)):
        out = Emitter()
        out.raw(b"x" * before)
        out.section(5, made)
        expected = b"x" * before + b"\x85" + varint(5) + varint(4) + b"\xcb" * padding
        assert bytes(out.data) == expected + b"\x01\xcb\xcb\xcb\x02"
        cursor = Cursor(bytes(out.data), before)
        number, content = read_section(cursor)
        assert (number, content.at, content.end) == (5, len(expected), len(out))
    plain = Emitter()
    plain.text("a\u00e9")
    out = Emitter()
    out.section(3, plain)
    assert bytes(out.data) == b"\x03" + varint(4) + b"a\xc3\xa9\0"


def test_large_views_are_not_copied() -> None:
    large, small = memoryview(bytes(1 << 20)), memoryview(bytes((1 << 20) - 1))
    made = Emitter()
    made.byte(1)
    made.raw(large)
    made.byte(2)
    made.align(4)
    assert [len(piece) for piece in made.pieces] == [1, 1 << 20, 3] and len(made) == (1 << 20) + 4
    assert made.pieces[1] is large
    made.raw(small)
    assert [len(piece) for piece in made.pieces] == [1, 1 << 20, (1 << 20) + 2]
    only = Emitter()
    only.raw(large)
    assert [len(piece) for piece in only.pieces] == [0, 1 << 20] and len(only) == 1 << 20


def test_sections_around_an_aligned_one_are_aligned_as_well() -> None:
    """Each has its number with the highest bit, its size, its alignment, and padding before the content."""
    inner, middle, outer = Emitter(), Emitter(), Emitter()
    inner.align(8)
    inner.align(2)  # less than before
    inner.raw(b"abc")
    middle.section(1, inner)
    outer.section(2, middle)
    assert bytes(middle.data) == bytes([0x81, 3 << 1 | 1, 8 << 1 | 1, *[0xCB] * 5]) + b"abc"
    assert bytes(outer.data) == bytes([0x82, 11 << 1 | 1, 8 << 1 | 1, *[0xCB] * 5]) + bytes(middle.data)
    plain = Emitter()
    plain.raw(b"abc")
    outer.section(3, plain)
    assert bytes(outer.data[19:]) == bytes([3, 3 << 1 | 1]) + b"abc"
    assert outer.alignment == 8
