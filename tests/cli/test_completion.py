"""Completion in shells, and the help of every command."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from stablehlo_py.cli.main import cli
from terminal import MAIN

Shlo = Callable[..., Any]


@pytest.fixture
def tools(tmp_path: Path) -> Path:
    """A folder with `shlo` in it."""
    script = tmp_path / "shlo"
    script.write_text(f"#!{sys.executable} -P\n{MAIN}\n")
    script.chmod(0o755)
    return tmp_path


def complete(shlo: Shlo, *words: str) -> list[str]:
    """What bash is offered for the last word, each as `type,value`."""
    settings = {"_SHLO_COMPLETE": "bash_complete", "COMP_WORDS": " ".join(("shlo", *words))}
    done = shlo(env={**os.environ, **settings, "COMP_CWORD": str(len(words))})
    assert done.returncode == 0 and done.stderr == ""
    found: list[str] = done.stdout.split()
    return found


def test_words(shlo: Shlo) -> None:
    assert complete(shlo, "ver") == ["plain,verify"]
    assert complete(shlo, "completion", "z") == ["plain,zsh"]
    assert "plain,--max-errors" in complete(shlo, "verify", "--m")
    assert complete(shlo, "verify", "--format", "s") == ["plain,sarif"]
    assert complete(shlo, "explain", "dot_g") == ["plain,dot_general"]
    assert complete(shlo, "explain", "chlo.top") == ["plain,chlo.top_k"]
    assert "plain,C12" in complete(shlo, "explain", "dot_general", "c1")
    assert complete(shlo, "verify", "mod") == ["file,mod"]


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_scripts(shlo: Shlo, tools: Path, shell: str) -> None:
    done = shlo("completion", shell)
    assert done.returncode == 0 and "_SHLO_COMPLETE" in done.stdout
    program = shutil.which(shell)
    if program:
        parsed = subprocess.run(
            [program, "-n"], input=done.stdout, text=True, check=False, capture_output=True
        )
        assert (parsed.returncode, parsed.stderr) == (0, "")


def test_bash_completes(tools: Path) -> None:
    """The script, evaluated in bash as a user's start-up file does."""
    if not shutil.which("bash"):
        pytest.skip("needs bash")
    steps = (
        'eval "$(shlo completion bash)"; COMP_WORDS=(shlo explain dot_g); COMP_CWORD=2; '
        '_shlo_completion shlo; echo "${COMPREPLY[@]}"'
    )
    path = f"{tools}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        ["bash", "-c", steps], env={**os.environ, "PATH": path}, capture_output=True, text=True, check=False
    )
    assert done.stdout == "dot_general\n", done.stderr


def test_an_unknown_shell(shlo: Shlo) -> None:
    done = shlo("completion", "tcsh")
    assert done.returncode == 2 and "'bash', 'zsh', 'fish'" in done.stderr


@pytest.mark.parametrize("name", ["verify", "explain", "completion"])
def test_help_has_examples(shlo: Shlo, name: str) -> None:
    done = shlo(name, "--help", env={**os.environ, "COLUMNS": "80"})
    _, _, examples = done.stdout.partition("\n  EXAMPLES\n")
    assert f"    shlo {name}" in examples or f"| shlo {name}" in examples or f"(shlo {name}" in examples
    assert max(map(len, done.stdout.splitlines())) <= 80


def test_help_of_all(shlo: Shlo) -> None:
    done = shlo("--help", env={**os.environ, "COLUMNS": "80"})
    assert "\n  EXAMPLES\n" in done.stdout and "shlo verify model.mlir" in done.stdout


def test_every_command_says_what_it_does() -> None:
    context = cli.make_context("shlo", [], resilient_parsing=True)
    for name in cli.list_commands(context):
        command = cli.get_command(context, name)
        assert command is not None and command.help and command.name == name
