"""`shlo fuzz`: run random programs on two engines, and group what differs."""

from __future__ import annotations

import json
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Any

import click
from stablehlo_py.cli import common, sources
from stablehlo_py.cli.engine_options import check_engines
from stablehlo_py.cli.generate import request_options, save
from stablehlo_py.cli.progress import progress_line
from stablehlo_py.cli.run_options import Seconds

import stablehlo_py as shlo
from stablehlo_py.storage.files import OutputFiles, small_text

if TYPE_CHECKING:
    from stablehlo_py.debug.fuzz.fuzz import Find
    from stablehlo_py.debug.fuzz.report import Report

STATE, PAGE, JOURNAL = "fuzz.json", "fuzz.md", "fuzz.journal"
SAVED_EVERY = 20  # programs
_EXAMPLES = common.examples(
    ("A thousand programs on XLA", "shlo fuzz --engine numpy --engine pjrt -o found"),
    ("Continue for an hour", "shlo fuzz --engine numpy --engine pjrt -o found --time 3600"),
)


def check_pair(context: click.Context, parameter: click.Parameter, names: tuple[str, ...]) -> tuple[str, ...]:
    """Check the names of two engines."""
    if len(names) != 2 or len(set(names)) != 2:
        raise click.BadParameter("two engines are needed")
    return check_engines(context, parameter, names)


@click.command("fuzz", epilog=_EXAMPLES)
@click.option(
    "--engine",
    "engines",
    multiple=True,
    metavar="NAME",
    callback=check_pair,
    help="An engine, given twice.",
)
@click.option("--count", type=click.IntRange(1), metavar="N", help="The number of programs (default: 1000).")
@click.option("--time", "seconds", type=Seconds(0), metavar="SECONDS", help="Stop after SECONDS.")
@click.option(
    "-o",
    "--output",
    "folder",
    required=True,
    type=click.Path(path_type=Path, file_okay=False),
    metavar="DIR",
    help=f"Write the report to DIR/{PAGE} and DIR/{STATE}, which a later run continues, and for each group "
    "the first program, as drawn and reduced, with its inputs.",
)
@request_options
@common.FORMAT
def command(
    engines: tuple[str, ...],
    count: int | None,
    seconds: float | None,
    folder: Path,
    seed: int,
    request: Any,
    output: str,
) -> int:
    """Draw random programs, run them on two engines, and report what differs, grouped by op and cause.

    A program whose results differ, or that fails, is reduced to the ops that matter. Each engine runs in a
    process of its own, since an engine may end it.

    Exit status: 0 if the engines agree, 1 if they differ or no result was compared, 2 on a usage error.
    """
    from stablehlo_py.debug.fuzz.report import Report

    folder.mkdir(parents=True, exist_ok=True)
    report = Report((engines[0], engines[1]), seed, request)
    if (folder / STATE).exists():
        report = _resumed(folder / STATE, report)
    _run(report, folder, count if count is not None or seconds is not None else 1000, seconds)
    if output == "json":
        common.print_json(report.to_json())
    else:
        _print(report, folder)
    return 1 if report.groups or not report.results else 0


def _resumed(path: Path, wanted: Report) -> Report:
    """Return the report to continue; raise UsageError if it is of other programs."""
    from stablehlo_py.debug.fuzz.report import Report

    try:
        found = Report.from_json(json.loads(small_text(path)))
    except (ValueError, KeyError, TypeError):
        raise click.ClickException(f"{path}: not a report of shlo fuzz") from None
    if (found.engines, found.seed, found.request) != (wanted.engines, wanted.seed, wanted.request):
        raise click.UsageError(f"{path} is of other engines or programs; choose another folder")
    return found


def _run(report: Report, folder: Path, count: int | None, seconds: float | None) -> None:
    from stablehlo_py.debug.fuzz.fuzz import fuzz

    end = None if seconds is None else monotonic() + seconds

    def line() -> str:
        return f"{report.programs:,} programs, {common.counted(len(report.groups), 'group')}"

    try:
        with progress_line(line):
            for find in fuzz(report, count or (1 << 62), folder / JOURNAL):
                if find is not None and find.is_new:
                    _save_programs(find, folder)
                if find is not None or report.programs % SAVED_EVERY == 0:
                    _save(report, folder)
                if end is not None and monotonic() > end:
                    break
    finally:
        _save(report, folder)


def _save_programs(find: Find, folder: Path) -> None:
    """Write the first program of a group, as drawn and reduced."""
    save(folder, f"{find.group.name}.drawn", shlo.format(find.drawn.module), find.drawn.named_arguments)
    if find.reduced is not None:
        save(folder, find.group.name, find.reduced.text, find.reduced.named_inputs)


def _save(report: Report, folder: Path) -> None:
    for name, text in ((STATE, json.dumps(report.to_json(), indent=1)), (PAGE, report.to_markdown())):
        with OutputFiles([]).open(folder / name) as stream:
            stream.write(sources.encode(text))


def _print(report: Report, folder: Path) -> None:
    names = " and ".join(report.engines)
    common.echo(f"{report.programs:,} programs, {report.results:,} results on {names}")
    for group in report.ordered():
        common.echo(f"{group.count:8,}  {group.op or '-'}: {group.cause}")
        common.echo(f"          program {group.first}: {group.example.splitlines()[0][:200]}")
    if report.groups:
        common.echo(f"the report is {folder / PAGE}; the programs are beside it")
