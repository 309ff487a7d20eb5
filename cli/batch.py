"""Batch commands: expand paths, process files in parallel, show progress, report."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager, nullcontext
from dataclasses import field, fields
from functools import partial, wraps
from io import TextIOWrapper
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any

import click
from stablehlo_py.cli import common, result_cache, sources
from stablehlo_py.cli.baseline import Baseline
from stablehlo_py.cli.file_options import FileOptions, file_options
from stablehlo_py.cli.progress import Progress
from stablehlo_py.cli.reports import FORMATS, Report, Tool, make_report
from stablehlo_py.cli.results import FileResult, ModuleResult, Totals
from stablehlo_py.cli.sources import Text
from stablehlo_py.cli.watch import repeat

from stablehlo_py.diagnostics.diagnostic import Diagnostic, Severity
from stablehlo_py.ir.records import dataclass
from stablehlo_py.linter.options import SEVERITIES
from stablehlo_py.storage.files import OutputFiles

if TYPE_CHECKING:
    from stablehlo_py import Module


Check = Callable[[Text], ModuleResult]
"""Checks one module. Must be picklable: a function, or a `partial` of one."""


@dataclass(frozen=True)
class Options:
    """The options that `reporting` adds to a command, besides those of its files."""

    files: FileOptions = field(default_factory=FileOptions)
    format: str = "text"
    quiet: bool = False
    max_errors: int | None = None
    output: str | None = None
    fail_on: Severity | None = None
    baseline: str | None = None
    write_baseline: bool = False
    no_cache: bool = False
    watch: bool = False


_PARAMETERS = [
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
        "--fail-on",
        type=click.Choice(SEVERITIES),
        help="Exit with status 1 for diagnostics of this severity or higher (default: error for verify, "
        "warning for lint).",
    ),
    click.option(
        "--baseline",
        metavar="FILE",
        type=click.Path(dir_okay=False),
        help="Report only diagnostics that are not in this file of known ones.",
    ),
    click.option("--write-baseline", is_flag=True, help="Write all diagnostics to the file of --baseline."),
    click.option("--no-cache", is_flag=True, help="Check every file, even if its result is cached."),
    click.option("--watch", is_flag=True, help="Run again whenever a file changes, until interrupted."),
]


def reporting(function: Callable[..., int]) -> Callable[..., int]:
    """Add PATHS and the options of files and reports to a command, passed to it as `paths` and `options`."""

    @wraps(function)
    def with_options(files: FileOptions, **given: Any) -> int:
        own = {f.name: given.pop(f.name) for f in fields(Options) if f.name != "files"}
        return function(options=Options(files, **own), **given)

    decorated: Callable[..., int] = with_options
    for parameter in reversed(_PARAMETERS):
        decorated = parameter(decorated)
    return file_options(decorated)


def check_paths(
    paths: Sequence[str],
    check: Check,
    tool: Tool,
    options: Options,
    on_result: Callable[[FileResult], None] | None = None,
) -> int:
    """Check every module of every file and report the results; with `--watch`, after every change.

    Args:
        paths: Files, folders, patterns, or `-` for standard input.
        check: The check of one module.
        tool: The command that reports.
        options: The options.
        on_result: Receives every result, without the diagnostics of the baseline.

    Returns:
        The exit status: 1 if there are diagnostics of the severity of `--fail-on` or higher, otherwise 0.
    """
    run = partial(_check_once, paths, check, tool, options, on_result)
    if not options.watch:
        return run()
    if sources.STDIN in paths or options.write_baseline:
        what = "--write-baseline" if options.write_baseline else "standard input"
        raise click.UsageError(f"--watch cannot be used with {what}")
    return repeat(run, partial(options.files.expand, paths))


def _check_once(
    paths: Sequence[str],
    check: Check,
    tool: Tool,
    options: Options,
    on_result: Callable[[FileResult], None] | None,
) -> int:
    started = perf_counter()
    files = options.files.expand(paths)
    baseline = _baseline(tool, options)
    totals = Totals()
    with _reports(tool, options, files) as reports:
        with Progress(f"shlo {tool.name}", len(files)) as progress:
            task = partial(check_file, check, not options.no_cache)
            with closing(options.files.each(task, files, lost)) as results:
                for result in results:
                    if baseline is not None:
                        baseline.apply(result)
                    totals.add(result)
                    progress.advance()
                    if on_result is not None:
                        on_result(result)
                    prints = options.format == "json" or any(result.diagnostics)
                    with progress.aside() if prints else nullcontext():
                        for report in reports:
                            report.add(result)
        totals.seconds = perf_counter() - started
        for report in reports:
            report.close(totals)
    if baseline is not None and (summary := baseline.close()) and not options.quiet:
        common.echo(summary, err=True)
    if not options.no_cache:
        result_cache.trim()
    return 1 if totals.fails(options.fail_on or options.files.project.fail_on(tool.name)) else 0


def _baseline(tool: Tool, options: Options) -> Baseline | None:
    """Open the baseline of the command line or the configuration."""
    given = Path(options.baseline) if options.baseline else options.files.project.baseline(tool.name)
    if given is None:
        if options.write_baseline:
            raise click.UsageError(
                "--write-baseline requires --baseline FILE, or baseline in the configuration"
            )
        return None
    return Baseline(given, tool.name, options.write_baseline)


@contextmanager
def _reports(tool: Tool, options: Options, files: Sequence[str]) -> Iterator[list[Report]]:
    """Open the reports: on standard output unless --quiet, and in the --output file."""
    if options.output is None:
        printed = make_report(options.format, tool, sys.stdout, options.max_errors)
        yield [] if options.quiet else [printed]
        return
    options.files.protect(options.output)
    with OutputFiles(files).open(options.output) as output:
        stream = TextIOWrapper(output, "utf-8", newline="\n")
        text = [] if options.quiet else [make_report("text", tool, sys.stdout, options.max_errors)]
        yield [*text, make_report(options.format, tool, stream, options.max_errors)]
        stream.detach()


def check_file(check: Check, uses_cache: bool, file: str) -> FileResult:
    """Check the modules of a file; read errors and internal errors become diagnostics.

    Args:
        check: The check of one module.
        uses_cache: Whether the result may come from the cache of results.
        file: The file.

    Returns:
        The result.
    """
    try:
        text = sources.read(file)
    except (OSError, sources.Unreadable) as error:
        why = (error.strerror if isinstance(error, OSError) else None) or str(error)
        return lost(file, why)
    if missing := sources.why_no_program(text):
        return lost(text.name, missing)
    make = partial(_check_modules, check, text)
    return result_cache.cached(check, text, make) if uses_cache and text.function is None else make()


def _check_modules(check: Check, text: Text) -> FileResult:
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
