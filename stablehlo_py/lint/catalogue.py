"""All rules: finding them by what people call them, and their documentation."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from itertools import groupby

from stablehlo_py.lint import constants, dead, numerics, portability_rules, precision, suppressions
from stablehlo_py.lint.rule import Rule
from stablehlo_py.lint.settings import Settings, SettingsError, option_rows, suggestion

FAMILIES: Mapping[str, str] = {
    "D": "Dead code",
    "K": "Constants and repetition",
    "N": "Numerics",
    "P": "Portability",
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
            *numerics.RULES,
            *portability_rules.RULES,
            *suppressions.RULES,
        ),
        key=lambda rule: rule.code,
    )
)
PREFIX = "lint."  # of the codes of diagnostics: `lint.dead-op`


@cache
def _by_word() -> Mapping[str, tuple[Rule, ...]]:
    """The rules that each word stands for: names, codes, beginnings of codes, `default` and `all`."""
    found: dict[str, tuple[Rule, ...]] = {"all": RULES, "default": tuple(r for r in RULES if r.default)}
    for rule in RULES:
        found[rule.name] = (rule,)
        for length in range(1, len(rule.code) + 1):
            beginning = rule.code[:length]
            found[beginning] = (*found.get(beginning, ()), rule)
    return found


def named(word: str) -> tuple[Rule, ...]:
    """The rules that a word stands for. Raises SettingsError for one that stands for none."""
    words = _by_word()
    plain = word.strip().removeprefix(PREFIX)
    found = words.get(plain.lower()) or words.get(plain.upper())
    if found is None:
        raise SettingsError(f"there is no lint rule {plain!r}{suggestion(plain.lower(), words)}")
    return found


def named_all(words: Iterable[str]) -> set[Rule]:
    """The rules that words stand for. Raises SettingsError."""
    return {rule for word in words for rule in named(word)}


def selected(settings: Settings, file: str = "") -> list[Rule]:
    """The rules that settings select for a file, in the order of their codes. Raises SettingsError."""
    ignored = named_all(settings.ignore)
    for pattern, words in settings.per_file_ignores:
        rules = named_all(words)  # wrong names are errors whatever the file
        if matches(file, pattern):
            ignored |= rules
    chosen = named_all(settings.select) - ignored
    return [rule for rule in RULES if rule in chosen]


def matches(file: str, pattern: str) -> bool:
    """Whether a file's path, or the end of it, is what a pattern says: `tests/*.mlir`, `*_grad.mlir`."""
    from fnmatch import fnmatchcase

    path = file.replace("\\", "/")
    return fnmatchcase(path, pattern) or fnmatchcase(path, f"*/{pattern}")


def explanation(rule: Rule) -> str:
    """All there is to say about a rule, as Markdown."""
    return "\n".join([f"## {rule.name} ({rule.code})", "", *_body(rule)])


def catalogue() -> str:
    """The documentation of all rules and settings, as Markdown."""
    lines = ["# Lint rules", "", *_table(), "", "## Settings", "", *_settings(), ""]
    for letter, rules in groupby(RULES, key=lambda rule: rule.code[0]):
        lines += [f"## {FAMILIES[letter]} ({letter})", ""]
        for rule in rules:
            lines += [f"### {rule.name} ({rule.code}) {{#{rule.name}}}", "", *_body(rule), ""]
    return "\n".join(lines)


def _body(rule: Rule) -> Iterator[str]:
    fix = "`--fix` puts it right." if rule.fixable else "There is no automatic fix."
    state = "On" if rule.default else "Off"
    yield from (f"**{rule.summary}.** {state} by default, severity {rule.severity}. {fix}", "", rule.why, "")
    if rule.options:
        yield from (f"Settings: {', '.join(f'`{name}`' for name in rule.options)}.", "")
    yield from ("Found in:", "", "```mlir", rule.bad, "```", "", f"Instead: {rule.remedy}", "")
    yield from ("```mlir", rule.good, "```")


def _table() -> Iterator[str]:
    yield from (
        "| Code | Name | What it finds | Default | Severity | Fix |",
        "| --- | --- | --- | --- | --- | --- |",
    )
    for rule in RULES:
        state, fix = ("on" if rule.default else "off"), ("yes" if rule.fixable else "")
        name = f"[{rule.name}](#{rule.name})"
        yield f"| {rule.code} | {name} | {rule.summary} | {state} | {rule.severity} | {fix} |"


def _settings() -> Iterator[str]:
    yield from (
        "In `[tool.shlo.lint]` of `pyproject.toml`:",
        "",
        "| Name | Default | Meaning |",
        "| --- | --- | --- |",
    )
    for name, default, doc in option_rows():
        shown = list(default) if isinstance(default, tuple) else "none" if default is None else default
        yield f"| {name} | `{shown}` | {doc} |"
