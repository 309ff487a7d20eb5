"""`shlo reduce`: shrink a program while it stays interesting."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from stablehlo_py.cli import common, sources
from stablehlo_py.cli.compare import collected
from stablehlo_py.cli.custom_calls import files_given
from stablehlo_py.cli.inputs import Given, entry_inputs
from stablehlo_py.cli.reading import Reading, reading_options
from stablehlo_py.cli.run_options import Seconds, Tolerances, tolerance_options

from stablehlo_py.storage.files import OutputFiles, beside

if TYPE_CHECKING:
    from stablehlo_py.debug.reduce.candidate import Candidate
    from stablehlo_py.debug.reduce.checks import Check
    from stablehlo_py.debug.reduce.reducer import Reduction


_EXAMPLES = common.examples(
    (
        "While a script says so, by exit status 0",
        "shlo reduce model.mlir --check 'python isbad.py {}' -o small.mlir",
    ),
    ("While two engines differ", "shlo reduce model.mlir --while-differs numpy native -o small.mlir"),
    (
        "While running it prints a message",
        "shlo reduce model.mlir --while-matches 'not supported' -o small.mlir",
    ),
)


@click.command("reduce", epilog=_EXAMPLES)
@click.argument("file", metavar="FILE")
@click.option(
    "--check",
    metavar="COMMAND",
    help="The program is interesting while COMMAND exits with status 0. {} stands for the file of the "
    "program, {inputs} for a .npz file of its inputs.",
)
@click.option(
    "--while-differs",
    nargs=2,
    metavar="E1 E2",
    help="The program is interesting while its results on two engines differ.",
)
@click.option(
    "--while-crashes",
    metavar="ENGINE",
    help="The program is interesting while running it on ENGINE ends by a signal or an internal error.",
)
@click.option(
    "--while-matches",
    metavar="TEXT",
    help="The program is interesting while the output of running it, or its errors, contain TEXT.",
)
@click.option(
    "--engine", default="auto", metavar="NAME", help="The engine of --while-matches (default: auto)."
)
@entry_inputs
@tolerance_options("--while-differs", "--tolerance")
@click.option(
    "--non-finite-inputs",
    is_flag=True,
    help="Also try programs whose inputs are NaN or infinite, captured from the run, where those of FILE are "
    "not.",
)
@click.option(
    "--timeout",
    type=Seconds(0),
    default=60.0,
    metavar="SECONDS",
    help="The longest time of a check (default: 60); a program that takes longer is not interesting.",
)
@click.option(
    "-j", "--jobs", type=click.IntRange(1), default=1, metavar="N", help="Check N programs at a time."
)
@click.option(
    "--journal",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="Keep the verdicts of checks in FILE, so that an interrupted reduction resumes where it was.",
)
@common.output_file(
    "Write the smallest program so far to OUT, and its inputs beside it, with the suffix .npz."
)
@reading_options
@common.FORMAT
def command(
    file: str,
    check: str | None,
    while_differs: tuple[str, str] | None,
    while_crashes: str | None,
    while_matches: str | None,
    engine: str,
    given: Given,
    entry: str | None,
    within: Tolerances,
    non_finite_inputs: bool,
    timeout: float,
    jobs: int,
    journal: Path | None,
    target: Path | None,
    reading: Reading,
    output: str,
) -> int:
    """Shrink a program while it stays interesting.

    Drops results, functions and ops, whose values become inputs; inlines calls, takes single iterations and
    branches, shrinks dimensions, and simplifies attributes and constants. Every program that is checked is
    valid; its inputs are NaN or infinite only if those of FILE are. Prints each step to standard error.

    Exit status: 0 on success, 1 if FILE is invalid or not interesting, 2 on a usage error.

    With --format json, print an object: program (the text), ops, before (the number of ops in FILE), steps,
    tests (the number of programs that were checked) and inputs (the file of the inputs, or null).
    """
    from stablehlo_py.debug.reduce.candidate import candidate_of
    from stablehlo_py.debug.reduce.reducer import NotInteresting, Reducer
    from stablehlo_py.interpreter.entry import entries

    outputs = OutputFiles([file, *given.files])
    outputs.check(target, beside(target, ".npz") if target is not None else None, journal)
    try:
        test = _check(check, while_differs, while_crashes, while_matches, engine, within, timeout)
    except ValueError as error:
        raise click.UsageError(str(error)) from None
    if (module := reading.module(reading.text(file))) is None:
        return 1
    ((where, name),) = entries(module, entry)[:1]
    arrays = collected(module, entry, given if given.is_any else given._replace(fill=0))
    start = candidate_of(where, arrays, name)
    reducer = Reducer(
        test,
        jobs,
        journal,
        say=lambda text: common.echo(text, err=True),
        keep=lambda candidate: _save(candidate, target, outputs),
        finite=not non_finite_inputs,
    )
    try:
        found = reducer.run(start)
    except NotInteresting as error:
        common.echo(f"{file}: {error}", err=True)
        return 1
    _save(found.candidate, target, outputs)
    _print(found, target, output)
    return 0


def _check(
    command: str | None,
    differs: tuple[str, str] | None,
    crash: str | None,
    text: str | None,
    engine: str,
    within: Tolerances,
    timeout: float,
) -> Check:
    """Return the check that the options describe."""
    from stablehlo_py.debug.reduce.checks import Command, Differs, crashes, matches

    if sum(each is not None for each in (command, differs or None, crash, text)) != 1:
        raise click.UsageError("give one of --check, --while-differs, --while-crashes and --while-matches")
    if not differs and any(each is not None for each in within):
        raise click.UsageError("--rtol, --atol and --ulp require --while-differs")
    if command is not None:
        return Command(command, timeout)
    if differs:
        return Differs(*differs, within.tolerance(), timeout)
    options = [word for file in files_given() for word in ("--custom-call", str(file))]
    if crash is not None:
        return crashes(crash, timeout, options)
    return matches(str(text), engine, timeout, options)


def _save(candidate: Candidate, target: Path | None, outputs: OutputFiles) -> None:
    from stablehlo_py.interpreter.arrays import save_arrays

    if target is None:
        return
    with outputs.open(target) as stream:
        stream.write(sources.encode(candidate.text))
    arrays: dict[str, Any] = {k: v for k, v in candidate.named_inputs.items() if hasattr(v, "dtype")}
    if (inputs := beside(target, ".npz")) is not None:
        save_arrays(inputs, arrays, outputs)


def _print(found: Reduction, target: Path | None, output: str) -> None:
    text = found.candidate.text
    if output == "json":
        common.print_json(
            {
                "program": text,
                "ops": found.candidate.size,
                "before": found.before,
                "steps": found.steps,
                "tests": found.tests,
                "inputs": target and (inputs := beside(target, ".npz")) and str(inputs),
            }
        )
        return
    sizes = f"from {found.before:,} to {common.counted(found.candidate.size, 'op')}"
    common.echo(f"{sizes}, {common.counted(found.tests, 'program')} checked", err=True)
    if target is None:
        common.write(text)
    else:
        common.echo(str(target))
