"""Family R: ops that a rewrite rule of the passes simplifies."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache, partial
from typing import TYPE_CHECKING

from stablehlo_py.ir.core import Module, Operation, OpResult
from stablehlo_py.linter.context import LintContext
from stablehlo_py.linter.rule import Finding, Rule
from stablehlo_py.linter.settings import Settings
from stablehlo_py.opset.effects import is_pure

if TYPE_CHECKING:
    from stablehlo_py.transforms.rules.rule_set import CompiledRule, RuleSet


def _simplifications(context: LintContext, settings: Settings) -> Iterator[Finding]:
    rules = _rules()
    for op in context.ops:
        for rule in rules.of_op(op.name):
            if rule.matches(op) is not None:
                message = f"{', '.join(map(str, op.results))} of {op.name} is simpler: {rule.name}"
                notes = (f"  {_line(rule.rule.pattern)}  ->  {_line(str(rule.rule.replacement))}",)
                yield Finding(op, message, notes, partial(_fix, context.module, rule, op))
                break


@cache
def _rules() -> RuleSet:
    """The exact rules of the passes that make fewer ops of some, without code."""
    from stablehlo_py.transforms.rules.pattern import parse_pattern, parse_replacement
    from stablehlo_py.transforms.rules.rule_set import RuleSet
    from stablehlo_py.transforms.simplification import SIMPLIFICATIONS

    return RuleSet(
        [
            rule
            for rule in SIMPLIFICATIONS
            if isinstance(rule.replacement, str)
            and not rule.inexact
            and len(parse_replacement(rule.replacement)[0]) < len(parse_pattern(rule.pattern))
        ]
    )


def _line(text: str) -> str:
    return "; ".join(line.strip() for line in text.strip().split("\n"))


def _fix(module: Module, rule: CompiledRule, op: Operation) -> Sequence[Operation]:
    """Apply a rule to an op; return the op and those that define its operands."""
    from stablehlo_py.transforms.rewriter import Rewriter

    rewriter = Rewriter(module)
    values = rule.values(op, rewriter)
    if values is None:
        return ()
    rewriter.flush()
    for result, value in zip(op.results, values, strict=True):
        if isinstance(value, OpResult) and value.op.offset < 0:
            value.name = result.name
        if value is not None:
            result.replace_all_uses(value)
    made = [value.op for value in op.operands if isinstance(value, OpResult)]
    return (op, *[each for each in made if is_pure(each)])


RULES = (
    Rule(
        code="R101",
        name="simplify",
        summary="Op that a rewrite rule simplifies",
        why="An op that has no effect, or ops that one op replaces, cost compilation time and hide what is "
        "computed. The rules are those of the pass `stablehlo-aggressive-simplification` that are exact and "
        "leave fewer ops. Off by default: compilers simplify programs.",
        remedy="Use what the rule states instead (--fix does).",
        bad="""func.func @main(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %one = stablehlo.constant dense<1.0> : tensor<2x3xf32>
  %y = stablehlo.multiply %x, %one : tensor<2x3xf32>
  return %y : tensor<2x3xf32>
}""",
        good="""func.func @main(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  return %x : tensor<2x3xf32>
}""",
        check=_simplifications,
        default=False,
        fixable=True,
    ),
)
