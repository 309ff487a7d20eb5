"""`shlo verify`: check programs against the specification."""

from __future__ import annotations

import click
from stablehlo_py.cli import common


@click.command("verify")
@common.FILES
@common.FORMAT
@common.UNREGISTERED
@click.option("-q", "--quiet", is_flag=True, help="Print nothing; the exit status tells.")
def command(files: tuple[str, ...], output: str, allow_unregistered: bool, quiet: bool) -> int:
    """Check programs against the specification: everything that is wrong, at once.

    With --format json, prints an object for each FILE: file, valid, errors and warnings (counts), and
    diagnostics, each with severity, code, message, line, column, end_column and notes.
    """
    sources = common.read_all(files)
    errors = warnings = 0
    for source, diagnostics in common.each_diagnosis(sources, allow_unregistered):
        wrong = sum(map(common.is_error, diagnostics))
        doubtful = sum(d.severity == "warning" for d in diagnostics)
        errors, warnings = errors + wrong, warnings + doubtful
        if quiet:
            continue
        if output == "json":
            found = list(map(common.diagnostic_json, diagnostics))
            counts = {"errors": wrong, "warnings": doubtful}
            common.print_json({"file": source.name, "valid": not wrong, **counts, "diagnostics": found})
        else:
            common.print_diagnostics(source, diagnostics)
    if output == "text" and not quiet:
        click.echo(common.summary(len(sources), errors, warnings))
    return 1 if errors else 0
