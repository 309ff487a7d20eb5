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
from stablehlo_py.cli.sources import Allowed, Text

from stablehlo_py.diagnostics.diagnostic import Diagnostic

if TYPE_CHECKING:
    from stablehlo_py import Module
    from stablehlo_py.reports.rules import Rule

_RULE = re.compile(r".+\.[CIOU]\d+")  # the code of a rule in an op's definition
_EXAMPLES = common.examples(
    (
        "Check a folder with one process per processor",
        "shlo verify -j 0 exports/",
    ),
    ("Check standard input", "python export.py | shlo verify -"),
    ("Annotate a pull request in a GitHub workflow", "shlo verify --format github 'exports/**/*.mlir'"),
    ("Write a report for code scanning", "shlo verify --format sarif --output verify.sarif exports/"),
    ("Report only what is new", "shlo verify --baseline known.json exports/"),
    ("Check an upstream test", "shlo verify --verify-diagnostics --allow-unregistered ops.mlir"),
)


def _describe(code: str) -> Rule:
    from stablehlo_py.reports.rules import describe

    return describe(code)


def _more(code: str) -> str:
    return f"for more information, try `shlo explain {code}`" if _RULE.fullmatch(code) else ""


_TOOL = Tool("verify", _describe, _more)


@click.command("verify", epilog=_EXAMPLES)
@reporting
@common.allowing
@click.option("--strict", is_flag=True, help="Report what only the specification's text forbids as errors.")
@click.option(
    "--verify-diagnostics",
    is_flag=True,
    help="Compare the diagnostics with comments such as // expected-error@+1 {{...}}.",
)
@click.option(
    "--match",
    type=click.Choice(MATCHES),
    default="line",
    help="Match diagnostics with such comments by line and severity, or also by text (default: line).",
)
def command(
    paths: tuple[str, ...],
    allowed: Allowed,
    strict: bool,
    verify_diagnostics: bool,
    match: Match,
    options: Options,
) -> int:
    """Check programs against the specification; report every error, not just the first.

    PATHS are files, folders (searched recursively for .mlir and .mlir.gz), patterns in quotes such as
    'exports/**/*.mlir', or - for standard input. Gzip-compressed text is decompressed. Modules separated by a
    line // ----- are checked individually.

    Each diagnostic has its source line, the violated rule in the notation of the specification, the values of
    both sides, and, where the program has locations, the Python line that created the op.

    \b
    Report formats (--format):
      text    source lines and explanations
      json    an object per file and line: file, valid, errors, warnings,
              modules, functions, ops, seconds, and diagnostics, each with
              severity, code, message, line, column, end_column, notes and
              origin (Python source positions: file, line, column, function)
      github  annotations for a GitHub workflow
      sarif   SARIF 2.1.0, for code scanning
      gitlab  a GitLab Code Quality report
      junit   JUnit XML, with a test case per module

    With --verify-diagnostics, comments such as // expected-error@+1 {{...}} state the expected diagnostics,
    as in upstream's tests, and mismatches are reported. --match line requires an error on that line, with any
    text; --match text also requires the text to occur in the code, message or notes.

    Settings are read from [tool.shlo] and [tool.shlo.verify] in the nearest pyproject.toml.

    Exit status: 0 if there is no diagnostic of the severity of --fail-on or higher, 1 if there is, 2 on a
    usage error.
    """
    configured = options.files.project.verify
    allowed |= Allowed(configured.allow_unregistered, configured.allow_newer)
    strict = strict or configured.strict
    check_one: partial[ModuleResult] = partial(check, allowed, strict)
    if verify_diagnostics:
        check_one = partial(check_expected, allowed, strict, match)
    return check_paths(paths, check_one, _TOOL, options)


def check(allowed: Allowed, strict: bool, text: Text) -> ModuleResult:
    """Parse and verify a module."""
    return _result(*common.diagnose(text, allowed, strict))


def check_expected(allowed: Allowed, strict: bool, match: Match, text: Text) -> ModuleResult:
    """Compare the diagnostics of a module with the expectations in its comments."""
    module, diagnostics = common.diagnose(text, allowed, strict)
    return _result(module, check_expectations(text, diagnostics, match, module))


def _result(module: Module | None, diagnostics: list[Diagnostic]) -> ModuleResult:
    functions, ops = size(module) if module else (0, 0)
    return ModuleResult(diagnostics=diagnostics, functions=functions, ops=ops)
