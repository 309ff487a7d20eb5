"""Puts right what rules found and can put right, keeping the author's names and comments."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from itertools import accumulate

from stablehlo_py.diagnostics.diagnostic import Diagnostic, InternalError
from stablehlo_py.ir.core import Module, Operation, erase_all
from stablehlo_py.linter.catalogue import selected
from stablehlo_py.linter.engine import apply
from stablehlo_py.linter.rule import Rule
from stablehlo_py.linter.settings import Settings
from stablehlo_py.syntax.parser import parse_module
from stablehlo_py.syntax.printer import format_module
from stablehlo_py.verifier.verifier import verify_module

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
    module = parse_module(text, name, allow_unregistered)
    wrong_before = _errors(module)
    rules = [rule for rule in selected(settings, name) if rule.fixable]
    counts: dict[str, int] = {}
    for _ in range(_MOST_ROUNDS):
        changes = [_fix_by(rule, module, settings, counts) for rule in rules]
        if not any(changes):
            break
    if not counts:
        return Fixed(text, counts)
    fixed = format_module(module, canonical=False)
    wrong = _errors(parse_module(fixed, name, allow_unregistered))
    if len(wrong) > len(wrong_before):
        raise InternalError(f"{name}: the fixed program is not valid: {wrong[0]}")
    return Fixed(fixed, counts)


def _fix_by(rule: Rule, module: Module, settings: Settings, counts: dict[str, int]) -> bool:
    """Fixes what one rule finds, and says whether that was anything."""
    found = [each for each in apply(module, [rule], settings) if each.finding.fix is not None]
    if rule.name in counts:  # what printing puts right stays in the text that was read
        found = [each for each in found if not isinstance(each.finding.place, int)]
    left_over = [op for each in found if each.finding.fix for op in each.finding.fix()]
    unused = _unused(left_over)
    erase_all(unused)
    _drop_comments(module, unused)
    if found:
        counts[rule.name] = counts.get(rule.name, 0) + len(found)
    return bool(found)


def _unused(ops: list[Operation]) -> list[Operation]:
    """The ops that nothing uses, once those before them have gone."""
    gone: set[Operation] = set()
    found = []
    for op in ops:
        if all(use.op in gone for result in op.results for use in result.uses):
            found.append(op)
            gone.update(op.walk())
    return found


def _drop_comments(module: Module, ops: list[Operation]) -> None:
    """Forgets the comments inside of ops that have gone, and those behind them on their lines."""
    text = module.source.text
    spans = sorted((op.offset, text.find("\n", op.end)) for op in ops if op.offset >= 0)
    starts = [start for start, _ in spans]
    ends = list(accumulate((end if end >= 0 else len(text) for _, end in spans), max))

    def is_gone(offset: int) -> bool:
        before = bisect_right(starts, offset)
        return before > 0 and offset < ends[before - 1]

    module.comments = [(offset, comment) for offset, comment in module.comments if not is_gone(offset)]


def _errors(module: Module) -> list[Diagnostic]:
    return [d for d in verify_module(module) if d.severity == "error"]
