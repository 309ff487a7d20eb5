"""Damaged files raise ParseError with the byte offset and what was expected there."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

import stablehlo_py as shlo
from stablehlo_py.ir.attributes import DenseArrayAttr
from stablehlo_py.ir.types import F32, ComplexType

FILES = Path(__file__).parent / "files"
SMALL = (
    "hand_visibility.plain.bc",
    "hand_quant_per_axis.portable-1.17.0.bc",
    "jexp_multi_platform.jax_export",
)
TRIES = 300


def message_of(data: bytes) -> str:
    """What is wrong with a file; "" if nothing is."""
    try:
        shlo.format(shlo.parse(data))
    except shlo.ParseError as error:
        return str(error)
    return ""


@pytest.mark.parametrize("name", SMALL)
def test_truncated_file(name: str) -> None:
    data = (FILES / name).read_bytes()
    for size in range(5, len(data) - 8):
        assert message_of(data[:size]), size


@pytest.mark.parametrize("name", SMALL)
def test_changed_bytes(name: str) -> None:
    data, draw = (FILES / name).read_bytes(), random.Random(name)
    for _ in range(TRIES):
        damaged = bytearray(data)
        for _ in range(draw.randint(1, 4)):
            damaged[draw.randrange(len(data))] = draw.randrange(256)
        message_of(bytes(damaged))  # an error of another class fails the test


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b"ML\xefR", "byte 4: expected a variable-length integer, found the end of the data"),
        (b"ML\xefR\x91\x01", "byte 4: bytecode version 72 is newer than 6"),
        (b"ML\xefR\x0dMLIR", "byte 5: expected the producer's name that ends in a NUL byte"),
        (b"ML\xefR\x0dM\0", "expected more sections: String, Dialect"),
        (b"ML\xefR\x0dM\0\x09\x01", "byte 7: expected a section, whose number is below 9, found 9"),
        (b"ML\xefR\x0dM\0\x00\xff", "byte 9: expected the String section of 127 bytes, found 0 more bytes"),
        (b"ML\xefR\x0dM\0\x00\x01\x00\x01", "byte 9: a second String section"),
        (b"\x1f\x8bnothing", "byte 0: expected data packed by gzip"),
    ],
)
def test_message(data: bytes, expected: str) -> None:
    assert expected in message_of(data)


TEXT = """\
func.func @main(%a: tensor<f32>) -> tensor<f32> {
  %0 = stablehlo.abs %a {x = array<i64: 1>} : tensor<f32>
  return %0 : tensor<f32>
}
"""


def test_array_of_complex_numbers() -> None:
    module = shlo.parse(TEXT)
    (op,) = [op for op in module.walk() if op.name == "stablehlo.abs"]
    op.attributes["x"] = DenseArrayAttr(ComplexType(F32), (1j,))
    expected = "expected an array of integers or floats, found elements of complex<f32>"
    assert expected in message_of(shlo.serialize(module, "bytecode"))


def test_cast_of_its_own_result() -> None:
    line = '%1 = "builtin.unrealized_conversion_cast"(%1) : (tensor<f32>) -> tensor<f32>'
    module = shlo.parse(TEXT.replace("  return %0", f"  {line}\n  return %1"))
    again = shlo.parse(shlo.serialize(module, "bytecode"))
    (finding,) = shlo.verify(again)
    assert finding.message.endswith("uses operand 0, which is not defined at this point")


def test_block_argument_without_a_portable_form() -> None:
    text = """"builtin.module"() ({
      "func.func"() <{function_type = "none", sym_name = "main"}> ({
      ^bb0(%a: tensor<i19>):
        "func.return"() : () -> ()
      }) : () -> ()
    }) : () -> ()"""
    with pytest.raises(shlo.SerializationError, match="i19 has no form in VHLO"):
        shlo.serialize(shlo.parse(text), "portable")
