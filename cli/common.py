"""Helpers shared by all commands: reading programs, and printing diagnostics and JSON."""

from __future__ import annotations

import json
import os
import re
import shutil
import sys
from collections.abc import Callable, Mapping, Sequence
from functools import wraps
from pathlib import Path
from typing import Any, TextIO

import click
from stablehlo_py.cli import sources
from stablehlo_py.cli.sources import Allowed as Allowed
from stablehlo_py.cli.sources import Text as Text
from stablehlo_py.cli.sources import encode as encode

import stablehlo_py as shlo
from stablehlo_py.diagnostics.render import Paint, diagnostic_text, escaped, underlined, unstyled
from stablehlo_py.diagnostics.render import counted as counted
from stablehlo_py.storage.files import OutputFiles, is_device

FORMAT = click.option(
    "--format",
    "output",
    type=click.Choice(["text", "json"]),
    default="text",
    help="Output format (default: text).",
)
VJP = click.option(
    "--vjp",
    type=click.IntRange(0),
    default=0,
    metavar="N",
    help="Select the N-th gradient of a jax.export container.",
)
ENTRY = click.option(
    "--entry", metavar="NAME", help="The name of the function (default: @main, or the only function)."
)
_DIM = re.compile(r"([^=]+)=(\d+)")


def _sizes(context: click.Context, parameter: click.Parameter, given: tuple[str, ...]) -> dict[str, int]:
    """Parse NAME=SIZE; several are separated by commas. Raises click's error for another text."""
    sizes: dict[str, int] = {}
    for text in (part for each in given for part in each.split(",")):
        match = _DIM.fullmatch(text)
        if match is None:
            raise click.BadParameter(f"{text}: expected NAME=SIZE, such as b=4")
        if sizes.setdefault(match[1].strip(), int(match[2])) != int(match[2]):
            raise click.BadParameter(f"{match[1]} has two sizes")
    return sizes


DIMS = click.option(
    "--dim",
    "dims",
    multiple=True,
    metavar="NAME=SIZE",
    callback=_sizes,
    help="Specialize a dynamic program: the size of a symbol of jax.export, such as b=4, or of an "
    "argument as INPUT.AXIS=SIZE.",
)
UNREGISTERED = click.option(
    "--allow-unregistered", is_flag=True, help="Accept ops of unregistered dialects, in generic form."
)
NEWER = click.option(
    "--allow-newer",
    is_flag=True,
    help="Accept ops of StableHLO that are newer than this release, in generic form.",
)


def output_file(about: str) -> Callable[[Callable[..., int]], Callable[..., int]]:
    """Return a decorator that adds `--output`, passed as `target`; `about` is its help."""
    path = click.Path(path_type=Path, dir_okay=False)
    return click.option("-o", "--output", "target", type=path, metavar="OUT", help=about)


def allowing(command: Callable[..., int]) -> Callable[..., int]:
    """Add --allow-unregistered and --allow-newer to a command, passed to it together as `allowed`."""

    @wraps(command)
    def with_options(allow_unregistered: bool, allow_newer: bool, **given: Any) -> int:
        return command(allowed=Allowed(allow_unregistered, allow_newer), **given)

    return UNREGISTERED(NEWER(with_options))


_OTHERS = Allowed(unregistered=True)


def examples(*rows: tuple[str, str]) -> str:
    """Format the EXAMPLES section of a command's help from (purpose, command line) rows."""
    parts = [f"\b\n  # {purpose}\n  {command}" for purpose, command in rows]
    return "\n\n".join(["EXAMPLES", *parts])


def read(file: str, vjp: int = 0) -> Text:
    """Read a program from a file, or standard input for `-`; raise ClickException if it cannot be read."""
    try:
        return sources.read(file, vjp)
    except OSError as error:
        raise click.ClickException(f"{file}: {error.strerror}") from None
    except sources.Unreadable as error:
        raise click.ClickException(f"{file}: {error}") from None


def nth(modules: Sequence[Text], number: int) -> Text:
    """Return the `number`-th module of a file, counted from 1; raise UsageError if out of range."""
    if number > len(modules):
        has = counted(len(modules), "module")
        raise click.UsageError(f"--module {number} is out of range: {modules[0].name} has {has}")
    return modules[number - 1]


def write(text: str) -> None:
    """Print a program's text, byte for byte unless on a terminal."""
    if sys.stdout.isatty():
        echo(text, nl=False)
        return
    sys.stdout.flush()
    sys.stdout.buffer.write(encode(text.replace(_STYLE, "\x1b")))


PROGRAM_SUFFIXES = {".mlir": "text", ".mlirbc": "bytecode", ".bc": "portable", ".hlo": "hlo"}
PAGE = {".html": "html", ".htm": "html"}
PAGE_OR_JSON = {**PAGE, ".json": "json"}
"""The formats of a page by suffix."""


def format_of(target: str | None, formats: Mapping[str, str], default: str, option: str = "") -> str:
    """Return the format that the suffix of an output selects; raise UsageError for an unknown suffix.

    Args:
        target: The output, or None.
        formats: The formats by suffix.
        default: The format of outputs without a suffix, devices and pipes.
        option: The option that selects a format whatever the suffix, or "".
    """
    suffix = Path(target).suffix.lower() if target is not None else ""
    if target is not None and suffix and suffix not in formats and not is_device(target):
        *names, last = formats
        other = f", or {option}" if option else ""
        expected = f"{', '.join(names)} or {last}{other}"
        raise click.UsageError(f"{target}: unknown suffix {suffix}; expected {expected}")
    return formats.get(suffix, default)


def refuse_terminal(target: str | None) -> None:
    """Raise UsageError if HTML would be printed to a terminal."""
    if target is None and sys.stdout.isatty():
        raise click.UsageError("refusing to print HTML to a terminal: use -o OUT or redirect the output")


def write_report(text: str, target: str | None, outputs: OutputFiles) -> None:
    """Write a report to a file, or print it if there is no target."""
    if target is None:
        write(text)
        return
    with outputs.open(target) as stream:
        stream.write(text.encode("utf-8", "replace"))


# In styled text, stands for the escape character, which text from a file cannot contain.
_STYLE = f"\ufdd0{os.urandom(8).hex()}\ufdd1"


_say: Callable[[str, str], None] | None = None


def lost(file: str, why: str) -> str:
    """Return the message for a file that could not be processed."""
    return f"{file}: {why}"


def say_by(function: Callable[[str, str], None] | None) -> None:
    """Let a function print messages, given a text and the name of a stream; None: this process alone does."""
    global _say
    _say = function


def is_said_by_all() -> bool:
    """Test whether messages of this process are printed together with those of others."""
    return _say is not None


def echo(text: object = "", file: TextIO | None = None, err: bool = False, nl: bool = True) -> None:
    """Print text. What a terminal would obey is escaped, except the styles of `paint`."""
    stream = file or (sys.stderr if err else sys.stdout)
    parts = [escaped(part) for part in str(text).split(_STYLE)]
    if _say is not None and stream is sys.stderr:
        _say("\x1b".join(parts) + "\n" * nl, "stderr")
    else:
        click.echo("\x1b".join(parts), file=stream, nl=nl, color=is_coloured(stream))


def say(text: str) -> None:
    """Print text to standard output, once where several processes of the system say the same."""
    if _say is not None:
        _say(escaped(text) + "\n", "stdout")
    else:
        echo(text)


def diagnose(
    source: Text, allowed: Allowed, strict: bool = False
) -> tuple[shlo.Module | None, list[shlo.Diagnostic]]:
    """Parse and verify a text: the module (None if it cannot be built) and all diagnostics."""
    try:
        module = source.parse(allowed)
    except shlo.ParseError as error:
        return error.module, error.diagnostics
    return module, shlo.verify(module, strict)


def find_errors(
    source: Text, allowed: Allowed = _OTHERS, strict: bool = False
) -> tuple[shlo.Module | None, list[shlo.Diagnostic]]:
    """Parse and verify a text: the module (None if it cannot be built) and its errors.

    Elided constants are not among the errors: such a program can be linted and inspected, but not run.
    """
    module, diagnostics = diagnose(source, allowed, strict)
    return module, [d for d in diagnostics if is_error(d) and d.code != "elided"]


def specialized(
    module: shlo.Module, dims: Mapping[str, int]
) -> tuple[shlo.Module | None, list[shlo.Diagnostic]]:
    """Specialize a module for the sizes of --dim.

    Returns:
        The module, and diagnostics; None with errors. Raises UsageError for an unknown dimension.
    """
    if not dims:
        return module, []
    try:
        return shlo.specialize(module, dims), []
    except ValueError as error:
        raise click.UsageError(f"--dim: {error}") from None
    except shlo.TransformError as error:
        return None, error.diagnostics


def is_error(diagnostic: shlo.Diagnostic) -> bool:
    """Test whether a diagnostic is an error."""
    return diagnostic.severity == "error"


def print_diagnostics(source: Text, diagnostics: Sequence[shlo.Diagnostic], err: bool) -> None:
    """Print diagnostics as text, in colour where the stream supports it."""
    stream = sys.stderr if err else sys.stdout
    lines = source.text.split("\n") if diagnostics else []
    for diagnostic in diagnostics:
        line = _line(lines, diagnostic.line - source.first_line)
        echo(diagnostic_text(source.name, diagnostic, line, width(stream), paint(stream)), stream)


def is_coloured(stream: TextIO) -> bool:
    """Test whether to print colours: NO_COLOR and FORCE_COLOR decide, otherwise only terminals get them."""
    if os.environ.get("NO_COLOR"):
        return False
    if os.environ.get("FORCE_COLOR"):
        return True
    return stream.isatty() and os.environ.get("TERM") != "dumb"


def moves_cursor(stream: TextIO) -> bool:
    """Test whether to print escape sequences that move the cursor: on terminals, unless NO_COLOR is set."""
    return stream.isatty() and os.environ.get("TERM") != "dumb" and not os.environ.get("NO_COLOR")


def paint(stream: TextIO) -> Paint:
    """Return the function that styles text for a stream."""
    return _styled if is_coloured(stream) else unstyled


def _styled(text: str, **style: Any) -> str:
    return click.style(text.replace("\x1b", "\\x1b"), **style).replace("\x1b", _STYLE)


def width(stream: TextIO | None = None) -> int:
    """Return the line width in cells: the terminal's, or 100 where there is none."""
    stream = stream or sys.stdout
    return shutil.get_terminal_size().columns if stream.isatty() else 100


def speakable(text: str) -> str:
    """Replace undecodable bytes, which an output encoding would refuse."""
    return text.encode("utf-8", "replace").decode("utf-8")


def diagnostics_json(source: Text, diagnostics: Sequence[shlo.Diagnostic]) -> list[dict[str, Any]]:
    """Convert diagnostics about a text to their JSON form."""
    lines = source.text.split("\n") if diagnostics else []
    return [diagnostic_json(d, _line(lines, d.line - source.first_line)) for d in diagnostics]


def _line(lines: Sequence[str], row: int) -> str:
    return lines[row].rstrip("\r") if 0 <= row < len(lines) else ""


def diagnostic_json(diagnostic: shlo.Diagnostic, line: str = "") -> dict[str, Any]:
    """Convert a diagnostic to its JSON form; `line` is its source line, which has the end of the word."""
    return {
        "severity": diagnostic.severity,
        "code": diagnostic.code,
        "message": diagnostic.message,
        "line": diagnostic.line,
        "column": diagnostic.column,
        "end_column": underlined(line, diagnostic) if line and diagnostic.column else diagnostic.end_column,
        "notes": list(diagnostic.notes),
        "origin": [frame._asdict() for frame in diagnostic.origin],
    }


def print_json(data: dict[str, Any], stream: TextIO | None = None) -> None:
    """Print an object as JSON on one line."""
    click.echo(json.dumps(data, allow_nan=False), file=stream)
