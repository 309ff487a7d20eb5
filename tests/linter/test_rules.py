"""Every rule reports its bad example and not its good one; a fix leaves no finding."""

from __future__ import annotations

import re

import pytest

import stablehlo_py as shlo
from stablehlo_py.linter.catalogue import FAMILIES, RULES, catalogue, explanation, named
from stablehlo_py.linter.fixes import fix
from stablehlo_py.linter.rule import Rule
from stablehlo_py.linter.settings import Settings

by_name = pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.name)


def found(rule: Rule, text: str) -> list[shlo.Diagnostic]:
    module = shlo.parse(text)
    assert {d.code for d in shlo.verify(module) if d.severity == "error"} <= {"elided"}
    # A suppression is unused only where the rule that it names is looked for.
    select = ["all"] if rule.code[0] == "S" else [rule.name]
    diagnostics = shlo.lint(module, select=select, settings=dict(rule.example_settings))
    return [d for d in diagnostics if d.code == f"lint.{rule.name}"]


@by_name
def test_the_bad_example_is_found(rule: Rule) -> None:
    diagnostics = found(rule, rule.bad)
    assert len(diagnostics) == 1
    assert diagnostics[0].severity == rule.severity
    assert diagnostics[0].line > 0


@by_name
def test_the_good_example_is_not(rule: Rule) -> None:
    assert found(rule, rule.good) == []


@by_name
def test_a_fix_leaves_nothing_to_find(rule: Rule) -> None:
    settings = Settings.of({"select": [rule.name], **dict(rule.example_settings)})
    fixed = fix(rule.bad, settings)
    assert fixed.counts == ({rule.name: 1} if rule.fixable else {})
    assert (fixed.text == rule.bad) is not rule.fixable
    if rule.fixable:
        assert found(rule, fixed.text) == []


@by_name
def test_names_and_codes_are_well_made(rule: Rule) -> None:
    assert re.fullmatch(r"[a-z]+(-[a-z]+)*", rule.name)
    assert re.fullmatch(r"[A-Z]\d{3}", rule.code)
    assert rule.code[0] in FAMILIES
    assert set(rule.options) <= {name for name, _, _ in Settings.rows()}
    assert named(rule.name) == named(rule.code) == named(f"lint.{rule.name}") == (rule,)


@by_name
def test_the_documentation_says_it_all(rule: Rule) -> None:
    text = explanation(rule)
    for part in (rule.code, rule.name, rule.summary, rule.why, rule.remedy, rule.bad, rule.good):
        assert part in text
    assert f"### {rule.name} ({rule.code})" in catalogue()


@by_name
def test_a_selector_is_the_beginning_of_codes(rule: Rule) -> None:
    for length in range(1, 5):
        beginning = rule.code[:length]
        expected = [each for each in RULES if each.code.startswith(beginning)]
        assert [*named(beginning)] == [*named(beginning.lower())] == expected


def test_codes_and_names_are_used_once() -> None:
    assert len({rule.code for rule in RULES}) == len({rule.name for rule in RULES}) == len(RULES)
