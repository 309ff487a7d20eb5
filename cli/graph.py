"""`shlo graph`: a program to look at."""

from __future__ import annotations

import sys
from pathlib import Path

import click
from stablehlo_py.cli import common, sources

import stablehlo_py as shlo

_FORMATS = ("html", "dot", "json")
_EXAMPLES = common.examples(
    ("A page for any browser", "shlo graph model.mlir -o model.html"),
    ("A picture, by Graphviz", "shlo graph model.mlir --format dot | dot -Tsvg > model.svg"),
    ("Data for a script", "shlo graph model.mlir --format json | jq '.edges | length'"),
)


@click.command("graph", epilog=_EXAMPLES)
@click.argument("file")
@click.option("-o", "--output", metavar="OUT", help="The file to write; its name may say the format.")
@click.option(
    "--format",
    "format",
    type=click.Choice(_FORMATS),
    help="A page (the default), Graphviz's language, or data.",
)
@click.option(
    "--module",
    "number",
    type=click.IntRange(min=1),
    metavar="N",
    default=1,
    help="The N-th of the modules that // ----- separates in FILE; the first by default.",
)
@common.UNREGISTERED
def command(file: str, output: str | None, format: str | None, number: int, allow_unregistered: bool) -> int:
    """Draw a program as a graph: functions, regions, ops, and the values between them.

    The page is one file that needs no network. Drag and scroll to move and zoom; a click shows an op's
    attributes, location and definition, a double click opens and closes functions and regions.

    With --format json, prints an object: name, functions (items: id, kind, title, name, results, operands,
    attributes, value, line, location, calls, and the items inside), edges (from, to, name), definitions. Of
    what is no program, it has name and diagnostics.
    """
    format = format or _by_suffix(output) or "html"
    source = common.nth(sources.modules(common.read(file)), number)
    try:
        module = source.parse(allow_unregistered)
    except shlo.ParseError as error:
        common.print_diagnostics(source, error.diagnostics, err=True)
        if format == "json" and output is None:
            found = [common.diagnostic_json(diagnostic) for diagnostic in error.diagnostics]
            common.print_json({"name": source.name, "diagnostics": found})
        return 1
    text = _drawn(module, format)
    if output is not None:
        Path(output).write_bytes(sources.encode(text))
    elif format == "html" and sys.stdout.isatty():
        raise click.UsageError("a page is not for a terminal: name a file with -o, or pass it on in a pipe")
    else:
        common.write(text)
    return 0


def _by_suffix(output: str | None) -> str | None:
    suffix = Path(output).suffix.lower() if output else ""
    return {".html": "html", ".htm": "html", ".dot": "dot", ".gv": "dot", ".json": "json"}.get(suffix)


def _drawn(module: shlo.Module, format: str) -> str:
    from stablehlo_py.graph import dot, graph, page

    drawn = graph(module)
    match format:
        case "dot":
            return dot(drawn)
        case "json":
            import json

            return json.dumps(drawn.to_dict(), allow_nan=False) + "\n"
    return page(drawn)
