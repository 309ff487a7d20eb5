"""Worker processes: the order of results, crashes, interrupts."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from programs import BAD, GOOD, large
from stablehlo_py.cli import workers
from stablehlo_py.cli.workers import default_jobs, each
from terminal import MAIN

Shlo = Callable[..., Any]
PROCESSES = Path("/proc")


def answer(item: str) -> str:
    """Sleeps, exits or dies as the item says."""
    kind, _, number = item.partition(" ")
    if kind == "sleep":
        time.sleep(float(number))
    elif kind == "exit":
        os._exit(int(number))
    elif kind == "kill":
        os.kill(os.getpid(), signal.SIGKILL)
    return f"done {item}"


def lost(item: str, why: str) -> str:
    return f"lost {item}: {why}"


@pytest.mark.parametrize("jobs", [1, 2, pytest.param(9, marks=pytest.mark.slow)])
def test_results_are_in_the_order_of_the_work(jobs: int) -> None:
    items = ["sleep 0.2", "sleep 0", "a", "b", "c"]
    assert list(each(answer, items, jobs, lost)) == [f"done {item}" for item in items]


def test_nothing_to_do() -> None:
    assert list(each(answer, [], 4, lost)) == []


def test_results_come_as_soon_as_they_can() -> None:
    results = each(answer, ["a", "sleep 600", "b"], 2, lost)
    started = time.perf_counter()
    assert next(results) == "done a"
    results.close()
    assert time.perf_counter() - started < 300


def test_a_death_loses_one_result_only() -> None:
    items = ["a", "kill", "b", "exit 3", "c", "exit 0", "d"]
    assert list(each(answer, items, 2, lost)) == [
        "done a",
        "lost kill: worker process was killed by SIGKILL (out of memory?)",
        "done b",
        "lost exit 3: worker process exited with status 3",
        "done c",
        "lost exit 0: worker process exited with status 0",
        "done d",
    ]


def test_a_system_without_masks_of_signals(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(signal, "pthread_sigmask", raising=False)
    assert list(each(answer, ["a", "b"], 2, lost)) == ["done a", "done b"]


def test_all_may_die() -> None:
    assert len(list(each(answer, ["kill"] * 5, 2, lost))) == 5


def test_processes_are_for_much_text(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workers, "processors", lambda: 4)
    small, packed = tmp_path / "a.mlir", tmp_path / "b.mlir.gz"
    small.write_bytes(b" " * 1000)
    packed.write_bytes(b" " * (1 << 20))
    assert default_jobs([str(small)] * 50) == 1
    assert default_jobs([str(packed)] * 5) == 4
    assert default_jobs([str(packed)]) == 1
    assert default_jobs(["-", "-"]) == 1


def test_jobs_are_as_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workers, "processors", lambda: 4)
    assert [default_jobs(["a", "b"], asked) for asked in (0, 1, 3)] == [4, 1, 3]


def test_pipes_are_read_in_this_process(shlo: Shlo, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    assert default_jobs(["a", str(tmp_path / "pipe")], 3) == 1
    (tmp_path / "a.mlir").write_text(GOOD)
    done = shlo("verify", "-j", "2", "-", tmp_path / "a.mlir", stdin=BAD)
    assert done.returncode == 1 and done.stdout.startswith("<stdin>:3:10: error: ")


def test_the_report_is_the_same_in_several_processes(shlo: Shlo, tmp_path: Path) -> None:
    for i in range(6):
        (tmp_path / f"{i}.mlir").write_text(BAD if i % 2 else GOOD)
    alone, several = (shlo("verify", "-j", jobs, tmp_path) for jobs in (1, 3))
    assert alone.returncode == several.returncode == 1
    assert alone.stdout.splitlines()[:-1] == several.stdout.splitlines()[:-1]
    assert several.stdout.splitlines()[-1].startswith("3 errors in 6 files (6 functions, 12 ops, ")
    assert several.stderr == ""


@pytest.mark.skipif(not PROCESSES.is_dir(), reason="the processes of a group are read from /proc")
def test_an_interrupt_ends_all_processes(tmp_path: Path) -> None:
    """Of more work than is done before the interrupt comes, on any machine."""
    program = tmp_path / "0.mlir"
    program.write_text(large(20_000))
    for i in range(1, 100):
        (tmp_path / f"{i}.mlir").hardlink_to(program)
    command = [sys.executable, "-Pc", MAIN, "verify", "-j", "2", str(tmp_path)]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True
    ) as process:
        wait_until(lambda: len(members(process.pid)) >= 4)  # with the server that forks, and two workers
        time.sleep(0.3)
        os.killpg(process.pid, signal.SIGINT)  # as a terminal does
        _, errors = process.communicate(timeout=300)
    assert process.returncode == 130
    assert b"Traceback" not in errors
    wait_until(lambda: not members(process.pid))


def wait_until(holds: Callable[[], bool]) -> None:
    """Waits for a condition; a machine under load has minutes for it."""
    deadline = time.monotonic() + 300
    while not holds():
        assert time.monotonic() < deadline
        time.sleep(0.1)


def members(group: int) -> list[int]:
    """The processes of a group that have not ended."""
    found = []
    for path in PROCESSES.glob("[0-9]*/stat"):
        with suppress(OSError):  # it ended between the listing and the reading
            state, _, its_group = path.read_text().rpartition(")")[2].split()[:3]
            if state != "Z" and int(its_group) == group:
                found.append(int(path.parent.name))
    return found


FORKSERVER = """
import os
import re
from pathlib import Path

from stablehlo_py.cli.workers import each


def blocked(item):
    status = Path(f"/proc/{os.getppid()}/status").read_text()
    return int(re.search(r"SigBlk:\\s*(\\w+)", status)[1], 16)
"""


@pytest.mark.skipif(not PROCESSES.is_dir(), reason="needs /proc")
def test_the_process_that_starts_workers_blocks_interrupts(tmp_path: Path) -> None:
    """From its first instruction, also while it imports the package."""
    (tmp_path / "task.py").write_text(FORKSERVER)
    done = subprocess.run(
        [sys.executable, "-c", "from task import *; print(*each(blocked, ['a', 'b'], 2, None))"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=300,
        check=True,
    )
    interrupt = 1 << signal.SIGINT - 1
    assert [int(mask) & interrupt for mask in done.stdout.split()] == [interrupt] * 2
