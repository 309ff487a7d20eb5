"""A command over many files: finding them, working on them, showing progress, reporting."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager, nullcontext
from functools import partial, wraps
from pathlib import Path
from time import perf_counter
from typing import Any, NamedTuple

import click
from stablehlo_py.cli import sources, workers
from stablehlo_py.cli.progress import Progress
from stablehlo_py.cli.reports import FORMATS, Report, Tool, make_report
from stablehlo_py.cli.results import FileResult, ModuleResult, Totals
from stablehlo_py.cli.sources import Text

from stablehlo_py import Diagnostic, Module

Check = Callable[[Text], ModuleResult]
"""What a command does with one module. It passes between processes: a function, or a `partial` of one."""


class Options(NamedTuple):
    """How to work and report: what `reporting` asks for on the command line."""

    format: str = "text"
    quiet: bool = False
    jobs: int | None = None
    max_errors: int | None = None
    output: str | None = None


_PARAMETERS = [
    click.argument("paths", nargs=-1, required=True, metavar="PATHS...", type=click.Path()),
    click.option(
        "--format", "format", type=click.Choice(FORMATS), default="text", help="How to report what is found."
    ),
    click.option(
        "-o",
        "--output",
        metavar="FILE",
        type=click.Path(dir_okay=False),
        help="Write the report to FILE; what is found is then printed as text besides.",
    ),
    click.option("-q", "--quiet", is_flag=True, help="Print nothing; the exit status tells."),
    click.option(
        "--max-errors",
        type=click.IntRange(min=0),
        metavar="N",
        help="Print no more than N errors (text and github), and how many more there are.",
    ),
    click.option(
        "-j",
        "--jobs",
        type=click.IntRange(min=0),
        metavar="N",
        help="Work in N processes; 0 is one for each processor. By default as the amount of text suggests.",
    ),
]


def reporting(function: Callable[..., int]) -> Callable[..., int]:
    """Adds PATHS and the options on working and reporting; the function gets `paths` and `options`."""

    @wraps(function)
    def with_options(**given: Any) -> int:
        options = Options(**{name: given.pop(name) for name in Options._fields})
        return function(options=options, **given)

    decorated: Callable[..., int] = with_options
    for parameter in reversed(_PARAMETERS):
        decorated = parameter(decorated)
    return decorated


def check_paths(
    paths: Sequence[str], check: Check, tool: Tool, options: Options, watchers: Sequence[Report] = ()
) -> int:
    """Checks every module of every file, reports, and gives the exit status: 1 if there are errors.

    `watchers` are told what the reports are.
    """
    started = perf_counter()
    files = sources.expand(paths)
    jobs = workers.default_jobs(files, options.jobs)
    totals = Totals()
    with _reports(tool, options, files) as printed:
        reports = [*printed, *watchers]
        with Progress(f"shlo {tool.name}", len(files)) as progress:
            task = partial(check_file, check)
            with closing(workers.each(task, files, jobs, lost)) as results:
                for result in results:
                    totals.add(result)
                    progress.advance()
                    prints = options.format == "json" or any(result.diagnostics)
                    with progress.aside() if prints else nullcontext():
                        for report in reports:
                            report.add(result)
        totals.seconds = perf_counter() - started
        for report in reports:
            report.close(totals)
    return 1 if totals.errors else 0


@contextmanager
def _reports(tool: Tool, options: Options, files: Sequence[str]) -> Iterator[list[Report]]:
    """The report to standard output unless it is to be quiet, and that to a file."""
    if options.output is None:
        printed = make_report(options.format, tool, sys.stdout, options.max_errors)
        yield [] if options.quiet else [printed]
        return
    if options.output in files:
        raise click.UsageError(f"{options.output} is a file to read, not one to write")
    with Path(options.output).open("w", encoding="utf-8") as stream:
        text = [] if options.quiet else [make_report("text", tool, sys.stdout, options.max_errors)]
        yield [*text, make_report(options.format, tool, stream, options.max_errors)]


def check_file(check: Check, file: str) -> FileResult:
    """The results of a file's modules; whatever goes wrong with one is among its findings."""
    try:
        text = sources.read(file)
    except (OSError, sources.Unreadable) as error:
        why = (error.strerror if isinstance(error, OSError) else None) or str(error)
        return lost(file, why)
    results = [_check_module(check, module) for module in sources.modules(text)]
    return FileResult(text.name, results, _lines(text, results))


def lost(file: str, why: str) -> FileResult:
    """The result of a file of which nothing is known."""
    finding = Diagnostic("error", "file", why, 0, 0)
    return FileResult(file, [ModuleResult(diagnostics=[finding])])


def _check_module(check: Check, module: Text) -> ModuleResult:
    started = perf_counter()
    try:
        result = check(module)
    except Exception as error:
        result = ModuleResult(diagnostics=[Diagnostic("error", "internal", bug(error), module.first_line, 1)])
    result.first_line, result.seconds = module.first_line, perf_counter() - started
    return result


def bug(error: Exception) -> str:
    """What to say of an exception that nobody expected."""
    from traceback import extract_tb

    if isinstance(error, MemoryError):
        return "out of memory"
    frame = extract_tb(error.__traceback__)[-1]
    where = f"{Path(frame.filename).name}:{frame.lineno}"
    words = "internal error, please report it with the program"
    return f"{words}: {type(error).__name__}: {error} ({where})"


def _lines(text: Text, results: Sequence[ModuleResult]) -> dict[int, str]:
    """The lines of a text that diagnostics are about."""
    wanted = {diagnostic.line for result in results for diagnostic in result.diagnostics}
    if not wanted:
        return {}
    lines = text.text.split("\n")
    return {number: lines[number - 1].rstrip("\r") for number in wanted if 0 < number <= len(lines)}


def size(module: Module) -> tuple[int, int]:
    """How many functions a module has, and how many ops, itself and its functions not counted."""
    ops = functions = 0
    for op in module.walk():
        functions += op.is_function
        ops += not (op.is_module or op.is_function)
    return functions, ops
