"""Nothing from a file reaches a terminal as it is: control and bidirectional characters are escaped."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from io import StringIO
from pathlib import Path

import pytest
from stablehlo_py.cli import common
from terminal import run_on_terminal  # beside this file

Shlo = Callable[..., "subprocess.CompletedProcess[str]"]

EVIL = "\x1b[2J\x07\u202e\u2066\x9b1m"
PROGRAMS = {
    "op": f'func.func @main() {{ "evil.{EVIL}"() : () -> () return }}',
    "target": 'func.func @main() { stablehlo.custom_call @"%s"() : () -> () return }',
    "attribute": 'func.func @main() attributes {a = "%s"} { %%0 = stablehlo.abs %%1 : tensor<f32> return }',
    "location": 'func.func @main() { "evil.op"() : () -> () loc("%s") return }',
    "function": 'func.func @"%s"() { return %%0 : tensor<f32> }',
    "text": "func.func @main() { %s }",
}
MLIR = "".join(f"\\{byte:02X}" for byte in EVIL.encode())  # as MLIR escapes it in a string


@pytest.mark.parametrize(
    ("env", "is_terminal", "coloured"),
    [
        ({"TERM": "xterm"}, True, True),
        ({"TERM": "xterm"}, False, False),
        ({}, True, True),
        ({"TERM": "dumb"}, True, False),
        ({"TERM": "dumb", "FORCE_COLOR": "1"}, True, True),
        ({"FORCE_COLOR": "1"}, False, True),
        ({"NO_COLOR": "1", "FORCE_COLOR": "1"}, True, False),
        ({"NO_COLOR": "", "TERM": "xterm"}, True, True),
    ],
)
def test_which_streams_get_colours(
    monkeypatch: pytest.MonkeyPatch, env: dict[str, str], is_terminal: bool, coloured: bool
) -> None:
    for name in ("TERM", "NO_COLOR", "FORCE_COLOR"):
        monkeypatch.delenv(name, raising=False)
    for name, value in env.items():
        monkeypatch.setenv(name, value)
    stream = StringIO()
    monkeypatch.setattr(stream, "isatty", lambda: is_terminal)
    assert common.is_coloured(stream) is coloured


COMMANDS = (
    "verify",
    "verify --format github",
    "lint",
    "lint --diff",
    "fmt",
    "fmt --diff",
    "inspect",
    "run",
    "run --explain",
    "graph --format dot",
)


def is_safe(text: str) -> bool:
    return not set("\x1b\x07\u202e\u2066\x9b\r").intersection(text)


@pytest.mark.parametrize("name", PROGRAMS)
@pytest.mark.parametrize("evil", [EVIL, MLIR], ids=["raw", "escaped"])
def test_text_output_is_escaped(shlo: Shlo, tmp_path: Path, name: str, evil: str) -> None:
    path = tmp_path / f"a{EVIL}.mlir"
    path.write_text(PROGRAMS[name].replace("%s", evil).replace("%%", "%"))
    for command in COMMANDS:
        if command in ("fmt", "fmt --diff", "lint --diff", "graph --format dot"):
            continue  # the program's own text, as it is, where the output is no terminal
        done = shlo(*command.split(), path)
        assert is_safe(done.stdout) and is_safe(done.stderr), command


@pytest.mark.parametrize("command", COMMANDS)
def test_terminals_get_no_escape_sequences(tmp_path: Path, command: str) -> None:
    path = tmp_path / f"a{EVIL}.mlir"
    path.write_text(PROGRAMS["attribute"].replace("%s", EVIL).replace("%%", "%"))
    done = run_on_terminal(*command.split(), path, env={"NO_COLOR": "1"})
    assert done.text and is_safe(done.text)


def test_styles_remain(tmp_path: Path) -> None:
    path = tmp_path / f"a{EVIL}.mlir"
    path.write_text(PROGRAMS["op"])
    done = run_on_terminal("verify", path)
    assert "\x1b[1m" in done.text and "\x1b[2J" not in done.text and "\\x1b[2J" in done.text


def test_names_that_are_not_utf_8(shlo: Shlo, tmp_path: Path) -> None:
    name = os.fsdecode(b"caf\xe9.mlir")
    (tmp_path / name).write_text("nothing")
    done = shlo("verify", name, cwd=tmp_path)
    assert done.stdout.startswith("caf\\xe9.mlir:1:1: error: ")


def test_errors_of_usage_are_escaped(shlo: Shlo) -> None:
    done = shlo("verify", f"no{EVIL}")
    assert done.returncode == 2 and is_safe(done.stderr)
    done = shlo("run", "x.mlir", "--engine", EVIL)
    assert done.returncode == 2 and is_safe(done.stderr)
