"""Uses that commands refuse: what is at fault, where it is, and what is expected instead."""

from __future__ import annotations

import gzip
import json
import os
import re
import subprocess
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from programs import BAD, BROKEN, GOOD
from stablehlo_py.cli import batch, lint_fix, workers
from stablehlo_py.cli.sources import Text

from stablehlo_py.analysis.language import grammar

Shlo = Callable[..., "subprocess.CompletedProcess[str]"]
NAMED = """func.func @main(%arg0: tensor<2xf32> loc("x"), %arg1: tensor<2xf32> loc("y")) -> tensor<2xf32> {
  %0 = stablehlo.add %arg0, %arg1 : tensor<2xf32>
  return %0 : tensor<2xf32>
}
"""
DYNAMIC = GOOD.replace("tensor<2xf32>", "tensor<?xf32>")
TWO = GOOD.replace("@main", "@one").replace("}\n}", "}\n") + GOOD.split("{\n", 1)[1].replace("@main", "@two")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    files = {
        "good.mlir": GOOD,
        "bad.mlir": BAD,
        "named.mlir": NAMED,
        "dynamic.mlir": DYNAMIC,
        "two.mlir": TWO,
    }
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "file").touch()
    np.savez(tmp_path / "two.npz", a=np.ones(2, "f"), b=np.zeros(2, "f"))
    np.savez(tmp_path / "one.npz", a=np.array([2, 3], "f"))
    (tmp_path / "calls.txt").write_text("print('executed')")
    (tmp_path / "stop.py").write_text("raise KeyboardInterrupt")
    (tmp_path / "broken.mlir").write_text(BROKEN)
    (tmp_path / "wide.mlir").write_bytes(GOOD.encode("utf-16"))
    (tmp_path / "picture.mlir.gz").write_bytes(gzip.compress(b"\x89PNG\r\n\x1a\n" + bytes(100)))
    os.mkfifo(tmp_path / "pipe.mlir")
    return tmp_path


@pytest.mark.parametrize(
    ("command", "status", "expected"),
    [
        ("run named.mlir -a x=two.npz -a y=one.npz", 1, "expected one array for input 0 (x), but two.npz"),
        ("run named.mlir -a z=one.npz", 1, "no argument named z; known arguments: x, y"),
        ("blame full --dump-to new", 2, "--dump-to is for a program, which XLA dumps first"),
        ("blame good.mlir --dump-to full", 2, "full: expected an empty folder"),
        ("blame good.mlir --module m", 2, "--program and --module are for a folder of dumps"),
        ("convert good.mlir --to portable --target 99.0.0 -o x", 2, "--target: unsupported version 99.0.0"),
        ("convert bad.mlir --to hlo", 1, "bad.mlir:3"),
        ("opt good.mlir -p cse --print-before nothing", 2, "unknown pass nothing"),
        ("opt good.mlir -p cse --print-after nothing", 2, "unknown pass nothing"),
        ("convert dynamic.mlir --to portable --target 1.a -o x", 2, "--target: invalid version '1.a'"),
        ("graph good.mlir --dim N=3", 2, "--dim: the program has no dimension N"),
        ("graph good.mlir --errors missing.json -o x.html", 2, "missing.json"),
        ("graph good.mlir --errors full/file -o x.html", 2, "full/file: expected what `shlo compare"),
        ("extract good.mlir --op abs --iteration 1,x", 2, "--iteration 1,x: expected numbers from 0"),
        ("inspect two.mlir --memory m.html", 2, "--memory draws one function: use --entry NAME"),
        ("inspect good.mlir named.mlir --memory m.html", 2, "one valid program, and there are 2"),
        ("inspect bad.mlir --memory m.html", 2, "one valid program, and there are 0"),
        ("inspect --devices good.mlir", 2, "good.mlir: the program is for one device"),
        ("run good.mlir --ranges", 2, "--ranges needs --inputs, --input or --random"),
        ("run two.mlir --ranges --entry one --entry two --random 0", 2, "--ranges takes one --entry"),
        ("run bad.mlir --ranges --random 0", 1, "bad.mlir:3"),
        ("run good.mlir --custom-call calls.txt -a one.npz", 2, "calls.txt: expected a Python file (.py)"),
        ("run good.mlir -a dense<1>", 2, "dense<1>: expected ':', found the end of the text (column 9)"),
        ("run good.mlir -a nothing", 2, "nothing: expected a .npy, .npz, "),
        ("run good.mlir -a @0,1=one.npz", 1, "process (0, 1) is not in the grid; the last process is (0, 0)"),
        ("run good.mlir --custom-call pipe.mlir --random 0", 2, "pipe.mlir: not a regular file"),
        ("run good.mlir --custom-call stop.py --random 0", 130, ""),
        ("build broken.mlir -o x", 1, "broken.mlir:3:10: error: expected a string or an operation, found"),
        ("fmt -i pipe.mlir", 2, "--in-place: pipe.mlir is not a regular file"),
        ("fmt -i wide.mlir", 1, "wide.mlir: error: UTF-16 text with a byte order mark is not supported"),
        ("hash ''", 2, "empty path"),
        ("lsp --tcp here", 2, "Invalid value for --tcp: expected HOST:PORT, found here\n"),
        ("lsp --tcp here:\u00b2", 2, "Invalid value for --tcp: expected HOST:PORT, found here:\u00b2\n"),
        ("lsp --tcp no.such.invalid:1", 2, "Invalid value for --tcp: no.such.invalid:1: "),
        ("lsp --tcp here:65536", 2, "Invalid value for --tcp: expected HOST:PORT, found here:65536\n"),
        ("hash good.mlir/x.mlir", 2, "Error: good.mlir/x.mlir: no such file or folder\n"),
        ("verify picture.mlir.gz", 1, "picture.mlir.gz: error: this is a picture, not MLIR"),
        ("verify wide.mlir --baseline x.json --write-baseline", 1, "wide.mlir: error: UTF-16 text"),
        ("reduce good.mlir --while-crashes opt --while-matches x", 2, "give one of --check, --while-differs"),
    ],
)  # fmt: skip
def test_refused(command: str, status: int, expected: str, shlo: Shlo, folder: Path) -> None:
    arguments = ["" if word == "''" else word for word in command.split()]
    done = shlo(*arguments, cwd=folder)
    assert (done.returncode, "Traceback" in done.stderr) == (status, False)
    found = done.stdout if command.startswith("verify") else done.stderr
    assert expected in found, found
    assert "executed" not in done.stdout


def test_an_array_of_another_name_alone_in_its_file(shlo: Shlo, folder: Path) -> None:
    done = shlo("run", "named.mlir", "-a", "x=one.npz", "-a", "y=dense<1.0> : tensor<2xf32>", cwd=folder)
    assert (done.returncode, done.stdout) == (0, "result 0: tensor<2xf32>\n  [3., 4.]\n"), done.stderr


@pytest.mark.parametrize("output", ["text", "json"])
def test_the_grammar(output: str, shlo: Shlo) -> None:
    done = shlo("grammar", "--format", output)
    expected = json.dumps({"start": "program", "grammar": grammar()}) if output == "json" else grammar()
    assert done.returncode == 0
    found = json.dumps(json.loads(done.stdout)) if output == "json" else done.stdout
    assert found == expected


@pytest.mark.parametrize("command", ["lint --fix", "lint --add-ignores", "fmt -i", "hash", "inspect"])
def test_of_several_files_the_one_that_cannot_be_read_is_named(
    command: str, shlo: Shlo, folder: Path
) -> None:
    done = shlo(*command.split(), "good.mlir", "wide.mlir", cwd=folder)
    assert done.returncode == (1 if command == "fmt -i" else 2)
    assert re.search("wide.mlir: (error: )?UTF-16 text with a byte order mark is not supported", done.stderr)
    assert "good.mlir: " not in done.stderr


def test_internal_errors_name_the_line() -> None:
    def fail() -> None:
        raise ZeroDivisionError("of zero")

    try:
        fail()
    except ZeroDivisionError as error:
        found = batch.bug(error)
    line = fail.__code__.co_firstlineno + 1
    place = f"test_refused_uses.py:{line}"
    assert found == f"internal error: ZeroDivisionError: of zero ({place}); please report it with the program"
    assert batch.bug(MemoryError()) == "out of memory"


@pytest.mark.parametrize(
    ("counts", "files", "written", "expected"),
    [
        ({}, 0, True, "no fixes available"),
        ({"dead-op": 1}, 1, True, "fixed 1 problem in 1 file: 1 dead-op"),
        ({"dead-op": 1}, 1, False, "would fix 1 problem in 1 file: 1 dead-op"),
        ({"a": 1, "b": 1200}, 2, True, "fixed 1,201 problems in 2 files: 1,200 b, 1 a"),
    ],
)
def test_what_fixes_say(counts: dict[str, int], files: int, written: bool, expected: str) -> None:
    assert lint_fix._summary(Counter(counts), files, written) == expected


@pytest.mark.parametrize(
    ("command", "status", "expected"),
    [
        ("verify", 1, "named.mlir: error: it was killed"),
        ("lint", 1, "named.mlir: error: it was killed"),
        ("lint --fix", 2, "Error: named.mlir: it was killed"),
        ("lint --add-ignores", 2, "Error: named.mlir: it was killed"),
        ("lint --min-version", 1, "named.mlir: error: it was killed"),
        ("fmt -i", 1, "named.mlir: error: it was killed"),
        ("hash", 2, "Error: named.mlir: it was killed"),
        ("inspect", 2, "Error: named.mlir: it was killed"),
        ("opt -p canonicalize -i", 1, "named.mlir: error: it was killed"),
        ("report -o page.html", 1, "page.html: 1 error in 2 programs"),
    ],
)
def test_of_several_files_the_one_whose_process_dies_is_named(
    command: str, status: int, expected: str, shlo: Shlo, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def each(
        task: Callable[[str], object], files: list[str], jobs: int, lost: workers.Lost[object]
    ) -> object:
        return (lost(file, "it was killed") if file == "named.mlir" else task(file) for file in files)

    monkeypatch.setattr(workers, "each", each)
    done = shlo(*command.split(), "named.mlir", "good.mlir", cwd=folder)
    assert done.returncode == status, done.stderr
    assert expected in (done.stdout + done.stderr).splitlines()
    assert "good.mlir: " not in done.stderr
    if command.startswith("report"):
        assert "it was killed" in (folder / "page.html").read_text()


@pytest.mark.parametrize("name", ["long.mlir", "long.mlir.gz", "dense.mlir.gz"])
def test_programs_above_the_limit(name: str, shlo: Shlo, tmp_path: Path) -> None:
    text = GOOD + f"// {'x' * 9000}\n"
    if name.startswith("dense"):  # more bytes than the limit, even packed
        text += f"// {np.random.default_rng(0).bytes(30_000).hex()}\n"
    packed = gzip.compress(text.encode()) if name.endswith("gz") else text.encode()
    (tmp_path / name).write_bytes(packed)
    done = shlo("verify", name, cwd=tmp_path, env={**os.environ, "SHLO_MAX_INPUT_BYTES": "100000"})
    assert done.returncode == 0, done.stderr
    done = shlo("verify", name, cwd=tmp_path, env={**os.environ, "SHLO_MAX_INPUT_BYTES": "5000"})
    assert done.returncode == 1
    assert f"{name}: error: larger than the limit of 5000 bytes, which the environment" in done.stdout


def test_a_pipe_in_a_folder_is_no_program(shlo: Shlo, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.mlir")
    (tmp_path / "good.mlir").write_text(GOOD)
    done = shlo("verify", ".", cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, ".: skipped 1 file that is not a program: pipe.mlir\n")
    assert "no errors in 1 file " in done.stdout


@pytest.mark.parametrize("command", ["fmt", "verify", "lint", "report -o page.html", "opt -p cse"])
def test_internal_errors_are_reported_for_their_module(
    command: str, shlo: Shlo, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def parse(text: Text, *_: object) -> object:
        if "@two" in text.text:
            raise ZeroDivisionError("of zero")
        return parsed(text, *_)

    parsed = Text.parse
    monkeypatch.setattr(Text, "parse", parse)
    (folder / "both.mlir").write_text(f"{GOOD}// -----\n{TWO}")
    done = shlo(*command.split(), "both.mlir", cwd=folder)
    page = folder / "page.html"
    found = page.read_text() if page.exists() else done.stdout + done.stderr
    assert done.returncode == 1
    assert "internal error: ZeroDivisionError: of zero (test_refused_uses.py:" in found
    assert "both.mlir:8" in found
