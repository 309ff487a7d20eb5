"""`--custom-call FILE`: targets of the user's own Python file, and host callbacks."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from stablehlo_py.kernels.targets import registry

Shlo = Callable[..., Any]
TARGET = "tests.doubled"
PROGRAM = f"""func.func @main(%a: tensor<f32>) -> tensor<f32> {{
  %0 = stablehlo.custom_call @{TARGET}(%a) : (tensor<f32>) -> tensor<f32>
  return %0 : tensor<f32>
}}
"""


@pytest.fixture(autouse=True)
def unregistered() -> Iterator[None]:
    yield
    registry._targets.pop(TARGET, None)


def test_targets_of_a_file(shlo: Shlo, tmp_path: Path) -> None:
    (tmp_path / "a.mlir").write_text(PROGRAM)
    code = f"import stablehlo_py as shlo\n@shlo.custom_call({TARGET!r})\ndef doubled(x): return x * 2\n"
    (tmp_path / "mine.py").write_text(code)
    done = shlo("run", tmp_path / "a.mlir", "--input", "2.0", "--custom-call", tmp_path / "mine.py")
    assert (done.returncode, done.stdout, done.stderr) == (0, "result 0: tensor<f32>\n  4.\n", "")


@pytest.fixture
def files(tmp_path: Path) -> list[str]:
    """The options that give a program what its target needs, after the program."""
    (tmp_path / "a.mlir").write_text(PROGRAM)
    code = f"import stablehlo_py as shlo\n@shlo.custom_call({TARGET!r})\ndef doubled(x): return x * 2\n"
    (tmp_path / "mine.py").write_text(code)
    return [str(tmp_path / "a.mlir"), "-a", "2.0", "--custom-call", str(tmp_path / "mine.py")]


def test_commands_that_run_programs_take_the_file(files: list[str], shlo: Shlo, tmp_path: Path) -> None:
    compared = shlo("compare", files[0], *files)
    assert compared.returncode == 0 and "equal" in compared.stdout
    extracted = shlo("extract", *files, "--op", "%0", "-o", tmp_path / "part.mlir")
    assert extracted.returncode == 0 and "custom_call" in (tmp_path / "part.mlir").read_text()
    graph = shlo("graph", *files, "--profile", "-o", tmp_path / "graph.html")
    assert (graph.returncode, graph.stderr) == (0, "")
    reduced = shlo("reduce", *files, "--while-matches", "4.")
    assert reduced.returncode == 0 and TARGET in reduced.stdout


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_processes_of_a_report_execute_the_file(
    jobs: str, files: list[str], shlo: Shlo, tmp_path: Path
) -> None:
    (tmp_path / "b.mlir").write_text(PROGRAM)
    done = shlo("report", *files, tmp_path / "b.mlir", "-j", jobs, "-o", tmp_path / "report.html")
    assert (done.returncode, done.stderr) == (0, "")
    assert "2 warnings in 2 programs" in done.stdout  # no other implementation has the target


@pytest.mark.parametrize(
    ("code", "message"),
    [
        ("\nimport nothing_here\n", "2: ModuleNotFoundError: No module named 'nothing_here'"),
        ("x = (", "1: SyntaxError: '(' was never closed"),
        ("import sys\nsys.exit()", "2: SystemExit"),
        ("def f():\n    raise ValueError('why')\n\n\nf()\n", "2: ValueError: why"),  # where it is raised
        (
            "import json\ndef f():\n    json.loads('{')\nf()\n",
            "3: json.decoder.JSONDecodeError: Expecting "
            "property name enclosed in double quotes: line 1 column 2 (char 1)",
        ),
    ],
)
def test_a_file_that_fails(code: str, message: str, shlo: Shlo, tmp_path: Path) -> None:
    (tmp_path / "a.mlir").write_text(PROGRAM)
    (tmp_path / "mine.py").write_text(code)
    done = shlo("run", tmp_path / "a.mlir", "--input", "2.0", "--custom-call", tmp_path / "mine.py")
    assert done.returncode == 2 and done.stderr.endswith(f"mine.py:{message}\n")


def test_a_host_callback_is_a_warning(shlo: Shlo, tmp_path: Path) -> None:
    call = "stablehlo.custom_call @xla_python_cpu_callback(%a) {has_side_effect = true}"
    op = f"  {call} : (tensor<f32>) -> ()\n"
    (tmp_path / "a.mlir").write_text(f"func.func @main(%a: tensor<f32>) {{\n{op * 2}  return\n}}")
    done = shlo("run", tmp_path / "a.mlir", "--input", "2.0")
    assert done.returncode == 0 and done.stderr.count("warning: skipped a host callback") == 1


def test_a_target_that_ends_the_process_is_no_success(shlo: Shlo, tmp_path: Path) -> None:
    (tmp_path / "a.mlir").write_text(PROGRAM)
    code = f"import sys\nimport stablehlo_py as shlo\n@shlo.custom_call({TARGET!r})\ndef f(x): sys.exit(0)\n"
    (tmp_path / "mine.py").write_text(code)
    done = shlo("run", tmp_path / "a.mlir", "--input", "2.0", "--custom-call", tmp_path / "mine.py")
    assert (done.returncode, done.stdout) == (1, "")
    assert f"@{TARGET} called sys.exit(0)" in done.stderr
