"""`shlo run --ranges`: the ranges of all values over several sets of inputs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import click
from stablehlo_py.cli import common
from stablehlo_py.cli.compare import collected
from stablehlo_py.cli.inputs import Given
from stablehlo_py.cli.reading import Reading
from stablehlo_py.cli.tables import add_row, cut, print_table, table

import stablehlo_py as shlo

if TYPE_CHECKING:
    from stablehlo_py.debug.observers.ranges import ValueRange

ROWS = 40  # values, those first that narrow types do not hold


def run_ranges(
    file: str,
    entries: Sequence[str],
    given: tuple[Given, Sequence[str]],
    seed: int,
    reading: Reading,
    as_json: bool,
) -> int:
    """Run a program on sets of inputs and print the ranges of its values.

    Args:
        file: The program.
        entries: The name of the function, if it is given.
        given: A set as the options of other runs give it, and the values of --inputs.
        seed: The seed of `rng` ops.
        reading: How the program is read.
        as_json: Whether to print JSON.
    """
    if len(entries) > 1:
        raise click.UsageError("--ranges takes one --entry")
    entry = entries[0] if entries else None
    first, specs = given
    sets = [first, *[first._replace(specs=(spec,)) for spec in specs]]
    if not any(each.is_any for each in sets):
        raise click.UsageError("--ranges needs --inputs, --input or --random")
    if (module := reading.module(reading.text(file))) is None:
        return 1
    arrays = [collected(module, entry, each) for each in sets if each.is_any]
    found = shlo.ranges(module, arrays, entry, seed=seed)
    if as_json:
        common.print_json({"file": file, "sets": len(arrays), "values": [each.to_dict() for each in found]})
    else:
        _print(found, len(arrays))
    return 0


def _print(found: Sequence[ValueRange], sets: int) -> None:
    from stablehlo_py.debug.observers.ranges import TYPES

    numbers = ("min", "max", "smallest", *TYPES, "i8")
    printed = table((*numbers, "value"), numbers)
    ordered = sorted(found, key=lambda row: -sum(fit.over + fit.zero for fit in row.fits.values()))
    for row in ordered[:ROWS]:
        cells = [_share(fit.over, fit.under, row.count) for fit in row.fits.values()]
        bounds = [_number(each) for each in (row.min, row.max, row.smallest)]
        add_row(printed, *bounds, *cells, _share(0, row.i8_zero, row.count), cut(_place(row), 50))
    print_table(printed, max(common.width(), 150))
    if len(ordered) > ROWS:
        common.echo(f"{len(ordered) - ROWS:,} more values; --format json has all of them")
    common.echo(
        f"{common.counted(sets, 'set')} of inputs; > is the share of elements beyond the range of a type, "
        "< below its normal numbers (of i8, below half of a step)"
    )


def _number(value: float | None) -> str:
    return "" if value is None else f"{value:.3g}"


def _share(over: int, under: int, count: int) -> str:
    parts = [f"{sign}{100 * n / count:.3g}%" for sign, n in ((">", over), ("<", under)) if n]
    return " ".join(parts) or "ok"


def _place(row: ValueRange) -> str:
    from stablehlo_py.diagnostics.origin import file_and_line  # imports the IR

    name = f"{row.value} {row.op.removeprefix('stablehlo.')}".strip()
    where = f"line {row.line}" if row.line else ""
    return ", ".join(part for part in (name, where, file_and_line(row.source), row.scope) if part)
