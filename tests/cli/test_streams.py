"""Closed and full streams, signals, a deleted working folder: the exit status, and no traceback."""

from __future__ import annotations

import os
import shlex
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from conftest import ROOT
from programs import BAD, GOOD

SHLO = [sys.executable, "-m", "stablehlo_py"]
MLP = ROOT / "testdata" / "mlp.mlir"
PROCESSES = Path("/proc")
needs_proc = pytest.mark.skipif(not PROCESSES.is_dir(), reason="needs /proc")


def run(words: str, redirections: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    """Runs the command in a shell, with redirections after it."""
    command = f"{shlex.join([*SHLO, *words.split()])} {redirections}"
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    return subprocess.run(
        ["bash", "-c", command], capture_output=True, text=True, timeout=300, check=False, cwd=cwd, env=env
    )


@pytest.mark.parametrize(
    ("words", "status", "redirections"),
    [
        ("verify good.mlir", 0, "<&-"),
        ("verify good.mlir", 0, ">&-"),
        ("verify bad.mlir", 1, ">&-"),
        ("verify bad.mlir", 1, "<&- >&- 2>&-"),
        ("verify nothing.mlir", 2, "2>&-"),
        ("verify nothing.mlir", 2, "<&- >&- 2>&-"),
        ("fmt --check good.mlir", 0, "<&- >&- 2>&-"),
    ],
)
def test_closed_streams(words: str, status: int, redirections: str, tmp_path: Path) -> None:
    (tmp_path / "good.mlir").write_text(GOOD)
    (tmp_path / "bad.mlir").write_text(BAD)
    done = run(words, redirections, tmp_path)
    assert done.returncode == status
    assert "Traceback" not in done.stderr and "internal" not in done.stderr + done.stdout


def test_a_closed_stream_does_not_give_its_number_to_an_output(tmp_path: Path) -> None:
    (tmp_path / "good.mlir").write_text(GOOD)
    assert run("verify good.mlir -o report.txt", ">&- 2>&-", tmp_path).returncode == 0
    assert (tmp_path / "report.txt").read_text().startswith("no errors in 1 file")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_a_full_stream_is_named(tmp_path: Path) -> None:
    done = run(f"fmt {MLP}", "> /dev/full", tmp_path)
    assert done.stderr == "shlo: standard output: No space left on device\n" and done.returncode == 2


def test_a_reader_that_stops_reading_a_trace(tmp_path: Path) -> None:
    done = run(f"run --random 0 --trace {MLP}", "| head -1", tmp_path)
    assert done.stderr == "" and done.stdout.count("\n") == 1


def test_a_deleted_working_folder(tmp_path: Path) -> None:
    folder = tmp_path / "gone"
    folder.mkdir()
    command = f'rmdir "$PWD"; exec {shlex.join([*SHLO, "verify", str(MLP)])}'
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(["bash", "-c", command], capture_output=True, cwd=folder, env=env, check=False)
    assert (done.returncode, done.stderr) == (0, b"")


def test_a_configuration_that_is_nested_too_deeply(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text("a = " + "[" * 100_000)
    (tmp_path / "good.mlir").write_text(GOOD)
    done = run("verify good.mlir", "", tmp_path)
    assert done.returncode == 2 and done.stderr.endswith("pyproject.toml: nested too deeply\n")


INTERRUPTED = """
import atexit, os, signal, sys

def interrupt():
    os.kill(os.getpid(), signal.SIGINT)

class Finder:
    def find_spec(self, name, path=None, target=None):
        if name == "{module}":
            interrupt()

sys.meta_path.insert(0, Finder())
if "{module}" == "exit":
    atexit.register(interrupt)
sys.argv[1:] = ["--version"]
from stablehlo_py.cli.entry import main
main()
"""


@pytest.mark.parametrize("module", ["stablehlo_py.ir", "stablehlo_py.cli.entry", "click", "exit"])
def test_an_interrupt_while_the_command_starts_or_ends(module: str, tmp_path: Path) -> None:
    """A traceback only in other programs, which handle interrupts themselves."""
    for name, shows_traceback in (("shlo", False), ("other.py", module != "exit")):
        (tmp_path / name).write_text(INTERRUPTED.format(module=module))
        env = {**os.environ, "PYTHONPATH": str(ROOT)}
        command = [sys.executable, str(tmp_path / name)]
        done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False, env=env)
        assert ("KeyboardInterrupt" in done.stderr) == shows_traceback, done.stderr
        assert done.returncode == -signal.SIGINT


@pytest.mark.slow
@pytest.mark.parametrize("sent", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("options", [[], ["-j", "2"]])
@needs_proc
def test_a_signal_ends_all_processes(sent: signal.Signals, options: list[str], tmp_path: Path) -> None:
    """Whenever it comes: before the command is imported, and while processes work."""
    for path in (tmp_path / f"{index}.mlir" for index in range(200)):
        path.write_text(GOOD * 50)
    for is_at_work in (False, True):
        with subprocess.Popen(
            [*SHLO, "verify", *options, "."],
            cwd=tmp_path,
            env={**os.environ, "PYTHONPATH": str(ROOT)},  # type: ignore[call-overload]
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        ) as process:
            _wait(process.pid, 2 if is_at_work else 1)
            os.killpg(process.pid, sent) if sent == signal.SIGINT else os.kill(process.pid, sent)
            _, errors = process.communicate(timeout=300)
        assert "Traceback" not in errors
        assert process.returncode in (0, 1, 130, -sent)  # it may have ended before
        deadline = time.monotonic() + 300
        while _members(process.pid) and time.monotonic() < deadline:
            time.sleep(0.05)
        assert not _members(process.pid)


def _wait(group: int, count: int) -> None:
    """Wait until a process has others, or for a while, where it works alone; the moment after that is any."""
    deadline = time.monotonic() + 2.5
    while len(_members(group)) < count and time.monotonic() < deadline:
        time.sleep(0.02)
    time.sleep(0.3)


def _members(group: int) -> list[str]:
    """The processes of a process group that run."""
    found = []
    for path in PROCESSES.glob("[0-9]*/stat"):
        try:
            fields = path.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if int(fields[2]) == group and fields[0] != "Z":
            found.append(path.parent.name)
    return found
