"""Conditions of rules one by one, and programs that each of them alone refuses."""

from __future__ import annotations

import dataclasses
from collections import defaultdict
from functools import cache
from pathlib import Path

import stablehlo_py as shlo
from stablehlo_py.notation.compile import Compiler
from stablehlo_py.notation.environment import Environment
from stablehlo_py.notation.scope import EMPTY_CONTEXT, NO_VALUE, load_formulas
from stablehlo_py.notation.terms import parse, write
from stablehlo_py.transforms.rules.match import PatternCompiler
from stablehlo_py.transforms.rules.pattern import parse_pattern
from stablehlo_py.transforms.rules.rule import Rule

FILE = Path(__file__).with_name("refused.mlir")


def read() -> dict[str, list[str]]:
    """The programs by rule."""
    found = defaultdict(list)
    for part in f"\n{FILE.read_text() if FILE.exists() else ''}".split("\n// ")[1:]:
        name, _, body = part.partition("\n")
        found[name].append(body.strip("\n") + "\n")
    return found


def conditions(rule: Rule) -> list[str]:
    """The conjuncts of a rule's condition."""
    return [write(term) for term in _conjuncts(parse(rule.condition))]


def _conjuncts(term: tuple) -> list[tuple]:  # type: ignore[type-arg]
    return [*_conjuncts(term[1]), *_conjuncts(term[2])] if term[0] == "and" else [term]


def without(rule: Rule, index: int) -> Rule:
    """The rule without one of its conditions."""
    left = [f"({each})" for i, each in enumerate(conditions(rule)) if i != index]
    return dataclasses.replace(rule, condition=" and ".join(left))


@cache
def _compiled(rule: Rule) -> tuple:  # type: ignore[type-arg]
    load_formulas()
    lines = parse_pattern(rule.pattern)
    pattern = PatternCompiler(lines)
    terms = _conjuncts(parse(rule.condition))
    return lines[-1].ops, pattern.match, [Compiler(dict(pattern.names)).condition(t).run for t in terms]


def alone(rule: Rule, module: shlo.Module) -> set[int]:
    """The conditions that alone refuse an op of a program."""
    ops, match, tests = _compiled(rule)
    found = set()
    for op in module.walk():
        env = Environment(op, EMPTY_CONTEXT, {})
        if op.is_module or op.is_function or (ops and op.name not in ops) or not match(op, env):
            continue
        refusing = [index for index, test in enumerate(tests) if not _holds(test, env)]
        if len(refusing) == 1:
            found.add(refusing[0])
    return found


def _holds(test, env: Environment) -> bool:  # type: ignore[no-untyped-def]
    try:
        return test(env) is True
    except NO_VALUE:
        return False
