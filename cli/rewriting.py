"""Rewriting files in place: check that they can be written, print a diff, replace them atomically."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

import click
from stablehlo_py.cli import common, sources
from stablehlo_py.cli.sources import Text

from stablehlo_py.storage.files import is_special, replacing

_SEPARATOR = "// -----\n"


def refuse(files: Sequence[str], option: str) -> None:
    """Raise UsageError if an option that rewrites files is given one that cannot be written."""
    for file in files:
        if file == sources.STDIN:
            raise click.UsageError(f"{option} cannot be used with standard input")
        if is_special(file):
            raise click.UsageError(f"{option}: {file} is not a regular file")
        match sources.format_of(file):
            case "gzip":
                raise click.UsageError(f"{option}: {file} is compressed with gzip; decompress it first")
            case "bytecode" | "jax.export":
                raise click.UsageError(f"{option}: {file} is not text; convert it with `shlo fmt {file}`")


def joined(texts: list[str]) -> str:
    """Join the modules of a file with separators."""
    return f"\n{_SEPARATOR}\n".join(texts).strip("\n") + "\n" if len(texts) > 1 else texts[0]


def replace(path: Path, text: str) -> None:
    """Replace the content of a file atomically."""
    with replacing(path) as stream:
        stream.write(sources.encode(text))


_COLOURS = {"+": "green", "-": "red", "@": "cyan"}


def print_difference(source: Text, changed: str, how: str) -> None:
    """Print a unified diff to the changed text, which is labelled `how`, in colour on a terminal."""
    from difflib import unified_diff

    paint = common.paint(sys.stdout)
    before, after = source.text.splitlines(keepends=True), changed.splitlines(keepends=True)
    for row in unified_diff(before, after, source.name, f"{source.name} ({how})"):
        line = row if row.endswith("\n") else f"{row}\n\\ No newline at end of file\n"
        common.write(paint(line, fg=_COLOURS[row[0]]) if row[0] in _COLOURS else line)
