"""Devices, pipes and named pipes as programs and as other files."""

from __future__ import annotations

import gzip
import os
import subprocess
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

import stablehlo_py

Shlo = Callable[..., "subprocess.CompletedProcess[str]"]

pytestmark = pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="the system has no named pipes")

PROGRAM = "func.func @main(%x: tensor<f32>) -> tensor<f32> {\n  return %x : tensor<f32>\n}\n"
SMALL = {"SHLO_MAX_INPUT_BYTES": str(1 << 16)}

# Every command that reads programs.
COMMANDS = [
    ["verify"],
    ["fmt"],
    ["lint"],
    ["lint", "--min-version"],
    ["inspect"],
    ["graph", "--format", "dot"],
    ["opt", "-p", "cse"],
    ["convert"],
    ["report"],
    ["run", "--random", "0"],
    ["extract", "--function", "main"],
    ["reduce", "--while-crashes", "numpy"],
    ["compare", "--random", "0", "program.mlir"],
    ["diff", "program.mlir"],
]


@contextmanager
def fed(path: Path, piece: bytes, *, endless: bool) -> Iterator[None]:
    """Make a named pipe, into which a thread writes once or without an end."""
    os.mkfifo(path)

    def write() -> None:
        try:
            with path.open("wb", buffering=0) as stream:
                stream.write(piece)
                while endless:
                    stream.write(piece)
        except BrokenPipeError:  # what a reader that has enough leaves
            pass

    writer = threading.Thread(target=write, daemon=True)
    writer.start()
    yield
    with os.fdopen(os.open(path, os.O_RDONLY | os.O_NONBLOCK), "rb"):  # frees a writer that nobody reads
        pass
    writer.join(300)
    assert not writer.is_alive()


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command[0])
@pytest.mark.parametrize(
    ("piece", "words"),
    [
        (
            b"y\n" * 4096,
            "larger than the limit of 65536 bytes, which the environment variable SHLO_MAX_INPUT_BYTES",
        ),
        (bytes(4096), "binary file of an unknown format"),
    ],
    ids=["text", "zeros"],
)
def test_a_named_pipe_without_an_end(
    command: list[str], piece: bytes, words: str, shlo: Shlo, tmp_path: Path
) -> None:
    (tmp_path / "program.mlir").write_text(PROGRAM)
    with fed(tmp_path / "pipe", piece, endless=True):
        done = shlo(*command, tmp_path / "pipe", cwd=tmp_path, env=SMALL)
    assert done.returncode != 0
    assert words in done.stdout + done.stderr


@pytest.mark.parametrize("command", COMMANDS[:10], ids=lambda command: command[0])
def test_a_named_pipe_with_a_program(command: list[str], shlo: Shlo, tmp_path: Path) -> None:
    with fed(tmp_path / "pipe", PROGRAM.encode(), endless=False):
        done = shlo(*command, tmp_path / "pipe", cwd=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("content", [bytes(1 << 12), b""], ids=["zeros", "nothing"])
@pytest.mark.parametrize("command", COMMANDS[:3], ids=lambda command: command[-1])
def test_a_compressed_pipe_without_an_end(
    command: list[str], content: bytes, shlo: Shlo, tmp_path: Path
) -> None:
    """Members of gzip one after the other: neither what is read nor what it unpacks to has an end."""
    with fed(tmp_path / "pipe", gzip.compress(content) * 64, endless=True):
        done = shlo(*command, tmp_path / "pipe", cwd=tmp_path, env=SMALL)
    assert done.returncode != 0
    assert "larger than the limit of 65536 bytes" in done.stdout + done.stderr


def test_a_compressed_pipe_with_a_program(shlo: Shlo, tmp_path: Path) -> None:
    with fed(tmp_path / "pipe", gzip.compress(PROGRAM.encode() + b"// end\n" * 2000), endless=False):
        done = shlo("verify", tmp_path / "pipe", cwd=tmp_path, env=SMALL)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("command", ["verify", "fmt"])
def test_standard_input_without_an_end(command: str, shlo: Shlo) -> None:
    done = shlo(command, "-", stdin="y\n" * (1 << 16), env=SMALL)
    assert done.returncode != 0
    assert "larger than the limit of 65536 bytes" in done.stdout + done.stderr


def test_the_limit_can_be_raised_and_is_a_number(shlo: Shlo, tmp_path: Path) -> None:
    (tmp_path / "a.mlir").write_text(PROGRAM)
    assert shlo("verify", tmp_path / "a.mlir", env={"SHLO_MAX_INPUT_BYTES": "1024"}).returncode == 0
    small = shlo("verify", tmp_path / "a.mlir", env={"SHLO_MAX_INPUT_BYTES": "16"})
    assert "larger than the limit of 16 bytes" in small.stdout
    other = shlo("verify", tmp_path / "a.mlir", env={"SHLO_MAX_INPUT_BYTES": "1G"})
    assert other.returncode == 1
    assert "SHLO_MAX_INPUT_BYTES=1G: expected a number of bytes" in other.stdout


def test_pipes_in_a_folder_are_left_alone(shlo: Shlo, tmp_path: Path) -> None:
    (tmp_path / "a.mlir").write_text(PROGRAM)
    os.mkfifo(tmp_path / "b.mlir")
    os.mkfifo(tmp_path / "c.bin")
    (tmp_path / "d.txt").touch()
    listed = "b.mlir, c.bin, d.txt"
    done = shlo("verify", tmp_path)
    assert done.returncode == 0
    assert done.stderr == f"{tmp_path}: skipped 3 files that are not programs: {listed}\n"
    (tmp_path / "e.txt").touch()
    done = shlo("verify", tmp_path)
    assert done.stderr == f"{tmp_path}: skipped 4 files that are not programs: {listed}, ...\n"


def test_files_that_are_no_programs(shlo: Shlo, tmp_path: Path) -> None:
    (tmp_path / "a.mlir").write_text(PROGRAM)
    os.mkfifo(tmp_path / "calls.py")
    refused = shlo("run", "--custom-call", tmp_path / "calls.py", tmp_path / "a.mlir")
    assert "calls.py: not a regular file" in refused.stderr
    for option in ("--config", "--baseline"):
        done = shlo("verify", option, "/dev/zero", tmp_path / "a.mlir")
        assert done.returncode != 0
        assert "/dev/zero: larger than 64 MiB" in done.stderr
    journal = shlo("reduce", "--while-crashes", "numpy", "--journal", "/dev/zero", tmp_path / "a.mlir")
    assert (journal.returncode, "/dev/zero: larger than 64 MiB" in journal.stderr) == (2, True)
    (tmp_path / "found").mkdir()
    (tmp_path / "found" / "fuzz.json").symlink_to("/dev/zero")
    resumed = shlo("fuzz", "--engine", "numpy", "--engine", "native", "-o", tmp_path / "found")
    assert (resumed.returncode, "fuzz.json: larger than 64 MiB" in resumed.stderr) == (2, True)
    rewritten = shlo("fmt", "-i", tmp_path / "calls.py")
    assert (rewritten.returncode, "not a regular file" in rewritten.stderr) == (2, True)


def test_a_file_in_python_is_bounded_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a.mlir").write_text("module {}" + " " * 100)
    stablehlo_py.load(tmp_path / "a.mlir")
    monkeypatch.setenv("SHLO_MAX_INPUT_BYTES", "100")
    with pytest.raises(OSError, match="larger than the limit of 100 bytes"):
        stablehlo_py.load(tmp_path / "a.mlir")
