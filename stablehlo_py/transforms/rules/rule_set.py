"""Sets of rules: an index over op names, of rules that are compiled when an op has their name."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from typing import Literal

from stablehlo_py.ir.core import Operation, OpResult, Value
from stablehlo_py.notation.environment import Environment
from stablehlo_py.notation.scope import EMPTY_CONTEXT
from stablehlo_py.notation.terms import NotationError, load
from stablehlo_py.opset.definition import has_trait
from stablehlo_py.transforms.rewriter import Rewriter
from stablehlo_py.transforms.rules.build import Build, compile_replacement
from stablehlo_py.transforms.rules.fitting import fit_types
from stablehlo_py.transforms.rules.match import PatternCompiler, compile_condition, definition_of
from stablehlo_py.transforms.rules.pattern import OpLine, parse_pattern, parse_replacement
from stablehlo_py.transforms.rules.rule import Rule


class CompiledRule:
    """A compiled rule.

    Args:
        rule: The rule.
        lines: The lines of its pattern.

    Raises:
        NotationError: If the rule is malformed.
    """

    def __init__(self, rule: Rule, lines: list[OpLine]) -> None:
        self.rule = rule
        self.name = rule.name
        try:
            pattern = PatternCompiler(lines)
            self._match, self._definers = pattern.match, pattern.definers
            self._condition = compile_condition(rule.condition, pattern.names)
            self._build: Build = (
                compile_replacement(rule.replacement, pattern.names)
                if isinstance(rule.replacement, str)
                else rule.replacement
            )
        except NotationError as error:
            raise NotationError(f"rule {rule.name}: {error}") from error

    def matches(self, op: Operation) -> Environment | None:
        """Return what the names of the pattern stand for, or None if an op does not match."""
        operands = op.operands
        for index, names in self._definers:
            value = operands[index] if index < len(operands) else None
            if not isinstance(value, OpResult) or value.op.name not in names:
                return None
        env = Environment(op, EMPTY_CONTEXT, {})
        if not self._match(op, env):
            return None
        if self._condition is not None and not self._condition(env):
            return None
        return env

    def apply(self, op: Operation, rewriter: Rewriter) -> bool:
        """Rewrite an op; return False if the rule does not apply to it."""
        values = self._rewrite(op, rewriter)
        if values is None or values is True:
            return values is True
        rewriter.replace(op, values, self.rule.merge)
        return True

    def values(self, op: Operation, rewriter: Rewriter) -> Sequence[Value | None] | None:
        """Create the values that replace the results of an op; None if the rule replaces none."""
        values = self._rewrite(op, rewriter)
        return None if isinstance(values, bool) else values

    def _rewrite(self, op: Operation, rewriter: Rewriter) -> Sequence[Value | None] | Literal[True] | None:
        """Create the values that replace the results of an op, or change it in place (True)."""
        env = self.matches(op)
        if env is None:
            return None
        values = self._build(rewriter.at(op), op, env)
        if values is True:
            return True
        if values is None or values is False:
            rewriter.discard()
            return None
        fitting = fit_types(rewriter, op, values)
        if fitting is None:
            rewriter.discard()
            return None
        if has_trait(op.name, "shape_at_run") and not rewriter.are_valid(values):
            rewriter.discard()  # the program fails when it runs, and remains as it is
            return None
        return fitting


class RuleSet:
    """Rules by the names of the ops that they replace.

    Args:
        rules: The rules.

    Raises:
        NotationError: If a pattern is malformed.
    """

    def __init__(self, rules: Sequence[Rule]) -> None:
        rows = [(rule, _pattern(rule)) for rule in rules]
        load([formula for rule, lines in rows for formula in _formulas(rule, lines)])
        self._rules = sorted(rows, key=lambda row: -(row[0].benefit + len(row[1])))
        self._by_name: dict[str, list[CompiledRule]] = {}
        self._compiled: dict[str, CompiledRule] = {}

    @staticmethod
    @cache
    def of(rules: tuple[Rule, ...], exact: bool = False) -> RuleSet:
        """Return the set of some rules, without the inexact ones if `exact`."""
        return RuleSet([rule for rule in rules if not (exact and rule.inexact)])

    def of_op(self, name: str) -> list[CompiledRule]:
        """Return the rules that may replace an op, by its name, in the order in which they are tried."""
        found = self._by_name.get(name)
        if found is None:
            found = self._by_name[name] = [
                self._compile(rule, lines)
                for rule, lines in self._rules
                if not lines[-1].ops or name in lines[-1].ops
            ]
        return found

    def _compile(self, rule: Rule, lines: list[OpLine]) -> CompiledRule:
        if rule.name not in self._compiled:
            self._compiled[rule.name] = CompiledRule(rule, lines)
        return self._compiled[rule.name]


def _formulas(rule: Rule, lines: list[OpLine]) -> Iterator[str]:
    """Yield the formulas of a rule, which are parsed once and then loaded from the cache."""
    if rule.condition:
        yield rule.condition
    if isinstance(rule.replacement, str):
        made, last = parse_replacement(rule.replacement)
        lines = [*lines, *made]
        if last:
            yield last.removesuffix("...")
    for line in lines:
        yield from line.attributes.values()
        if line.type:
            yield line.type


def _pattern(rule: Rule) -> list[OpLine]:
    """Parse the pattern of a rule; raise NotationError for an unknown op."""
    lines = parse_pattern(rule.pattern)
    for name in (name for line in lines for name in line.ops):
        definition_of(name)
    return lines
