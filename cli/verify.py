"""`shlo verify`: check programs against the specification."""

from __future__ import annotations

import re
from functools import partial
from typing import TYPE_CHECKING

import click
from stablehlo_py.cli import common
from stablehlo_py.cli.batch import Options, check_paths, reporting, size
from stablehlo_py.cli.expectations import MATCHES, Match, check_expectations
from stablehlo_py.cli.reports import Tool
from stablehlo_py.cli.results import ModuleResult
from stablehlo_py.cli.sources import Text

if TYPE_CHECKING:
    from stablehlo_py.cli.rules import Rule

_RULE = re.compile(r".+\.[CIOU]\d+")  # the code of a finding that an op's definition explains
_EXAMPLES = common.examples(
    (
        "Check all programs in a folder, in a process for each processor",
        "shlo verify -j 0 exports/",
    ),
    ("Check what a pipe gives", "python export.py | shlo verify -"),
    ("Annotate a pull request, in a GitHub workflow", "shlo verify --format github 'exports/**/*.mlir'"),
    ("A report for code scanning", "shlo verify --format sarif --output verify.sarif exports/"),
    ("Check a test of upstream's", "shlo verify --verify-diagnostics --allow-unregistered ops.mlir"),
)


def _describe(code: str) -> Rule:
    from stablehlo_py.cli.rules import describe

    return describe(code)


def _more(code: str) -> str:
    return f"shlo explain {code} tells more" if _RULE.fullmatch(code) else ""


_TOOL = Tool("verify", _describe, _more)


@click.command("verify", epilog=_EXAMPLES)
@reporting
@common.UNREGISTERED
@click.option(
    "--verify-diagnostics",
    is_flag=True,
    help="Check that the findings are those that comments state: // expected-error@+1 {{...}}.",
)
@click.option(
    "--match",
    type=click.Choice(MATCHES),
    default="line",
    help="How findings and such comments are compared: by line and severity, or by their text as well.",
)
def command(
    paths: tuple[str, ...],
    allow_unregistered: bool,
    verify_diagnostics: bool,
    match: Match,
    options: Options,
) -> int:
    """Check programs against the specification: everything that is wrong, at once.

    PATHS are files, folders (all .mlir and .mlir.gz in them and below), patterns in quotes such as
    'exports/**/*.mlir', or - for standard input. Text packed by gzip is unpacked. Modules with a line
    // ----- between them are checked each.

    Each finding is told with its line, the rule that is broken, as the specification writes it, the values on
    both sides of it, and the Python line that made the op where the program has locations.

    \b
    Reports (--format):
      text    for people
      json    an object on a line for each file: file, valid, errors, warnings,
              modules, functions, ops, seconds, and diagnostics, each with
              severity, code, message, line, column, end_column, notes and
              origin (the positions in Python: file, line, column, function)
      github  annotations of a GitHub workflow
      sarif   SARIF 2.1.0, for code scanning
      junit   JUnit's XML, a test case for each module

    With --verify-diagnostics the comments // expected-error@+1 {{...}} of upstream's tests state the
    findings, and what differs is reported. --match line asks for an error on that line, whatever its words:
    they are not upstream's, and we tell of all that is wrong. --match text asks for the words, or a code such
    as dot_general.C10.

    Exit status: 0 if there is no error, 1 if there is, 2 if the command or a path is wrong.
    """
    check_one: partial[ModuleResult] = partial(check, allow_unregistered)
    if verify_diagnostics:
        check_one = partial(check_expected, allow_unregistered, match)
    return check_paths(paths, check_one, _TOOL, options)


def check(allow_unregistered: bool, text: Text) -> ModuleResult:
    """What parser and verifier say about a module."""
    module, diagnostics = common.diagnose(text, allow_unregistered)
    functions, ops = size(module) if module else (0, 0)
    return ModuleResult(diagnostics=diagnostics, functions=functions, ops=ops)


def check_expected(allow_unregistered: bool, match: Match, text: Text) -> ModuleResult:
    """Where what they say differs from what the program's comments state."""
    result = check(allow_unregistered, text)
    result.diagnostics = check_expectations(text, result.diagnostics, match)
    return result
