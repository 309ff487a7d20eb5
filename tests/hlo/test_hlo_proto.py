"""HLO modules in protobuf: recorded bytes of jaxlib, and damaged ones."""

from __future__ import annotations

import gzip
import random
import zipfile
from pathlib import Path

import numpy as np
import pytest

import stablehlo_py as shlo
from stablehlo_py.artifacts.recognize import recognize
from stablehlo_py.hlo.proto.reader import read_proto

RECORDED = Path(__file__).with_name("recorded_protos.zip")


def recorded() -> dict[str, bytes]:
    with zipfile.ZipFile(RECORDED) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


FILES = recorded()
MODULES = sorted(name for name in FILES if name.endswith(".pb"))


def delimited(number: int, content: bytes) -> bytes:
    size = len(content)
    return (
        bytes([number << 3 | 2])
        + (bytes([size]) if size < 128 else bytes([size & 127 | 128, size >> 7]))
        + content
    )


def test_modules_print_as_jaxlib_prints_them() -> None:
    """The text is jaxlib's print of the module that it read from the same bytes."""
    assert len(MODULES) > 100
    for name in MODULES:
        want = FILES[name.replace(".pb", ".txt")].decode("utf-8", "surrogateescape")
        assert read_proto(FILES[name], name).to_string() == want, name


@pytest.fixture
def module() -> bytes:
    """A module of one instruction: f32[2] multiply(p, p), with the layout {0}."""
    shape = delimited(3, bytes([2 << 3, 11]) + delimited(3, b"\x02") + delimited(5, delimited(1, b"\x00")))
    parameter = delimited(1, b"p") + delimited(2, b"parameter") + shape + bytes([35 << 3 & 127 | 128, 2, 1])
    product = (
        delimited(1, b"r") + delimited(2, b"multiply") + shape + bytes([35 << 3 & 127 | 128, 2, 2])
        + bytes([36 << 3 & 127 | 130, 2, 2, 1, 1])
    )  # fmt: skip
    entry = (
        delimited(1, b"main")
        + delimited(2, parameter)
        + delimited(2, product)
        + bytes([5 << 3, 7, 6 << 3, 2])
    )
    return delimited(1, b"m") + delimited(2, b"main") + delimited(3, entry) + bytes([6 << 3, 7])


def test_a_module_by_hand(module: bytes, tmp_path: Path) -> None:
    assert read_proto(module).to_string("short_parsable").splitlines()[2:] == [
        "ENTRY main {",
        "  p = f32[2]{0} parameter(0)",
        "  ROOT r = f32[2]{0} multiply(p, p)",
        "}",
        "",
    ]
    for wrapped in (module, delimited(1, module), delimited(1, delimited(1, module)), gzip.compress(module)):
        path = tmp_path / "module.pb"
        path.write_bytes(wrapped)
        assert shlo.load_hlo(path).entry.root.name == "r"
        [result] = shlo.run(shlo.load(path), [np.array([3, -2], np.float32)])
        assert result.tolist() == [9, 4]


def test_recognition(module: bytes) -> None:
    assert recognize(module) == recognize(delimited(1, module)) == "HloModuleProto"
    for text in (b"\nfunc.func @main() {", b"\n\n\n", b"\n(x)\n", b'\n"a"', b"\x0a\x02", b"\n"):
        assert recognize(text) == ""


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (b"multiply", b"multipla", "instruction r has the unknown opcode 'multipla'"),
        (b"\x02\x01\x01", b"\x02\x01\x05", "instruction r uses instruction 5, which is missing"),
        (b"\x02\x01\x01", b"\x02\x01\x02", "instructions use each other in a circle"),
        (b"\x10\x0b\x1a", b"\x10\x7f\x1a", "expected a number of PrimitiveType, found 127"),
        (b"\x12\x09parameter", b"\x12\x7fparameter", "expected a field of 127 bytes, found 24 more bytes"),
        (b"\x12\x09parameter", b"\x13\x09parameter", "expected a field, found the wire type 3"),
        (b"\x12\x09parameter", b"\x02\x09parameter", "expected a field with a number from 1"),
        (b"\x0a\x01\x00", b"\x0a\x01\x01", "the layout {1} is out of range for 1 dimensions"),
        (b"\x30\x07", b"\x30\x03", "the entry is computation 3, which is missing"),
        (b"\x0a\x01r", b"\x0a\x01\xff", "expected name in UTF-8, found 0xff"),
        (b"\x0a\x04main", b"\x22\x04main", "expected a field of 4 bytes"),  # 4: the shape of a computation
    ],
)
def test_damaged_modules_are_refused(module: bytes, old: bytes, new: bytes, message: str) -> None:
    assert module.count(old) >= 1
    with pytest.raises(shlo.ParseError) as caught:
        read_proto(module.replace(old, new, 1) if old != b"\x10\x0b\x1a" else module.replace(old, new))
    assert message in caught.value.diagnostics[0].message


def test_a_program_of_stablehlo_is_no_hlo(tmp_path: Path) -> None:
    path = tmp_path / "program.mlirbc"
    path.write_bytes(shlo.serialize(shlo.parse("func.func @main() { return }"), kind="bytecode"))
    with pytest.raises(shlo.ParseError, match="found a program of StableHLO"):
        shlo.load_hlo(path)


def test_large_constants_keep_their_elements() -> None:
    """Elements are in the order of the layout: {0,1} is column-major."""
    shape = bytes([2 << 3, 4]) + delimited(3, b"\x03\x04") + delimited(5, delimited(1, b"\x00\x01"))
    literal = delimited(1, shape) + delimited(4, bytes([0, 4, 8, 1, 5, 9, 2, 6, 10, 3, 7, 11]))
    constant = delimited(1, b"c") + delimited(2, b"constant") + delimited(3, shape) + delimited(8, literal)
    entry = delimited(1, b"e") + delimited(2, constant) + bytes([5 << 3, 1])
    module = read_proto(delimited(1, b"m") + delimited(2, b"e") + delimited(3, entry) + bytes([6 << 3, 1]))
    value = module.entry.root.value
    assert value.array.tolist() == [[0, 1, 2, 3], [4, 5, 6, 7], [8, 9, 10, 11]]


@pytest.mark.parametrize("name", [b"\n\x05ab", b"\n", b"\n\x00\x13"])
def test_names_that_begin_as_messages_do(module: bytes, name: bytes) -> None:
    """A field 1, delimited, whose end is not there: so it is a name, of which other characters are `_`."""
    found = read_proto(module.replace(delimited(1, b"m"), delimited(1, name), 1))
    assert found.name == "_" + "".join(chr(c) if chr(c).isalnum() else "_" for c in name)[1:]


def test_large_literals_of_custom_calls_keep_their_elements() -> None:
    """A literal is an attribute of theirs; fields 1, 2, 3, 8, 28 of an instruction, 35 its id."""
    shape = bytes([2 << 3, 4]) + delimited(3, b"\x0c") + delimited(5, delimited(1, b"\x00"))
    literal = delimited(8, delimited(1, shape) + delimited(4, bytes(range(12))))
    target = bytes([28 << 3 & 127 | 130, 1]) + b"\x01t"
    number = bytes([35 << 3 & 127 | 128, 2])
    constant = (
        delimited(1, b"c") + delimited(2, b"constant") + delimited(3, shape) + literal + number + b"\x01"
    )
    call = delimited(1, b"l") + delimited(2, b"custom-call") + delimited(3, shape) + literal + target
    instructions = delimited(2, constant) + delimited(2, call + number + b"\x02")
    entry = delimited(1, b"e") + instructions + bytes([5 << 3, 1, 6 << 3, 2])
    module = read_proto(delimited(1, b"m") + delimited(2, b"e") + delimited(3, entry) + bytes([6 << 3, 1]))
    assert module.entry.root.attributes["literal"].array.tolist() == [*range(12)]
    assert module.entry.instructions[0].value.array.tolist() == [*range(12)]


def test_random_damage_gives_errors_of_the_package() -> None:
    rng = random.Random(5)
    names = [name for name in MODULES if len(FILES[name]) < 1500]
    read = 0
    for _ in range(1500):
        data = bytearray(FILES[rng.choice(names)])
        for _ in range(rng.choice((1, 2, 4))):
            data[rng.randrange(len(data))] = rng.randrange(256)
        try:
            read += read_proto(bytes(data)).entry is not None
        except shlo.ParseError:
            continue
    assert 100 < read < 1400
