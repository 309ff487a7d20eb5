"""`shlo graph`: draw a program as a graph, in HTML, DOT or JSON."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import click
from stablehlo_py.cli import common, sources
from stablehlo_py.cli.report_runs import Runs, run_options, run_subject
from stablehlo_py.cli.sources import Text

import stablehlo_py as shlo
from stablehlo_py.storage.files import OutputFiles, small_text

if TYPE_CHECKING:
    from stablehlo_py.reports.report import Subject

_SUFFIXES = {".html": "html", ".htm": "html", ".dot": "dot", ".gv": "dot", ".json": "json"}
_FORMATS = ("html", "dot", "json")
_EXAMPLES = common.examples(
    ("Write an interactive HTML page", "shlo graph model.mlir -o model.html"),
    ("Colour ops by their time in a run", "shlo graph model.mlir -a inputs.npz --profile -o model.html"),
    ("Colour ops by their errors", "shlo graph a.mlir --random 0 --against b.mlir -o a.html"),
    ("Render with Graphviz", "shlo graph model.mlir --format dot | dot -Tsvg > model.svg"),
    ("Process as JSON", "shlo graph model.mlir --format json | jq '.edges | length'"),
)


@click.command("graph", epilog=_EXAMPLES)
@click.argument("file")
@click.option(
    "-o", "--output", metavar="OUT", help="Write to OUT; without --format, its suffix selects the format."
)
@click.option(
    "--format",
    "format",
    type=click.Choice(_FORMATS),
    help="Output format: an interactive page (default), Graphviz DOT, or JSON.",
)
@click.option(
    "--module",
    "number",
    type=click.IntRange(min=1),
    metavar="N",
    default=1,
    help="Draw the N-th of the modules separated by // ----- in FILE (default: 1).",
)
@click.option(
    "--errors",
    "compared",
    type=click.Path(path_type=Path, exists=True, dir_okay=False),
    metavar="FILE",
    help="Colour ops by their errors in a comparison: what `shlo compare --format json` prints (--top N has "
    "more than the first op).",
)
@run_options("against", "timeout")
@click.option("--profile", is_flag=True, help="Run the program on the inputs, and colour ops by their time.")
@common.DIMS
@common.VJP
@common.allowing
def command(
    file: str,
    output: str | None,
    format: str | None,
    number: int,
    compared: Path | None,
    profile: bool,
    runs: Runs,
    dims: dict[str, int],
    vjp: int,
    allowed: common.Allowed,
) -> int:
    """Draw a program as a graph of functions, name scopes, regions, ops and values.

    The HTML page is self-contained and works offline. It opens at the model's scope: ops are grouped by the
    name scopes in their locations, such as jit(main)/Block_0/Attention, and many ops of one scope by their
    lines. Weights (many arguments with floats, in one tree) and constants are shown in the ops that use
    them. Drag to pan, scroll to zoom, or click the map; click an op for its attributes, cost, location and
    definition; double-click a function, scope or region to open or close it. / goes to the search, which
    lists what it finds: words, or a regular expression such as /dot.*bf16/. Colours show operations, bytes,
    time, errors, or the bytes that a device of the program's mesh sends; edges to ops that communicate have
    a colour of their own. A fusion of HLO is a scope; of scheduled HLO, colours show the live memory, too.

    With --format json, print an object: name, functions (items: id, kind, title, name, results, operands,
    attributes, value, line, location, scope, operations, bytes, error, seconds, sent, live, weight, calls,
    and nested items), edges (from, to, name), and definitions; or name and diagnostics if the program cannot
    be parsed.
    """
    _check(runs, profile, compared)
    outputs = OutputFiles([file, *([compared] if compared is not None else [])])
    outputs.check(output)
    format = format or common.format_of(output, _SUFFIXES, "html", "--format")
    source = common.nth(sources.modules(common.read(file, vjp)), number)
    try:
        module = source.parse(allowed)
    except shlo.ParseError as error:
        common.print_diagnostics(source, error.diagnostics, err=True)
        if format == "json" and output is None:
            found = common.diagnostics_json(source, error.diagnostics)
            common.print_json({"name": source.name, "diagnostics": found})
        return 1
    specialized, errors = common.specialized(module, dims)
    if specialized is None:
        common.print_diagnostics(source, errors, err=True)
        return 1
    module = specialized
    subject = _run(module, source, runs)
    text = _drawn(module, source, format, subject, _errors(compared))
    if format == "html":
        common.refuse_terminal(output)
    common.write_report(text, output, outputs)
    return 0


def _errors(compared: Path | None) -> dict[int, float]:
    """Read the errors of ops by line; raise ClickException for a file that is not a comparison."""
    if compared is None:
        return {}
    from stablehlo_py.reports.comparison_html import errors_by_line

    try:
        return errors_by_line(json.loads(small_text(compared)))
    except OSError as error:
        raise click.ClickException(f"{compared}: {error.strerror}") from None
    except (ValueError, RecursionError):
        why = "expected what `shlo compare --format json` prints"
        raise click.ClickException(f"{compared}: {why}") from None


def _check(runs: Runs, profile: bool, compared: Path | None) -> None:
    """Raise UsageError for options of a run that cannot be combined."""
    if (profile or runs.against is not None) and not runs.are_asked_for:
        raise click.UsageError("--profile and --against require --input or --random")
    if runs.are_asked_for and not (profile or runs.against is not None):
        raise click.UsageError("--input and --random require --profile or --against")
    if runs.against is not None and compared is not None:
        raise click.UsageError("give one of: --against, --errors")


def _run(module: shlo.Module, source: Text, runs: Runs) -> Subject | None:
    """Run a valid program if that is asked for, and print what fails or differs."""
    from stablehlo_py.reports.report.subject import Subject

    if not runs.are_asked_for or any(map(common.is_error, shlo.verify(module))):
        return None
    subject = Subject(source.name, source.text, module, [], source.first_line)
    run_subject(subject, module, runs.measured())
    common.print_diagnostics(source, subject.diagnostics, err=True)
    return subject


def _drawn(
    module: shlo.Module, source: Text, format: str, subject: Subject | None, errors: dict[int, float]
) -> str:
    from stablehlo_py.cli.inspect_schedule import schedule_by_line

    from stablehlo_py.api.devices import analyze_mesh
    from stablehlo_py.reports.comparison_html import errors_by_line
    from stablehlo_py.reports.graph import dot, graph, page

    seconds: dict[int, float] = {}
    for row in subject.run.profile.rows if subject is not None and subject.run is not None else ():
        seconds[row.line] = seconds.get(row.line, 0.0) + row.warm
    if subject is not None and subject.comparison is not None:
        errors = errors_by_line(subject.comparison)
    is_valid = not any(map(common.is_error, shlo.verify(module))) if format != "dot" else False
    devices = analyze_mesh(module) if is_valid else None
    sent = devices.sent_by_line() if devices is not None else {}
    lines = schedule_by_line(source)
    drawn = graph(module, costs=is_valid, errors=errors, seconds=seconds, sent=sent, **lines)
    match format:
        case "dot":
            return dot(drawn)
        case "json":
            return json.dumps(drawn.to_dict(), allow_nan=False) + "\n"
    return page(drawn)
