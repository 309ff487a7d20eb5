"""The registry of rules: selection by name or code, and the generated documentation."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from itertools import groupby

from stablehlo_py.diagnostics.suggestions import did_you_mean
from stablehlo_py.linter import (
    constants,
    dead,
    meshes,
    numerics,
    portability_rules,
    precision,
    scatter_windows,
    simplify,
    suppressions,
)
from stablehlo_py.linter.options import PREFIX
from stablehlo_py.linter.rule import Rule
from stablehlo_py.linter.settings import Settings, SettingsError

FAMILIES: Mapping[str, str] = {
    "D": "Dead code",
    "K": "Constants and repetition",
    "M": "Meshes of devices",
    "N": "Numerics",
    "P": "Portability",
    "R": "Rewriting",
    "S": "Suppressions",
    "T": "Element types",
    "V": "Versions",
}

RULES: tuple[Rule, ...] = tuple(
    sorted(
        (
            *dead.RULES,
            *precision.RULES,
            *constants.RULES,
            *meshes.RULES,
            *numerics.RULES,
            *portability_rules.RULES,
            *scatter_windows.RULES,
            *simplify.RULES,
            *suppressions.RULES,
        ),
        key=lambda rule: rule.code,
    )
)

_INTRODUCTION = """`shlo lint` reports valid code that is probably unintended, slow or not portable. The
default rules suit most programs; the others must be selected:

    shlo lint --select default,chlo-op,N --ignore old-spelling exports/

Rules are selected by name, by code, by a prefix of a code, or as `default` or `all`. A comment in a
program suppresses rules, either for its line (or, on a line of its own, for the next line) or for the file.

```mlir
// shlo: ignore-file[wide-integer]
%0 = stablehlo.tanh %x : tensor<4xf32>  // shlo: ignore[dead-op]
```

`--diff` prints the changes of rules that have a fix, and `--fix` applies them. Names and comments are kept,
and the fixed program is verified. The exit status is 1 if there is a finding at least as severe as
`--fail-on`, which is a warning by default.
"""


@cache
def _by_word() -> Mapping[str, tuple[Rule, ...]]:
    """Map each selector (name, code, code prefix, `default`, `all`) to its rules."""
    found: dict[str, tuple[Rule, ...]] = {"all": RULES, "default": tuple(r for r in RULES if r.default)}
    for rule in RULES:
        found[rule.name] = (rule,)
        for length in range(1, len(rule.code) + 1):
            beginning = rule.code[:length]
            found[beginning] = (*found.get(beginning, ()), rule)
    return found


def named(word: str) -> tuple[Rule, ...]:
    """Return the rules of a selector; raise SettingsError if it matches none."""
    words = _by_word()
    selector = word.strip().removeprefix(PREFIX)
    found = words.get(selector.lower()) or words.get(selector.upper())
    if found is None:
        raise SettingsError(f"unknown lint rule {selector!r}{did_you_mean(selector.lower(), words)}")
    return found


def is_rule(word: str) -> bool:
    """Return whether a word selects rules."""
    return any(found in _by_word() for found in (word.lower(), word.upper()))


def named_all(words: Iterable[str]) -> set[Rule]:
    """Return the rules of several selectors; raise SettingsError if one matches none."""
    return {rule for word in words for rule in named(word)}


def selected(settings: Settings, file: str) -> list[Rule]:
    """Return the rules that apply to a file.

    Args:
        settings: The settings.
        file: The path of the file, matched against `per_file_ignores`.

    Returns:
        The rules, ordered by code.

    Raises:
        SettingsError: If the settings contain an unknown rule.
    """
    ignored = named_all(settings.ignore)
    for pattern, words in settings.per_file_ignores:
        rules = named_all(words)  # unknown rules are errors for every file
        if matches(file, pattern):
            ignored |= rules
    chosen = named_all(settings.select) - ignored
    return [rule for rule in RULES if rule in chosen]


def matches(file: str, pattern: str) -> bool:
    """Test whether a path, or a suffix of it, matches a glob such as `tests/*.mlir` or `*_grad.mlir`."""
    from fnmatch import fnmatchcase

    path = file.replace("\\", "/")
    return fnmatchcase(path, pattern) or fnmatchcase(path, f"*/{pattern}")


def explanation(rule: Rule) -> str:
    """Render the documentation of a rule as Markdown."""
    return "\n".join([f"## {rule.name} ({rule.code})", "", *_body(rule)])


def catalogue() -> str:
    """Render the documentation of all rules as Markdown."""
    lines = ["# Lint rules", "", _INTRODUCTION, *_table(), ""]
    for letter, rules in groupby(RULES, key=lambda rule: rule.code[0]):
        lines += [f"## {FAMILIES[letter]} ({letter})", ""]
        for rule in rules:
            lines += [f"### {rule.name} ({rule.code})", "", *_body(rule), ""]
    return "\n".join(lines)


def _body(rule: Rule) -> Iterator[str]:
    fix = "Fixed by `--fix`." if rule.fixable else "No automatic fix."
    state = "On" if rule.default else "Off"
    yield from (f"**{rule.summary}.** {state} by default, severity {rule.severity}. {fix}", "", rule.why, "")
    if rule.options:
        yield from (f"Settings: {', '.join(f'`{name}`' for name in rule.options)}.", "")
    yield from ("Example:", "", "```mlir", rule.bad, "```", "", f"Remedy: {rule.remedy}", "")
    yield from ("```mlir", rule.good, "```")


def _table() -> Iterator[str]:
    yield from (
        "| Code | Name | Description | Default | Severity | Fix |",
        "| --- | --- | --- | --- | --- | --- |",
    )
    for rule in RULES:
        state, fix = ("on" if rule.default else "off"), ("yes" if rule.fixable else "")
        name = f"[{rule.name}](#{rule.name}-{rule.code.lower()})"
        yield f"| {rule.code} | {name} | {rule.summary} | {state} | {rule.severity} | {fix} |"
