"""Batch commands: expand paths, process files in parallel, show progress, report."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager, nullcontext
from functools import partial, wraps
from io import TextIOWrapper
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
from stablehlo_py.files import OutputFiles

Check = Callable[[Text], ModuleResult]
"""Checks one module. Must be picklable: a function, or a `partial` of one."""


class Options(NamedTuple):
    """The options that `reporting` adds to a command."""

    format: str = "text"
    quiet: bool = False
    jobs: int | None = None
    max_errors: int | None = None
    output: str | None = None


_PARAMETERS = [
    click.argument("paths", nargs=-1, required=True, metavar="PATHS...", type=click.Path()),
    click.option(
        "--format",
        "format",
        type=click.Choice(FORMATS),
        default="text",
        help="Report format (default: text).",
    ),
    click.option(
        "-o",
        "--output",
        metavar="FILE",
        type=click.Path(dir_okay=False),
        help="Write the report to FILE, and also print diagnostics as text.",
    ),
    click.option("-q", "--quiet", is_flag=True, help="Print nothing; only set the exit status."),
    click.option(
        "--max-errors",
        type=click.IntRange(min=0),
        metavar="N",
        help="Print at most N errors, and the number suppressed (text and github formats).",
    ),
    click.option(
        "-j",
        "--jobs",
        type=click.IntRange(min=0),
        metavar="N",
        help="Use N worker processes; 0 is one per processor (default: chosen by the size of the input).",
    ),
]


def reporting(function: Callable[..., int]) -> Callable[..., int]:
    """Add PATHS and the reporting options to a command, passed to it as `paths` and `options`."""

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
    """Check every module of every file and report the results.

    Args:
        paths: Files, folders, patterns, or `-` for standard input.
        check: The check of one module.
        tool: The command that reports.
        options: The reporting options.
        watchers: Further reports that receive every result.

    Returns:
        The exit status: 1 if there are errors, otherwise 0.
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
    """Open the reports: on standard output unless --quiet, and in the --output file."""
    if options.output is None:
        printed = make_report(options.format, tool, sys.stdout, options.max_errors)
        yield [] if options.quiet else [printed]
        return
    with OutputFiles(files).open(options.output) as output:
        stream = TextIOWrapper(output, "utf-8", newline="\n")
        text = [] if options.quiet else [make_report("text", tool, sys.stdout, options.max_errors)]
        yield [*text, make_report(options.format, tool, stream, options.max_errors)]
        stream.detach()


def check_file(check: Check, file: str) -> FileResult:
    """Check the modules of a file; read errors and internal errors become diagnostics."""
    try:
        text = sources.read(file)
    except (OSError, sources.Unreadable) as error:
        why = (error.strerror if isinstance(error, OSError) else None) or str(error)
        return lost(file, why)
    if not text.content.strip():
        return lost(text.name, "empty file; expected a program")
    results = [_check_module(check, module) for module in sources.modules(text)]
    return FileResult(text.name, results, _lines(text, results))


def lost(file: str, why: str) -> FileResult:
    """Return the result of a file that could not be processed."""
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
    """Describe an unexpected exception as an internal error."""
    from traceback import extract_tb

    if isinstance(error, MemoryError):
        return "out of memory"
    frame = extract_tb(error.__traceback__)[-1]
    where = f"{Path(frame.filename).name}:{frame.lineno}"
    return f"internal error: {type(error).__name__}: {error} ({where}); please report it with the program"


def _lines(text: Text, results: Sequence[ModuleResult]) -> dict[int, str]:
    """Return the source lines that diagnostics refer to, by number."""
    wanted = {diagnostic.line for result in results for diagnostic in result.diagnostics}
    if not wanted:
        return {}
    lines = text.text.split("\n")
    return {number: lines[number - 1].rstrip("\r") for number in wanted if 0 < number <= len(lines)}


def size(module: Module) -> tuple[int, int]:
    """Count the functions of a module, and its ops without the module and function ops."""
    ops = functions = 0
    for op in module.walk():
        functions += op.is_function
        ops += not (op.is_module or op.is_function)
    return functions, ops
