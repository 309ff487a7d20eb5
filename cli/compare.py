"""`shlo compare`: find the first op whose results differ in another run."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from stablehlo_py.cli import common, sources
from stablehlo_py.cli.comparing import print_comparison
from stablehlo_py.cli.engine_options import check_engines
from stablehlo_py.cli.inputs import Given, entry_inputs
from stablehlo_py.cli.layouts import Layouts
from stablehlo_py.cli.reading import Reading, reading_options
from stablehlo_py.cli.run_options import FLOOR, Tolerances, tolerance_options

import stablehlo_py as shlo
from stablehlo_py.storage.files import OutputFiles

if TYPE_CHECKING:
    from stablehlo_py.debug.compare.driver import Comparer
    from stablehlo_py.debug.compare.findings import Comparison


_EXAMPLES = common.examples(
    ("Two programs, on random inputs", "shlo compare model.mlir optimized.mlir --random 0"),
    ("One program on two engines", "shlo compare model.mlir -a inputs.npz --engine numpy --engine native"),
    ("With the intermediates of another backend", "shlo compare model.mlir -a inputs.npz --against probes/"),
)


@click.command("compare", epilog=_EXAMPLES)
@click.argument("first", metavar="A")
@click.argument("second", metavar="[B]", required=False)
@click.option(
    "--engine",
    "engines",
    multiple=True,
    metavar="NAME",
    callback=check_engines,
    help="Run A on two engines: the option is given twice, or once for an engine to compare with numpy.",
)
@click.option(
    "--against",
    type=click.Path(path_type=Path, exists=True),
    metavar="PATH",
    help="Compare with intermediates from files: a folder with index.csv and .npy files, as probes write "
    "them, a folder of .npy, .npz and .safetensors files named after values, or a file with arrays by name.",
)
@entry_inputs
@reading_options
@click.option(
    "--until", metavar="OP", help="Stop after an op: the name of a result (%3), or a line of A (412)."
)
@tolerance_options("", "--tolerance")
@FLOOR
@click.option(
    "--top",
    type=click.IntRange(0),
    default=5,
    metavar="N",
    help="Show the N largest errors of other ops (default: 5).",
)
@click.option(
    "-o",
    "--output",
    "target",
    metavar="OUT",
    help="Write a page with error maps to OUT, or JSON to OUT.json, and also print text.",
)
@click.option(
    "--format",
    "output",
    type=click.Choice(["text", "json", "html"]),
    default="text",
    help="Output format: text, JSON, or a page with error maps (default: text, and html for OUT).",
)
def command(
    first: str,
    second: str | None,
    engines: tuple[str, ...],
    against: Path | None,
    given: Given,
    entry: str | None,
    until: str | None,
    within: Tolerances,
    floor: float | None,
    top: int,
    target: str | None,
    output: str,
    reading: Reading,
) -> int:
    """Find the first op whose results differ in another run.

    Runs program A in step with another run: program B on the same inputs, A on another engine, or arrays in
    files. Each op of A gets the operands of the other run, so that an op is reported for its own error, not
    for the errors of its operands. Ops of A and B are matched by structure, names and locations; in programs
    of different float types apart from their widths, with the tolerance of the narrower type.

    Exit status: 0 if no op is out of tolerance, 1 if one is, nothing was compared or on errors, 2 on misuse.

    With --format json, print an object: ok; first and others, each with op, line, column, text, other_line,
    other_text, ok, origin, iterations, process, details, and the errors of its results and operands; results
    (the errors of the program's results, if no op is out of tolerance), ops, unmatched, unmatched_lines,
    other_unmatched_lines, changes, error, and notes.
    """
    if sum([second is not None, bool(engines), against is not None]) != 1:
        raise click.UsageError("give one of: a second program, --engine, --against")
    if len(engines) > 2:
        raise click.UsageError("--engine is given at most twice")
    if first == second == sources.STDIN:
        raise click.UsageError("A and B cannot both be standard input")
    outputs = OutputFiles([file for file in (first, second, *given.files) if file is not None])
    outputs.check(target)
    if target is not None and output == "text":
        output = common.format_of(target, common.PAGE_OR_JSON, "html", "--format")
    is_printed = target is not None or output == "text"
    if output == "html":
        common.refuse_terminal(target)
    texts = [reading.text(file) for file in (first, second) if file is not None]
    program = reading.module(texts[0])
    other = reading.counterpart(texts[1]) if second is not None else None
    if program is None or (other is None and second is not None):
        return 1
    arrays = collected_by_process(program, entry, given)
    try:
        comparer = _comparer(program, arrays, entry, until, within, floor or 0.0, top)
        found = _compared(comparer, other, engines, against)
    except ValueError as error:
        raise click.UsageError(str(error)) from None
    names = texts[0].name, texts[1].name if other is not None else str(against or engines[-1])
    if is_printed:
        print_comparison(found, names, common.paint(sys.stdout))
    if target is not None or output != "text":
        common.write_report(_rendered(found, names, output), target, outputs)
    return 0 if found.ok else 1


def _rendered(found: Comparison, names: tuple[str, str], format: str) -> str:
    """Render a comparison as a page or as JSON."""
    if format != "json":
        from stablehlo_py.reports.comparison_html import comparison_page

        return comparison_page(found.to_dict(), names)
    return json.dumps(found.to_dict(), allow_nan=False) + "\n"


def _comparer(
    program: shlo.Module,
    arrays: Any,
    entry: str | None,
    until: str | None,
    within: Tolerances,
    floor: float,
    top: int,
) -> Comparer:
    """Make the comparer of a program; raise ValueError if `until` names no op, or the inputs do not match."""
    from stablehlo_py.debug.compare.driver import Comparer
    from stablehlo_py.debug.selection import named_by

    last = named_by(program, until) if until is not None else lambda op: False
    tolerance = within.tolerance()
    return Comparer(program, arrays, entry, tolerance=tolerance, floor=floor, top=top, until=last)


def _compared(
    comparer: Comparer, other: shlo.Module | None, engines: Sequence[str], against: Path | None
) -> Comparison:
    if other is not None:
        return comparer.with_program(other)
    if against is not None:
        return comparer.with_files(against)
    return comparer.with_engines(*engines)


def collected(module: shlo.Module, entry: str | None, given: Given) -> list[Any]:
    """Return the inputs of a function of one process."""
    return _by_process(module, entry, given, [(0, 0)])[0, 0]


def collected_by_process(
    module: shlo.Module, entry: str | None, given: Given
) -> dict[tuple[int, int], list[Any]]:
    """Return the inputs of a function on each process of the grid that the module states."""
    from stablehlo_py.interpreter.grid import stated_processes

    return _by_process(module, entry, given, stated_processes(module))


def _by_process(
    module: shlo.Module, entry: str | None, given: Given, places: Sequence[tuple[int, int]]
) -> dict[tuple[int, int], list[Any]]:
    from stablehlo_py.cli.binding import by_place  # imports NumPy

    from stablehlo_py.interpreter.entry import entries
    from stablehlo_py.ir.signature import entry_signature

    ((where, name),) = entries(module, entry)[:1]
    return by_place(given, entry_signature(where, name), places, Layouts("--layout"), {})
