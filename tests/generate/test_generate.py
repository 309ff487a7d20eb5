"""Drawn programs: valid, of the ops that are asked for, the same for the same seed; and their fuzzing."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import stablehlo_py as shlo
from stablehlo_py.debug.generate import fuzz as fuzzing
from stablehlo_py.debug.generate.fuzz import Report, fuzz
from stablehlo_py.debug.generate.programs import Request, generate

Shlo = Callable[..., "subprocess.CompletedProcess[str]"]


def names(program: Any) -> set[str]:
    return {op.name for op in program.module.walk()}


def test_programs_are_valid_and_of_the_size() -> None:
    for number in range(20):
        drawn = generate(3, number, Request(ops=20))
        assert shlo.verify(drawn.module) == []
        assert 20 <= sum(1 for _ in drawn.module.walk()) < 200


def test_the_same_numbers_give_the_same_program() -> None:
    first, again, other = (generate(3, number) for number in (5, 5, 6))
    assert shlo.format(first.module) == shlo.format(again.module) != shlo.format(other.module)
    assert all(map(np.array_equal, first.arguments, again.arguments))


def test_only_some_ops() -> None:
    only = frozenset({"stablehlo.add", "stablehlo.transpose", "stablehlo.reduce_window"})
    allowed = only | {"builtin.module", "func.func", "func.return", "stablehlo.constant"}
    assert all(names(generate(1, number, Request(only=only))) <= allowed for number in range(5))


def test_regions_are_nested_as_deep_as_asked_for() -> None:
    flows = {"stablehlo.while", "stablehlo.if", "stablehlo.case", "func.call"}
    assert not any(names(generate(2, n, Request(ops=30, depth=0))) & flows for n in range(10))
    assert any(names(generate(2, n, Request(ops=30))) & flows for n in range(10))


def test_files_of_programs_run(shlo: Shlo, tmp_path: Path) -> None:
    done = shlo("generate", "--count", "2", "--seed", "4", "-o", str(tmp_path))
    assert done.returncode == 0
    assert sorted(path.name for path in tmp_path.iterdir()) == ["0.mlir", "0.npz", "1.mlir", "1.npz"]
    done = shlo("run", str(tmp_path / "0.mlir"), "-a", str(tmp_path / "0.npz"), "--print", "summary")
    assert done.returncode == 0, done.stderr
    printed = shlo("generate", "--seed", "4")
    assert printed.stdout == (tmp_path / "0.mlir").read_text()
    liked = shlo("generate", "--like", str(tmp_path / "0.mlir"), "--seed", "9")
    assert liked.returncode == 0 and shlo("generate", "--count", "2").returncode == 2


def test_equal_engines_agree(shlo: Shlo, tmp_path: Path) -> None:
    options = ("--engine", "numpy", "--engine", "auto", "-o", str(tmp_path))
    done = shlo("fuzz", *options, "--count", "3")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "3 programs" in done.stdout
    again = shlo("fuzz", *options, "--count", "2", "--format", "json")
    assert json.loads(again.stdout)["programs"] == 5
    assert shlo("fuzz", *options, "--seed", "1").returncode == 2


@pytest.mark.parametrize(
    ("fault", "op", "cause"),
    [
        ("results = [r + 1 if r.dtype != bool else ~r for r in results]", True, "results differ"),
        (
            "raise StablehloError('7 things are wrong: stablehlo.add')",
            "stablehlo.add",
            "things are",
        ),
        ("__import__('os')._exit(3)", "", "the process ended with status"),
    ],
)
def test_a_faulty_engine_is_found(
    fault: str, op: str | bool, cause: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The worker of one engine is replaced by one with a fault."""
    worker = Path(fuzzing.__file__).with_name("worker.py").read_text()
    line = "    raw = ["
    assert line in worker
    broken = tmp_path / "broken.py"
    broken.write_text(
        worker.replace(line, f"    if engine == 'auto':\n        {fault}\n{line}")
        .replace("    except StablehloError", "    except ZeroDivisionError")
        .replace("        answer = run(", "        try:\n            answer = run(")
        .replace(
            '.npz")\n', '.npz")\n        except StablehloError as error:\n            answer = str(error)\n'
        )
    )
    start = fuzzing.Worker.__init__

    def with_fault(self: Any, engine: str, *rest: Any) -> None:
        start(self, engine, *rest)
        self._command[1:3] = [str(broken)]

    monkeypatch.setattr(fuzzing.Worker, "__init__", with_fault)
    report = Report(("numpy", "auto"), 2, Request(ops=8))
    groups = [group for group in fuzz(report, 3, tmp_path) if group is not None]
    assert len(groups) == 3
    assert cause in groups[0].cause
    assert groups[0].op if op is True else groups[0].op == op
    assert Report.from_json(json.loads(json.dumps(report.to_json()))) == report
