"""`shlo inspect`: show a program's signature, constants, memory and cost, without running it."""

from __future__ import annotations

import click
from stablehlo_py.cli import common, sources
from stablehlo_py.cli.inspect_report import print_analysis

import stablehlo_py as shlo
from stablehlo_py.analysis import Analysis

_EXAMPLES = common.examples(
    ("Show signature, constants, memory and cost", "shlo inspect model.mlir"),
    (
        "Print the operations of one call, for a script",
        "shlo inspect model.mlir --format json | jq .modules[0].functions[0].flops",
    ),
)


@click.command("inspect", epilog=_EXAMPLES)
@click.argument("paths", nargs=-1, required=True, metavar="PATHS...", type=click.Path())
@click.option(
    "--entry", metavar="NAME", help="The function to analyze (default: @main, or the only function)."
)
@click.option("--all", "everything", is_flag=True, help="Print complete lists of inputs, results and ops.")
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
    """Show the signature, constants, memory and cost of programs, without running them.

    Operations are counted as XLA counts them: a multiply-add is two, and transcendental functions are counted
    separately. Calls are included, and loops with a known trip count are multiplied by it; estimates are
    listed. Bytes are what each op reads and writes on its own, without fusion. Peak memory is the maximum
    that is live at once, including arguments and results.

    With --format json, print an object with modules, each with file, line, entry, functions, calls,
    statistics and notes.
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
            common.echo("\n" if index else "", nl=False)
            print_analysis(source, analysis, everything)
    return 0 if ok else 1


def _analysis(source: common.Text, entry: str | None, allow_unregistered: bool) -> Analysis | None:
    """Analyze a module; print its errors and return None if it is invalid."""
    module, errors = common.find_errors(source, allow_unregistered)
    common.print_diagnostics(source, errors, err=True)
    if module is None or errors:
        return None
    try:
        return shlo.analyze(module, entry)
    except ValueError as error:
        raise click.UsageError(f"{source.name}: {error}") from None
