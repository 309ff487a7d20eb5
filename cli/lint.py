"""`shlo lint`: find what could be better in valid programs."""

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
from stablehlo_py.linter import config
from stablehlo_py.linter.catalogue import PREFIX, explanation, named
from stablehlo_py.linter.settings import SEVERITIES, Settings, SettingsError
from stablehlo_py.linter.version import version_of

_EXAMPLES = common.examples(
    ("The rules that are on by default, on all programs in a folder", "shlo lint exports/"),
    ("Two more rules, and one less", "shlo lint --select default,chlo-op,N --ignore old-spelling model.mlir"),
    ("What --fix would change, and then do it", "shlo lint --diff model.mlir; shlo lint --fix model.mlir"),
    ("Can a consumer of version 1.7.0 read this?", "shlo lint --target 1.7.0 model.mlir"),
    ("All rules, and all about one", "shlo lint --explain; shlo lint --explain dead-op"),
)


def _describe(code: str) -> Rule:
    """The rule behind a code, for reports that carry their own help."""
    if not code.startswith(PREFIX):
        return describe(code)
    (rule,) = named(code)
    return Rule(code, rule.summary, explanation(rule), severity=rule.severity, is_markdown=True)


def _more(code: str) -> str:
    name = code.removeprefix(PREFIX)
    return f"shlo lint --explain {name} tells more" if name != code else ""


_TOOL = Tool("lint", _describe, _more)


class _Tally:
    """Counts findings: by severity for the exit status, by rule for --statistics."""

    def __init__(self) -> None:
        self.severities: Counter[str] = Counter()
        self.codes: Counter[str] = Counter()

    def add(self, result: FileResult) -> None:
        for diagnostic in result.diagnostics:
            self.severities[diagnostic.severity] += 1
            self.codes[diagnostic.code] += 1

    def close(self, totals: Totals) -> None:
        """What is counted is asked for."""

    def status(self, fail_on: str) -> int:
        """1 if there is a finding as severe as `fail_on`, or more."""
        counted = SEVERITIES[: SEVERITIES.index(fail_on) + 1]
        return 1 if any(self.severities[severity] for severity in counted) else 0

    def print(self) -> None:
        for code, count in self.codes.most_common():
            click.echo(f"{count:6}  {code.removeprefix(PREFIX)}", err=True)


def _rules(context: click.Context, parameter: click.Parameter, values: tuple[str, ...]) -> tuple[str, ...]:
    """The words of `--select D,dead-op --select N`. Raises click's error for one that is no rule."""
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
    help="Apply these rules instead of the default ones: names, codes, beginnings of codes, default, all.",
)
@click.option(
    "--ignore",
    multiple=True,
    metavar="RULES",
    callback=_rules,
    shell_complete=complete_rule,
    help="Leave out these rules.",
)
@click.option("--target", metavar="VERSION", help="Find what a version cannot read: 1.7.0, WEEK_4, WEEK_12.")
@click.option(
    "--config",
    "config_file",
    type=click.Path(exists=True, dir_okay=False),
    help="The file whose [tool.shlo.lint] to use instead of the nearest pyproject.toml.",
)
@click.option(
    "--fail-on",
    type=click.Choice(SEVERITIES),
    default="warning",
    help="The least severity of a finding that makes the exit status 1 (default: warning).",
)
@click.option("--fix", is_flag=True, help="Change the files where rules know how, then report what is left.")
@click.option("--diff", is_flag=True, help="Print what --fix would change, and change nothing.")
@click.option("--statistics", is_flag=True, help="Count the findings of each rule (on standard error).")
@click.option(
    "--min-version", is_flag=True, help="Print the oldest version that can read each program, and why."
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
    help="Tell all about a rule, or list the rules.",
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
    """Find what could be better in valid programs: what is dead, slow, lossy, or tied to one tool.

    PATHS are files, folders, patterns in quotes, or - for standard input. Of a program that is not valid, the
    errors are told, and no rule is applied.

    Settings are those of [tool.shlo.lint] in the nearest pyproject.toml, from the working directory upwards.
    In a program, `// shlo: ignore[dead-op]` behind an op or on the line before it leaves a rule out there,
    and `// shlo: ignore-file[dead-op]` in all of the file.

    Reports (--format) are those of `shlo verify`. The code of a finding is lint. and the rule's name.
    """
    if fix and diff:
        raise click.UsageError("--fix changes the files and --diff does not: give one of them")
    if min_version:
        if options.format not in ("text", "json"):
            raise click.UsageError("--min-version prints text or json")
        return versions_of(paths, options.format)
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
    """The settings of the file and of the command line. Raises click's error for those that are wrong."""
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
    """What the rules find in a module; the errors of one that is not valid.

    `names_rules` puts the rule's name behind each message, for people.
    """
    module, errors = common.find_errors(text)
    functions, ops = size(module) if module else (0, 0)
    if errors or module is None:
        return ModuleResult(diagnostics=errors, functions=functions, ops=ops)
    found = shlo.lint(module, settings=settings)
    if names_rules:
        found = [replace(d, message=f"{d.message} [{d.code.removeprefix(PREFIX)}]") for d in found]
    return ModuleResult(diagnostics=found, functions=functions, ops=ops)
