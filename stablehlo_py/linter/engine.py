"""The lint engine: applies rules to a module, filters suppressed findings, and creates diagnostics."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import NamedTuple

from stablehlo_py.diagnostics.diagnostic import Diagnostic, Severity
from stablehlo_py.ir.core import Module
from stablehlo_py.linter.catalogue import named, selected
from stablehlo_py.linter.context import LintContext
from stablehlo_py.linter.options import PREFIX
from stablehlo_py.linter.rule import Finding, Place, Rule
from stablehlo_py.linter.settings import Settings, SettingsError
from stablehlo_py.linter.suppressions import UNKNOWN, UNUSED, Suppression, suppressions, unused
from stablehlo_py.verifier.report import origin_notes


class Found(NamedTuple):
    """A finding, its rule and its position."""

    rule: Rule
    finding: Finding
    line: int
    column: int


def lint_module(
    module: Module,
    select: Iterable[str] | None = None,
    ignore: Iterable[str] = (),
    settings: Settings | None = None,
) -> list[Diagnostic]:
    """Lint a module.

    Args:
        module: A valid module.
        select: Selectors of rules to apply, instead of those of the settings.
        ignore: Selectors of rules to skip, in addition to those of the settings.
        settings: The settings; the defaults if None.

    Returns:
        The findings, sorted by position and code.

    Raises:
        SettingsError: If a selector matches no rule.
    """
    settings = with_rules(settings or Settings(), select, ignore)
    severities = severities_of(settings)
    found = apply(module, selected(settings, module.name), settings)
    diagnostics = [_diagnostic(each, severities.get(each.rule, each.rule.severity)) for each in found]
    return sorted(diagnostics, key=lambda d: (d.line, d.column, d.code))


def with_rules(settings: Settings, select: Iterable[str] | None, ignore: Iterable[str]) -> Settings:
    """Return settings with `select` replaced, unless None, and `ignore` extended."""
    chosen = settings.select if select is None else tuple(select)
    return replace(settings, select=chosen, ignore=(*settings.ignore, *ignore))


def severities_of(settings: Settings) -> dict[Rule, Severity]:
    """Return the overridden severities of rules; raise SettingsError for an unknown rule."""
    return {rule: severity for word, severity in settings.severity for rule in named(word)}


def apply(module: Module, rules: list[Rule], settings: Settings) -> list[Found]:
    """Return the findings of rules in a module that no comment suppresses."""
    context = LintContext(module)
    comments = suppressions(module)
    found = [each for rule in rules for each in _found(context, rule, settings)]
    known, unknown = _words(comments)
    kept = [each for each in found if not _is_silenced(each, comments, known)]
    kept += [_locate(module, UNKNOWN, finding) for finding in unknown if UNKNOWN in rules]
    if UNUSED in rules:
        applied = {word for word, meant in known.items() if word == "all" or meant & set(rules)}
        kept += [_locate(module, UNUSED, finding) for finding in unused(comments, applied)]
    return kept


def _found(context: LintContext, rule: Rule, settings: Settings) -> Iterator[Found]:
    for finding in rule.check(context, settings):
        yield _locate(context.module, rule, finding)


def _locate(module: Module, rule: Rule, finding: Finding) -> Found:
    place = finding.place
    line, column = module.source.position(place) if isinstance(place, int) else module.position(place)
    return Found(rule, finding, line, column)


def _words(comments: list[Suppression]) -> tuple[dict[str, set[Rule]], list[Finding]]:
    """Resolve the selectors in comments; also return findings for those that match no rule."""
    known: dict[str, set[Rule]] = {}
    unknown = []
    for comment in comments:
        for word in comment.words:
            try:
                known[word] = set(named(word))
            except SettingsError as error:
                unknown.append(Finding(comment.offset, str(error)))
    return known, unknown


def _is_silenced(found: Found, comments: list[Suppression], known: dict[str, set[Rule]]) -> bool:
    """Test whether a comment suppresses a finding; mark all comments that do as used."""
    silenced = False
    for comment in comments:
        for word in comment.words:
            if comment.line in (0, found.line) and found.rule in known.get(word, ()):
                comment.used.add(word)
                silenced = True
    return silenced


def _diagnostic(found: Found, severity: Severity) -> Diagnostic:
    finding = found.finding
    notes = (*finding.notes, *_origin(finding.place))
    code = PREFIX + found.rule.name
    return Diagnostic(severity, code, finding.message, found.line, found.column, notes)


def _origin(place: Place) -> Iterable[str]:
    return () if isinstance(place, int) else origin_notes(place)
