"""Automatic fixes, which preserve value names and comments."""

from __future__ import annotations

from stablehlo_py.diagnostics.diagnostic import Diagnostic, InternalError
from stablehlo_py.ir.core import Module, Operation, erase_all
from stablehlo_py.ir.records import dataclass
from stablehlo_py.linter.catalogue import selected
from stablehlo_py.linter.engine import apply
from stablehlo_py.linter.rule import Rule
from stablehlo_py.linter.settings import Settings
from stablehlo_py.syntax.parser import parse_module
from stablehlo_py.syntax.printer import format_module
from stablehlo_py.transforms.tidy import drop_comments
from stablehlo_py.verifier.verifier import verify_module

_MOST_ROUNDS = 100  # a bound only: every round removes ops, so that fixing terminates


@dataclass(frozen=True, slots=True)
class Fixed:
    """The result of fixing a program.

    Attributes:
        text: The fixed text.
        counts: The number of fixed findings by rule name.
    """

    text: str
    counts: dict[str, int]


def fix(text: str, settings: Settings, name: str = "<string>", allow_unregistered: bool = False) -> Fixed:
    """Apply the fixes of the selected rules to a program.

    Args:
        text: The text of a valid program.
        settings: The settings, which select the rules.
        name: The name of the file, for diagnostics and per-file ignores.
        allow_unregistered: Whether ops of unknown dialects are allowed.

    Returns:
        The fixed text; the text itself if there is nothing to fix.

    Raises:
        ParseError: If the text is not a program.
        SettingsError: If the settings contain an unknown rule.
        InternalError: If the fixed program is invalid.
    """
    module = parse_module(text, name, allow_unregistered, allow_newer=settings.allow_newer)
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
    wrong = _errors(parse_module(fixed, name, allow_unregistered, allow_newer=True))
    if len(wrong) > len(wrong_before):
        raise InternalError(f"{name}: the fixed program is invalid: {wrong[0]}")
    return Fixed(fixed, counts)


def _fix_by(rule: Rule, module: Module, settings: Settings, counts: dict[str, int]) -> bool:
    """Apply the fixes of one rule; return whether there were any."""
    found = [each for each in apply(module, [rule], settings) if each.finding.fix is not None]
    if rule.name in counts:  # findings about the text, which only printing fixes, persist until then
        found = [each for each in found if not isinstance(each.finding.place, int)]
    left_over = [op for each in found if each.finding.fix for op in each.finding.fix()]
    unused = _unused(left_over)
    erase_all(unused)
    drop_comments(module, [(op.offset, op.end) for op in unused])
    if found:
        counts[rule.name] = counts.get(rule.name, 0) + len(found)
    return bool(found)


def _unused(ops: list[Operation]) -> list[Operation]:
    """Return the ops without uses, other than by ops earlier in the list."""
    gone: set[Operation] = set()
    found = []
    for op in ops:
        if all(use.op in gone for result in op.results for use in result.uses):
            found.append(op)
            gone.update(op.walk())
    return found


def _errors(module: Module) -> list[Diagnostic]:
    return [d for d in verify_module(module) if d.severity == "error"]
