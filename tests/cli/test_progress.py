"""The progress bar and colours, on a terminal and elsewhere."""

from __future__ import annotations

import os
import re
import time
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from programs import BAD, GOOD, large
from stablehlo_py.cli import progress, watch
from terminal import MAIN, run_on_terminal, start_on_terminal

Shlo = Callable[..., Any]
COUNTING = """func.func @main() -> tensor<i32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %end = stablehlo.constant dense<1000> : tensor<i32>
  %0 = stablehlo.while(%i = %zero) : tensor<i32>
  cond {
    %p = stablehlo.compare LT, %i, %end : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %n = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %n : tensor<i32>
  }
  return %0 : tensor<i32>
}"""
BAR = "\N{BOX DRAWINGS HEAVY HORIZONTAL}"
# The bar's modules are imported first: on a fast machine the work is done before.
SOON = f"import rich.progress; from stablehlo_py.cli import progress; progress.DELAY = 0.0; {MAIN}"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Three programs that take a while, with an error between them."""
    for name in "ace":
        (tmp_path / f"{name}.mlir").write_text(large(4_000))
    (tmp_path / "b.mlir").write_text(BAD)
    return tmp_path


def test_a_bar_shows_while_work_takes_long(folder: Path) -> None:
    shown = start_on_terminal(SOON, "verify", folder)
    assert shown.status == 1
    assert "shlo verify" in shown.text and BAR in shown.text and "/4" in shown.text
    # What is printed stands on lines of its own, and the bar is gone at the end.
    rows = re.split(r"[\r\n]", re.sub(r"\x1b\[[\d;?]*[A-Za-z]", "", shown.text))
    assert sum(row.startswith("1 error in 4 files (") for row in rows) == 1
    assert sum(row.startswith(f"{folder}/b.mlir:3:10: error: ") for row in rows) == 1
    assert BAR not in shown.text.rpartition("1 error in 4 files")[2]


def test_the_states_of_a_bar(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(progress, "DELAY", 0.0)
    monkeypatch.setattr(progress, "shows_progress", lambda: True)
    with progress.Progress("work", 3) as shown:
        shown._timer.join()
        bar = shown._bar
        assert bar is not None and bar.live.is_started
        (task,) = bar.tasks
        assert (task.description, task.total, task.completed) == ("work", 3, 0)
        shown.advance()
        assert bar.tasks[0].completed == 1
        with shown.aside():
            assert not bar.live.is_started
        assert bar.live.is_started
    assert not bar.live.is_started


def test_a_bar_that_appears_late_has_what_was_done(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(progress, "shows_progress", lambda: False)
    with progress.Progress("work", 3) as shown:
        shown.advance()
        with shown.aside():
            assert shown._bar is None
        shown._appear()
        assert shown._bar is not None and shown._bar.tasks[0].completed == 1
    shown = progress.Progress("work", 3)
    with shown:
        pass
    shown._appear()
    assert shown._bar is None, "the work has ended"


def test_no_bar_for_work_that_ends_before_it_appears(tmp_path: Path) -> None:
    (tmp_path / "a.mlir").write_text(GOOD)
    assert BAR not in run_on_terminal("verify", tmp_path).text


QUIET = [{"TERM": "dumb"}, {"NO_COLOR": "1"}, {"NO_COLOR": "1", "FORCE_COLOR": "1"}]


@pytest.mark.slow
@pytest.mark.parametrize("env", QUIET)
def test_no_bar_and_no_escape_sequence_on_a_dumb_terminal_and_without_colour(
    folder: Path, env: dict[str, str]
) -> None:
    shown = run_on_terminal("verify", folder, delay=0.0, env=env)
    assert BAR not in shown.text and "\x1b" not in shown.text and "\r" not in shown.text


@pytest.mark.parametrize("env", [{}, *QUIET])
def test_the_line_of_a_long_run(tmp_path: Path, env: dict[str, str]) -> None:
    """It is written over itself, where escape sequences are."""
    (tmp_path / "long.mlir").write_text(COUNTING)
    shown = run_on_terminal("run", tmp_path / "long.mlir", delay=0.0, env=env)
    assert shown.status == 0 and "1000" in shown.text
    assert ("\r\x1b[K" in shown.text, "running: " in shown.text) == (not env, not env)


DUMPS = Path(__file__).parents[2] / "testdata" / "dumps" / "classify"


@pytest.mark.parametrize("env", [{}, QUIET[0]])
@pytest.mark.parametrize(
    ("command", "line"),
    [
        (("blame", DUMPS, "-a", DUMPS / "inputs.npz"), "jit_classify: 0 of "),
        (("diff", "--stat", DUMPS), "0 dumps compared, 0 s"),
    ],
)
def test_the_lines_of_searches(command: tuple[object, ...], line: str, env: dict[str, str]) -> None:
    shown = run_on_terminal(*command, delay=0.0, env=env, columns=300)
    assert (line in shown.text, "\r\x1b[K" in shown.text) == (not env, not env)


@pytest.mark.parametrize(
    "options", ["--time", "--repeat 2", "--profile", "--profile-output p.html", "--trace"]
)
def test_no_line_beside_measurements_and_values(
    tmp_path: Path, options: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "long.mlir").write_text(COUNTING)
    given = ("--engine", "numpy", *options.split())
    shown = run_on_terminal("run", "long.mlir", *given, delay=0.0, env={"COLUMNS": "200"})
    assert shown.status == 0 and "\r" not in shown.text


@pytest.mark.parametrize("env", [{}, *QUIET])
def test_watching_clears_the_screen_where_the_cursor_moves(
    tmp_path: Path, env: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "a.mlir").write_text(GOOD)

    def interrupt(seconds: float) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(watch, "time", SimpleNamespace(strftime=time.strftime, sleep=interrupt))
    shown = run_on_terminal("verify", "--watch", tmp_path, env=env)
    assert "waiting for changes" in shown.text
    assert ("\x1b[2J" in shown.text, "\x1b" in shown.text) == (not env, not env)


def test_no_bar_in_a_pipe(shlo: Shlo, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(progress, "DELAY", 0.0)
    done = shlo("verify", folder)
    assert done.stderr == "" and BAR not in done.stdout


def test_errors_are_red_on_a_terminal(folder: Path) -> None:
    text = run_on_terminal("verify", folder / "b.mlir").text
    assert "\x1b[31m" in text and "; for more information, try `shlo explain abs.C1`" in text
    assert "\x1b" not in run_on_terminal("verify", folder / "b.mlir", env={"NO_COLOR": "1"}).text


@pytest.mark.parametrize(
    ("settings", "coloured"),
    [({}, False), ({"FORCE_COLOR": "1"}, True), ({"FORCE_COLOR": "1", "NO_COLOR": "1"}, False)],
)
def test_colours_in_a_pipe(shlo: Shlo, folder: Path, settings: dict[str, str], coloured: bool) -> None:
    inherited = {name: v for name, v in os.environ.items() if name not in ("NO_COLOR", "FORCE_COLOR")}
    done = shlo("verify", folder / "b.mlir", env={**inherited, **settings})
    assert ("\x1b[31m" in done.stdout) == coloured


@pytest.mark.parametrize("columns", [60, 200])
def test_excerpts_fit_the_terminal(tmp_path: Path, columns: int) -> None:
    path = tmp_path / "a.mlir"
    path.write_text(BAD.replace('"stablehlo.abs"(%arg0)', '"stablehlo.abs"(%arg0) {a = "' + "x" * 300 + '"}'))
    rows = run_on_terminal("verify", path, columns=columns, env={"NO_COLOR": "1"}).text.split("\n")
    (at,) = (i for i, row in enumerate(rows) if row.strip().startswith("^"))
    assert len(rows[at - 1]) <= columns and rows[at - 1].endswith("...")
    assert rows[at - 1][rows[at].index("^") :].startswith('"stablehlo.abs"')
