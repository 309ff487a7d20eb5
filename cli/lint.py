"""`shlo lint`: check valid programs for dead, lossy and non-portable code."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import replace
from functools import partial
from pathlib import Path

import click
from stablehlo_py.cli import common
from stablehlo_py.cli.batch import Options, check_paths, reporting, size
from stablehlo_py.cli.lint_explain import complete_rule, explain, versions_of
from stablehlo_py.cli.lint_fix import rewrite
from stablehlo_py.cli.reports import Tool
from stablehlo_py.cli.results import FileResult, ModuleResult, Totals
from stablehlo_py.cli.rules import Rule, describe
from stablehlo_py.cli.sources import Text

import stablehlo_py as shlo
from stablehlo_py.files import OutputFiles
from stablehlo_py.ir.version import version_of
from stablehlo_py.linter import config
from stablehlo_py.linter.catalogue import PREFIX, explanation, named
from stablehlo_py.linter.settings import SEVERITIES, Settings, SettingsError

_EXAMPLES = common.examples(
    ("Apply the default rules to a folder", "shlo lint exports/"),
    ("Select and ignore rules", "shlo lint --select default,chlo-op,N --ignore old-spelling model.mlir"),
    ("Show fixes as a diff, then apply them", "shlo lint --diff model.mlir; shlo lint --fix model.mlir"),
    ("Check compatibility with version 1.7.0", "shlo lint --target 1.7.0 model.mlir"),
    ("List all rules, or explain one", "shlo lint --explain; shlo lint --explain dead-op"),
)


def _describe(code: str) -> Rule:
    """Describe the rule of a diagnostic code, for reports that include rule help."""
    if not code.startswith(PREFIX):
        return describe(code)
    (rule,) = named(code)
    return Rule(code, rule.summary, explanation(rule), severity=rule.severity, is_markdown=True)


def _more(code: str) -> str:
    name = code.removeprefix(PREFIX)
    return f"for more information, try `shlo lint --explain {name}`" if name != code else ""


_TOOL = Tool("lint", _describe, _more)


class _Tally:
    """Counts diagnostics: by severity for the exit status, by rule for --statistics."""

    def __init__(self) -> None:
        self.severities: Counter[str] = Counter()
        self.codes: Counter[str] = Counter()

    def add(self, result: FileResult) -> None:
        """Count the diagnostics of a file."""
        for diagnostic in result.diagnostics:
            self.severities[diagnostic.severity] += 1
            self.codes[diagnostic.code] += 1

    def close(self, totals: Totals) -> None:
        """Do nothing: the counts are read directly."""

    def status(self, fail_on: str) -> int:
        """Return 1 if there is a diagnostic of severity `fail_on` or higher, otherwise 0."""
        counted = SEVERITIES[: SEVERITIES.index(fail_on) + 1]
        return 1 if any(self.severities[severity] for severity in counted) else 0

    def print(self) -> None:
        """Print the number of diagnostics of each rule."""
        for code, count in self.codes.most_common():
            common.echo(f"{count:6}  {code.removeprefix(PREFIX)}", err=True)


def _rules(context: click.Context, parameter: click.Parameter, values: tuple[str, ...]) -> tuple[str, ...]:
    """Split `--select D,dead-op --select N` into words; raise BadParameter for an unknown rule."""
    words = tuple([word.strip() for value in values for word in value.split(",") if word.strip()])
    try:
        for word in words:
            named(word)
    except SettingsError as error:
        raise click.BadParameter(str(error)) from None
    return words


@click.command("lint", epilog=_EXAMPLES)
@reporting
@click.option(
    "--select",
    multiple=True,
    metavar="RULES",
    callback=_rules,
    shell_complete=complete_rule,
    help="Rules to apply instead of the default ones: names, codes, code prefixes, default, all.",
)
@click.option(
    "--ignore",
    multiple=True,
    metavar="RULES",
    callback=_rules,
    shell_complete=complete_rule,
    help="Rules to disable.",
)
@click.option(
    "--target", metavar="VERSION", help="Report what a version cannot represent: 1.7.0, WEEK_4, WEEK_12."
)
@click.option(
    "--config",
    "config_file",
    type=click.Path(exists=True, dir_okay=False),
    help="Read [tool.shlo.lint] from this file instead of the nearest pyproject.toml.",
)
@click.option(
    "--fail-on",
    type=click.Choice(SEVERITIES),
    default="warning",
    help="Exit with status 1 for diagnostics of this severity or higher (default: warning).",
)
@click.option("--fix", is_flag=True, help="Apply fixes to the files, then report the remaining diagnostics.")
@click.option("--diff", is_flag=True, help="Print the changes of --fix as a diff instead of applying them.")
@click.option(
    "--statistics", is_flag=True, help="Print the number of diagnostics of each rule to standard error."
)
@click.option(
    "--min-version",
    is_flag=True,
    help="Print the oldest StableHLO version that supports each program, and why.",
)
@click.option(
    "--explain",
    is_flag=False,
    flag_value="all",
    is_eager=True,
    expose_value=False,
    metavar="[RULE]",
    callback=explain,
    shell_complete=complete_rule,
    help="Explain a rule, or list all rules.",
)
def command(
    paths: tuple[str, ...],
    select: tuple[str, ...],
    ignore: tuple[str, ...],
    target: str | None,
    config_file: str | None,
    fail_on: str,
    fix: bool,
    diff: bool,
    statistics: bool,
    min_version: bool,
    options: Options,
) -> int:
    """Check valid programs for dead code, wasted work, precision loss and portability problems.

    PATHS are files, folders, patterns in quotes, or - for standard input. For an invalid program, its errors
    are reported and no rule is applied.

    Settings are read from [tool.shlo.lint] in the nearest pyproject.toml, from the working directory upwards.
    In a program, the comment `// shlo: ignore[dead-op]` after an op, or on the line before it, disables a
    rule for that op, and `// shlo: ignore-file[dead-op]` for the whole file.

    Report formats (--format) are those of `shlo verify`. The code of a diagnostic is lint. followed by the
    name of the rule. Exit status: 0 if there is no diagnostic of the severity of --fail-on or higher, 1 if
    there is, 2 on a usage error.
    """
    if fix and diff:
        raise click.UsageError("--fix and --diff cannot be used together")
    if min_version:
        if options.format not in ("text", "json"):
            raise click.UsageError("--min-version supports only --format text and json")
        return versions_of(paths, options.format)
    if config_file is not None:
        OutputFiles([config_file]).check(options.output)
    settings = _settings(config_file, select, ignore, target)
    if diff or fix:
        status = rewrite(paths, settings, fix, options.quiet)
        if diff:
            return status
    tally = _Tally()
    task = partial(check, settings, options.format == "text")
    check_paths(paths, task, _TOOL, options, [tally])
    if statistics:
        tally.print()
    return tally.status(fail_on)


def _settings(
    file: str | None, select: Iterable[str], ignore: tuple[str, ...], target: str | None
) -> Settings:
    """Combine the settings of the file and the command line; raise UsageError for invalid ones."""
    try:
        path = Path(file) if file else config.find_file(Path.cwd())
        settings = config.load(path) if path else Settings()
        if target is not None:
            settings = replace(settings, target=version_of(target))
    except SettingsError as error:
        raise click.UsageError(str(error)) from None
    except ValueError as error:
        raise click.BadParameter(str(error), param_hint="--target") from None
    return replace(settings, select=tuple(select) or settings.select, ignore=(*settings.ignore, *ignore))


def check(settings: Settings, names_rules: bool, text: Text) -> ModuleResult:
    """Apply the rules to a module; an invalid one gets its errors instead.

    Args:
        settings: The settings of the linter.
        names_rules: Whether to append the name of the rule to each message.
        text: The text of the module.

    Returns:
        The diagnostics and the size of the module.
    """
    module, errors = common.find_errors(text, strict=settings.strict)
    functions, ops = size(module) if module else (0, 0)
    if errors or module is None:
        return ModuleResult(diagnostics=errors, functions=functions, ops=ops)
    found = shlo.lint(module, settings=settings)
    if names_rules:
        found = [replace(d, message=f"{d.message} [{d.code.removeprefix(PREFIX)}]") for d in found]
    return ModuleResult(diagnostics=found, functions=functions, ops=ops)
