"""The report of `shlo run --shadow`: where the program loses precision."""

from __future__ import annotations

from pathlib import PurePath
from typing import TYPE_CHECKING

from stablehlo_py.cli import common
from stablehlo_py.cli.tables import add_row, cut, print_table, table

if TYPE_CHECKING:
    from stablehlo_py.precision.rows import Shadow, ShadowRow

ROWS = 10  # ops, those with the largest contributions first
_WIDTH = 62  # of the columns of numbers, and the spaces between
_LEAST = 40  # width of the place of an op
_NUMBERS = ("contribution", "introduced", "error", "amplified", "cancelled")


def print_shadow(shadow: Shadow) -> None:
    """Print the errors of the results, the ops that contribute most to them, and what went another way."""
    errors = [f"{error:.3g}" for error in shadow.errors if error is not None]
    common.echo(f"relative error of the results beside {shadow.wide}: {', '.join(errors) or 'no floats'}")
    rows = [row for row in shadow.rows if row.error][:ROWS]
    if rows:
        printed = table((*_NUMBERS, "op", "where"), _NUMBERS)
        ops = [f"{row.op.removeprefix('stablehlo.')} {row.type}" for row in rows]
        room = max(_LEAST, common.width() - _WIDTH - max(map(len, ops)))
        for op, row in zip(ops, rows, strict=True):
            bits = f"{row.cancelled:.1f} bits" if row.cancelled else ""
            errors = [f"{each:.2e}" for each in (row.contribution, row.introduced, row.error)]
            add_row(printed, *errors, f"{row.amplification:.3g}", bits, op, cut(_place(row), room))
        print_table(printed, max(common.width(), _WIDTH + _LEAST + max(map(len, ops))))
    for row in shadow.rows:
        for text in _remarks(row, shadow.wide):
            common.echo(f"line {row.line}: {row.op} {row.value}: {text}")
    if shadow.note:
        common.echo(shadow.note)


def _place(row: ShadowRow) -> str:
    """Return the line, the Python source line and the scope of an op, and the iteration."""
    path, _, _ = row.source.rpartition(":")
    parts = [f"line {row.line} {row.value}", PurePath(path).name, row.scope]
    if row.iterations:
        parts.append(f"iteration {', '.join(map(str, row.iterations))} of {row.executions}")
    return ", ".join(part for part in parts if part)


def _remarks(row: ShadowRow, wide: str) -> list[str]:
    """Return what is said of an op beside the table."""
    counted = common.counted
    found = []
    if row.overflow:
        found.append(f"{counted(row.overflow, 'element')} out of the range of {row.type}")
    if row.underflow:
        lost = f", {row.flushed} of them zero" if row.flushed else ""
        found.append(f"{counted(row.underflow, 'element')} below the normal numbers of {row.type}{lost}")
    if row.diverged:
        found.append(f"{counted(row.diverged, 'element')} would be another in {wide}")
    return found
