"""`shlo run`: times, profiles, traces, probes and NaN search."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np
import pytest

Shlo = Callable[..., "subprocess.CompletedProcess[str]"]

LOOP = """func.func @main(%x: tensor<3xf32>) -> tensor<3xf32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %five = stablehlo.constant dense<5> : tensor<i32>
  %step = stablehlo.constant dense<1.0> : tensor<3xf32>
  %0:2 = stablehlo.while(%i = %zero, %a = %x) : tensor<i32>, tensor<3xf32>
  cond {
    %p = stablehlo.compare LT, %i, %five : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %next = stablehlo.add %i, %one : tensor<i32>
    %b = stablehlo.subtract %a, %step : tensor<3xf32>
    %c = stablehlo.sqrt %b : tensor<3xf32> loc("model.py":40:7)
    %d = stablehlo.multiply %c, %c : tensor<3xf32>
    stablehlo.return %next, %d : tensor<i32>, tensor<3xf32>
  }
  return %0#1 : tensor<3xf32>
}
"""
GOOD = ("-a", "dense<[10.0, 11.0, 12.0]> : tensor<3xf32>")
BAD = ("-a", "dense<[10.0, 3.5, 12.0]> : tensor<3xf32>")


@pytest.fixture
def loop(tmp_path: Path) -> Path:
    path = tmp_path / "loop.mlir"
    path.write_text(LOOP)
    return path


def as_json(done: subprocess.CompletedProcess[str]) -> Any:
    return json.loads(done.stdout)


def test_time(shlo: Shlo, loop: Path) -> None:
    begin = perf_counter()
    done = shlo("run", loop, *GOOD, "--engine", "numpy", "--time", "--repeat", "3")
    assert done.returncode == 0
    assert [line.split()[0] for line in done.stdout.splitlines()[:5]] == [
        "parse",
        "verify",
        "compile",
        "run",
        "warm",
    ]
    assert "minimum of 3 runs" in done.stdout and "median, engine numpy at the end" in done.stdout
    times = as_json(
        shlo("run", loop, *GOOD, "--engine", "numpy", "--time", "--repeat", "3", "--format", "json")
    )["time"]
    assert times["min"] == min(times["warm"]) and times["median"] == sorted(times["warm"])[1]
    assert times["engines"] == {"run": "numpy", "warm": "numpy"}
    assert len(times["warm"]) == 3 and all(
        0 < times[phase] < perf_counter() - begin for phase in ("parse", "verify", "compile", "run")
    )


def test_profile(shlo: Shlo, loop: Path, tmp_path: Path) -> None:
    done = shlo("run", loop, *GOOD, "--profile", "--profile-output", tmp_path / "events.json")
    assert done.returncode == 0 and "\x1b" not in done.stdout
    sqrt = next(line for line in done.stdout.splitlines() if "sqrt" in line)
    assert sqrt.split()[2] == "5" and "model.py:40 %c" in sqrt
    assert "by op name" in done.stdout
    assert "result 0" not in done.stdout  # who asks for a report gets that
    events = json.loads((tmp_path / "events.json").read_text())["traceEvents"]
    assert sum(event["name"] == "sqrt" for event in events) == 5


def test_profile_as_json(shlo: Shlo, loop: Path) -> None:
    data = as_json(shlo("run", loop, *GOOD, "--profile", "--format", "json"))
    rows = {row["name"]: row for row in data["profile"]["ops"]}
    assert (rows["sqrt"]["calls"], rows["sqrt"]["flops"], rows["sqrt"]["bytes"]) == (5, 15, 5 * 24)
    assert data["results"][0]["data"] == pytest.approx([5, 6, 7], rel=1e-5)


def test_results_are_printed_as_well_if_that_is_asked_for(shlo: Shlo, loop: Path) -> None:
    done = shlo("run", loop, *GOOD, "--time", "--print", "full")
    assert "result 0" in done.stdout and "compile" in done.stdout


def test_trace(shlo: Shlo, loop: Path) -> None:
    lines = shlo("run", loop, *GOOD, "--trace").stdout.splitlines()
    assert len(lines) == 6 + 5 * 4 + 2  # conditions, bodies, and the two results of the loop
    assert lines[0].split()[:5] == ["8", "[0]", "%p", "=", "compare"]
    assert "%b = subtract : tensor<3xf32>  9 .. 11, mean 10" in lines[2]
    bad = shlo("run", loop, *BAD, "--trace").stdout
    assert "(1 NaN)" in bad
    rows = as_json(shlo("run", loop, *GOOD, "--trace", "--format", "json"))["trace"]
    assert [row["iterations"] for row in rows if row["value"] == "%c"] == [[k] for k in range(5)]


def test_probes(shlo: Shlo, loop: Path, tmp_path: Path) -> None:
    folder = tmp_path / "probes"
    done = shlo("run", loop, *GOOD, "--probe", "%b", "--probe", "sq*", "--probe-dir", folder)
    assert (done.returncode, "result 0" in done.stdout) == (0, True)
    assert "5 arrays of %b, line 12 (stablehlo.subtract)" in done.stderr
    assert sorted(path.name for path in folder.iterdir()) == ["main.b.npz", "main.c.npz"]
    with np.load(folder / "main.b.npz") as arrays:
        assert arrays["iteration_0"].tolist() == [9, 10, 11]
    (probed, _) = as_json(
        shlo("run", loop, *GOOD, "--probe", "%b", "--probe", "sq*", "--probe-dir", folder, "--format", "json")
    )["probes"]
    assert (probed["value"], probed["arrays"], probed["file"]) == ("%b", 5, str(folder / "main.b.npz"))


def test_probes_that_match_nothing(shlo: Shlo, loop: Path, tmp_path: Path) -> None:
    done = shlo("run", loop, *GOOD, "--probe", "tanh", "--probe-dir", tmp_path / "probes")
    assert done.returncode == 0 and "no executed op matches tanh" in done.stderr


def test_nan_check(shlo: Shlo, loop: Path) -> None:
    done = shlo("run", loop, *BAD, "--nan-check")
    assert (done.returncode, done.stdout) == (1, "")
    first, *rest = done.stderr.splitlines()
    assert first == f"{loop}:13:10: error: stablehlo.sqrt produces a NaN: %c is nan at [1]"
    assert rest[0].strip().startswith("%c = stablehlo.sqrt")
    notes = "\n".join(rest[2:])
    assert "%b is -0." in notes and "in iteration 3 of the loop" in notes and "model.py:40:7" in notes
    good = shlo("run", loop, *GOOD, "--nan-check")
    assert good.returncode == 0 and "no NaN or infinity" in good.stderr and "result 0" in good.stdout


def test_the_op_that_makes_a_nan_is_traced(shlo: Shlo, loop: Path) -> None:
    done = shlo("run", loop, *BAD, "--nan-check", "--trace", "--format", "json")
    last = json.loads(done.stdout)["trace"][-1]
    assert (last["value"], last["iterations"]) == ("%c", [3])


def test_nan_check_as_json(shlo: Shlo, loop: Path) -> None:
    done = shlo("run", loop, *BAD, "--nan-check", "--format", "json")
    data = as_json(done)
    assert done.returncode == 1 and "results" not in data
    assert (data["diagnostics"][0]["line"], data["diagnostics"][0]["code"]) == (13, "nan")
    made = data["nan_check"]["found"]
    assert (made["value"], made["index"], made["iterations"], made["element"]) == ("%c", [1], [3], "nan")
    good = as_json(shlo("run", loop, *GOOD, "--nan-check", "--format", "json"))
    assert good["nan_check"] == {"ops": 26, "found": None}


def test_all_at_once(shlo: Shlo, loop: Path, tmp_path: Path) -> None:
    options = (
        "--time",
        "--profile",
        "--trace",
        "--nan-check",
        "--probe",
        "sqrt",
        "--probe-dir",
        tmp_path / "p",
    )
    data = as_json(shlo("run", loop, *GOOD, *options, "--format", "json"))
    assert {"results", "time", "profile", "trace", "nan_check", "probes"} <= data.keys()


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--probe", "%b"], "--probe-dir"),
        (["--rtol", "1"], "--check-against"),
        (["--repeat", "2", "--trace"], "--trace"),
        (["--module", "2"], "1 module"),
        (["--check-against", "nothing.npz"], "nothing.npz"),
    ],
)
def test_options_that_do_not_go_together(shlo: Shlo, loop: Path, options: list[str], words: str) -> None:
    done = shlo("run", loop, *GOOD, *options)
    assert (done.returncode, done.stdout) == (2, "")
    assert words in done.stderr and "Traceback" not in done.stderr


@pytest.mark.parametrize("option", [["--profile"], ["--shadow", "f64"], ["--ranges"]])
@pytest.mark.parametrize(
    "location",
    [
        '"src/model.py":146:7',
        json.dumps(json.dumps({"stack_trace": 'File "/src/model.py", line 146, in forward\n    x'})),
    ],
    ids=["with a column", "without a column"],
)
def test_lines_of_models(shlo: Shlo, tmp_path: Path, option: list[str], location: str) -> None:
    program = tmp_path / "m.mlir"
    program.write_text(
        "func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {\n"
        f"  %0 = stablehlo.exponential %a : tensor<4xf32> loc({location})\n  return %0 : tensor<4xf32>\n}}\n"
    )
    done = shlo("run", program, "--random", "0", *option)
    assert done.returncode == 0, done.stderr
    (line,) = [line for line in done.stdout.splitlines() if "model.py" in line]
    assert "model.py:146" in line and "146:7" not in line and "src" not in line
