"""`shlo blame`: find the pass of XLA that broke a result."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, NamedTuple

import click
from stablehlo_py.cli import common
from stablehlo_py.cli.checking import load_expected
from stablehlo_py.cli.compare import collected
from stablehlo_py.cli.comparing import error_text, op_rows
from stablehlo_py.cli.engine_options import NUMPY_ENGINE
from stablehlo_py.cli.inputs import Given, in_order, input_options, unclear_order
from stablehlo_py.cli.progress import progress_line
from stablehlo_py.cli.reading import Reading
from stablehlo_py.cli.run_options import TOLERANCE
from stablehlo_py.cli.workers import default_jobs, each

from stablehlo_py.diagnostics.render import Paint

if TYPE_CHECKING:
    from stablehlo_py.debug.blame.search import Blame
    from stablehlo_py.debug.blame.trial import Outcome

_XLA = "pjrt"  # the engine that compiles with XLA
_LONGEST = 160  # characters of a line
_LISTED = 40  # lines of changes
_EXAMPLES = common.examples(
    ("Dumps of a program, and its inputs", "shlo blame dumps -a inputs.npz"),
    ("Against the program that was compiled", "shlo blame dumps --program model.mlir -a inputs.npz"),
    ("Let XLA compile and dump a program first", "shlo blame model.mlir --engine pjrt -a inputs.npz"),
    ("On random inputs, of one of several modules", "shlo blame dumps --module jit_train_step --random 0"),
)


@click.command("blame", epilog=_EXAMPLES)
@click.argument("place", metavar="DIR", type=click.Path(path_type=Path, exists=True))
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
@NUMPY_ENGINE
@click.option(
    "--rtol",
    "--tolerance",
    "tolerance",
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
@click.option(
    "-j",
    "--jobs",
    type=click.IntRange(min=0),
    metavar="N",
    help="Run dumps by N worker processes, unless they are bisected; 0 is one per processor (default: chosen "
    "by the size of the dumps).",
)
@click.option(
    "--against",
    metavar="FILE",
    type=click.Path(path_type=Path, exists=True, dir_okay=False),
    help="The backend's own results, as `shlo run -o` or numpy.savez writes them. If no dump is wrong and "
    "these are, the fault is behind the passes.",
)
@click.option(
    "--dump-to",
    metavar="FOLDER",
    type=click.Path(path_type=Path, file_okay=False),
    help="Where the dumps of a program go, and stay (default: a temporary folder).",
)
@click.option(
    "--reproducer",
    metavar="FOLDER",
    type=click.Path(path_type=Path, file_okay=False),
    help="Write the first wrong instruction and its counterpart as programs of their own, with their inputs.",
)
@common.FORMAT
def command(
    place: Path,
    program: str | None,
    module: str | None,
    given: Given,
    engine: str,
    tolerance: float | None,
    every: bool | None,
    jobs: int | None,
    against: Path | None,
    dump_to: Path | None,
    reproducer: Path | None,
    output: str,
) -> int:
    """Find the pass of XLA that broke a result.

    Runs what XLA dumped to DIR after each pass, and names the first dump whose results differ by more than
    rounding explains, the first wrong instruction in it, and what the pass changed there. Dump with
    XLA_FLAGS="--xla_dump_to=DIR --xla_dump_hlo_pass_re=.* --xla_dump_large_constants=true". No device is
    needed.

    If DIR is a program instead of a folder, XLA compiles and dumps it first, by the engine pjrt (the extra
    pjrt), in a process of its own; the dumps are run by --engine, by numpy where that is pjrt.

    Exit status: 0 if no results differ, 1 if some do or the first dump cannot be run, 2 on a usage error.

    With --format json, print an object: module, file (null if no results differ), pass_name, pipeline, before
    (the last dump that is right), results (those that differ), instruction and source (the first wrong
    instruction, and its source line), first (the same as `shlo compare` prints it, or null), backend (its own
    results that differ where no dump is wrong), origin (the source line with its callers), changes (sign,
    line and text), other_changes (the number of places that are left out), dumps, runs, skipped (why dumps
    cannot be run), notes and reproducer (its files).
    """
    if place.is_dir():
        if dump_to is not None:
            raise click.UsageError("--dump-to is for a program, which XLA dumps first")
        if engine == _XLA:
            raise click.UsageError("--engine pjrt runs a program, and dumps are run by another engine")
        options = _Options(
            program, module, given, engine, tolerance, every, jobs, against, reproducer, output
        )
        return _searched(place, options)
    if program is not None or module is not None:
        raise click.UsageError("--program and --module are for a folder of dumps")
    engine = "numpy" if engine == _XLA else engine
    options = _Options(str(place), None, given, engine, tolerance, every, jobs, against, reproducer, output)
    if dump_to is not None:
        dump_to.mkdir(parents=True, exist_ok=True)
        if any(dump_to.iterdir()):
            raise click.ClickException(f"{dump_to}: expected an empty folder")
        return _made(place, dump_to, options)
    with TemporaryDirectory(prefix="shlo-blame-") as folder:
        return _made(place, Path(folder), options)


class _Options(NamedTuple):
    """The options of a search, as the command has them."""

    program: str | None
    module: str | None
    given: Given
    engine: str
    tolerance: float | None
    every: bool | None
    jobs: int | None
    against: Path | None
    reproducer: Path | None
    output: str


def _made(program: Path, folder: Path, options: _Options) -> int:
    """Let XLA dump a program, and search its dumps."""
    from stablehlo_py.debug.blame.make_dumps import make_dumps

    if Reading().module(common.read(str(program))) is None:
        return 1
    with progress_line(lambda: f"XLA compiles {program}"):
        results = make_dumps(program, folder, list(_input_options(options.given)))
    if options.against is None and results.is_file():
        options = options._replace(against=results)
    return _searched(folder, options)


def _input_options(given: Given) -> Iterator[str]:
    for spec in given.specs:
        yield from ("-a", spec)
    if given.fill is not None:
        yield from ("--random", str(given.fill))
    if given.by_order:
        yield "--by-order"
    if given.cast:
        yield "--cast"


def _searched(folder: Path, options: _Options) -> int:
    from stablehlo_py.debug.blame.search import Search

    given, reference = options.given, None
    if options.program is not None and (reference := Reading().module(common.read(options.program))) is None:
        return 1
    search = Search(
        folder,
        lambda module: collected(module, None, given),
        reference,
        module=options.module,
        engine=options.engine,
        tolerance=options.tolerance,
        every=options.every,
        against=_results(options.against, given.by_order) if options.against is not None else None,
        each=lambda trial, paths: each(trial, paths, default_jobs(paths, options.jobs), _lost),
    )

    def line() -> str:
        return f"{search.found.module}: {search.found.runs} of {search.found.dumps} dumps run"

    with progress_line(line):
        found = search.run()
    made = found.reproducer
    files = made.write(options.reproducer) if made is not None and options.reproducer is not None else []
    if options.output == "json":
        common.print_json(found.to_dict() | {"reproducer": [str(file) for file in files]})
    else:
        for row in _rows(found, folder, files, common.paint(sys.stdout)):
            common.echo(row)
    return 0 if found.file is None and not found.backend else 1


def _lost(path: str, why: str) -> Outcome:
    from stablehlo_py.debug.blame.trial import Outcome

    return Outcome([], why)


def _results(file: Path, by_order: bool) -> list[Any]:
    """Load the results of a backend, in their order."""
    arrays = load_expected(file)
    order = in_order(arrays, by_order)
    if order is None:
        raise click.ClickException(unclear_order(f"{file}", list(arrays), "a result", ["out0"]))
    return [arrays[name] for name in order]


def _rows(found: Blame, folder: Path, files: Sequence[Path], paint: Paint) -> Iterator[str]:
    yield f"{found.module}: {common.counted(found.dumps, 'dump')} with different texts, {found.runs} run"
    for name, why in found.skipped.items():
        yield f"cannot be run: {name}: {why}"
    yield from found.notes
    if found.file is None and found.backend:
        yield paint("no dump is wrong, and the results of the backend are:", bold=True, fg="red")
        yield from (f"  result {error_text(value)}" for value in found.backend)
        yield "what comes after the passes is at fault: code generation, or a library"
        return
    if found.file is None:
        yield paint("no result differs", fg="green")
        return
    what = f"pass {found.pass_name} of" if found.pass_name else "before the first pass of"
    by = f" ({what} {found.pipeline})" if found.pipeline else ""
    yield paint(f"first wrong dump: {found.file}", bold=True, fg="red") + by
    yield f"last right one: {found.before}"
    yield from (f"  result {error_text(value)}" for value in found.results)
    first = found.first
    if first is not None:
        yield paint(f"first wrong instruction: {first.op}", bold=True, fg="red")
        yield from op_rows(replace(first, origin=found.origin), (str(folder / found.file), found.before))
    yield from _changes(found, paint)
    if files:
        yield f"as programs of their own: {', '.join(map(str, files))}"
    elif found.reproducer is not None:
        yield "to write the instruction and its counterpart as programs of their own: --reproducer FOLDER"


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
