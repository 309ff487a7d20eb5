"""`shlo inspect`: what a program takes, holds and costs, from its text alone."""

from __future__ import annotations

import click
from stablehlo_py.cli import common, sources
from stablehlo_py.cli.inspect_report import print_analysis

import stablehlo_py as shlo
from stablehlo_py.analysis import Analysis

_EXAMPLES = common.examples(
    ("What a program takes, holds and costs", "shlo inspect model.mlir"),
    (
        "The work of one call, for a script",
        "shlo inspect model.mlir --format json | jq .modules[0].functions[0].flops",
    ),
)


@click.command("inspect", epilog=_EXAMPLES)
@click.argument("paths", nargs=-1, required=True, metavar="PATHS...", type=click.Path())
@click.option(
    "--entry", metavar="NAME", help="The function to tell about: @main, or the only one, by default."
)
@click.option("--all", "everything", is_flag=True, help="Print all inputs, results and ops, however many.")
@common.VJP
@common.UNREGISTERED
@common.FORMAT
def command(
    paths: tuple[str, ...],
    entry: str | None,
    everything: bool,
    vjp: int,
    allow_unregistered: bool,
    output: str,
) -> int:
    """Tell what programs take, hold and cost, without running them.

    Operations are counted as XLA counts them: two for a multiplication and addition, transcendental
    functions apart. Calls are followed, and loops that count are multiplied by their iterations; what is
    only estimated is said. Bytes are those that each op reads and writes by itself, before any fusion. Peak
    memory is the most that is alive at once, arguments and results included.

    With --format json, prints an object with modules: file, line, entry, functions, calls, statistics and
    notes of each.
    """
    found: list[tuple[common.Text, Analysis]] = []
    ok = True
    for path in sources.expand(paths):
        for source in sources.modules(common.read(path, vjp)):
            analysis = _analysis(source, entry, allow_unregistered)
            ok = ok and analysis is not None
            if analysis is not None:
                found.append((source, analysis))
    if output == "json":
        modules = [{**analysis.to_dict(), "line": source.first_line} for source, analysis in found]
        common.print_json({"modules": modules})
    else:
        for index, (source, analysis) in enumerate(found):
            click.echo("\n" if index else "", nl=False)
            print_analysis(source, analysis, everything)
    return 0 if ok else 1


def _analysis(source: common.Text, entry: str | None, allow_unregistered: bool) -> Analysis | None:
    """What is to be said about a module; None, with its errors printed, if it is not a valid one."""
    module, errors = common.find_errors(source, allow_unregistered)
    common.print_diagnostics(source, errors, err=True)
    if module is None or errors:
        return None
    try:
        return shlo.analyze(module, entry)
    except ValueError as error:
        raise click.UsageError(f"{source.name}: {error}") from None
