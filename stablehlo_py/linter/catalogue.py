"""All rules: finding them by what people call them, and their documentation."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from itertools import groupby

from stablehlo_py.diagnostics.suggestions import did_you_mean
from stablehlo_py.linter import constants, dead, numerics, portability_rules, precision, suppressions
from stablehlo_py.linter.rule import Rule
from stablehlo_py.linter.settings import Settings, SettingsError, option_rows

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

_INTRODUCTION = """`shlo lint` looks for what is valid in a program, and better otherwise. The rules that are
on by default find what most authors want to know of; the others are there to be selected:

    shlo lint --select default,chlo-op,N --ignore old-spelling exports/

Rules are named by name, by code, by the beginning of a code, or as `default` or `all`. In a program, a
comment leaves rules out: for the line that it stands on or above, or for all of the file.

```mlir
// shlo: ignore-file[wide-integer]
%0 = stablehlo.tanh %x : tensor<4xf32>  // shlo: ignore[dead-op]
```

`--diff` prints what rules with a fix would change, and `--fix` changes it. Names and comments stay, what is
changed is verified, and it computes what it did. The exit status is 1 where something is found that is at
least as severe as `--fail-on`, which is a warning by default.
"""
_EXAMPLE = """```toml
[tool.shlo.lint]
select = ["default", "P"]
allowed-custom-calls = ["mycompany.*"]
target = "1.7.0"

[tool.shlo.lint.severity]
dead-op = "error"

[tool.shlo.lint.per-file-ignores]
"tests/*.mlir" = ["D", "missing-location"]
```
"""


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
        raise SettingsError(f"there is no lint rule {plain!r}{did_you_mean(plain.lower(), words)}")
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
    lines = ["# Lint rules", "", _INTRODUCTION, *_table(), "", "## Settings", "", *_settings(), ""]
    for letter, rules in groupby(RULES, key=lambda rule: rule.code[0]):
        lines += [f"## {FAMILIES[letter]} ({letter})", ""]
        for rule in rules:
            lines += [f"### {rule.name} ({rule.code})", "", *_body(rule), ""]
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
        name = f"[{rule.name}](#{rule.name}-{rule.code.lower()})"
        yield f"| {rule.code} | {name} | {rule.summary} | {state} | {rule.severity} | {fix} |"


def _settings() -> Iterator[str]:
    yield from (
        "In `[tool.shlo.lint]` of the nearest `pyproject.toml`, from the working directory upwards:",
        "",
        _EXAMPLE,
        "| Name | Default | Meaning |",
        "| --- | --- | --- |",
    )
    for name, default, doc in option_rows():
        is_table = doc.startswith("A table")
        shown = {} if is_table else list(default) if isinstance(default, tuple) else default or "none"
        yield f"| {name} | `{shown}` | {doc} |"
