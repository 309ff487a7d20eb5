"""`shlo lint`: check valid programs for dead, lossy and non-portable code."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

import click
from stablehlo_py.cli import common
from stablehlo_py.cli.batch import Options, check_paths, reporting, size
from stablehlo_py.cli.lint_explain import complete_rule, explain, versions_of
from stablehlo_py.cli.lint_fix import apply_fixes
from stablehlo_py.cli.lint_suppress import suppress
from stablehlo_py.cli.reports import Tool
from stablehlo_py.cli.results import FileResult, ModuleResult
from stablehlo_py.cli.sources import Allowed, Text

import stablehlo_py as shlo
from stablehlo_py.ir.version import version_of
from stablehlo_py.linter.options import PREFIX
from stablehlo_py.linter.settings import Settings, SettingsError
from stablehlo_py.reports.rules import Rule

if TYPE_CHECKING:
    from stablehlo_py.linter.config import Project


_EXAMPLES = common.examples(
    ("Apply the default rules to a folder", "shlo lint exports/"),
    ("Select and ignore rules", "shlo lint --select default,chlo-op,N --ignore old-spelling model.mlir"),
    ("Show fixes as a diff, then apply them", "shlo lint --diff model.mlir; shlo lint --fix model.mlir"),
    (
        "Accept the present findings: in a file of known ones, or as comments",
        "shlo lint --baseline known.json --write-baseline exports/; shlo lint --add-ignores exports/",
    ),
    ("Check compatibility with version 1.7.0", "shlo lint --target 1.7.0 model.mlir"),
    ("List all rules, or explain one", "shlo lint --explain; shlo lint --explain dead-op"),
)


def _describe(code: str) -> Rule:
    from stablehlo_py.reports.rules import describe

    return describe(code)


def _more(code: str) -> str:
    name = code.removeprefix(PREFIX)
    return f"for more information, try `shlo lint --explain {name}`" if name != code else ""


def _tag(code: str) -> str:
    return f" [{code.removeprefix(PREFIX)}]" if code.startswith(PREFIX) else ""


_TOOL = Tool("lint", _describe, _more, _tag)


def _rules(context: click.Context, parameter: click.Parameter, values: tuple[str, ...]) -> tuple[str, ...]:
    """Split `--select D,dead-op --select N` into words; raise BadParameter for an unknown rule."""
    from stablehlo_py.linter.catalogue import named

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
@common.NEWER
@click.option("--fix", is_flag=True, help="Apply fixes to the files, then report the remaining diagnostics.")
@click.option("--diff", is_flag=True, help="Print the changes of --fix as a diff instead of applying them.")
@click.option(
    "--add-ignores",
    is_flag=True,
    help="Add a suppression comment for every diagnostic of a rule to the files.",
)
@click.option(
    "--all",
    "each",
    is_flag=True,
    help="Print each diagnostic. By default text shows three of many that are alike, and the lines of the "
    "others.",
)
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
    allow_newer: bool,
    fix: bool,
    diff: bool,
    add_ignores: bool,
    each: bool,
    statistics: bool,
    min_version: bool,
    options: Options,
) -> int:
    """Check valid programs for dead code, wasted work, precision loss and portability problems.

    PATHS are files, folders, patterns in quotes, or - for standard input. For an invalid program, its errors
    are reported and no rule is applied.

    Settings are read from [tool.shlo] and [tool.shlo.lint] in the nearest pyproject.toml, from the working
    directory upwards. In a program, the comment `// shlo: ignore[dead-op]` after an op, or on the line before
    it, disables a rule for that op, and `// shlo: ignore-file[dead-op]` for the whole file.

    Report formats (--format) are those of `shlo verify`. The code of a diagnostic is lint. followed by the
    name of the rule. Exit status: 0 if there is no diagnostic of the severity of --fail-on or higher, 1 if
    there is, 2 on a usage error.
    """
    if fix + diff + add_ignores > 1:
        raise click.UsageError("--fix, --diff and --add-ignores cannot be used together")
    if min_version:
        if options.format not in ("text", "json"):
            raise click.UsageError("--min-version supports only --format text and json")
        if allow_newer:
            raise click.UsageError("--min-version knows no version of the ops that --allow-newer accepts")
        return versions_of(paths, options.files, options.format)
    options.files.protect(options.output)
    settings = _settings(options.files.project, select, ignore, target)
    if allow_newer:
        settings = replace(settings, allow_newer=True)
    if settings.ignore:
        _refuse_without_rules(settings)
    if diff or fix or add_ignores:
        rewrite = suppress if add_ignores else partial(apply_fixes, writes=fix)
        status = rewrite(paths, options.files, settings, is_quiet=options.quiet)
        if diff:
            return status
    codes: Counter[str] = Counter()
    status = check_paths(
        paths, partial(check, settings), _TOOL._replace(groups=not each), options, partial(_count, codes)
    )
    if statistics:
        for code, number in codes.most_common():
            common.echo(f"{number:6}  {code.removeprefix(PREFIX)}", err=True)
    return status


def _refuse_without_rules(settings: Settings) -> None:
    """Raise UsageError if no rule is left, so that no program would be checked."""
    from stablehlo_py.linter.catalogue import selected

    if not selected(settings, file=""):
        raise click.UsageError("no rule is left to apply: --select and --ignore, or the settings, leave none")


def _count(codes: Counter[str], result: FileResult) -> None:
    """Count the diagnostics of a file by code, for --statistics."""
    codes.update(diagnostic.code for diagnostic in result.diagnostics)


def _settings(
    project: Project, select: Iterable[str], ignore: tuple[str, ...], target: str | None
) -> Settings:
    """Combine the settings of the project and the command line; raise BadParameter for an invalid target."""
    settings: Settings = project.lint
    try:
        if target is not None:
            settings = replace(settings, target=version_of(target))
    except ValueError as error:
        raise click.BadParameter(str(error), param_hint="--target") from None
    return replace(settings, select=tuple(select) or settings.select, ignore=(*settings.ignore, *ignore))


def check(settings: Settings, text: Text) -> ModuleResult:
    """Apply the rules to a module; an invalid one gets its errors instead.

    Args:
        settings: The settings of the linter.
        text: The text of the module.

    Returns:
        The diagnostics and the size of the module.
    """
    module, errors = common.find_errors(text, Allowed(True, settings.allow_newer), settings.strict)
    functions, ops = size(module) if module else (0, 0)
    if errors or module is None:
        return ModuleResult(diagnostics=errors, functions=functions, ops=ops)
    found = shlo.lint(module, settings=settings)
    return ModuleResult(diagnostics=found, functions=functions, ops=ops)
