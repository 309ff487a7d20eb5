"""Puts right what rules found and can put right, keeping the author's names and comments."""

from __future__ import annotations

from dataclasses import dataclass

from stablehlo_py.api import format, parse, verify
from stablehlo_py.diagnostics import Diagnostic, InternalError
from stablehlo_py.ir.core import Module, Operation
from stablehlo_py.lint.catalogue import selected
from stablehlo_py.lint.engine import Found, apply
from stablehlo_py.lint.rule import Rule
from stablehlo_py.lint.settings import Settings

_MOST_ROUNDS = 100  # each takes something away, so that programs end before


@dataclass(frozen=True, slots=True)
class Fixed:
    """The text of a program with what could be fixed, and how many findings of each rule that were."""

    text: str
    counts: dict[str, int]


def fix(text: str, settings: Settings, name: str = "<string>", allow_unregistered: bool = False) -> Fixed:
    """Fixes the text of a valid program: the text itself where there is nothing to fix.

    Raises ParseError if it is no program, SettingsError, and InternalError if what came of it is not valid.
    """
    module = parse(text, name, allow_unregistered)
    wrong_before = _errors(module)
    rules = [rule for rule in selected(settings, name) if rule.fixable]
    counts: dict[str, int] = {}
    for _ in range(_MOST_ROUNDS):
        changes = [_fix_by(rule, module, settings, counts) for rule in rules]
        if not any(changes):
            break
    if not counts:
        return Fixed(text, counts)
    fixed = format(module, canonical=False)
    wrong = _errors(parse(fixed, name, allow_unregistered))
    if len(wrong) > len(wrong_before):
        raise InternalError(f"{name}: the fixed program is not valid: {wrong[0]}")
    return Fixed(fixed, counts)


def _fix_by(rule: Rule, module: Module, settings: Settings, counts: dict[str, int]) -> bool:
    """Fixes what one rule finds, and says whether that was anything."""
    found = [each for each in apply(module, [rule], settings) if each.finding.fix is not None]
    if rule.name in counts:  # what printing puts right stays in the text that was read
        found = [each for each in found if not isinstance(each.finding.place, int)]
    for each in found:
        _apply(each, module)
    if found:
        counts[rule.name] = counts.get(rule.name, 0) + len(found)
    return bool(found)


def _apply(found: Found, module: Module) -> None:
    assert found.finding.fix is not None
    found.finding.fix()
    place = found.finding.place
    if isinstance(place, Operation):
        _drop_comments(module, place)


def _drop_comments(module: Module, op: Operation) -> None:
    """Forgets the comments inside of an op that has gone, and those behind it on its line."""
    if op.offset < 0:
        return
    position = module.source.position
    last = position(op.end)[0]
    module.comments = [
        (offset, text)
        for offset, text in module.comments
        if not op.offset <= offset or position(offset)[0] > last
    ]


def _errors(module: Module) -> list[Diagnostic]:
    return [d for d in verify(module) if d.severity == "error"]
