"""`shlo diff`: compare two programs op by op."""

from __future__ import annotations

import sys
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from stablehlo_py.cli import common, sources
from stablehlo_py.cli.progress import progress_line
from stablehlo_py.cli.tables import add_row, print_table, table

import stablehlo_py as shlo

if TYPE_CHECKING:
    from stablehlo_py.debug.compare_programs import ProgramDifference


_WIDE = 160  # characters of a line of a table that is not shown in a terminal
_COLOURS = {"-": "red", "+": "green", "~": "yellow"}
_EXAMPLES = common.examples(
    ("Compare exports before and after an upgrade", "shlo diff before.mlir after.mlir"),
    ("Compare a file with the output of a script", "python export.py | shlo diff model.mlir -"),
    ("See what each of XLA's passes did", "shlo diff --stat dumps"),
)


@click.command("diff", epilog=_EXAMPLES)
@click.argument("first", metavar="A")
@click.argument("second", metavar="[B]", required=False)
@click.option(
    "--stat",
    is_flag=True,
    help="A is a folder of XLA's dumps: list the passes, with the instructions that each adds, removes, "
    "changes and moves to other computations.",
)
@click.option(
    "--module", metavar="NAME", help="With --stat, the module, by a part of the names of its dumps."
)
@common.NEWER
@common.FORMAT
def command(
    first: str, second: str | None, stat: bool, module: str | None, allow_newer: bool, output: str
) -> int:
    """Compare programs A and B: list the ops and functions removed, added or changed.

    Names of values and private functions, the order of functions, locations, comments and explicit default
    attributes are ignored; the order of ops is not. Private functions are matched by their contents, by the
    calls of them, by their structure and by name. An op at another place of its function, with the same
    operands, is a change: it has moved.
    Two modules of HLO are compared as HLO: their computations and instructions are matched by what they
    compute, whatever their names and their order are.
    Exit status: 0 if the programs are equal, 1 if they differ or one cannot be parsed, 2 on a usage error.

    With --format json, print an object: same, and differences, each with kind (removed, added or changed),
    function, before, after, line_before, line_after and details. If a program cannot be parsed, same is null
    and diagnostics has the errors, each with its file. With --stat, the object has module and passes, each
    with file, pass_name, pipeline, added, removed, changed, moved, instructions and seconds.
    """
    if stat:
        if second is not None:
            raise click.UsageError("--stat takes a folder of dumps, and no second program")
        return _stat(Path(first), module, output)
    if second is None:
        raise click.UsageError("B is missing: give two programs, or --stat and a folder of dumps")
    if module is not None:
        raise click.UsageError("--module selects dumps, with --stat")
    from stablehlo_py.debug.compare_hlo import compare_hlo
    from stablehlo_py.debug.compare_programs import compare_programs

    if first == second == sources.STDIN:
        raise click.UsageError("A and B cannot both be standard input")
    texts = [common.read(file) for file in (first, second)]
    for text in texts:
        if missing := sources.why_no_program(text):
            raise click.ClickException(f"{text.name}: {missing}")
    modules: list[Any] = []
    broken = []
    are_hlo = all(text.is_hlo for text in texts)
    for text in texts:
        try:
            modules.append(text.hlo() if are_hlo else text.parse(common.Allowed(True, allow_newer)))
        except shlo.ParseError as error:
            common.print_diagnostics(text, error.diagnostics, err=True)
            rows = common.diagnostics_json(text, error.diagnostics)
            broken += [{"file": text.name, **row} for row in rows]
    if broken:
        if output == "json":
            common.print_json({"same": None, "differences": [], "diagnostics": broken})
        return 1
    found = (compare_hlo if are_hlo else compare_programs)(*modules)
    if output == "json":
        common.print_json({"same": not found, "differences": [asdict(difference) for difference in found]})
    else:
        _print(found)
    return 1 if found else 0


def _stat(folder: Path, module: str | None, output: str) -> int:
    """Print what each pass did to a module."""
    from stablehlo_py.debug.blame.dumps import dumps_in
    from stablehlo_py.debug.blame.stats import pass_stats

    if not folder.is_dir():
        raise click.ClickException(f"{folder}: no such folder")
    dumps = dumps_in(folder, module)[0]
    done = [0]
    with progress_line(lambda: f"{done[0]} dumps compared"):
        found = pass_stats(dumps, lambda count: done.__setitem__(0, count))
    if output == "json":
        common.print_json({"module": dumps[0].module, "passes": [row.to_dict() for row in found]})
        return 0
    common.echo(f"{dumps[0].module}: {common.counted(len(found), 'dump')} with different texts")
    numbers = ("added", "removed", "changed", "moved", "instructions", "seconds")
    made = table(("pipeline", "pass", *numbers), numbers)
    for row in found:
        counts = [str(getattr(row, name)) for name in numbers[:-1]]
        add_row(made, row.pipeline, row.pass_name, *counts, f"{row.seconds:.3f}")
    for column in made.columns[2:]:
        column.min_width = len(str(column.header))
    print_table(made, None if sys.stdout.isatty() else _WIDE)
    return 0


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
