"""Rewriting files in place: check that they can be written, print a diff, replace them atomically."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import click
from stablehlo_py.cli import common, sources
from stablehlo_py.cli.sources import Text

from stablehlo_py.diagnostics.alignment import Run, align
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


_CONTEXT = 3  # lines around changes in a diff
_COLOURS = {"+": "green", "-": "red", "@": "cyan"}


def print_difference(source: Text, changed: str, how: str) -> None:
    """Print a unified diff to the changed text, which is labelled `how`, in colour on a terminal."""
    paint = common.paint(sys.stdout)
    before, after = source.text.splitlines(keepends=True), changed.splitlines(keepends=True)
    for row in _unified(before, after, source.name, f"{source.name} ({how})"):
        line = row if row.endswith("\n") else f"{row}\n\\ No newline at end of file\n"
        common.write(paint(line, fg=_COLOURS[row[0]]) if row[0] in _COLOURS else line)


def _unified(before: list[str], after: list[str], name: str, other: str) -> Iterator[str]:
    """Yield the rows of a unified diff with three lines of context, aligned in linear time."""
    runs = list(align(before, after))
    gaps = [run for run in runs if not run.is_equal]
    if gaps:
        yield from (f"--- {name}\n", f"+++ {other}\n")
    hunks: list[list[Run]] = []
    for gap in gaps:
        if hunks and gap.start - hunks[-1][-1].end <= 2 * _CONTEXT:
            hunks[-1].append(gap)
        else:
            hunks.append([gap])
    for hunk in hunks:
        at, end = max(hunk[0].start - _CONTEXT, 0), min(hunk[-1].end + _CONTEXT, len(before))
        other_at = hunk[0].other_start - (hunk[0].start - at)
        other_end = hunk[-1].other_end + (end - hunk[-1].end)
        yield f"@@ -{_range(at, end)} +{_range(other_at, other_end)} @@\n"
        for gap in hunk:
            yield from (f" {line}" for line in before[at : gap.start])
            yield from (f"-{line}" for line in before[gap.start : gap.end])
            yield from (f"+{line}" for line in after[gap.other_start : gap.other_end])
            at = gap.end
        yield from (f" {line}" for line in before[at:end])


def _range(start: int, end: int) -> str:
    """Return the lines of a hunk: the first and how many, or the line before an empty range."""
    if end - start == 1:
        return str(start + 1)
    return f"{start + (end > start)},{end - start}"
