"""What a file is, by its first bytes; its size; and what holds a program."""

from __future__ import annotations

import errno
import gzip
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import stablehlo_py as shlo
from stablehlo_py.artifacts import recognize as formats
from stablehlo_py.artifacts.recognize import decoded, foreign, max_bytes, recognize, text_of

FILES = Path(__file__).parent / "files"
EXPORTED = (FILES / "jexp_multi_platform.jax_export").read_bytes()
TEXT = b"func.func @main() {\n  return\n}\n"


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b"", ""),
        (TEXT, ""),
        (b"\n\n\x1a", ""),
        (b"\nHloModule m", ""),
        (b"\x1f\x8b\x08", "gzip"),
        (b"ML\xefR\x0d", "bytecode"),
        (b"ML\xefS\x0d", ""),
        (b"\x08\x01\x12\x00", "SavedModel"),
        (b"\n\x01m\x12\x04main", "HloModuleProto"),  # name = 1, entry_computation_name = 2
        (b"\n\x01m\x1a\x00", "HloModuleProto"),  # name = 1, computations = 3
        (b"\n\x05\n\x01m\x12\x00", "HloModuleProto"),  # in an HloProto
        (b"\n\x07\n\x05\n\x01m\x12\x00", "HloModuleProto"),  # in that of an HloSnapshot
        (b"\n\x09\n\x07\n\x05\n\x01m\x12\x00", ""),  # one message too deep
        (b"\n\x80\x01" + b"m" * 128 + b"\x12", "HloModuleProto"),  # a length of two bytes
        (b"\n\x01\xff\x12", ""),  # no name
        (b"\n\x01m\x13", ""),
        (b"\xff\xfea\0\0\0", ""),  # UTF-16 and UTF-32
        (b"\xfe\xff\0\0", ""),
        (b"a\0\0\0", "unknown"),
        (EXPORTED, "jax.export"),
        (EXPORTED.replace(b"ML\xefR", b"ML\xefS"), "unknown"),
        (b"\x10\0\0\0" + bytes(40), "unknown"),
    ],
)
def test_formats(data: bytes, expected: str) -> None:
    assert recognize(data) == recognize(memoryview(data)) == expected
    assert text_of(data) == (None if expected else data.decode("utf-8", "surrogateescape"))


EXPORT = "export the model to StableHLO, for example with jax.export"
PYTHON = "a Python file"
JSON = "JSON"
FOREIGN: list[tuple[bytes, str, str]] = [
    (b"\x1c\0\0\0TFL3", "a TensorFlow Lite model (a flatbuffer)", EXPORT),
    (b"PK\x03\x04", "a zip archive, such as a .npz or Keras or PyTorch model", EXPORT),
    (b"\x93NUMPY", "a NumPy array", "give it to `shlo run` with --input"),
    (b"\x89HDF", "an HDF5 file", EXPORT),
    (b"BC\xc0\xde", "LLVM bitcode", EXPORT),
    (b"\x7fELF", "an executable or object file", EXPORT),
    (b"\x80\x02", "a Python pickle", EXPORT),
    (b"\x80\x04", "a Python pickle", EXPORT),
    (b"\x08\x03\x12", "an ONNX model", EXPORT),
    (b"\x08\x0f\x12", "an ONNX model", EXPORT),
    (b'{"a": 1}', JSON, EXPORT),
    (b"{\n}", JSON, EXPORT),
    (b"{\r\n}", JSON, EXPORT),
    (b"[1]", JSON, EXPORT),
    (b"import jax", PYTHON, EXPORT),
    (b"from jax import jit", PYTHON, EXPORT),
    (b"def f(): ...", PYTHON, EXPORT),
    (b"class A: ...", PYTHON, EXPORT),
    (b"#!/usr/bin/python", "a script", EXPORT),
    (b"#!/bin/bash\necho", "a script", EXPORT),
    (b"%PDF-1.7", "a PDF document", EXPORT),
    (b"a.mlir".ljust(257, b"\0") + b"ustar\0", "a tar archive", "unpack it"),
    (b"7z\xbc\xaf\x27\x1c", "a 7z archive", "unpack it"),
    (b'"""A module."""', PYTHON, EXPORT),
    (b"# a comment\n\nimport jax", PYTHON, EXPORT),
    (b"{ lambda ; a:f32[] . let", "a jaxpr", "write jax.jit(f).lower(x).as_text() instead"),
    (b"graph(%a : Tensor):", "a graph of TorchScript", EXPORT),
    (b"node {\n}", "a graph of TensorFlow as text", EXPORT),
    (b"; ModuleID = 'f'", "LLVM IR", EXPORT),
    (b'source_filename = "f"', "LLVM IR", EXPORT),
    (b'target triple = "x"', "LLVM IR", EXPORT),
    (b"define i32 @f()", "LLVM IR", EXPORT),
    (b"<!DOCTYPE html>", "a page, HTML or XML", EXPORT),
    (b"<html>", "a page, HTML or XML", EXPORT),
    (b"<?xml?>", "a page, HTML or XML", EXPORT),
    (b"<svg>", "a page, HTML or XML", EXPORT),
    (b"digraph G {", "a Graphviz graph", EXPORT),
    (b"BZh9", "bzip2-compressed data", "decompress it"),
    (b"\xfd7zXZ", "xz-compressed data", "decompress it"),
    (b"\x28\xb5\x2f\xfd", "zstd-compressed data", "decompress it"),
]
READ = (
    "not MLIR or HLO text, MLIR bytecode, a portable artifact, a jax.export container, a SavedModel or an "
    "HloModuleProto, compressed by gzip or not"
)


@pytest.mark.parametrize(("data", "name", "advice"), FOREIGN, ids=[repr(row[0]) for row in FOREIGN])
def test_formats_of_others(data: bytes, name: str, advice: str) -> None:
    assert foreign(data) == f"this is {name}, {READ}; {advice}"


@pytest.mark.parametrize(
    ("data", "is_foreign"),
    [
        (b"", False),
        (TEXT, False),
        (b"// a file of MLIR\n" + TEXT, False),
        (b"\x08\x02\x12", False),  # no version of ONNX's format
        (b"\x08\x10\x12", False),
        (b"a important", False),
        (b"a" * 200 + b"\1" * 21, False),  # 21 control characters of 221: 10, and one in twenty
        (b"a" * 200 + b"\1" * 22, True),
        (b"a\t\n\r" * 50, False),
        (b"\xff\xfe" + "func.func".encode("utf-16-le") * 20, False),
        (b"\x10\0\0\0" + bytes(40), False),  # a flatbuffer of another schema has a message of its own
        (b"\x01\0\0\0" + bytes(40), True),  # the root cannot be in the offset of the root
    ],
)
def test_binary_files(data: bytes, is_foreign: bool) -> None:
    expected = f"this is a binary file of an unknown format, {READ}" if is_foreign else ""
    assert foreign(data) == expected


@pytest.mark.parametrize("size", [1, 2, 3, 5, 100])
def test_texts_in_pieces(size: int) -> None:
    data = "a\u00e9\U0001f600".encode() + b"\xff\xc3b\xc3"
    pieces = [data[start : start + size] for start in range(0, len(data), size)]
    assert decoded(pieces) == data.decode("utf-8", "surrogateescape")


@pytest.mark.parametrize(
    ("given", "limit"),
    [("", 1 << 30), ("5", 5), ("0", 0), ("1" + "0" * 17, 10**17), ("9" * 19, 1 << 30)],
)
def test_the_largest_size(given: str, limit: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SHLO_MAX_INPUT_BYTES", given)
    assert max_bytes() == limit


@pytest.mark.parametrize("given", ["x", "-1", "1e3", "\u0661"])
def test_a_size_that_is_no_number(given: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SHLO_MAX_INPUT_BYTES", given)
    with pytest.raises(OSError, match=f"SHLO_MAX_INPUT_BYTES={given}: expected a number of bytes"):
        max_bytes()


def test_files_that_are_too_large(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a.mlir"
    path.write_bytes(TEXT)
    for limit, is_read in ((len(TEXT), True), (len(TEXT) - 1, False)):
        monkeypatch.setenv("SHLO_MAX_INPUT_BYTES", str(limit))
        for read in (formats.contents, formats.read_stream):
            if is_read:
                assert read(path) in (TEXT, TEXT.decode())
                continue
            words = f"larger than the limit of {limit} bytes, which the environment variable"
            with pytest.raises(OSError, match=words) as raised:
                read(path)
            assert (raised.value.errno, raised.value.filename) == (errno.EFBIG, str(path))
    assert "the limit of 2 MiB, which" in formats.too_large(2 << 20)
    assert "the limit of 1048575 bytes, which" in formats.too_large((1 << 20) - 1)


def test_gzip(monkeypatch: pytest.MonkeyPatch) -> None:
    """Members, with NUL bytes between them, are one file; what ends early or is too large is refused."""
    packed = gzip.compress(TEXT[:10]) + b"\0\0" + gzip.compress(TEXT[10:])
    assert shlo.format(shlo.parse(packed)) == shlo.format(TEXT)
    whole = gzip.compress(TEXT)
    with pytest.raises(shlo.ParseError, match=f"byte {len(whole) - 1}: expected more data packed by gzip"):
        shlo.parse(whole[:-1])
    with pytest.raises(shlo.ParseError, match=f"this is a NumPy array, {READ}"):
        shlo.parse(gzip.compress(b"\x93NUMPY"))
    monkeypatch.setenv("SHLO_MAX_INPUT_BYTES", str(1 << 20))
    assert shlo.parse(gzip.compress(TEXT + b" " * ((1 << 20) - len(TEXT)))).functions
    with pytest.raises(shlo.ParseError, match="byte 0: expected at most 1 MiB unpacked"):
        shlo.parse(gzip.compress(TEXT + b" " * (1 << 20)))
    for size in ((1 << 20) - 10, 1 << 20):  # of the first of two members
        members = gzip.compress(TEXT + b" " * (size - len(TEXT))) + gzip.compress(b" " * 11)
        with pytest.raises(shlo.ParseError, match="byte 0: expected at most 1 MiB unpacked"):
            shlo.parse(members)


def called() -> None:
    """A function that is no program."""


@pytest.mark.parametrize(
    ("holder", "name", "advice"),
    [
        (3, "int", ""),
        (None, "NoneType", ""),
        (called, "function", "; lower it first: shlo.parse(jax.jit(f).lower(*arguments))"),
        (
            SimpleNamespace(lower=called, __call__=called),
            "SimpleNamespace",
            "; call .lower(*arguments) on it first: shlo.parse(f.lower(x))",
        ),
        (SimpleNamespace(read=called), "SimpleNamespace", "; read it first, or give its path"),
        (
            SimpleNamespace(runtime_executable=called, as_text=called),
            "SimpleNamespace",
            "; it is compiled for XLA already; give what was lowered: jax.jit(f).lower(*arguments)",
        ),
        (SimpleNamespace(operation=SimpleNamespace()), "SimpleNamespace", ""),
    ],
)
def test_what_holds_no_program(holder: Any, name: str, advice: str) -> None:
    with pytest.raises(TypeError) as raised:
        shlo.parse(holder)
    assert str(raised.value) == (
        "expected text, bytes, a path, a Module, a jax.export.Exported, what jax.jit(f).lower(...) gives, or "
        f"a module of MLIR's Python bindings, not {name}{advice}"
    )


def nested(depth: int) -> Any:
    return TEXT if not depth else SimpleNamespace(as_text=lambda: nested(depth - 1))


def test_holders_of_holders() -> None:
    assert shlo.format(shlo.parse(nested(3))) == shlo.format(TEXT)
    with pytest.raises(TypeError, match="not SimpleNamespace"):
        shlo.parse(nested(5))
    both = SimpleNamespace(mlir_module_serialized=TEXT, compiler_ir=called, as_text=called)
    assert shlo.format(shlo.parse(both)) == shlo.format(TEXT)
    asked: list[str] = []
    lowered = SimpleNamespace(compiler_ir=lambda dialect: asked.append(dialect) or TEXT)
    assert shlo.format(shlo.parse(lowered)) == shlo.format(TEXT) and asked == ["stablehlo"]


HEAD = "func.func @main(%x: tensor<f32>) -> tensor<f32> {\n"
TAN = HEAD + "  %0 = stablehlo.tan %x : tensor<f32>\n  return %0 : tensor<f32>\n}\n"
CHLO = TAN.replace("stablehlo.tan %x : tensor<f32>", "chlo.square %x : tensor<f32> -> tensor<f32>")
OTHER = TAN.replace("stablehlo.tan %x : tensor<f32>", '"other.op"(%x) : (tensor<f32>) -> tensor<f32>')
NEWER = OTHER.replace("other.op", "stablehlo.brand_new")
PLAIN = "plain bytecode can hold it (bytecode), and so can text"
UNWRITABLE = "cannot be written: i19 has no form in VHLO, the dialect of portable artifacts"
OTHERS = f"{PLAIN}; with other dialects allowed, it is written as it is"


@pytest.mark.parametrize(
    ("text", "options", "message", "notes"),
    [
        (
            TAN,
            {"target": "1.3.0"},
            "tan needs StableHLO 1.4.0, and the target is 1.3.0",
            ["the oldest target that can hold it is 1.4.0"],
        ),
        (
            CHLO,
            {"lower_chlo": False},
            "chlo.square is of the dialect chlo, which a portable artifact cannot hold",
            ["it can be lowered first (lower_chlo; shlo convert --lower-chlo), which is the default", OTHERS],
        ),
        (OTHER, {}, "other.op is of the dialect other, which a portable artifact cannot hold", [OTHERS]),
        (
            NEWER,
            {},
            "stablehlo.brand_new is not defined in this release, which a portable artifact cannot hold",
            [OTHERS],
        ),
        (
            HEAD + "  return {a = i19} %x : tensor<f32>\n}\n",
            {},
            f"the attribute a of func.return {UNWRITABLE}",
            [OTHERS],
        ),
        (
            OTHER.replace("other.op", "stablehlo.abs").replace("tensor<f32>", "tensor<i19>"),
            {},
            f"the attribute function_type of func.func {UNWRITABLE}",
            [OTHERS],
        ),
    ],
)
def test_refusals(text: str, options: dict[str, Any], message: str, notes: list[str]) -> None:
    module = shlo.parse(text, allow_unregistered=True, allow_newer=True)
    with pytest.raises(shlo.SerializationError) as raised:
        shlo.serialize(module, **options)
    first = raised.value.diagnostics[0]
    assert (first.severity, first.code, first.message) == ("error", "target", message)
    assert list(first.notes)[: len(notes)] == notes
    assert first.line == (1 if "func.func" in message else 2)


def test_all_that_cannot_be_written() -> None:
    """In the order of the text; at an op its attributes, then the types that it defines, each once."""
    text = OTHER.replace("other.op", "stablehlo.abs").replace("tensor<f32>", "tensor<i19>")
    with pytest.raises(shlo.SerializationError) as raised:
        shlo.serialize(shlo.parse(text))
    assert [(d.line, d.column, d.message, list(d.notes)) for d in raised.value.diagnostics] == [
        (1, 1, f"the attribute function_type of func.func {UNWRITABLE}", [OTHERS]),
        (1, 1, f"a type of func.func {UNWRITABLE}", [PLAIN]),
        (2, 8, f"a type of stablehlo.abs {UNWRITABLE}", [PLAIN]),
    ]
