"""`shlo blame`: find the pass of XLA that broke a result."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING

import click
from stablehlo_py.cli import common
from stablehlo_py.cli.compare import checked, collected
from stablehlo_py.cli.comparing import error_text, op_rows
from stablehlo_py.cli.engine_options import check_engine
from stablehlo_py.cli.inputs import Given, input_options
from stablehlo_py.cli.progress import progress_line, shows_progress
from stablehlo_py.cli.run_options import TOLERANCE

from stablehlo_py.diagnostics.render import Paint

if TYPE_CHECKING:
    from stablehlo_py.debug.blame.search import Blame

_LONGEST = 160  # characters of a line
_LISTED = 40  # lines of changes
_EXAMPLES = common.examples(
    ("Dumps of a program, and its inputs", "shlo blame dumps -a inputs.npz"),
    ("Against the program that was compiled", "shlo blame dumps --program model.mlir -a inputs.npz"),
    ("On random inputs, of one of several modules", "shlo blame dumps --module jit_train_step --random 0"),
)


@click.command("blame", epilog=_EXAMPLES)
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path, exists=True, file_okay=False))
@click.option(
    "--program",
    metavar="FILE",
    help="The StableHLO program whose results are right (default: the first dump).",
)
@click.option(
    "--module",
    metavar="NAME",
    help="The module, by a part of the names of its dumps (default: the largest that takes the inputs).",
)
@input_options("The value of an argument, as for `shlo run`.")
@click.option("--engine", default="numpy", callback=check_engine, help="The engine (default: numpy).")
@click.option(
    "--tolerance",
    type=TOLERANCE,
    metavar="X",
    help="Tolerance of floats, relative to the largest magnitude of a result (default: 1e-3; 3e-2 for "
    "programs with types narrower than f32, 1e-6 with f64 alone).",
)
@click.option(
    "--every/--bisect",
    default=None,
    help="Run all dumps in order, or bisect them (default: bisect from 16 MB of text).",
)
@common.FORMAT
def command(
    folder: Path,
    program: str | None,
    module: str | None,
    given: Given,
    engine: str,
    tolerance: float | None,
    every: bool | None,
    output: str,
) -> int:
    """Find the pass of XLA that broke a result.

    Runs what XLA dumped to DIR after each pass, and names the first dump whose results differ by more than
    rounding explains, the first wrong instruction in it, and what the pass changed there. Dump with
    XLA_FLAGS="--xla_dump_to=DIR --xla_dump_hlo_pass_re=.* --xla_dump_large_constants=true". No device is
    needed.

    Exit status: 0 if no results differ, 1 if some do or the first dump cannot be run, 2 on a usage error.

    With --format json, print an object: module, file (null if no results differ), step (the pass), pipeline,
    before (the last dump that is right), results (those that differ), first (the first wrong instruction, as
    `shlo compare` prints it, or null), origin (its source lines), changes (sign, line and text),
    other_changes (the number of places that are left out), dumps, runs, skipped (why dumps cannot be run) and
    notes.
    """
    from stablehlo_py.debug.blame.search import Search

    reference = None
    if program is not None and (reference := checked(common.read(program))) is None:
        return 1
    search = Search(
        folder,
        lambda each: collected(each, None, given),
        reference,
        module=module,
        engine=engine,
        tolerance=tolerance,
        every=every,
    )

    def line() -> str:
        return f"{search.found.module}: {search.found.runs} of {search.found.dumps} dumps run"

    with progress_line(line) if shows_progress() else nullcontext():
        found = search.run()
    if output == "json":
        common.print_json(found.to_dict())
    else:
        for row in _rows(found, folder, given, common.paint(sys.stdout)):
            common.echo(row)
    return 0 if found.file is None else 1


def _rows(found: Blame, folder: Path, given: Given, paint: Paint) -> Iterator[str]:
    yield f"{found.module}: {common.counted(found.dumps, 'dump')} with different texts, {found.runs} run"
    for name, why in found.skipped.items():
        yield f"cannot be run: {name}: {why}"
    yield from found.notes
    if found.file is None:
        yield paint("no result differs", fg="green")
        return
    what = f"pass {found.step} of" if found.step else "before the first pass of"
    by = f" ({what} {found.pipeline})" if found.pipeline else ""
    yield paint(f"first wrong dump: {found.file}", bold=True, fg="red") + by
    yield f"last right one: {found.before}"
    yield from (f"  result {error_text(value)}" for value in found.results)
    first = found.first
    if first is not None:
        yield paint(f"first wrong instruction: {first.op}", bold=True, fg="red")
        yield from op_rows(replace(first, origin=found.origin), (str(folder / found.file), found.before))
    yield from _changes(found, paint)
    if first is not None:
        inputs = [f"-a {quote(each)}" for each in given.specs]
        inputs += [f"--random {given.fill}"] if given.fill is not None else []
        command = f"shlo extract {quote(str(folder / found.file))} --line {first.line}"
        yield f"to extract it: {' '.join([command, *inputs])} -o part.mlir"


def _changes(found: Blame, paint: Paint) -> Iterator[str]:
    rows, others = found.changes
    if rows:
        yield "what the pass changed there:"
    for sign, line, text in rows[:_LISTED]:
        short = text if len(text) <= _LONGEST else f"{text[:_LONGEST]}..."
        yield paint(f"  {sign} {line:>5}  {short}", fg="red" if sign == "-" else "green")
    hidden = {"line": max(0, len(rows) - _LISTED), "other place": others}
    if any(hidden.values()):
        yield f"  not shown: {', '.join(common.counted(n, what) for what, n in hidden.items() if n)}"
