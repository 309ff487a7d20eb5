"""`shlo graph`: draw a program as a graph, in HTML, DOT or JSON."""

from __future__ import annotations

import sys
from pathlib import Path

import click
from stablehlo_py.cli import common, sources

import stablehlo_py as shlo
from stablehlo_py.storage.files import OutputFiles

_FORMATS = ("html", "dot", "json")
_EXAMPLES = common.examples(
    ("Write an interactive HTML page", "shlo graph model.mlir -o model.html"),
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
@common.UNREGISTERED
def command(file: str, output: str | None, format: str | None, number: int, allow_unregistered: bool) -> int:
    """Draw a program as a graph of functions, regions, ops and values.

    The HTML page is self-contained and works offline. Drag to pan, scroll to zoom; click an op for its
    attributes, location and definition; double-click a function or region to expand or collapse it.

    With --format json, print an object: name, functions (items: id, kind, title, name, results, operands,
    attributes, value, line, location, calls, and nested items), edges (from, to, name), and definitions; or
    name and diagnostics if the program cannot be parsed.
    """
    outputs = OutputFiles([file])
    outputs.check(output)
    format = format or _by_suffix(output) or "html"
    source = common.nth(sources.modules(common.read(file)), number)
    try:
        module = source.parse(allow_unregistered)
    except shlo.ParseError as error:
        common.print_diagnostics(source, error.diagnostics, err=True)
        if format == "json" and output is None:
            found = common.diagnostics_json(source, error.diagnostics)
            common.print_json({"name": source.name, "diagnostics": found})
        return 1
    text = _drawn(module, format)
    if output is not None:
        with outputs.open(output) as stream:
            stream.write(sources.encode(text))
    elif format == "html" and sys.stdout.isatty():
        raise click.UsageError("refusing to print HTML to a terminal: use -o OUT or redirect the output")
    else:
        common.write(text)
    return 0


def _by_suffix(output: str | None) -> str | None:
    suffix = Path(output).suffix.lower() if output else ""
    return {".html": "html", ".htm": "html", ".dot": "dot", ".gv": "dot", ".json": "json"}.get(suffix)


def _drawn(module: shlo.Module, format: str) -> str:
    from stablehlo_py.reports.graph import dot, graph, page

    drawn = graph(module)
    match format:
        case "dot":
            return dot(drawn)
        case "json":
            import json

            return json.dumps(drawn.to_dict(), allow_nan=False) + "\n"
    return page(drawn)
