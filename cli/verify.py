"""`shlo verify`: check programs against the specification."""

from __future__ import annotations

import re
import sys

import click
from stablehlo_py.cli import common

import stablehlo_py as shlo

_RULE = re.compile(r".+\.[CIOU]\d+")  # the code of a diagnostic that an op's definition explains


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
    everything: list[shlo.Diagnostic] = []
    for source, diagnostics in common.each_diagnosis(sources, allow_unregistered):
        wrong = sum(map(common.is_error, diagnostics))
        doubtful = sum(d.severity == "warning" for d in diagnostics)
        errors, warnings = errors + wrong, warnings + doubtful
        everything += diagnostics
        if quiet:
            continue
        if output == "json":
            found = list(map(common.diagnostic_json, diagnostics))
            counts = {"errors": wrong, "warnings": doubtful}
            common.print_json({"file": source.name, "valid": not wrong, **counts, "diagnostics": found})
        else:
            common.print_diagnostics(source, diagnostics)
    if output == "text" and not quiet:
        click.echo(common.summary(len(sources), errors, warnings) + _more(everything))
    return 1 if errors else 0


def _more(diagnostics: list[shlo.Diagnostic]) -> str:
    """On a terminal, where to read on about the first rule that is broken."""
    rule = next((d.code for d in diagnostics if _RULE.fullmatch(d.code)), None)
    return f" (shlo explain {rule} tells more)" if rule and sys.stdout.isatty() else ""
