"""Commands that change files: refusing those that cannot be written, showing the change, writing it."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from pathlib import Path

import click
from stablehlo_py.cli import common, sources
from stablehlo_py.cli.sources import Text

_SEPARATOR = "// -----\n"


def refuse(files: Sequence[str], option: str) -> None:
    """Raises click's error if an option that writes files is given one that it cannot write."""
    for file in files:
        if file == sources.STDIN:
            raise click.UsageError(f"{option}: standard input cannot be written")
        match sources.format_of(file):
            case "gzip":
                raise click.UsageError(f"{option}: {file} is packed by gzip; unpack it first")
            case "bytecode" | "jax.export":
                raise click.UsageError(f"{option}: {file} is no text; `shlo fmt {file}` prints it as text")


def joined(texts: list[str]) -> str:
    """The modules of a file, with a separator between them."""
    return f"\n{_SEPARATOR}\n".join(texts).strip("\n") + "\n" if len(texts) > 1 else texts[0]


def replace(path: Path, text: str) -> None:
    """Replaces a file's content: all of it, or nothing if that fails."""
    import shutil

    path = path.resolve()
    written = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        written.write_bytes(sources.encode(text))
        shutil.copymode(path, written)
        written.replace(path)
    finally:
        written.unlink(missing_ok=True)


_COLOURS = {"+": "green", "-": "red", "@": "cyan"}


def print_difference(source: Text, changed: str, how: str) -> None:
    """Prints a unified diff from the text as it is to the `how` text, in colours on a terminal."""
    from difflib import unified_diff

    paint = common.paint(sys.stdout)
    before, after = source.text.splitlines(keepends=True), changed.splitlines(keepends=True)
    for row in unified_diff(before, after, source.name, f"{source.name} ({how})"):
        line = row if row.endswith("\n") else f"{row}\n\\ No newline at end of file\n"
        common.write(paint(line, fg=_COLOURS[row[0]]) if row[0] in _COLOURS else line)
