"""`shlo fuzz`: how many programs it asks for, what it writes and prints, and how a report is continued."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from stablehlo_py.cli import fuzz
from stablehlo_py.cli.main import run_command

import stablehlo_py as shlo
from stablehlo_py.debug.fuzz.fuzz import Find
from stablehlo_py.debug.fuzz.report import Group, Report
from stablehlo_py.debug.generate.programs import Program, Request
from stablehlo_py.debug.reduce.candidate import candidate_of

PAIR = ("--engine", "numpy", "--engine", "native")
TEXT = """func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = stablehlo.sine %x : tensor<2xf32>
  return %0 : tensor<2xf32>
}
"""


class Fuzzing:
    """In the place of engines: of the programs, those with the numbers in `wrong` differ, in one group."""

    def __init__(self) -> None:
        self.asked: list[tuple[Report, int, Path]] = []
        self.wrong: dict[int, bool] = {}
        self.results = 2
        self.pages: list[str] = []

    def __call__(self, report: Report, count: int, journal: Path) -> Iterator[Find | None]:
        self.asked.append((report, count, journal))
        for _ in range(min(count, 41)):
            number, find = report.programs, None
            if number in self.wrong:
                find = self._find(report, number)
            report.programs += 1
            report.results += self.results
            yield find
            page = journal.with_name("fuzz.md")
            self.pages.append(page.read_text().split(" programs")[0].split("\n")[-1] if page.exists() else "")

    def _find(self, report: Report, number: int) -> Find:
        drawn = Program("main", shlo.parse(TEXT), (), (), (np.ones(2, np.float32),))
        if not report.groups:
            report.groups = [
                Group(
                    "stablehlo.sine", "results differ", ("stablehlo.sine",), 0, number, "1 and 2\nmore", TEXT
                ),
                Group("", "native: an error", (), 1200, 7, "e" * 300, TEXT),
            ]
        report.groups[0].count += 1
        reduced = candidate_of(drawn.module, drawn.arguments, "main") if self.wrong[number] else None
        return Find(report.groups[0], drawn, reduced, is_new=report.groups[0].count == 1)


@pytest.fixture
def fuzzing(monkeypatch: pytest.MonkeyPatch) -> Fuzzing:
    made = Fuzzing()
    monkeypatch.setattr("stablehlo_py.debug.fuzz.fuzz.fuzz", made)
    return made


Run = Callable[..., int]


@pytest.fixture
def run(tmp_path: Path, fuzzing: Fuzzing) -> Run:
    return lambda *options: run_command(["fuzz", *PAIR, "-o", str(tmp_path / "a" / "found"), *options])


@pytest.mark.parametrize(
    ("options", "count", "programs"),
    [
        ((), 1000, 41),
        (("--count", "3"), 3, 3),
        (("--time", "3600"), 1 << 62, 41),
        (("--time", "0"), 1 << 62, 1),  # the time is over after the first
        (("--time", "0", "--count", "5"), 5, 1),
    ],
)
def test_how_many_programs(
    run: Run, fuzzing: Fuzzing, options: tuple[str, ...], count: int, programs: int
) -> None:
    assert run(*options) == 0
    (report, asked, journal) = fuzzing.asked[0]
    assert (asked, report.programs, journal.name) == (count, programs, "fuzz.journal")
    assert (report.engines, report.seed, report.request) == (("numpy", "native"), 0, Request())


def test_the_report_is_written_with_each_find_and_every_twenty_programs(run: Run, fuzzing: Fuzzing) -> None:
    fuzzing.wrong = {24: False}
    assert run() == 1
    assert fuzzing.pages == [""] * 19 + ["20"] * 5 + ["25"] * 15 + ["40"] * 2


def test_what_is_printed(
    run: Run, fuzzing: Fuzzing, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    fuzzing.wrong, fuzzing.results = {1: True, 2: True}, 1000
    assert run("--count", "4") == 1
    folder = tmp_path / "a" / "found"
    assert capsys.readouterr().out.splitlines() == [
        "4 programs, 4,000 results on numpy and native",
        "   1,200  -: native: an error",
        f"          program 7: {'e' * 200}",
        "       2  stablehlo.sine: results differ",
        "          program 1: 1 and 2",
        f"the report is {folder / 'fuzz.md'}; the programs are beside it",
    ]
    names = sorted(path.name for path in folder.iterdir())
    program = "1_stablehlo.sine"
    files = [f"{program}{end}" for end in (".drawn.mlir", ".drawn.npz", ".mlir", ".npz")]
    assert names == [*files, "fuzz.json", "fuzz.md"]
    for end in (".drawn", ""):
        assert "stablehlo.sine" in (folder / f"{program}{end}.mlir").read_text()
        assert [x.tolist() for x in np.load(folder / f"{program}{end}.npz").values()] == [[1, 1]]


def test_a_find_that_was_not_reduced_and_one_that_is_not_new(
    run: Run, fuzzing: Fuzzing, tmp_path: Path
) -> None:
    fuzzing.wrong = {0: False, 1: True}
    assert run("--count", "2") == 1
    names = {path.name for path in (tmp_path / "a" / "found").iterdir()}
    assert names == {"0_stablehlo.sine.drawn.mlir", "0_stablehlo.sine.drawn.npz", "fuzz.json", "fuzz.md"}


def test_engines_that_agree_on_nothing(
    run: Run, fuzzing: Fuzzing, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run("--count", "2") == 0
    assert capsys.readouterr().out == "2 programs, 4 results on numpy and native\n"
    fuzzing.results = 0
    assert run("--seed", "0", "--count", "1") == 0, "the report that is continued has results"
    assert capsys.readouterr().out == "3 programs, 4 results on numpy and native\n"


def test_no_results_are_a_failure(run: Run, fuzzing: Fuzzing) -> None:
    fuzzing.results = 0
    assert run("--count", "2") == 1


def test_a_report_is_continued(
    run: Run, fuzzing: Fuzzing, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    fuzzing.wrong = {1: True, 4: True}
    assert run("--count", "3", "--ops", "5") == 1
    capsys.readouterr()
    assert run("--count", "3", "--ops", "5", "--format", "json") == 1
    state = tmp_path / "a" / "found" / "fuzz.json"
    printed = json.loads(capsys.readouterr().out)
    assert printed == json.loads(state.read_text())
    assert (printed["programs"], printed["results"], printed["groups"][0]["count"]) == (6, 12, 2)
    assert state.read_text().startswith('{\n "engines": [')


@pytest.mark.parametrize(
    ("options", "engine"), [(("--seed", "1"), "native"), (("--ops", "6"), "native"), ((), "pjrt")]
)
def test_a_report_of_other_programs(
    run: Run, tmp_path: Path, options: tuple[str, ...], engine: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run("--count", "1") == 0
    state = tmp_path / "a" / "found" / "fuzz.json"
    state.write_text(state.read_text().replace('"native"', f'"{engine}"'))
    assert run(*options) == 2
    assert "fuzz.json is of other engines or programs; choose another folder" in capsys.readouterr().err


@pytest.mark.parametrize("text", ["{", "{}", "[]", '{"request": {"only": null}}'])
def test_a_file_that_is_no_report(
    run: Run, tmp_path: Path, text: str, capsys: pytest.CaptureFixture[str]
) -> None:
    state = tmp_path / "a" / "found" / "fuzz.json"
    state.parent.mkdir(parents=True)
    state.write_text(text)
    assert run("--count", "1") == 2
    assert f"{state}: not a report of shlo fuzz" in capsys.readouterr().err
    assert state.read_text() == text


def test_what_is_found_is_kept_when_it_stops(
    run: Run, fuzzing: Fuzzing, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(report: Report, count: int, journal: Path) -> Iterator[Any]:
        report.programs += 3
        yield None
        raise KeyboardInterrupt

    monkeypatch.setattr("stablehlo_py.debug.fuzz.fuzz.fuzz", interrupted)
    assert run() == 130
    assert json.loads((tmp_path / "a" / "found" / fuzz.STATE).read_text())["programs"] == 3
