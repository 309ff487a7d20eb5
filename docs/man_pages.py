"""The man pages of `shlo` and its commands, from the help of the commands.

python docs/man_pages.py writes packaging/man/*.1; with --check, says which of them are not current.
"""

from __future__ import annotations

import inspect
import sys
from collections.abc import Iterator
from pathlib import Path

import click
from stablehlo_py.cli.main import cli

import stablehlo_py

FOLDER = Path(__file__).parent.parent / "packaging" / "man"


def pages() -> dict[str, str]:
    """Return the text of each page, by the name of its file."""
    context = click.Context(cli, info_name="shlo", **cli.context_settings)
    commands = {name: cli.get_command(context, name) for name in cli.list_commands(context)}
    found = {"shlo.1": page(cli, context, list(commands))}
    for name, command in commands.items():
        if command is not None:
            inner = click.Context(command, info_name=name, parent=context)
            found[f"shlo-{name}.1"] = page(command, inner, [])
    return found


def page(command: click.Command, context: click.Context, commands: list[str]) -> str:
    """Return a page in roff, with the macros of man(7)."""
    return "\n".join(_lines(command, context, commands)) + "\n"


def _lines(command: click.Command, context: click.Context, commands: list[str]) -> Iterator[str]:
    title = context.command_path.replace(" ", "-")
    paragraphs = inspect.cleandoc(command.help or "").split("\n\n")
    yield f'.TH "{title.upper()}" "1" "" "stablehlo-py {stablehlo_py.__version__}" "StableHLO"'
    yield from [".SH NAME", f"{_text(title)} \\- {_text(' '.join(paragraphs[0].split()).removesuffix('.'))}"]
    yield from [".SH SYNOPSIS", f"\\fB{_text(context.command_path)}\\fR {_text(_usage(command, context))}"]
    yield ".SH DESCRIPTION"
    for paragraph in paragraphs:
        yield from _paragraph(paragraph)
    yield ".SH OPTIONS"
    for parameter in command.get_params(context):
        record = parameter.get_help_record(context)
        if record and record[1]:
            yield from [".TP", f"\\fB{_text(record[0])}\\fR", _text(record[1])]
    if commands:
        yield ".SH COMMANDS"
        for name in commands:
            inner = cli.get_command(context, name)
            summary = inner.get_short_help_str(100) if inner else ""
            yield from [".TP", f"\\fBshlo\\-{name}\\fR(1)", _text(summary)]
    for paragraph in inspect.cleandoc(command.epilog or "").split("\n\n"):
        yield from [".SH EXAMPLES"] if paragraph == "EXAMPLES" else _paragraph(paragraph)


def _usage(command: click.Command, context: click.Context) -> str:
    return " ".join(command.collect_usage_pieces(context))


def _paragraph(paragraph: str) -> Iterator[str]:
    """Yield a paragraph; the lines of one with click's mark `\\b` stay as they are."""
    if paragraph.startswith("\b\n"):
        yield from [".PP", ".nf", *map(_text, paragraph.removeprefix("\b\n").split("\n")), ".fi"]
    elif paragraph:
        yield from [".PP", *map(_text, paragraph.split("\n"))]


def _text(words: str) -> str:
    """Return text in which roff finds no request, escape or hyphen of its own."""
    escaped = words.replace("\\", "\\e").replace("-", "\\-").replace("`", "\\(ga").replace("'", "\\(aq")
    return f"\\&{escaped}" if escaped.startswith(".") else escaped


def main() -> int:
    """Write the pages, or check them."""
    current = pages()
    old = {path.name for path in FOLDER.glob("*.1")}
    if "--check" in sys.argv[1:]:
        stale = sorted(old - current.keys())
        stale += [name for name, text in current.items() if name not in old or _read(name) != text]
        for name in stale:
            print(f"packaging/man/{name} is not current: run python docs/man_pages.py")
        return int(bool(stale))
    FOLDER.mkdir(exist_ok=True)
    for name in old - current.keys():
        (FOLDER / name).unlink()
    for name, text in current.items():
        (FOLDER / name).write_text(text, encoding="utf-8")
    return 0


def _read(name: str) -> str:
    return (FOLDER / name).read_text(encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main())
