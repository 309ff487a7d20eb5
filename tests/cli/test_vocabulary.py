"""One vocabulary of options: which command has which option, and why not where it has not.

The table is written by hand: an option that a command gets or loses is an edit here, with a reason for each
absence.
"""

from __future__ import annotations

from typing import NamedTuple

import click
import pytest
from stablehlo_py.cli.main import cli

TOLERANCES = ("--rtol", "--atol", "--ulp")
INPUTS = ("-a", "--random")
READING = ("--dim", "--vjp")
PROGRAM = (*INPUTS, *READING, "--custom-call", "--engine", "--entry")
OPTIONS = (*TOLERANCES, *INPUTS, *READING, "--custom-call", "--replicas", "--engine", "--entry")

NO_RUN = "runs no program"
NOTHING_COMPARED = "compares no results"
ONE_NUMBER = "an error is one number for a result, not one for each element"
STATED_GRID = "runs on the process grid that the module states"
NUMPY_ALONE = "needs the values and times of single ops, which engine numpy has"
OWN_PROGRAMS = "draws its programs and inputs: static shapes, one function, no custom calls"
AS_THEY_ARE = "is about files as they are: opt --dim and convert --vjp make others of them"
IN_A_PAGE = {"--replicas": STATED_GRID, "--engine": NUMPY_ALONE}


class Row(NamedTuple):
    """What a command has, and why it does not have the rest.

    Attributes:
        has: The options.
        why: The reasons for the absence of some options.
        otherwise: The reason for the absence of all others.
    """

    has: tuple[str, ...]
    why: dict[str, str] = {}
    otherwise: str = ""


TABLE = {
    "run": Row(OPTIONS),
    "compare": Row((*TOLERANCES, *PROGRAM), {"--replicas": STATED_GRID}),
    "reduce": Row((*TOLERANCES, *PROGRAM), {"--replicas": STATED_GRID}),
    "extract": Row(
        (*INPUTS, *READING, "--custom-call", "--entry"),
        {**dict.fromkeys(TOLERANCES, NOTHING_COMPARED), "--replicas": STATED_GRID, "--engine": NUMPY_ALONE},
    ),
    "precision": Row(
        ("--rtol", *PROGRAM),
        {"--atol": ONE_NUMBER, "--ulp": ONE_NUMBER, "--replicas": STATED_GRID},
    ),
    "blame": Row(
        ("--rtol", *INPUTS, "--engine"),
        {
            "--atol": ONE_NUMBER,
            "--ulp": ONE_NUMBER,
            "--dim": "XLA compiles static shapes, and its dumps have them",
            "--vjp": "convert --vjp makes a file of the gradient first",
            "--custom-call": "dumps call targets of XLA",
            "--replicas": "dumps are run as one process",
            "--entry": "a dump has one entry computation",
        },
    ),
    "graph": Row((*TOLERANCES, *INPUTS, *READING, "--custom-call", "--entry"), IN_A_PAGE),
    "report": Row(
        (*TOLERANCES, *INPUTS, "--custom-call", "--entry"),
        {**IN_A_PAGE, **dict.fromkeys(READING, AS_THEY_ARE)},
    ),
    "fuzz": Row(("--engine",), dict.fromkeys(TOLERANCES, "each type has its own tolerance"), OWN_PROGRAMS),
    "inspect": Row((*READING, "--entry"), otherwise=NO_RUN),
    "build": Row((*READING, "--entry"), otherwise=NO_RUN),
    "opt": Row(("--dim",), {"--vjp": "convert --vjp makes a file of the gradient first"}, NO_RUN),
    "convert": Row(("--vjp",), otherwise=NO_RUN),
    "hash": Row(("--vjp",), otherwise=NO_RUN),
    "verify": Row((), otherwise=NO_RUN),
    "lint": Row((), otherwise=NO_RUN),
    "fmt": Row((), otherwise=NO_RUN),
    "diff": Row((), otherwise=NO_RUN),
    "generate": Row((), otherwise=NO_RUN),
    "explain": Row((), otherwise=NO_RUN),
    "lsp": Row((), otherwise=NO_RUN),
    "grammar": Row((), otherwise=NO_RUN),
    "completion": Row((), otherwise=NO_RUN),
}


def _options(name: str) -> set[str]:
    command = cli.get_command(click.Context(cli), name)
    assert command is not None
    return {option for each in command.params for option in each.opts}


def test_all_commands_are_in_the_table() -> None:
    assert set(TABLE) == set(cli.list_commands(click.Context(cli)))


@pytest.mark.parametrize("name", sorted(TABLE))
def test_options(name: str) -> None:
    assert [option for option in OPTIONS if option in _options(name)] == [
        option for option in OPTIONS if option in TABLE[name].has
    ]


@pytest.mark.parametrize("name", sorted(TABLE))
def test_each_absence_has_a_reason(name: str) -> None:
    has, why, otherwise = TABLE[name]
    assert not set(has) & set(why)
    assert [option for option in OPTIONS if option not in has and not why.get(option, otherwise)] == []
