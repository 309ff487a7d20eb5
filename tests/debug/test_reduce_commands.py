"""Commands as the check of a reduction: which ends of a process make a program interesting."""

from __future__ import annotations

import shlex
import sys

import pytest

import stablehlo_py as shlo
from stablehlo_py.debug.reduce.candidate import Candidate
from stablehlo_py.debug.reduce.checks import Command, crashes, matches

TEXT = "func.func @main(%a: tensor<f32>) -> tensor<f32> { return %a : tensor<f32> }"
OUT, ERR = "print('internal error')", "import sys; sys.stderr.write('internal error')"
ENDS = ["pass", "raise SystemExit(1)", OUT, ERR, "import os; os.kill(os.getpid(), 15)"]


@pytest.mark.parametrize(
    ("options", "interesting"),
    [
        ({}, [True, False, True, True, False]),  # success is asked for
        ({"crash": True}, [False, False, False, True, True]),  # a signal, or the message as an error
        ({"text": "internal err"}, [False, False, True, True, False]),  # either output
        ({"text": ""}, [True] * 5),  # any output has no text
        ({"text": "other", "crash": True}, [False] * 5),  # a text is stronger
    ],
)
def test_ends_of_a_command(options: dict[str, object], interesting: list[bool]) -> None:
    candidate = Candidate(shlo.parse(TEXT), ())
    for code, expected in zip(ENDS, interesting, strict=True):
        command = shlex.join([sys.executable, "-S", "-E", "-c", code, "{}"])
        assert Command(command, **options)(candidate) is expected, code  # type: ignore[arg-type]


@pytest.mark.parametrize("options", [{}, {"crash": True}, {"text": ""}])
def test_a_command_that_takes_too_long_is_not_interesting(options: dict[str, object]) -> None:
    check = Command("sh -c 'exec sleep 120' {}", 0.05, **options)  # type: ignore[arg-type]
    assert check(Candidate(shlo.parse(TEXT), ())) is False


def test_a_command_has_a_place_for_the_program() -> None:
    with pytest.raises(ValueError, match=r"the command has no \{\}, which stands for the file"):
        Command("true {inputs}")
    assert Command("test -s {}").name == "test -s {}"
    assert Command("test -s {}").suspect(Candidate(shlo.parse(TEXT), ())) is None


def test_commands_of_engines() -> None:
    run = f"{shlex.quote(sys.executable)} -m stablehlo_py run '{{}}' --input '{{inputs}}' --engine native"
    for check in (crashes("native", 60, ()), matches("a text", "native")):
        assert check.name == run
    for check in (crashes("native", 5.0, ["--seed", "1 2"]), matches("a", "native", 5.0, ["--seed", "1 2"])):
        assert check.name == f"{run} --seed '1 2'"
