"""The wire format of protobuf, by the examples of its documentation and by hand."""

from __future__ import annotations

import pytest

from stablehlo_py.protobuf.messages import Schema
from stablehlo_py.protobuf.wire import WireError, fields, varint

SCHEMA = Schema(
    """
    message Test { int32 a = 1; string b = 2; Test c = 3; repeated int32 d = 4; repeated string e = 5;
      Color f = 6; float g = 7; repeated double h = 8; bool i = 9; bytes j = 10; uint32 k = 11;
      int64 l = 12; uint64 m = 13; double n = 14; repeated Color o = 15; repeated float p = 16; }
    enum Color { RED = 0; BLUE = 7; }
    """
)


def test_the_examples_of_the_documentation() -> None:
    """08 96 01 is a = 150; 12 07 .. is b = "testing"; a packed list is 22 06 03 8e 02 9e a7 05."""
    assert SCHEMA.read("Test", bytes.fromhex("089601")) == {"a": 150}
    assert SCHEMA.read("Test", bytes.fromhex("120774657374696e67")) == {"b": "testing"}
    assert SCHEMA.read("Test", bytes.fromhex("1a03089601")) == {"c": {"a": 150}}
    assert SCHEMA.read("Test", bytes.fromhex("1a020805" + "0807")) == {"c": {"a": 5}, "a": 7}
    assert SCHEMA.read("Test", bytes.fromhex("2206038e029ea705")) == {"d": [3, 270, 86942]}
    assert SCHEMA.read("Test", bytes.fromhex("2003208e02")) == {"d": [3, 270]}


def test_numbers() -> None:
    minus_two = "feffffffffffffffff01"
    assert SCHEMA.read("Test", bytes.fromhex("08" + minus_two)) == {"a": -2}
    assert SCHEMA.read("Test", bytes.fromhex("58" + minus_two)) == {"k": 4294967294}
    assert SCHEMA.read("Test", bytes.fromhex("30074801")) == {"f": "BLUE", "i": True}
    assert SCHEMA.read("Test", bytes.fromhex("3d0000c0bf")) == {"g": -1.5}
    assert SCHEMA.read("Test", bytes.fromhex("4210000000000000f83f000000000000f0bf")) == {"h": [1.5, -1.0]}


@pytest.mark.parametrize(
    ("encoded", "int32", "int64", "uint32", "uint64"),
    [
        ("00", 0, 0, 0, 0),
        ("7f", 127, 127, 127, 127),
        ("8001", 128, 128, 128, 128),
        ("ffff01", 32767, 32767, 32767, 32767),
        ("ffffffff07", 2**31 - 1, 2**31 - 1, 2**31 - 1, 2**31 - 1),
        ("8080808008", -(2**31), 2**31, 2**31, 2**31),
        ("8080808010", 0, 2**32, 0, 2**32),  # the low bits
        ("ffffffffffffffff7f", -1, 2**63 - 1, 2**32 - 1, 2**63 - 1),
        ("80808080808080808001", 0, -(2**63), 0, 2**63),
        ("ffffffffffffffffff01", -1, -1, 2**32 - 1, 2**64 - 1),
    ],
)
def test_integers(encoded: str, int32: int, int64: int, uint32: int, uint64: int) -> None:
    """The same varint for each type, at the ends of all of them."""
    data = bytes.fromhex("".join(tag + encoded for tag in ("08", "58", "60", "68")))
    assert SCHEMA.read("Test", data) == {"a": int32, "k": uint32, "l": int64, "m": uint64}


def test_repeated_fields_packed_and_not() -> None:
    """Both forms of a list may occur for one field; texts are never packed."""
    assert SCHEMA.read("Test", bytes.fromhex("7a020700" + "7807")) == {"o": ["BLUE", "RED", "BLUE"]}
    floats = "8201080000803f000000c0" + "85010000003f"
    assert SCHEMA.read("Test", bytes.fromhex(floats)) == {"p": [1.0, -2.0, 0.5]}
    assert SCHEMA.read("Test", bytes.fromhex("2a01612a0162")) == {"e": ["a", "b"]}
    assert SCHEMA.read("Test", bytes.fromhex("71000000000000f8bf")) == {"n": -1.5}
    assert SCHEMA.read("Test", bytes.fromhex("5201ff")) == {"j": b"\xff"}


def test_absent_fields_have_defaults_and_unknown_ones_are_skipped() -> None:
    message = SCHEMA.read("Test", bytes.fromhex("a00601"))  # field 100
    assert message == {}
    assert SCHEMA.read("Test", bytes.fromhex("f8ffffff0f01")) == {}  # field 536870911, the largest
    for data in ("1000", "3800", "7000", "0d00000000", "0a0105", "32020700"):  # of another wire type
        assert SCHEMA.read("Test", bytes.fromhex(data)) == {}
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
        ("0001", 0, "expected a field with a number from 1 to 536870911, found 0"),
        ("1201ff", 2, "expected b in UTF-8, found 0xff"),
        ("3003", 2, "expected a number of Color, found 3"),
        ("4203000000", 2, "expected numbers of 8 bytes, found 3 bytes"),
        ("0880", 2, "expected an integer, found the end of the data"),
        ("0d000000", 1, "expected a field of 4 bytes, found 3 more bytes"),
        ("090000", 1, "expected a field of 8 bytes, found 2 more bytes"),
        ("0c", 0, "expected a field, found the wire type 4"),
        ("0800" + "0e", 2, "expected a field, found the wire type 6"),
        ("7803", 2, "expected a number of Color, found 3"),
        ("7a020703", 4, "expected a number of Color, found 3"),
        ("420c" + "00" * 12, 2, "expected numbers of 8 bytes, found 12 bytes"),
        ("8080808010" + "00", 0, "expected a field with a number from 1 to 536870911, found 536870912"),
        # In a message of two bytes, with more bytes behind it.
        ("1a02" + "1202" + "6162", 4, "expected a field of 2 bytes, found 0 more bytes"),
        ("1a02" + "0896" + "0800", 4, "expected an integer, found the end of the data"),
    ],
)
def test_errors_have_offsets(data: str, offset: int, message: str) -> None:
    with pytest.raises(WireError) as caught:
        SCHEMA.read("Test", bytes.fromhex(data))
    assert (caught.value.offset, caught.value.message, str(caught.value)) == (offset, message, message)


def test_a_field_with_another_wire_type_is_unknown() -> None:
    assert SCHEMA.read("Test", bytes.fromhex("0a01000896011005")) == {"a": 150}


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
