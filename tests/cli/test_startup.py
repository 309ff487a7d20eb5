"""What a command imports: help and cached results need neither NumPy, Lark, rich nor the op set."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from uuid import uuid4

import pytest
from stablehlo_py.cli.main import _COMMANDS

HEAVY = {"lark", "ml_dtypes", "numpy", "rich", "stablehlo_py.opset"}
SCRIPT = """
import contextlib, io, json, sys
commands = json.loads(sys.argv[1])
sys.argv = ["shlo"]
from stablehlo_py.cli.main import run_command
found = []
for arguments in commands:
    with contextlib.redirect_stdout(io.StringIO()):
        status = run_command(arguments)
    found.append([arguments, status, sorted(sys.modules)])
print(json.dumps(found))
"""


def imports(*commands: Sequence[str]) -> list[tuple[list[str], set[str]]]:
    """Commands that run one after the other in a process of their own, with the modules imported by then."""
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, json.dumps(commands)],
        capture_output=True,
        text=True,
        check=True,
        timeout=300,
    )
    found = json.loads(done.stdout)
    assert [status for _, status, _ in found] == [0] * len(commands), done.stderr
    return [(arguments, set(modules)) for arguments, _, modules in found]


def imported_by(*arguments: str) -> set[str]:
    ((_, modules),) = imports(arguments)
    return modules


def test_help_imports_no_numpy_and_no_op_set() -> None:
    for arguments, modules in imports(["--version"], ["--help"], *[(name, "--help") for name in _COMMANDS]):
        assert not modules & HEAVY, arguments


@pytest.mark.parametrize("option", ["--version", "--help"])
def test_the_version_and_the_commands_are_shown_without_what_reads_programs(option: str) -> None:
    ours = {name for name in imported_by(option) if name.partition(".")[0] == "stablehlo_py"}
    within = ("", ".cli", ".cli.main", ".ir", ".ir.printing", ".ir.version")
    assert ours <= {f"stablehlo_py{name}" for name in within}


def test_a_cached_result_needs_no_parser(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if os.environ.get("SHLO_CACHE_DIR") == "":  # an environment without a cache
        monkeypatch.setenv("SHLO_CACHE_DIR", str(tmp_path / "cache"))
    program = tmp_path / "program.mlir"
    new = f"// {uuid4()}\n"  # its result is not cached, while the parser's tables are
    program.write_text(new + "func.func @main(%x: tensor<f32>) -> tensor<f32> { return %x : tensor<f32> }")
    config = tmp_path / "pyproject.toml"
    config.write_text("[tool.shlo.verify]\nstrict = true\n")
    command = ("verify", "--config", str(config), str(program))
    assert "stablehlo_py.opset" in imported_by(*command)
    assert not imported_by(*command) & HEAVY


def test_a_check_imports_no_lint_rules_and_no_engine(tmp_path: Path) -> None:
    program = tmp_path / "program.mlir"
    program.write_text("func.func @main(%x: tensor<f32>) -> tensor<f32> { return %x : tensor<f32> }")
    unneeded = {"stablehlo_py.linter.catalogue", "stablehlo_py.engines", "stablehlo_py.artifacts.dialects"}
    assert not imported_by("verify", "--no-cache", str(program)) & unneeded


def test_the_package_imports_the_division_of_programs_on_first_use() -> None:
    program = "import sys, stablehlo_py; stablehlo_py.analyze_devices; print(*sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=300
    )
    loaded = set(done.stdout.split())
    assert "stablehlo_py.api.devices" in loaded
    assert not {name for name in loaded if name.startswith("stablehlo_py.sharding.")}
