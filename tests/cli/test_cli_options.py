"""Options, their aliases, kinds and defaults are those of `options.txt`, read beside the documents.

A line has the spellings of an option, what it takes, and its default: `N 1..` is an integer from 1 on, `...`
an option that may be given several times, `?` one whose value may be left out.
"""

from __future__ import annotations

import re
import runpy
from pathlib import Path

import click
import pytest
from stablehlo_py.cli.main import cli

COMMANDS = cli.list_commands(click.Context(cli))
EXPECTED = {
    name: lines.splitlines()
    for name, _, lines in (
        part.partition("\n") for part in Path(__file__).with_name("options.txt").read_text().split("\n\n")
    )
}


def parameters(name: str) -> list[click.Parameter]:
    command = cli.get_command(click.Context(cli), name)
    assert command is not None
    return command.params


def described(each: click.Parameter) -> str:
    """A line of `options.txt`."""
    facts = each.to_info_dict()
    words = ["/".join([", ".join(each.opts), *each.secondary_opts])]
    if isinstance(each, click.Argument):
        words[0] = each.opts[0].upper()
    if facts.get("is_flag"):
        return " ".join([*words, *(["= True"] if facts["default"] is True else [])])
    words.append(kind(each.type))
    words += ["?"] if isinstance(each, click.Option) and each._flag_needs_value else []
    words += ["..."] if each.multiple or each.nargs == -1 else []
    words += [f"x{each.nargs}"] if each.nargs > 1 else []
    words += ["required"] if each.required and isinstance(each, click.Option) else []
    words += ["optional"] if not each.required and isinstance(each, click.Argument) else []
    words += [f"= {facts['default']}"] if facts["default"] not in (None, "", ()) else []
    return " ".join(words)


def kind(type: click.ParamType) -> str:
    """What an option takes."""
    if isinstance(type, click.Choice):
        return "|".join(type.choices)
    if isinstance(type, click.IntRange | click.FloatRange):
        what = "N" if isinstance(type, click.IntRange) else type.name
        least, most = ("" if bound is None else f"{bound:g}" for bound in (type.min, type.max))
        return f"{what} {'>' if type.min_open else ''}{least}..{'<' if type.max_open else ''}{most}"
    if isinstance(type, click.Path):
        facts = (("exists", type.exists), ("no file", not type.file_okay), ("no folder", not type.dir_okay))
        return " ".join(["path", *(text for text, holds in facts if holds)])
    return type.name


def test_commands() -> None:
    assert list(EXPECTED) == COMMANDS


@pytest.mark.parametrize("name", COMMANDS)
def test_options(name: str) -> None:
    assert [described(each) for each in parameters(name)] == EXPECTED[name]


@pytest.mark.parametrize("name", COMMANDS)
def test_help_states_the_defaults(name: str) -> None:
    for each in parameters(name):
        stated = re.search(r"\(default: ([\w.\-]+)\)", getattr(each, "help", None) or "")
        default = each.to_info_dict()["default"]
        if stated is not None and default is not None:
            assert type(default)(stated[1]) == default, each.opts


def test_man_pages_have_the_help_and_the_examples() -> None:
    pages = runpy.run_path("docs/man_pages.py")["pages"]()
    assert set(pages) == {"shlo.1", *(f"shlo-{name}.1" for name in COMMANDS)}
    for name, text in pages.items():
        assert text == Path("packaging/man", name).read_text(), name
