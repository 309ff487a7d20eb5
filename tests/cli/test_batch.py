"""Common behavior of commands over many files."""

from __future__ import annotations

import itertools
import os
import signal
from pathlib import Path

import pytest
from stablehlo_py.cli import batch
from stablehlo_py.cli.batch import Options, check_paths, size
from stablehlo_py.cli.file_options import FileOptions
from stablehlo_py.cli.reports import Tool
from stablehlo_py.cli.results import FileResult, ModuleResult
from stablehlo_py.cli.sources import Text

import stablehlo_py as shlo
from stablehlo_py.reports.rules import Rule

TOOL = Tool("test", lambda code: Rule(code, code, code), lambda code: f"more on {code}")


def look(text: Text) -> ModuleResult:
    """Finds what the text of a file asks for."""
    match text.text.strip():
        case "die":
            os.kill(os.getpid(), signal.SIGKILL)
        case "raise":
            raise RecursionError("too deep")
        case "fill":
            raise MemoryError
        case "wrong":
            return ModuleResult(diagnostics=[shlo.Diagnostic("error", "w", "wrong", text.first_line, 1)])
    return ModuleResult(functions=1, ops=2)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for name, text in {
        "a": "good",
        "b": "die",
        "c": "raise",
        "d": "fill",
        "e": "good\n// -----\nwrong",
    }.items():
        (tmp_path / f"{name}.mlir").write_text(text)
    return tmp_path


def test_a_process_that_dies_loses_its_file_only(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert check_paths(["."], look, TOOL, Options(FileOptions(jobs=2), no_cache=True)) == 1
    lines = capsys.readouterr().out.splitlines()
    found = [line for line in lines if ".mlir" in line]
    assert found[0] == "b.mlir: error: worker process was killed by SIGKILL (out of memory?)"
    assert found[1].startswith("c.mlir:1:1: error: internal error: RecursionE")
    assert found[2] == "d.mlir:1:1: error: out of memory"
    assert found[3] == "e.mlir:3:1: error: wrong"
    assert lines[-1].startswith("4 errors in 5 files (6 modules, 2 functions, 4 ops, ")


@pytest.mark.parametrize("jobs", [1, 2])
def test_results_are_observed(folder: Path, jobs: int, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "b.mlir").unlink()
    results: list[FileResult] = []
    options = Options(FileOptions(jobs=jobs), quiet=True, no_cache=True)
    assert check_paths(["a.mlir", "e.mlir"], look, TOOL, options, results.append) == 1
    assert capsys.readouterr().out == ""
    assert [(result.file, len(result.modules)) for result in results] == [("a.mlir", 1), ("e.mlir", 2)]


def test_no_errors_is_status_0(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert check_paths(["a.mlir"], look, TOOL, Options(no_cache=True)) == 0


@pytest.mark.parametrize("no_cache", [True, False])
def test_the_cache_is_bounded_after_it_is_used(
    no_cache: bool, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls: list[None] = []
    monkeypatch.setattr(batch.result_cache, "trim", lambda: calls.append(None))
    check_paths(["a.mlir"], look, TOOL, Options(no_cache=no_cache))
    assert len(calls) == (not no_cache)


def test_size_is_of_functions_and_their_ops() -> None:
    module = shlo.parse("""
        func.func @f(%a: tensor<f32>) -> tensor<f32> {
          %0 = "stablehlo.while"(%a) ({
          ^bb0(%x: tensor<f32>):
            %c = stablehlo.constant dense<true> : tensor<i1>
            stablehlo.return %c : tensor<i1>
          }, {
          ^bb0(%x: tensor<f32>):
            stablehlo.return %x : tensor<f32>
          }) : (tensor<f32>) -> tensor<f32>
          return %0 : tensor<f32>
        }
        func.func private @g()
    """)
    assert size(module) == (2, 5)


def test_the_time_of_a_module_is_that_of_its_check(monkeypatch: pytest.MonkeyPatch) -> None:
    """A clock that shows one second more each time it is read."""
    clock = itertools.count(1000.0)
    monkeypatch.setattr(batch, "perf_counter", lambda: next(clock))
    for text in ("good", "raise"):
        assert batch._check_module(look, Text("a.mlir", text)).seconds == 1
