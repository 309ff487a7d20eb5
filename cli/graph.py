"""`shlo graph`: draw a program as a graph, in HTML, DOT or JSON."""

from __future__ import annotations

import json
from pathlib import Path

import click
from stablehlo_py.cli import common, sources

import stablehlo_py as shlo
from stablehlo_py.storage.files import OutputFiles, small_text

_SUFFIXES = {".html": "html", ".htm": "html", ".dot": "dot", ".gv": "dot", ".json": "json"}
_FORMATS = ("html", "dot", "json")
_EXAMPLES = common.examples(
    ("Write an interactive HTML page", "shlo graph model.mlir -o model.html"),
    (
        "Colour ops by their errors",
        "shlo compare a.mlir b.mlir --random 0 --top 1000 --format json > c.json; "
        "shlo graph a.mlir --errors c.json -o a.html",
    ),
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
@common.allowing
def command(
    file: str,
    output: str | None,
    format: str | None,
    number: int,
    compared: Path | None,
    allowed: common.Allowed,
) -> int:
    """Draw a program as a graph of functions, name scopes, regions, ops and values.

    The HTML page is self-contained and works offline. It opens at the model's scope: ops are grouped by the
    name scopes in their locations, such as jit(main)/Block_0/Attention, and many ops of one scope by their
    lines. Weights (many arguments with floats, in one tree) and constants are shown in the ops that use them.
    Drag to pan, scroll to zoom, or click the map; click an op for its attributes, cost, location and
    definition; double-click a function, scope or region to open or close it. / goes to the search, which
    lists what it finds. Colours show operations, bytes, time or errors.

    With --format json, print an object: name, functions (items: id, kind, title, name, results, operands,
    attributes, value, line, location, scope, operations, bytes, error, seconds, weight, calls, and nested
    items), edges (from, to, name), and definitions; or name and diagnostics if the program cannot be parsed.
    """
    outputs = OutputFiles([file, *([compared] if compared is not None else [])])
    outputs.check(output)
    format = format or common.format_of(output, _SUFFIXES, "html", "--format")
    source = common.nth(sources.modules(common.read(file)), number)
    try:
        module = source.parse(allowed)
    except shlo.ParseError as error:
        common.print_diagnostics(source, error.diagnostics, err=True)
        if format == "json" and output is None:
            found = common.diagnostics_json(source, error.diagnostics)
            common.print_json({"name": source.name, "diagnostics": found})
        return 1
    text = _drawn(module, format, _errors(compared))
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


def _drawn(module: shlo.Module, format: str, errors: dict[int, float]) -> str:
    from stablehlo_py.reports.graph import dot, graph, page

    is_valid = not any(map(common.is_error, shlo.verify(module))) if format != "dot" else False
    drawn = graph(module, costs=is_valid, errors=errors)
    match format:
        case "dot":
            return dot(drawn)
        case "json":
            return json.dumps(drawn.to_dict(), allow_nan=False) + "\n"
    return page(drawn)
