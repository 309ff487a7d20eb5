"""`shlo report`: one HTML file about many programs, for a reviewer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

import click
from stablehlo_py.cli import common, sources
from stablehlo_py.cli.batch import bug
from stablehlo_py.cli.file_options import FileOptions, file_options
from stablehlo_py.cli.inspect_schedule import schedule_of
from stablehlo_py.cli.progress import Progress
from stablehlo_py.cli.report_runs import Runs, run_options, run_subject
from stablehlo_py.cli.sources import Text

import stablehlo_py as shlo
from stablehlo_py.diagnostics.diagnostic import Severity
from stablehlo_py.linter.options import SEVERITIES
from stablehlo_py.linter.settings import Settings
from stablehlo_py.storage.files import OutputFiles

if TYPE_CHECKING:
    from stablehlo_py.reports.report import Section, Subject


_EXAMPLES = common.examples(
    ("Report on a folder", "shlo report exports/ -o report.html"),
    (
        "Run each program on inputs of its own, and check the results",
        "shlo report exports/ -a 'data/{name}.npz' --check-against 'data/{name}.npz' -o report.html",
    ),
    (
        "Show errors against intermediates of another backend",
        "shlo report m.mlir -a m.npz --against probes/ -o m.html",
    ),
)


@click.command("report", epilog=_EXAMPLES)
@file_options
@click.option("-o", "--output", metavar="OUT", help="Write the report to OUT.")
@click.option("--title", default="StableHLO report", help="The title of the report.")
@click.option(
    "--fail-on",
    type=click.Choice(SEVERITIES),
    default="error",
    help="Exit with status 1 for diagnostics of this severity or higher (default: error).",
)
@run_options("check_against", "against", "timeout")
@common.allowing
def command(
    paths: tuple[str, ...],
    files: FileOptions,
    output: str | None,
    title: str,
    fail_on: Severity,
    runs: Runs,
    allowed: common.Allowed,
) -> int:
    """Write one HTML file about programs: findings, text, signatures, cost, graph, and runs.

    PATHS are files, folders, patterns in quotes, or - for standard input. The page is self-contained and
    works offline: an index of all programs that can be sorted and filtered, and for each program its
    highlighted text with the findings of verify and lint at their lines, and what explain says of them, its
    signature, costs, memory over time and graph.

    With inputs (--input, --random), each valid program is run, and its profile is shown; with
    --check-against and --against, the errors of its results and ops. {name} in these options is the name of
    the program's file without its suffix; a program without such a file is not run. What fails or differs is
    a finding, an error.

    Settings are read from [tool.shlo] in the nearest pyproject.toml. Files that cannot be read are in the
    report with their error. Exit status: 0 if there is no diagnostic of the severity of --fail-on or higher,
    1 if there is, 2 on a usage error.
    """
    from stablehlo_py.api.reporting import explanations
    from stablehlo_py.reports.report import report_page

    common.refuse_terminal(output)
    common.format_of(output, common.PAGE, "html")
    expanded = files.expand(paths)
    outputs = OutputFiles(expanded)
    outputs.check(output)
    files.protect(output)
    project = files.project
    options = Options(
        allowed | common.Allowed(project.verify.allow_unregistered, project.verify.allow_newer),
        project.verify.strict,
        project.lint,
        runs.measured(),
    )
    sections: list[Section] = []
    with Progress("shlo report", len(expanded)) as progress:
        for found in files.each(partial(_sections, options), expanded, _lost):
            sections += found
            progress.advance()
    common.write_report(report_page(sections, explanations(sections), title), output, outputs)
    if output is not None:
        common.echo(_summary(output, sections))
    counts = [sum(each.severities[at] for each in sections) for at in range(len(SEVERITIES))]
    return 1 if any(counts[: SEVERITIES.index(fail_on) + 1]) else 0


@dataclass(frozen=True)
class Options:
    """How programs are checked."""

    allowed: common.Allowed
    strict: bool
    lint: Settings
    runs: Runs


def _summary(output: str, sections: Sequence[Section]) -> str:
    errors, warnings = (sum(each.severities[at] for each in sections) for at in range(2))
    found = [common.counted(n, noun) for n, noun in ((errors, "error"), (warnings, "warning")) if n]
    return f"{output}: {' and '.join(found) or 'no errors'} in {common.counted(len(sections), 'program')}"


def _sections(options: Options, file: str) -> list[Section]:
    """Report on the modules of a file."""
    try:
        text = sources.read(file)
    except (OSError, sources.Unreadable) as error:
        return _lost(file, (error.strerror if isinstance(error, OSError) else None) or str(error))
    if missing := sources.why_no_program(text):
        return _lost(text.name, missing)
    return [_section(options, module) for module in sources.modules(text)]


def _lost(file: str, why: str) -> list[Section]:
    """Return the section of a file that could not be processed."""
    from stablehlo_py.reports.report import Subject, program_section

    return [program_section(Subject(file, "", None, [shlo.Diagnostic("error", "file", why, 0, 0)]))]


def _section(options: Options, text: Text) -> Section:
    from stablehlo_py.reports.report import Subject, program_section

    name = f"{text.name}:{text.first_line}" if text.first_line > 1 else text.name
    try:
        return program_section(_subject(options, text, name))
    except Exception as error:
        finding = shlo.Diagnostic("error", "internal", bug(error), text.first_line, 1)
        return program_section(Subject(name, text.text, None, [finding], text.first_line))


def _subject(options: Options, text: Text, name: str) -> Subject:
    """Check and analyze a module."""
    from stablehlo_py.api.reporting import analyze_subject
    from stablehlo_py.reports.graph import graph
    from stablehlo_py.reports.report import Subject

    module, diagnostics = common.diagnose(text, options.allowed, options.strict)
    errors = [each for each in diagnostics if common.is_error(each) and each.code != "elided"]
    subject = Subject(name, text.text, module, diagnostics, text.first_line)
    if module is None:
        return subject
    if errors:
        subject.graph = graph(module)
        return subject
    subject.schedule = schedule_of(text)
    analyze_subject(subject, module, options.lint, partial(_run, subject, module, options.runs))
    return subject


def _run(subject: Subject, module: shlo.Module, runs: Runs) -> None:
    """Run a program if that is asked for and the program has an entry function."""
    has_entry = subject.analysis is not None and subject.analysis.entry is not None
    if (has_entry or runs.entry is not None) and runs.are_asked_for:
        run_subject(subject, module, runs)
