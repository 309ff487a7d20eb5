"""`shlo diff`: compare two programs op by op."""

from __future__ import annotations

import sys
from dataclasses import asdict
from typing import TYPE_CHECKING

import click
from stablehlo_py.cli import common, sources

import stablehlo_py as shlo

if TYPE_CHECKING:
    from stablehlo_py.debug.compare_programs import ProgramDifference


_COLOURS = {"-": "red", "+": "green", "~": "yellow"}
_EXAMPLES = common.examples(
    ("Compare exports before and after an upgrade", "shlo diff before.mlir after.mlir"),
    ("Compare a file with the output of a script", "python export.py | shlo diff model.mlir -"),
)


@click.command("diff", epilog=_EXAMPLES)
@click.argument("first", metavar="A")
@click.argument("second", metavar="B")
@common.NEWER
@common.FORMAT
def command(first: str, second: str, allow_newer: bool, output: str) -> int:
    """Compare programs A and B: list the ops and functions removed, added or changed.

    Value names, locations, comments and explicit default attributes are ignored; the order of ops is not.
    Exit status: 0 if the programs are equal, 1 if they differ or one cannot be parsed, 2 on a usage error.

    With --format json, print an object: same, and differences, each with kind (removed, added or changed),
    function, before, after, line_before, line_after and details. If a program cannot be parsed, same is null
    and diagnostics has the errors, each with its file.
    """
    from stablehlo_py.debug.compare_programs import compare_programs

    if first == second == sources.STDIN:
        raise click.UsageError("A and B cannot both be standard input")
    texts = [common.read(file) for file in (first, second)]
    for text in texts:
        if missing := sources.why_no_program(text):
            raise click.ClickException(f"{text.name}: {missing}")
    modules, broken = [], []
    for text in texts:
        try:
            modules.append(text.parse(common.Allowed(True, allow_newer)))
        except shlo.ParseError as error:
            common.print_diagnostics(text, error.diagnostics, err=True)
            rows = common.diagnostics_json(text, error.diagnostics)
            broken += [{"file": text.name, **row} for row in rows]
    if broken:
        if output == "json":
            common.print_json({"same": None, "differences": [], "diagnostics": broken})
        return 1
    found = compare_programs(*modules)
    if output == "json":
        common.print_json({"same": not found, "differences": [asdict(difference) for difference in found]})
    else:
        _print(found)
    return 1 if found else 0


def _print(found: list[ProgramDifference]) -> None:
    paint, longest = common.paint(sys.stdout), common.width() if sys.stdout.isatty() else None
    function = None
    for difference in found:
        if difference.function != function:
            function = difference.function
            common.echo(f"@{function}" if function else "module")
        for sign, number, text in _rows(difference):
            row = f"  {sign} {number:>5}  {text}"
            common.echo(paint(row[:longest], fg=_COLOURS[sign]))
    if found:
        kinds = ("removed", "added", "changed")
        counts = [(sum(d.kind == kind for d in found), kind) for kind in kinds]
        common.echo(", ".join(f"{count} {kind}" for count, kind in counts if count))


def _rows(difference: ProgramDifference) -> list[tuple[str, int | str, str]]:
    """Return the lines of a difference, each with its sign and line number."""
    rows: list[tuple[str, int | str, str]] = []
    if difference.before:
        rows.append(("-", difference.line_before or "", difference.before))
    if difference.after:
        rows.append(("+", difference.line_after or "", difference.after))
    return rows + [("~", "", detail) for detail in difference.details]
