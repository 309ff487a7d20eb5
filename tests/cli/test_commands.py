"""The command line: exit statuses, streams, formats."""

from __future__ import annotations

import errno
import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import click
import pytest
from programs import BAD, BROKEN, GOOD
from stablehlo_py.cli.main import run_command

Shlo = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture
def good(tmp_path: Path) -> Path:
    path = tmp_path / "good.mlir"
    path.write_text(GOOD)
    return path


@pytest.fixture
def bad(tmp_path: Path) -> Path:
    """Breaks abs C1, and nothing else."""
    path = tmp_path / "bad.mlir"
    path.write_text(BAD)
    return path


@pytest.fixture
def broken(tmp_path: Path) -> Path:
    path = tmp_path / "broken.mlir"
    path.write_text(BROKEN)
    return path


def test_verify_good(shlo: Shlo, good: Path) -> None:
    done = shlo("verify", good)
    assert (done.returncode, done.stderr) == (0, "")
    assert re.fullmatch(r"no errors in 1 file \(1 function, 2 ops, \d+\.\d\d s\)\n", done.stdout)


def test_verify_bad_shows_line_caret_and_label(shlo: Shlo, bad: Path, good: Path) -> None:
    done = shlo("verify", good, bad)
    lines = done.stdout.splitlines()
    assert done.returncode == 1
    assert lines[0].startswith(f"{bad}:3:10: error: stablehlo.abs (C1)")
    assert lines[1].strip().startswith('%0 = "stablehlo.abs"(%arg0)')
    column = lines[1].index('"stablehlo.abs"')
    assert lines[2] == " " * column + "^" + "~" * (len('"stablehlo.abs"') - 1)
    assert lines[-1].startswith("1 error in 2 files (2 functions, 4 ops, ")
    assert "\x1b" not in done.stdout


def test_verify_broken(shlo: Shlo, broken: Path) -> None:
    done = shlo("verify", broken)
    assert done.returncode == 1
    assert done.stdout.startswith(f"{broken}:3:10: error: ")


def test_verify_json(shlo: Shlo, good: Path, bad: Path, broken: Path) -> None:
    done = shlo("verify", "--format", "json", good, bad, broken)
    first, second, third = map(json.loads, done.stdout.splitlines())
    assert done.returncode == 1
    assert first.pop("seconds") > 0
    counts = {"errors": 0, "warnings": 0, "modules": 1, "functions": 1, "ops": 2}
    assert first == {"file": str(good), "valid": True, **counts, "diagnostics": []}
    assert (second["valid"], second["errors"]) == (False, 1)
    (diagnostic,) = second["diagnostics"]
    assert set(diagnostic) == {
        "severity",
        "code",
        "message",
        "line",
        "column",
        "end_column",
        "notes",
        "origin",
    }
    assert (diagnostic["code"], diagnostic["line"], diagnostic["column"]) == ("abs.C1", 3, 10)
    assert not third["valid"]


def test_verify_quiet(shlo: Shlo, good: Path, bad: Path) -> None:
    for path, status in ((good, 0), (bad, 1)):
        done = shlo("verify", "-q", path)
        assert (done.returncode, done.stdout, done.stderr) == (status, "", "")


def test_standard_input(shlo: Shlo) -> None:
    done = shlo("verify", "-", stdin=BROKEN)
    assert done.returncode == 1
    assert done.stdout.startswith("<stdin>:3:10: error: ")
    assert shlo("fmt", "-", stdin=GOOD).stdout == GOOD


@pytest.mark.parametrize("names", [("-", "{}"), ("{}", "-")])
def test_either_program_is_standard_input(shlo: Shlo, tmp_path: Path, names: tuple[str, str]) -> None:
    file = tmp_path / "good.mlir"
    file.write_text(GOOD)
    assert shlo("diff", *[name.format(file) for name in names], stdin=GOOD).returncode == 0


def test_the_command_that_was_meant(shlo: Shlo) -> None:
    done = shlo("verfy", "a.mlir")
    assert done.returncode == 2
    assert "No such command 'verfy'; did you mean verify?" in done.stderr


@pytest.mark.parametrize(
    "arguments",
    [
        ["verify"],
        ["verify", "nothing.mlir"],
        ["verify", "."],
        ["verify", "--colour", "x"],
        ["nothing"],
        ["fmt", "-i", "-"],
        ["run"],
        ["run", "nothing.mlir"],
        ["run", "-", "--output", "x.txt"],
    ],
    ids=" ".join,
)
def test_a_command_at_fault(shlo: Shlo, arguments: list[str], tmp_path: Path) -> None:
    done = shlo(*arguments, stdin=GOOD, cwd=tmp_path)
    assert done.returncode == 2
    assert done.stderr and "Traceback" not in done.stderr
    assert done.stdout == ""


def test_a_file_that_cannot_be_read_stops_before_anything_is_said(shlo: Shlo, good: Path) -> None:
    done = shlo("verify", good, "nothing.mlir")
    assert (done.returncode, done.stdout) == (2, "")


@pytest.mark.parametrize(
    "arguments", [["--help"], ["verify", "--help"], ["run", "-h"], ["--version"]], ids=" ".join
)
def test_help(shlo: Shlo, arguments: list[str]) -> None:
    done = shlo(*arguments)
    assert done.returncode == 0
    assert done.stdout and not done.stderr


def test_bytes_that_are_not_text(shlo: Shlo, tmp_path: Path) -> None:
    path = tmp_path / "bytes.mlir"
    path.write_bytes(b"\x00\xff\xfe MLIR \x80\x00")
    for command in ("verify", "fmt", "run"):
        done = shlo(command, path)
        assert done.returncode == 1
        assert "Traceback" not in done.stderr and "internal" not in done.stdout + done.stderr


def test_a_closed_pipe_is_silent(good: Path) -> None:
    program = f"{sys.executable} -Pc 'from stablehlo_py.cli.main import main; main()' fmt {good}"
    done = subprocess.run(
        ["bash", "-c", f"{program} | true"],
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.stderr == ""


def test_a_closed_pipe_ends_a_command_with_status_1_and_no_message(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def closed(*_: object, **options: object) -> None:
        raise BrokenPipeError(errno.EPIPE, "Broken pipe")

    monkeypatch.setattr(click, "echo", closed)
    with pytest.raises(SystemExit, match="1"):
        run_command(["grammar"])
    assert capsys.readouterr().err == ""


def test_interrupt(tmp_path: Path) -> None:
    """While it reads from a pipe, which is open for writing once the command has opened it."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    command = [sys.executable, "-Pc", "from stablehlo_py.cli.main import main; main()", "verify", str(pipe)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process, pipe.open("w"):
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=300)
    assert process.returncode == 130
    assert b"Traceback" not in errors


def test_bugs_are_told_as_such(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], good: Path
) -> None:
    from stablehlo_py.cli.main import run_command

    import stablehlo_py

    def fail(*_: object) -> None:
        raise KeyError("slot")

    monkeypatch.setattr(stablehlo_py, "verify", fail)
    assert run_command(["verify", str(good)]) == 1
    assert "please report it with the program" in capsys.readouterr().out


# Start-up


def test_rich_is_not_imported_for_plain_output(good: Path) -> None:
    code = (
        "import sys\nfrom stablehlo_py.cli.main import run_command\n"
        f"assert run_command(['verify', {str(good)!r}]) == 0\nassert 'rich' not in sys.modules\n"
    )
    subprocess.run([sys.executable, "-Pc", code], check=True, env={**os.environ}, capture_output=True)


def test_json_of_what_is_no_program(shlo: Shlo, good: Path, broken: Path) -> None:
    """Standard output is JSON, with the reasons, whatever the command."""
    for arguments in (["diff", good, broken], ["graph", broken], ["lint", "--min-version", broken]):
        done = shlo(*arguments, "--format", "json")
        assert done.returncode == 1
        printed = json.loads(done.stdout)
        (found,) = printed["diagnostics"]
        assert (found["code"], found["line"]) == ("parse", 3)
        if arguments[0] == "diff":  # neither the same nor different
            assert (printed["same"], printed["differences"], found["file"]) == (None, [], str(broken))
