"""What the commands share: reading programs, and writing what was found."""

from __future__ import annotations

import json
import os
import shutil
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import click

import stablehlo_py as shlo
from stablehlo_py.render import Paint, diagnostic_text, plain

FORMAT = click.option(
    "--format",
    "output",
    type=click.Choice(["text", "json"]),
    default="text",
    help="How to print what is found.",
)
UNREGISTERED = click.option(
    "--allow-unregistered", is_flag=True, help="Accept ops of unknown dialects, in their generic form."
)
FILES = click.argument("files", nargs=-1, required=True, metavar="FILE...")


class Text(NamedTuple):
    """A program's text and the name to call it by."""

    name: str
    text: str


def read(file: str) -> Text:
    """The text of a file, or of standard input for `-`. Raises click's error if it cannot be read."""
    if file == "-":
        return Text("<stdin>", _decode(sys.stdin.buffer.read()))
    try:
        return Text(file, _decode(Path(file).read_bytes()))
    except OSError as error:
        raise click.ClickException(f"{file}: {error.strerror}") from None


def read_all(files: Sequence[str]) -> list[Text]:
    """All the texts: a file that cannot be read stops a command before it has said anything."""
    return [read(file) for file in files]


def _decode(content: bytes) -> str:
    return content.decode("utf-8", "surrogateescape")


def encode(text: str) -> bytes:
    """The bytes of a program's text, those that are not UTF-8 included."""
    return text.encode("utf-8", "surrogateescape")


def write(text: str) -> None:
    """Prints a program's text, byte for byte."""
    sys.stdout.flush()
    sys.stdout.buffer.write(encode(text))


def diagnose(source: Text, allow_unregistered: bool) -> tuple[shlo.Module | None, list[shlo.Diagnostic]]:
    """The module of a text, and everything that parser and verifier say about it."""
    try:
        module = shlo.parse(source.text, source.name, allow_unregistered)
    except shlo.ParseError as error:
        return None, error.diagnostics
    return module, shlo.verify(module)


def is_error(diagnostic: shlo.Diagnostic) -> bool:
    return diagnostic.severity == "error"


def print_diagnostics(source: Text, diagnostics: Sequence[shlo.Diagnostic], err: bool = False) -> None:
    """Prints diagnostics for people, on a terminal with colours unless NO_COLOR is set."""
    lines = source.text.split("\n") if diagnostics else []
    paint, cells = _paint(err), width(err)
    for diagnostic in diagnostics:
        line = lines[diagnostic.line - 1].rstrip("\r") if 0 < diagnostic.line <= len(lines) else ""
        text = diagnostic_text(source.name, diagnostic, line, cells, paint)
        click.echo(_speakable(text), err=err, color=paint is not plain)


def _paint(err: bool) -> Paint:
    stream = sys.stderr if err else sys.stdout
    return click.style if stream.isatty() and not os.environ.get("NO_COLOR") else plain


def width(err: bool = False) -> int:
    """Cells in a line: the terminal's, and 100 elsewhere."""
    stream = sys.stderr if err else sys.stdout
    return shutil.get_terminal_size().columns if stream.isatty() else 100


def _speakable(text: str) -> str:
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
    }


def print_json(data: dict[str, Any]) -> None:
    """Prints one object on one line."""
    click.echo(json.dumps(data, allow_nan=False))


def counted(count: int, noun: str) -> str:
    """`1 error`, `2 errors`."""
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def summary(files: int, errors: int, warnings: int) -> str:
    """`2 errors and 1 warning in 3 files`."""
    parts = [counted(n, noun) for n, noun in ((errors, "error"), (warnings, "warning")) if n]
    return f"{' and '.join(parts) or 'no errors'} in {counted(files, 'file')}"


def each_diagnosis(
    sources: Sequence[Text], allow_unregistered: bool
) -> Iterator[tuple[Text, list[shlo.Diagnostic]]]:
    """Every text with everything that is to be said about it."""
    for source in sources:
        yield source, diagnose(source, allow_unregistered)[1]
