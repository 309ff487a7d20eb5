"""`shlo verify`: many files, several modules, unreadable files, and terminal output."""

from __future__ import annotations

import gzip
import json
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from programs import BAD, BROKEN, GOOD, SPLIT
from terminal import MAIN

Shlo = Callable[..., Any]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The working directory, with programs good and bad."""
    (tmp_path / "sub").mkdir()
    (tmp_path / "good.mlir").write_text(GOOD)
    (tmp_path / "sub" / "bad.mlir").write_text(BAD)
    (tmp_path / "sub" / "bad.mlir.gz").write_bytes(gzip.compress(BAD.encode()))
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_folders_patterns_and_packed_programs(shlo: Shlo, folder: Path) -> None:
    for paths in (["."], ["good.mlir", "sub"], ["**/*.mlir", "sub/*.gz"]):
        done = shlo("verify", *paths)
        assert done.returncode == 1
        places = [line for line in done.stdout.splitlines() if ": error: " in line]
        assert sorted(place.split(": error")[0] for place in places) == [
            "sub/bad.mlir.gz:3:10",
            "sub/bad.mlir:3:10",
        ]
        assert "2 errors in 3 files (3 functions, 6 ops, " in done.stdout


def test_packed_standard_input(shlo: Shlo, folder: Path) -> None:
    packed = (folder / "sub" / "bad.mlir.gz").read_bytes()
    done = shlo("verify", "-", stdin=packed.decode("utf-8", "surrogateescape"))
    assert done.returncode == 1 and done.stdout.startswith("<stdin>:3:10: error: ")


def test_several_modules_are_checked_each(shlo: Shlo) -> None:
    done = shlo("verify", "--format", "json", "-", stdin=SPLIT.join((GOOD, BAD, GOOD, BROKEN)))
    found = json.loads(done.stdout)
    assert (found["modules"], found["functions"], found["errors"]) == (4, 3, 2)
    # Modules are of 6 lines and one between them; notes count the file's lines as well.
    assert [(d["code"], d["line"]) for d in found["diagnostics"]] == [("abs.C1", 10), ("parse", 24)]
    assert any("(line 9)" in note for note in found["diagnostics"][0]["notes"])


def test_the_excerpt_is_of_the_module_s_line(shlo: Shlo) -> None:
    lines = shlo("verify", "-", stdin=GOOD + SPLIT + BAD).stdout.splitlines()
    assert lines[0].startswith("<stdin>:10:10: error: stablehlo.abs (C1)")
    assert lines[1].strip().startswith('%0 = "stablehlo.abs"(%arg0)')


def test_what_cannot_be_read_is_found_and_the_rest_is_checked(shlo: Shlo, folder: Path) -> None:
    (folder / "a.mlir").write_bytes(b"ML\xefR\x06")
    (folder / "b.mlir.gz").write_bytes(gzip.compress(GOOD.encode())[:-20])
    (folder / "c.mlir").symlink_to("nothing.mlir")
    done = shlo("verify", "a.mlir", "b.mlir.gz", "c.mlir", "good.mlir")
    first, second, third, last = done.stdout.splitlines()
    assert done.returncode == 1 and done.stderr == ""
    assert first.startswith("a.mlir: error: byte 4: expected ")
    assert second.startswith("b.mlir.gz: error: ") and "invalid gzip data" in second
    assert third == "c.mlir: error: No such file or directory"
    assert last.startswith("3 errors in 4 files (1 function, 2 ops, ")


def test_a_path_to_nothing_stops_before_anything_is_said(shlo: Shlo, folder: Path) -> None:
    done = shlo("verify", "sub", "god.mlir")
    assert (done.returncode, done.stdout) == (2, "")
    assert "god.mlir: no such file or folder; did you mean good.mlir?" in done.stderr


def test_a_bug_in_one_file_is_told_of_that_file(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from stablehlo_py.cli.main import run_command

    import stablehlo_py

    verify = stablehlo_py.verify

    def fail(module: stablehlo_py.Module, strict: bool = False) -> list[stablehlo_py.Diagnostic]:
        if "good" in module.source.name:
            raise KeyError("slot")
        return verify(module, strict)

    monkeypatch.setattr(stablehlo_py, "verify", fail)
    assert run_command(["verify", "--no-cache", "good.mlir", "sub/bad.mlir"]) == 1
    output = capsys.readouterr().out
    assert "good.mlir:1:1: error: internal error: KeyError" in output
    assert "sub/bad.mlir:3:10: error: stablehlo.abs (C1)" in output


def test_errors_of_a_program_with_wrong_types_count_its_ops(shlo: Shlo) -> None:
    wrong = GOOD.replace("return %0 : tensor<2xf32>", "return %0 : tensor<3xf32>")
    found = json.loads(shlo("verify", "--format", "json", "-", stdin=wrong).stdout)
    assert not found["valid"] and (found["functions"], found["ops"]) == (1, 2)


def test_a_reader_that_leaves(folder: Path) -> None:
    (folder / "many.mlir").write_text(SPLIT.join([BAD] * 300))  # whose errors fill a pipe
    command = f"{sys.executable} -Pc '{MAIN}' verify many.mlir | head -n 1"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, timeout=300, check=False)
    assert done.stdout.startswith("many.mlir:3:10: error: ") and done.stderr == ""


def test_all_formats_in_a_pipe_hold_no_colours(shlo: Shlo, folder: Path) -> None:
    for format in ("text", "json", "github", "sarif", "junit"):
        done = shlo("verify", "--format", format, ".")
        assert done.returncode == 1 and done.stderr == "" and "\x1b" not in done.stdout


def test_the_programs_of_real_models(shlo: Shlo, programs: Path) -> None:
    done = shlo("verify", programs)
    assert done.returncode == 0 and done.stdout.startswith("no errors in 4 files (")


def test_locations_of_real_models(shlo: Shlo, programs: Path) -> None:
    """A broken copy of a program with JAX's locations names the Python lines."""
    text = (programs / "attention.mlir").read_text()
    broken = text.replace("(tensor<6x8xf32>) -> tensor<8x6xf32>", "(tensor<6x8xf32>) -> tensor<8x7xf32>", 1)
    assert broken != text
    output = shlo("verify", "-", stdin=broken).stdout
    frame = r"tests/make_programs\.py:\d+:\d+, in "
    assert re.search(rf"\n  from {frame}attention \(jit\([^\n]+\)\n    called from {frame}", output)


@pytest.mark.parametrize(
    ("content", "why"),
    [
        ("", "empty file"),
        (" \n\n", "empty file"),
        ("// export of model\n\n  // failed", "only comments"),
        ("// -----\n//\n", "only comments"),
    ],
)
def test_a_file_without_a_program_is_an_error(shlo: Shlo, tmp_path: Path, content: str, why: str) -> None:
    path = tmp_path / "empty.mlir"
    path.write_text(content)
    done = shlo("verify", path)
    assert (done.returncode, done.stdout.splitlines()[0]) == (
        1,
        f"{path}: error: {why}; expected a program",
    )


def test_sections_of_comments_only_are_ignored_beside_programs(shlo: Shlo, tmp_path: Path) -> None:
    (tmp_path / "two.mlir").write_text("// RUN: shlo verify\n// -----\nmodule {}\n")
    assert shlo("verify", tmp_path / "two.mlir").returncode == 0


@pytest.mark.parametrize(
    ("content", "name"),
    [
        (b"\x1c\0\0\0TFL3" + bytes(40), "a TensorFlow Lite model (a flatbuffer)"),
        (b"PK\x03\x04" + bytes(40), "a zip archive"),
        (b"\x93NUMPY\x01\0" + bytes(40), "a NumPy array"),
        (b"\x01\x02\x03\x04" + bytes(100), "a binary file of an unknown format"),
    ],
)
def test_files_of_other_formats_are_named(shlo: Shlo, tmp_path: Path, content: bytes, name: str) -> None:
    path = tmp_path / "model.mlir"
    path.write_bytes(content)
    for command in ("verify", "fmt", "run", "inspect"):
        done = shlo(command, path)
        assert done.returncode in (1, 2)
        assert f"this is {name}" in done.stdout + done.stderr


def test_a_folder_says_what_it_skips(shlo: Shlo, tmp_path: Path) -> None:
    (tmp_path / "a.mlir").write_text("module {\n}\n")
    (tmp_path / "notes.txt").write_text("notes")
    done = shlo("verify", tmp_path)
    assert done.returncode == 0
    assert done.stderr == f"{tmp_path}: skipped 1 file that is not a program: notes.txt\n"


def test_strict(shlo: Shlo, tmp_path: Path) -> None:
    path = tmp_path / "a.mlir"
    path.write_text("func.func private @f(i32)\n")
    (tmp_path / "pyproject.toml").write_text("[tool.shlo.lint]\nstrict = true\n")
    assert [shlo("verify", path).returncode, shlo("verify", "--strict", path).returncode] == [0, 1]
    (tmp_path / "verify.toml").write_text("[tool.shlo.verify]\nstrict = true\n")
    assert shlo("verify", "--config", tmp_path / "verify.toml", path).returncode == 1
    assert "[spec-only]" in shlo("lint", "--config", tmp_path / "pyproject.toml", path).stdout


def test_end_columns(shlo: Shlo, tmp_path: Path) -> None:
    path = tmp_path / "a.mlir"
    path.write_text("func.func @f(%a: tensor<f32>) {\n  %0 = stablehlo.ad %a : tensor<f32>\n  return\n}\n")
    for command in ("verify", "fmt", "graph"):
        (diagnostic,) = json.loads(shlo(command, "--format", "json", path).stdout)["diagnostics"]
        assert (diagnostic["column"], diagnostic["end_column"]) == (8, 20)  # stablehlo.ad
