"""The report of `shlo compare` as text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from stablehlo_py.cli import common

from stablehlo_py.diagnostics.render import Paint, line_ranges

if TYPE_CHECKING:
    from stablehlo_py.debug.compare.errors import ValueDifference
    from stablehlo_py.debug.compare.findings import Comparison, OpDifference


_LONGEST = 160  # characters of a line of the program


def print_comparison(found: Comparison, names: tuple[str, str], paint: Paint) -> None:
    """Print a comparison.

    Args:
        found: The comparison.
        names: The names of both runs.
        paint: Styles text.
    """
    for row in _rows(found, names, paint):
        common.echo(row)


def _rows(found: Comparison, names: tuple[str, str], paint: Paint) -> Iterator[str]:
    compared = f"{common.counted(found.ops, 'op execution')} compared"
    if found.unmatched and found.error is None:  # what follows a failure did not run
        compared += f", {found.unmatched:,} without a counterpart"
    if found.error is not None:
        yield paint(f"{names[1]} failed: {found.error}", fg="red")
    if found.first is None:
        yield paint(_verdict(found), fg=None if found.ok else "red") + (f": {compared}" if found.ops else "")
        yield from (f"  differs in text, not in results: {change}" for change in found.changes)
        yield from _unmatched_rows(found, names)
    else:
        heading = "within tolerance; the first difference" if found.first.ok else "first wrong op"
        yield paint(f"{heading}: {found.first.op}", bold=True, fg="green" if found.first.ok else "red")
        yield from op_rows(found.first, names)
        yield from _other_rows(found.others)
        yield compared
        yield from _unmatched_rows(found, names)
    if found.results:
        wrong = sum(not value.ok for value in found.results)
        what = f"{wrong} of {common.counted(len(found.results), 'result')} of the program out of tolerance"
        yield (
            what
            if wrong
            else f"{common.counted(len(found.results), 'result')} of the program within tolerance"
        )
        for value in found.results:
            if not value.ok:
                yield f"  {error_text(value)}"
    yield from found.notes


def _verdict(found: Comparison) -> str:
    """Say what a comparison that found no wrong op means."""
    if not found.covers:
        return "nothing was compared"
    if found.error is not None:
        return "no difference before the failure"
    if not all(value.ok for value in found.results):
        return "results differ, and no op that was compared is wrong"
    return "no difference found" if found.unmatched else "equal"


def _unmatched_rows(found: Comparison, names: tuple[str, str]) -> Iterator[str]:
    sides = zip(names, (found.unmatched_lines, found.other_unmatched_lines), strict=True)
    parts = [f"{line_ranges(lines)} of {name}" for name, lines in sides if lines]
    if parts:
        yield f"  without a counterpart: {'; '.join(parts)}"


def op_rows(found: OpDifference, names: tuple[str, str]) -> Iterator[str]:
    """Yield the lines on an op."""
    yield f"  {names[0]}:{found.line}:{found.column}: {found.text[:_LONGEST]}"
    if found.other_line and found.other_text != found.text:
        yield f"  {names[1]}:{found.other_line}: {found.other_text[:_LONGEST]}"
    yield from (f"  differs in {change}" for change in found.details)
    yield from (f"  {row}" for row in found.origin)
    if found.iterations:
        yield f"  in iteration {', '.join(map(str, found.iterations))} of the loop, counted from 0"
    if found.process != (0, 0):
        yield "  on replica {}, partition {}".format(*found.process)
    for value in found.operands:
        yield f"  operand {error_text(value)}"
    for value in found.results:
        yield f"  result  {error_text(value)}"
        for index, first, second in value.worst:
            where = f"{list(index)}: " if index else ""
            yield f"            {where}{first} and {second}"


def error_text(value: ValueDifference) -> str:
    """Describe the error of a value on one line."""
    found = value.comparison
    head = f"{value.name} : {value.type}" if value.type else value.name
    if found is None:
        return f"{head}: equal"
    if found.problem:
        return f"{head}: {found.problem}"
    wrong = "within tolerance" if found.ok else f"{found.wrong:,} of {found.size:,} elements out of tolerance"
    return (
        f"{head}: {wrong}; max error {found.max_abs:.3g} absolute, {found.max_rel:.3g} relative, "
        f"{found.max_ulp:,} ULP"
    )


def _other_rows(others: Sequence[OpDifference]) -> Iterator[str]:
    if others:
        yield "errors of other ops on equal operands, the largest first:"
    for found in others:
        mark = " " if found.ok else "!"
        at = f" in iteration {', '.join(map(str, found.iterations))}" if found.iterations else ""
        yield f" {mark} line {found.line}: {found.op}{at}: {error_text(found.results[0])}"
