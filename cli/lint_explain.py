"""`shlo lint --explain` and `--min-version`: describe rules, and the version that a program requires."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import click
from click.shell_completion import CompletionItem
from stablehlo_py.cli import common, sources
from stablehlo_py.cli.file_options import FileOptions
from stablehlo_py.cli.sources import Text

from stablehlo_py.diagnostics.diagnostic import Diagnostic
from stablehlo_py.ir.version import MINIMUM, Version
from stablehlo_py.linter.settings import SettingsError


def complete_rule(
    context: click.Context, parameter: click.Parameter, incomplete: str
) -> list[CompletionItem]:
    """Complete rule names, also after a comma."""
    from stablehlo_py.linter.catalogue import RULES

    before, comma, word = incomplete.rpartition(",")
    found = [(rule.name, rule.summary) for rule in RULES]
    found += [("default", "The rules that are on by default"), ("all", "All rules")]
    return [
        CompletionItem(f"{before}{comma}{name}", help=summary)
        for name, summary in found
        if name.startswith(word)
    ]


def explain(context: click.Context, parameter: click.Parameter, value: str | None) -> None:
    """Print the explanation of a rule and exit; raise BadParameter for an unknown rule."""
    if value is None:
        return
    from stablehlo_py.linter.catalogue import RULES, explanation, named  # imports all rules

    try:
        rules = named(value)
    except SettingsError as error:
        raise click.BadParameter(str(error)) from None
    if len(rules) == 1:
        common.echo("\n".join(_wrapped(explanation(rules[0]), common.width())))
    else:
        common.echo("\n".join(_listing([rule for rule in RULES if rule in rules], common.width())))
    context.exit()


def _wrapped(markdown: str, width: int) -> Iterator[str]:
    """Wrap the long lines of Markdown outside of code blocks."""
    in_program = False
    for line in markdown.splitlines():
        in_program ^= line.startswith("```")
        yield from [line] if in_program or not line else textwrap.wrap(line, min(width, 100))


def _listing(rules: Sequence[Any], width: int) -> Iterator[str]:
    """List the rules by family, each with its code, name and summary."""
    from stablehlo_py.linter.catalogue import FAMILIES

    family = ""
    indent = " " * 35
    for rule in rules:
        if rule.code[0] != family:
            family = rule.code[0]
            yield f"{FAMILIES[family]} ({family})"
        marks = ("*" if rule.default else " ") + ("+" if rule.fixable else " ")
        summary = textwrap.wrap(rule.summary, max(20, width - len(indent)))
        yield f"  {rule.code} {marks} {rule.name:<25} {summary[0]}"
        yield from [indent + row for row in summary[1:]]
    yield ""
    yield "* enabled by default   + fixable with --fix"


Use = tuple[Version, str, int]  # the version that a feature requires, its name, and the line of a use


class _Versions(NamedTuple):
    """The features of a program with the lines that use them, or its errors.

    Attributes:
        name: The name of the program.
        needs: The features, or None if the program is invalid.
        others: The ops of dialects that no version has.
        errors: The errors, and the text that each is about.
    """

    name: str
    needs: list[Use] | None
    others: list[str]
    errors: list[tuple[Text, list[Diagnostic]]]


def versions_of(paths: Sequence[str], files: FileOptions, format: str) -> int:
    """Print the oldest version that supports each program, and why; return 1 if one is invalid."""
    status = 0
    for found in files.each(_versions, files.expand(paths), _lost):
        _print_version(found, format)
        status |= bool(found.errors)
    return status


def _lost(file: str, why: str) -> _Versions:
    return _Versions(file, None, [], [(Text(file, ""), [Diagnostic("error", "file", why, 0, 0)])])


def _versions(file: str) -> _Versions:
    """Find the features that a file uses, or its errors."""
    from stablehlo_py.artifacts.vhlo.versions import PORTABLE, needs

    try:
        text = common.read(file)
    except click.ClickException as error:
        return _lost(file, error.message.removeprefix(f"{file}: "))
    needed: list[Use] = []
    others: set[str] = set()
    broken = []
    for part in sources.modules(text):
        module, errors = common.find_errors(part)
        if module is None or errors:
            broken.append((part, errors))
            continue
        others |= {op.name for op in module.walk() if op.name.partition(".")[0] not in PORTABLE}
        needed += [(need.version, need.what, need.line(module)) for need in needs(module.walk())]
    return _Versions(text.name, None if broken else needed, sorted(others), broken)


def _print_version(found: _Versions, format: str) -> None:
    """Print the version that a file requires, or its errors."""
    for part, errors in found.errors:
        common.print_diagnostics(part, errors, err=True)
    if found.needs is not None:
        print_needs = _print_json if format == "json" else _print_text
        print_needs(found.name, _by_feature(found.needs), found.others)
    elif format == "json":
        rows = [row for part, errors in found.errors for row in common.diagnostics_json(part, errors)]
        common.print_json({"file": found.name, "diagnostics": rows})


Rows = list[tuple[Version, str, list[int]]]


def _by_feature(found: list[Use]) -> Rows:
    """Group features by required version, newest first, with the lines that use them."""
    lines: dict[tuple[Version, str], list[int]] = {}
    for version, what, line in found:
        lines.setdefault((version, what), []).append(line)
    rows = [(version, what, where) for (version, what), where in lines.items()]
    return sorted(rows, key=lambda row: (row[0], -row[2][0]), reverse=True)


def _oldest(rows: Rows) -> Version:
    return rows[0][0] if rows else MINIMUM


def _print_json(name: str, rows: Rows, others: list[str]) -> None:
    reasons = [{"version": str(version), "what": what, "lines": where} for version, what, where in rows]
    head = {"file": name, "min_version": str(_oldest(rows))}
    common.print_json({**head, "needs": reasons, "other_dialects": others})


def _print_text(name: str, rows: Rows, others: list[str]) -> None:
    from stablehlo_py.linter.context import in_all

    common.echo(f"{name}: {_oldest(rows)}")
    for version, what, where in rows:
        common.echo(f"  line {where[0]}: {what} requires {version}{in_all(where)}")
    if others:
        common.echo(f"  not part of any version: {', '.join(others)}; portable artifacts may reject them")
