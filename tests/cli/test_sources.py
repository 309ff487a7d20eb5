"""Expansion of paths to files, and the texts in files."""

from __future__ import annotations

import gzip
import io
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import click
import pytest
from stablehlo_py.cli import sources
from stablehlo_py.cli.sources import Text, Unreadable, expand, modules, read

from stablehlo_py import api
from stablehlo_py.artifacts.containers.torch_xla import TorchFunction


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Programs, hidden ones and other files, in the working directory."""
    for name in (
        "b.mlir",
        "a.mlir",
        "notes.txt",
        ".hidden.mlir",
        "sub/c.mlir.gz",
        "sub/deep/d.mlir",
        ".git/e.mlir",
        "none/f.txt",
    ):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    ("paths", "files"),
    [
        (["b.mlir", "a.mlir"], ["b.mlir", "a.mlir"]),
        (["."], ["a.mlir", "b.mlir", "sub/c.mlir.gz", "sub/deep/d.mlir"]),
        (["sub/"], ["sub/c.mlir.gz", "sub/deep/d.mlir"]),
        (["notes.txt"], ["notes.txt"]),
        (["*.mlir"], ["a.mlir", "b.mlir"]),
        (["**/*.mlir"], ["a.mlir", "b.mlir", "sub/deep/d.mlir"]),
        (["sub/**"], ["sub/c.mlir.gz", "sub/deep/d.mlir"]),
        (["*"], ["a.mlir", "b.mlir"]),
        (["[ab].mlir"], ["a.mlir", "b.mlir"]),
        (["b.mlir", ".", "b.mlir"], ["b.mlir", "a.mlir", "sub/c.mlir.gz", "sub/deep/d.mlir"]),
        (["-", "a.mlir"], ["-", "a.mlir"]),
        ([".git/e.mlir"], [".git/e.mlir"]),
    ],
)
def test_paths_stand_for_files(tree: Path, paths: list[str], files: list[str]) -> None:
    assert [path.replace(os.sep, "/") for path in expand(paths)] == files


def test_absolute_patterns(tree: Path) -> None:
    assert expand([f"{tree}/*.mlir"]) == [f"{tree}/a.mlir", f"{tree}/b.mlir"]


def test_a_name_with_a_bracket_is_a_name(tree: Path) -> None:
    (tree / "x[1].mlir").write_text("")
    assert expand(["x[1].mlir"]) == ["x[1].mlir"]


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("sbu/deep/d.mlir", "sbu/deep/d.mlir: no such file or folder; did you mean sub?"),
        ("sub/deep/dd.mlir", "sub/deep/dd.mlir: no such file or folder; did you mean sub/deep/d.mlir?"),
        ("qqqqqqqq", "qqqqqqqq: no such file or folder"),
        ("none", "none: no .mlir, .mlir.gz or .hlo files in this folder"),
        ("*.xyz", "*.xyz: no file matches this pattern"),
    ],
)
def test_a_path_to_nothing(tree: Path, path: str, message: str) -> None:
    with pytest.raises(click.ClickException) as raised:
        expand([path])
    assert raised.value.message == message


def test_packed_and_plain_texts_read_alike(tmp_path: Path) -> None:
    plain, packed = tmp_path / "a.mlir", tmp_path / "a.mlir.gz"
    plain.write_text("module {}\n")
    packed.write_bytes(gzip.compress(b"module {}\n"))
    assert read(str(plain)).text == read(str(packed)).text == "module {}\n"
    assert read(str(packed)).name == str(packed)


@pytest.mark.parametrize("content", [b"module {}", gzip.compress(b"module {}")], ids=["plain", "packed"])
def test_standard_input(content: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(content)))
    assert read("-") == Text("<stdin>", "module {}")


def test_bytes_that_are_not_text_survive(tmp_path: Path) -> None:
    path = tmp_path / "a.mlir"
    path.write_bytes(b"\xff\xfd\x00")
    assert sources.encode(read(str(path)).text) == b"\xff\xfd\x00"


def test_binary_programs_have_the_text_that_they_print_as(tmp_path: Path, artifacts: Path) -> None:
    content = (artifacts / "hand_tokens.plain.bc").read_bytes()
    plain, packed = tmp_path / "a", tmp_path / "b"
    plain.write_bytes(content)
    packed.write_bytes(gzip.compress(content))
    for path in (plain, packed):
        source = read(str(path))
        assert source.is_binary
        assert source.text == (artifacts / "hand_tokens.plain.bc.mlir").read_text()
        assert modules(source) == [source]


def test_binary_programs_in_folders_are_found_by_content(tmp_path: Path, artifacts: Path) -> None:
    for name in ("hand_tokens.plain.bc", "jexp_poly.jax_export"):
        (tmp_path / name.partition(".")[0]).write_bytes((artifacts / name).read_bytes())
    (tmp_path / "other").write_bytes(bytes(range(256)))
    (tmp_path / "empty").write_bytes(b"")
    assert sources.expand([str(tmp_path)]) == [str(tmp_path / name) for name in ("hand_tokens", "jexp_poly")]


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (gzip.compress(b"module {}" * 100)[:-9], "invalid gzip data"),
        (b"\x1f\x8b nothing", "invalid gzip data"),
        (gzip.compress(b"module {}")[:-8] + b"\x00" * 8, "invalid gzip data"),
        ("\ufeffmodule {}".encode(), "UTF-8 text with a byte order mark"),
        ("module {}".encode("utf-16"), "UTF-16 text with a byte order mark"),
    ],
    ids=["cut", "no gzip", "wrong sum", "UTF-8", "UTF-16"],
)
def test_what_is_no_text(tmp_path: Path, content: bytes, words: str) -> None:
    path = tmp_path / "a.mlir"
    path.write_bytes(content)
    with pytest.raises(Unreadable, match=words):
        read(str(path))


def test_what_unpacks_to_too_much_is_not_unpacked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SHLO_MAX_INPUT_BYTES", str(1 << 20))
    path = tmp_path / "a.mlir.gz"
    path.write_bytes(gzip.compress(b" " * (1 << 20)))
    assert len(read(str(path)).text) == 1 << 20
    path.write_bytes(gzip.compress(b" " * ((1 << 20) + 1)))
    with pytest.raises(Unreadable, match="limit of 1 MiB"):
        read(str(path))


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("a\nb\n", [(1, "a\nb\n")]),
        ("a\n// -----\nb\n", [(1, "a\n"), (3, "b\n")]),
        ("a\r\n// -----\r\nb", [(1, "a\r\n"), (3, "b")]),
        ("a\n// -----  \n// -----\nb", [(1, "a\n"), (3, ""), (4, "b")]),
        ("a\n// -----", [(1, "a\n"), (2, "")]),
        # A pass's dump, an indented line and a longer one are comments.
        ("// -----// IR Dump After x //----- //\na", [(1, "// -----// IR Dump After x //----- //\na")]),
        ("a\n  // -----\nb\n// ------\n", [(1, "a\n  // -----\nb\n// ------\n")]),
    ],
)
def test_modules_keep_the_lines_of_the_file(text: str, parts: list[tuple[int, str]]) -> None:
    assert [(part.first_line, part.text) for part in modules(Text("x", text))] == parts


@pytest.mark.skipif(not Path("/dev/urandom").exists(), reason="the system has no such devices")
@pytest.mark.parametrize("command", [["verify"], ["fmt"], ["run"], ["convert"], ["opt", "-p", "cse"]])
def test_a_stream_without_an_end_is_refused_by_its_start(
    shlo: Callable[..., subprocess.CompletedProcess[str]], command: list[str]
) -> None:
    done = shlo(*command, "/dev/urandom")
    assert done.returncode != 0
    assert "binary file of an unknown format" in done.stdout + done.stderr


def test_a_stream_is_bounded_as_a_file_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SHLO_MAX_INPUT_BYTES", str(1 << 16))
    with pytest.raises(Unreadable, match="binary file of an unknown format"):
        read("/dev/zero")
    assert sources.format_of("/dev/zero") == ""
    with pytest.raises(OSError, match=r"larger than the limit of 65536 bytes.*SHLO_MAX_INPUT_BYTES sets"):
        api.load("/dev/zero")


@pytest.mark.parametrize(
    ("content", "name"),
    [
        (b'{"model": 1}', "JSON"),
        (b"\nimport jax\n", "a Python file"),
        (b"# Copyright\nimport jax\n", "a Python file"),
        (b"@jax.jit\ndef f(x):\n", "a Python file"),
        (b"[[1, 2], [3]]", "JSON"),
        (b"[-1]", "JSON"),
        (b'[project]\nname = "a"\n', "a configuration file, TOML or INI"),
        (b"// A file\n#include <stdio.h>\n", "C, C[+][+] or CUDA"),
        (b"diff --git a/x b/x\n", "a patch"),
        (b'\x08\0\0\0\0\0\0\0{"a":{}}', "a safetensors file"),
        (b"\x89PNG\r\n\x1a\n", "a picture"),
        (b"{ lambda ; a:f32[3]. let b:f32[3] = tanh a in (b,) }", "a jaxpr"),
        (b"graph(%a : Tensor):\n  return (%a)\n", "a graph of TorchScript"),
        (b'node {\n  name: "x"\n}\n', "a graph of TensorFlow as text"),
        (b"; ModuleID = 'f'\n", "LLVM IR"),
        (b"define i32 @f() {\n", "LLVM IR"),
        (b"<!DOCTYPE html>\n", "a page, HTML or XML"),
        (b"digraph G { a -> b }", "a Graphviz graph"),
        (b"\x08\x07\x12\x07pytorch", "an ONNX model"),
        *((mark + bytes(range(128)), "a binary file of an unknown format") for mark in (b"[", b"@", b"\n@")),
    ],
)
def test_files_of_other_kinds_are_named(content: bytes, name: str, tmp_path: Path) -> None:
    file = tmp_path / "a.mlir"
    file.write_bytes(content)
    with pytest.raises(Unreadable, match=f"this is {name}, not MLIR or HLO text"):
        read(str(file))


@pytest.mark.parametrize("command", [["run"], ["graph"], ["inspect"], ["convert"]])
def test_a_folder_without_a_program(
    shlo: Callable[..., subprocess.CompletedProcess[str]], command: list[str], tmp_path: Path
) -> None:
    folder = tmp_path / "models"
    folder.mkdir()
    empty = shlo(*command, folder)
    (folder / "a.mlir").write_text("func.func @f(")
    (folder / "b.mlir.gz").write_text("")
    named = shlo(*command, folder)
    assert empty.returncode != 0 != named.returncode
    if command != ["inspect"]:  # which reads all files of a folder
        assert "expected one program of torch_xla in functions/, or saved_model.pb" in empty.stderr
        assert "name a file, such as a.mlir or b.mlir.gz" in named.stderr
    assert "byte 0" not in empty.stderr + named.stderr


def test_the_gradient_of_a_program_on_standard_input(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"module {}")))
    assert read("-", vjp=2) == Text("<stdin>", "module {}", vjp=2)


def test_a_program_of_a_folder_is_one_module() -> None:
    text = Text("a", "a\n// -----\nb", function=TorchFunction({}, {}))
    assert modules(text) == [text]


def test_what_is_read_of_packed_data_counts_and_not_what_is_asked_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Decompression asks for more than there is."""
    text = "// " + "a" * 2000
    (tmp_path / "a.mlir.gz").write_bytes(gzip.compress(text.encode()))
    monkeypatch.setenv("SHLO_MAX_INPUT_BYTES", str(len(text)))
    assert read(str(tmp_path / "a.mlir.gz")).content == text
