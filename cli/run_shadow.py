"""The report of `shlo run --shadow`: where the program loses precision."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from stablehlo_py.cli import common
from stablehlo_py.cli.tables import add_row, cut, print_table, table

if TYPE_CHECKING:
    from stablehlo_py.rounding.rows import Shadow, ShadowRow

ROWS = 10  # ops, those with the largest contributions first
RANDOM = "random"
_LEAST = 40  # width of the place of an op
_NUMBERS: dict[str, Callable[[ShadowRow], str]] = {
    "contribution": lambda row: f"{row.contribution:.2e}",
    "introduced": lambda row: f"{row.introduced:.2e}",
    "error": lambda row: f"{row.error:.2e}",
    "amplified": lambda row: f"{row.amplification:.3g}",
    "cancelled": lambda row: f"{row.cancelled:.1f} bits" if row.cancelled else "",
}
_DIGITS: dict[str, Callable[[ShadowRow], str]] = {
    "digits": lambda row: f"{row.digits:.1f}",
    "deviation": lambda row: f"{row.error:.2e}",
}


def print_shadow(shadow: Shadow) -> None:
    """Print the errors of the results, the ops that contribute most to them, and what went another way."""
    errors = [f"{error:.3g}" for error in shadow.errors if error is not None]
    what = "deviation" if shadow.wide == RANDOM else "error"
    beside = "in runs with random rounding" if shadow.wide == RANDOM else f"beside {shadow.wide}"
    common.echo(f"relative {what} of the results {beside}: {', '.join(errors) or 'no floats'}")
    if shadow.warning:
        common.echo(shadow.warning)
    rows = [row for row in shadow.rows if row.error][:ROWS]
    if rows:
        _print_table(rows, _DIGITS if shadow.wide == RANDOM else _NUMBERS)
    for row in shadow.rows:
        for text in _remarks(row, shadow.wide):
            common.echo(f"line {row.line}: {row.op} {row.value}: {text}")
    if shadow.note:
        common.echo(shadow.note)


def _print_table(rows: list[ShadowRow], columns: dict[str, Callable[[ShadowRow], str]]) -> None:
    printed = table((*columns, "op", "where"), columns)
    ops = [f"{row.op.removeprefix('stablehlo.')} {row.type}" for row in rows]
    width = sum(max(9, len(name)) + 2 for name in columns) + max(map(len, ops)) + 2
    room = max(_LEAST, common.width() - width)
    for op, row in zip(ops, rows, strict=True):
        add_row(printed, *[cell(row) for cell in columns.values()], op, cut(_place(row), room))
    print_table(printed, max(common.width(), width + _LEAST))


def _place(row: ShadowRow) -> str:
    """Return the line, the Python source line and the scope of an op, and the iteration."""
    from stablehlo_py.diagnostics.origin import file_and_line  # imports the IR

    parts = [f"line {row.line} {row.value}", file_and_line(row.source), row.scope]
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
        where = "in some runs" if wide == RANDOM else f"in {wide}"
        found.append(f"{counted(row.diverged, 'element')} would be another {where}")
    return found
