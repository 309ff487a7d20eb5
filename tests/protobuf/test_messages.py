"""The wire format of protobuf, by the examples of its documentation and by hand."""

from __future__ import annotations

import pytest

from stablehlo_py.protobuf.messages import Schema
from stablehlo_py.protobuf.wire import WireError, fields, varint

SCHEMA = Schema(
    """
    message Test { int32 a = 1; string b = 2; Test c = 3; repeated int32 d = 4; repeated string e = 5;
      Color f = 6; float g = 7; repeated double h = 8; bool i = 9; bytes j = 10; uint32 k = 11; }
    enum Color { RED = 0; BLUE = 7; }
    """
)


def test_the_examples_of_the_documentation() -> None:
    """08 96 01 is a = 150; 12 07 .. is b = "testing"; a packed list is 22 06 03 8e 02 9e a7 05."""
    assert SCHEMA.read("Test", bytes.fromhex("089601")) == {"a": 150}
    assert SCHEMA.read("Test", bytes.fromhex("120774657374696e67")) == {"b": "testing"}
    assert SCHEMA.read("Test", bytes.fromhex("1a03089601")) == {"c": {"a": 150}}
    assert SCHEMA.read("Test", bytes.fromhex("2206038e029ea705")) == {"d": [3, 270, 86942]}
    assert SCHEMA.read("Test", bytes.fromhex("2003208e02")) == {"d": [3, 270]}


def test_numbers() -> None:
    minus_two = "feffffffffffffffff01"
    assert SCHEMA.read("Test", bytes.fromhex("08" + minus_two)) == {"a": -2}
    assert SCHEMA.read("Test", bytes.fromhex("58" + minus_two)) == {"k": 4294967294}
    assert SCHEMA.read("Test", bytes.fromhex("30074801")) == {"f": "BLUE", "i": True}
    assert SCHEMA.read("Test", bytes.fromhex("3d0000c0bf")) == {"g": -1.5}
    assert SCHEMA.read("Test", bytes.fromhex("4210000000000000f83f000000000000f0bf")) == {"h": [1.5, -1.0]}


def test_absent_fields_have_defaults_and_unknown_ones_are_skipped() -> None:
    message = SCHEMA.read("Test", bytes.fromhex("a00601"))  # field 100
    assert message == {}
    names = "abcdefghij"
    assert [message[name] for name in names] == [0, "", None, (), (), "RED", 0.0, (), False, b""]
    assert "a" not in message


@pytest.mark.parametrize(
    ("data", "offset", "message"),
    [
        ("08", 1, "expected an integer, found the end of the data"),
        ("08" + "ff" * 11, 11, "expected an integer of at most 64 bits"),
        ("12057465", 2, "expected a field of 5 bytes, found 2 more bytes"),
        ("0b", 0, "expected a field, found the wire type 3"),
        ("0a0100", 3, "expected a with the wire type 0, found 2"),
        ("3003", 2, "expected a number of Color, found 3"),
        ("4203000000", 2, "expected numbers of 8 bytes, found 3 bytes"),
    ],
)
def test_errors_have_offsets(data: str, offset: int, message: str) -> None:
    with pytest.raises(WireError) as caught:
        SCHEMA.read("Test", bytes.fromhex(data))
    assert (caught.value.offset, caught.value.message) == (offset, message)


def test_nesting_is_bounded() -> None:
    data = b""
    for _ in range(101):
        size = len(data)
        data = b"\x1a" + (bytes([size]) if size < 128 else bytes([size & 127 | 128, size >> 7])) + data
    with pytest.raises(WireError, match="at most 100 nested messages"):
        SCHEMA.read("Test", data)
    assert SCHEMA.read("Test", data[2:][1:]) is not None


def test_ranges_of_fields() -> None:
    assert list(fields(bytes.fromhex("08961207414243444546470d00000000"), 2, 16)) == [
        (2, 2, 4, 11),
        (1, 5, 12, 16),
    ]
    assert varint(b"\x96\x01", 0, 2) == (150, 2)
