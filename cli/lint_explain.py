"""What `shlo lint` tells without applying rules: what they are, and which version a program needs."""

from __future__ import annotations

import json
import textwrap
from collections.abc import Iterator, Sequence
from typing import Any

import click
from click.shell_completion import CompletionItem
from stablehlo_py.cli import common, sources

from stablehlo_py.lint.catalogue import FAMILIES, RULES, explanation, named
from stablehlo_py.lint.settings import SettingsError
from stablehlo_py.lint.version import MINIMUM, Version
from stablehlo_py.lint.versions import PORTABLE, Need, needs
from stablehlo_py.verify.report import position


def complete_rule(
    context: click.Context, parameter: click.Parameter, incomplete: str
) -> list[CompletionItem]:
    """The rules that a shell offers, behind a comma as well."""
    before, comma, word = incomplete.rpartition(",")
    found = [(rule.name, rule.summary) for rule in RULES]
    found += [("default", "The rules that are on by default"), ("all", "All rules")]
    return [
        CompletionItem(f"{before}{comma}{name}", help=summary)
        for name, summary in found
        if name.startswith(word)
    ]


def explain(context: click.Context, parameter: click.Parameter, value: str | None) -> None:
    """Prints what `--explain` asks for, and ends the command. Raises click's error for an unknown rule."""
    if value is None:
        return
    try:
        rules = named(value)
    except SettingsError as error:
        raise click.BadParameter(str(error)) from None
    if len(rules) == 1:
        click.echo("\n".join(_wrapped(explanation(rules[0]), common.width())))
    else:
        click.echo("\n".join(_listing([rule for rule in RULES if rule in rules], common.width())))
    context.exit()


def _wrapped(markdown: str, width: int) -> Iterator[str]:
    """Markdown with its long lines folded, those of programs excepted."""
    in_program = False
    for line in markdown.splitlines():
        in_program ^= line.startswith("```")
        yield from [line] if in_program or not line else textwrap.wrap(line, min(width, 100))


def _listing(rules: Sequence[Any], width: int) -> Iterator[str]:
    """The rules by family, each with its code, name and summary."""
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
    yield "* on by default   + --fix puts it right"


def versions_of(paths: Sequence[str], format: str) -> int:
    """Prints the oldest version that can read each program, and what needs it. 1 if one is no program."""
    status = 0
    for file in sources.expand(paths):
        text = common.read(file)
        found: list[tuple[Need, int]] = []
        others: set[str] = set()
        for part in sources.modules(text):
            module, diagnostics = common.diagnose(part, allow_unregistered=True)
            errors = [d for d in diagnostics if common.is_error(d) and d.code != "elided"]
            if module is None or errors:
                status = 1
                common.print_diagnostics(part, errors, err=True)
                continue
            others |= {op.name for op in module.walk() if op.name.partition(".")[0] not in PORTABLE}
            found += [(need, position(module, need.place)[0]) for need in needs(module.walk())]
        _print_versions(text.name, found, sorted(others), format)
    return status


def _print_versions(name: str, found: list[tuple[Need, int]], others: list[str], format: str) -> None:
    oldest = max((need.version for need, _ in found), default=MINIMUM)
    lines: dict[tuple[Version, str], list[int]] = {}
    for need, line in found:
        lines.setdefault((need.version, need.what), []).append(line)
    rows = sorted(lines.items(), key=lambda row: (row[0][0], -row[1][0]), reverse=True)
    if format == "json":
        reasons = [{"version": str(v), "what": what, "lines": where} for (v, what), where in rows]
        data = {"file": name, "min_version": str(oldest), "needs": reasons, "other_dialects": others}
        click.echo(json.dumps(data))
        return
    click.echo(f"{name}: {oldest}")
    for (version, what), where in rows:
        more = f" ({len(where)} in all)" if len(where) > 1 else ""
        click.echo(f"  line {where[0]} needs {version} for {what}{more}")
    if others:
        click.echo(f"  no version has {', '.join(others)}: artifacts hold them as they are, or not at all")
