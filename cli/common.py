"""What the commands share: reading programs, and writing what was found."""

from __future__ import annotations

import json
import os
import shutil
import sys
from collections.abc import Sequence
from typing import Any, TextIO

import click
from stablehlo_py.cli import sources
from stablehlo_py.cli.sources import Text as Text
from stablehlo_py.cli.sources import encode as encode

import stablehlo_py as shlo
from stablehlo_py.diagnostics.render import Paint, diagnostic_text, unstyled
from stablehlo_py.diagnostics.render import counted as counted

FORMAT = click.option(
    "--format",
    "output",
    type=click.Choice(["text", "json"]),
    default="text",
    help="How to print what is found.",
)
VJP = click.option(
    "--vjp",
    type=click.IntRange(0),
    default=0,
    metavar="N",
    help="Take the N-th gradient that a jax.export container holds beside the function.",
)
UNREGISTERED = click.option(
    "--allow-unregistered", is_flag=True, help="Accept ops of unknown dialects, in their generic form."
)


def examples(*rows: tuple[str, str]) -> str:
    """The last part of a command's help: what is wanted, and the command that does it."""
    parts = [f"\b\n  # {purpose}\n  {command}" for purpose, command in rows]
    return "\n\n".join(["EXAMPLES", *parts])


def read(file: str, vjp: int = 0) -> Text:
    """The program in a file, or in standard input for `-`. Raises click's error if it cannot be read."""
    try:
        return sources.read(file, vjp)
    except OSError as error:
        raise click.ClickException(f"{file}: {error.strerror}") from None
    except sources.Unreadable as error:
        raise click.ClickException(f"{file}: {error}") from None


def nth(modules: Sequence[Text], number: int) -> Text:
    """The `number`-th of a file's modules, from 1. Raises click's error if there are not so many."""
    if number > len(modules):
        has = counted(len(modules), "module")
        raise click.UsageError(f"{modules[0].name} has {has}: --module is at most {len(modules)}")
    return modules[number - 1]


def write(text: str) -> None:
    """Prints a program's text, byte for byte."""
    sys.stdout.flush()
    sys.stdout.buffer.write(encode(text))


def diagnose(source: Text, allow_unregistered: bool) -> tuple[shlo.Module | None, list[shlo.Diagnostic]]:
    """The module of a text, if it can be built, and everything that parser and verifier say about it."""
    try:
        module = source.parse(allow_unregistered)
    except shlo.ParseError as error:
        return error.module, error.diagnostics
    return module, shlo.verify(module)


def find_errors(
    source: Text, allow_unregistered: bool = True
) -> tuple[shlo.Module | None, list[shlo.Diagnostic]]:
    """The module of a text, if it can be built, and what is wrong with it as a program to read.

    That the elements of constants were left out is not: it can be linted and inspected, and only not run.
    """
    module, diagnostics = diagnose(source, allow_unregistered)
    return module, [d for d in diagnostics if is_error(d) and d.code != "elided"]


def is_error(diagnostic: shlo.Diagnostic) -> bool:
    return diagnostic.severity == "error"


def print_diagnostics(source: Text, diagnostics: Sequence[shlo.Diagnostic], err: bool = False) -> None:
    """Prints diagnostics for people, on a terminal with colours unless NO_COLOR is set."""
    stream = sys.stderr if err else sys.stdout
    lines = source.text.split("\n") if diagnostics else []
    for diagnostic in diagnostics:
        row = diagnostic.line - source.first_line
        line = lines[row].rstrip("\r") if 0 <= row < len(lines) else ""
        text = diagnostic_text(source.name, diagnostic, line, width(stream), paint(stream))
        click.echo(speakable(text), file=stream, color=is_coloured(stream))


def is_coloured(stream: TextIO) -> bool:
    """Whether to print colours: NO_COLOR and FORCE_COLOR say, or else whether it is to a terminal."""
    if os.environ.get("NO_COLOR"):
        return False
    if os.environ.get("FORCE_COLOR"):
        return True
    return stream.isatty() and os.environ.get("TERM") != "dumb"


def paint(stream: TextIO) -> Paint:
    """What colours text for a stream."""
    return click.style if is_coloured(stream) else unstyled


def width(stream: TextIO | None = None) -> int:
    """Cells in a line: the terminal's, and 100 elsewhere."""
    stream = stream or sys.stdout
    return shutil.get_terminal_size().columns if stream.isatty() else 100


def speakable(text: str) -> str:
    """The text without the stray bytes that an output encoding would refuse."""
    return text.encode("utf-8", "replace").decode("utf-8")


def diagnostic_json(diagnostic: shlo.Diagnostic) -> dict[str, Any]:
    """A diagnostic as the JSON output has it."""
    return {
        "severity": diagnostic.severity,
        "code": diagnostic.code,
        "message": diagnostic.message,
        "line": diagnostic.line,
        "column": diagnostic.column,
        "end_column": diagnostic.end_column,
        "notes": list(diagnostic.notes),
        "origin": [frame._asdict() for frame in diagnostic.origin],
    }


def print_json(data: dict[str, Any], stream: TextIO | None = None) -> None:
    """Prints one object on one line."""
    click.echo(json.dumps(data, allow_nan=False), file=stream)
