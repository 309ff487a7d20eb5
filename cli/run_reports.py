"""Reports of `shlo run`: times, profile, trace, probes, NaN check."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from stablehlo_py.cli import common
from stablehlo_py.cli.run_results import short
from stablehlo_py.cli.run_shadow import print_shadow
from stablehlo_py.cli.run_watch import Watch
from stablehlo_py.cli.tables import add_row, cut, print_table, table

from stablehlo_py.diagnostics.units import duration

if TYPE_CHECKING:
    from stablehlo_py.debug.observers import LoopRow, ProfileRow, TraceRow

ROWS = 20  # rows of a profile, the slowest ops first
KINDS = 10  # rows of a profile by op name
PROBES = 10  # probed values that are listed
_LOOP_NUMBERS = 64  # the same of loops
_NUMBERS = 40  # width of the numeric columns, in cells


def print_reports(watch: Watch) -> None:
    """Print the requested reports."""
    if watch.profile is not None and watch.watching.profile:
        _print_profile(watch)
    if watch.watching.times:
        _print_times(watch)
    if watch.shadow is not None:
        print_shadow(watch.shadow)
    print_probes(watch)
    if watch.nans is not None:
        counted = common.counted(watch.nans.checked, "op")
        common.echo(f"no NaN or infinity produced by {counted}", err=True)


# Times


def _print_times(watch: Watch) -> None:
    import numpy as np

    for name, seconds in watch.seconds.items():
        engine = watch.engines.get(name)
        common.echo(f"{name:8}{duration(seconds):>12}" + (f"  engine {engine}" if engine else ""))
    if watch.warm:
        runs = common.counted(len(watch.warm), "run")
        engine = watch.engines["warm"]
        common.echo(f"{'warm':8}{duration(min(watch.warm)):>12}  minimum of {runs}")
        common.echo(f"{'':8}{duration(float(np.median(watch.warm))):>12}  median, engine {engine} at the end")


# Profile


def _print_profile(watch: Watch) -> None:
    assert watch.profile is not None
    rows, kinds = watch.profile.rows(), watch.profile.kinds()
    total = sum(row.seconds for row in rows)
    runs = f" in {common.counted(watch.profile.runs, 'run')}" if watch.profile.runs > 1 else ""
    common.echo(f"{duration(total)} in {common.counted(len(rows), 'op')}{runs}, by op:")
    _print_table(rows, total, ROWS, lambda row: row.name, _place)
    common.echo("\nby op name:")
    _print_table(kinds, total, KINDS, lambda row: row.name)
    loops = watch.profile.loops()
    if loops:
        _print_loops(loops)


def _print_loops(loops: Sequence[LoopRow]) -> None:
    """Print the loops of native code, beside the speed of the machine."""
    from stablehlo_py.debug.machine import measure_limits

    limits = measure_limits()
    peak = f"{limits.flops / 1e9:.0f} GFLOP/s in a product, {limits.bytes / 1e9:.0f} GB/s in a copy"
    common.echo(f"\nby loop of native code (this machine: {peak}):")
    numbers = ("ms", "wait ms", "calls", "GFLOP/s", "GB/s", "% of NumPy")
    printed = table((*numbers, "line", "ops"), (*numbers, "line"))
    for row in loops[:ROWS]:
        cells = [
            f"{row.seconds * 1e3:.3f}",
            f"{row.waiting * 1e3:.3f}",
            str(row.calls),
            _rate(row.gflops),
            _rate(row.gbytes),
            f"{100 * row.of_numpy(limits):.0f}",
            str(row.lines[0]) if row.lines else "",
            cut(row.name, common.width() - _LOOP_NUMBERS),
        ]
        add_row(printed, *cells)
    print_table(printed)
    rest = loops[ROWS:]
    if rest:
        seconds = sum(row.seconds for row in rest)
        common.echo(f"{seconds * 1e3:9.3f} ms in {common.counted(len(rest), 'other loop')}")


def _print_table(
    rows: Sequence[ProfileRow],
    total: float,
    count: int,
    name: Callable[[ProfileRow], str],
    place: Callable[[ProfileRow], str] | None = None,
) -> None:
    numbers = ("ms", "%", "calls", "GFLOP/s", "GB/s")
    printed = table((*numbers, "op", "where")[: 6 + (place is not None)], numbers)
    room = common.width() - _NUMBERS
    share = room * 3 // 5 if place else room
    for row in rows[:count]:
        cells = [
            f"{row.seconds * 1e3:.3f}",
            f"{100 * row.seconds / total:.1f}" if total else "",
            str(row.calls),
            _rate(row.gflops),
            _rate(row.gbytes),
            cut(name(row), share),
        ]
        add_row(printed, *cells, *([cut(place(row), room - share - 1)] if place else []))
    print_table(printed)
    rest = rows[count:]
    if rest:
        seconds = sum(row.seconds for row in rest)
        common.echo(f"{seconds * 1e3:9.3f} ms in {common.counted(len(rest), 'other op')}")


def _rate(value: float) -> str:
    return "" if not value else f"{value:.2f}" if value < 100 else f"{value:.0f}"


def _place(row: ProfileRow) -> str:
    """Return the Python source line of an op, or else its line in the program, and its value."""
    from stablehlo_py.diagnostics.origin import file_and_line  # imports the IR

    return f"{file_and_line(row.origin) or f'line {row.line}'} {row.value}"


# Trace and probes


def print_row(row: TraceRow) -> None:
    """Print a line of the trace."""
    where = f"[{','.join(map(str, row.iterations))}] " if row.iterations else ""
    op = row.op.removeprefix("stablehlo.")
    head = f"{row.line:5} {where}{row.value} = {op} : {row.type}"
    numbers = "" if row.min is None else f"  {short(row.min)} .. {short(row.max)}, mean {short(row.mean)}"
    lost = [f"{count} {noun}" for count, noun in ((row.nans, "NaN"), (row.infinities, "infinite")) if count]
    common.echo(head + numbers + (f"  ({', '.join(lost)})" if lost else ""))


def print_probes(watch: Watch) -> None:
    """Print the probed values, also of a failed run."""
    if watch.probe is None:
        return
    found = watch.probe.found
    for probed in found if watch.watching.verbose or len(found) <= PROBES else []:
        arrays = common.counted(probed.arrays, "array")
        what = f"{arrays} of {probed.value}, line {probed.line} ({probed.op})"
        common.echo(f"wrote {probed.file}: {what}", err=True)
    if len(found) > PROBES:
        arrays = common.counted(sum(probed.arrays for probed in found), "array")
        values = common.counted(len(found), "value")
        folder = watch.watching.probe_dir
        common.echo(f"wrote {arrays} of {values} to {folder} (--verbose lists them)", err=True)
    if not watch.probe.found:
        patterns = " ".join(watch.watching.probe)
        what = f"no executed op matches {patterns}" if patterns else "no interpreter.probe op was executed"
        common.echo(f"no values probed: {what}", err=True)
