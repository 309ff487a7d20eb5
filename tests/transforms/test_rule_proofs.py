"""Every rewrite rule is proved by running programs that it matches, before and after.

The programs are the example of the rule with other element types and sizes, on values that include NaN,
infinities, signed zeros and the edges of integers. Results have the same bits, but for rules that state why
they are inexact.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import pytest
from rule_variants import types_and_sizes

import stablehlo_py as shlo
from stablehlo_py.debug.generate.elements import draw_values
from stablehlo_py.ir.types import TensorType, Type
from stablehlo_py.transforms.greedy_driver import apply_rules
from stablehlo_py.transforms.registry import all_rules
from stablehlo_py.transforms.rules.example import example_text
from stablehlo_py.transforms.rules.rule import Rule

RULES = {rule.name: rule for rule in all_rules()}
ELEMENTS = ("f64", "f16", "f8E4M3FN", "i8", "ui64", "i1", "complex<f32>")  # beside those of the example
TOLERANCE = {"f64": 1e-12, "f32": 1e-5}  # of rules that are not exact


def programs(rule: Rule) -> Iterator[shlo.Module]:
    """The valid programs among the variants."""
    seen = set()
    for body in types_and_sizes(rule.example, ELEMENTS):
        if body in seen:
            continue
        seen.add(body)
        try:
            module = shlo.parse(example_text(body))
        except shlo.ParseError:
            continue
        if not [d for d in shlo.verify(module) if d.severity == "error"]:
            yield module


def argument(rng: np.random.Generator, type: Type) -> object:
    if isinstance(type, TensorType):
        shape = tuple(2 if size is None else size for size in type.shape)
        return draw_values(rng, type.element_type, shape, "any")
    raise TypeError(type)


def same_bits(a: np.ndarray, b: np.ndarray) -> bool:
    if a.dtype != b.dtype or a.shape != b.shape:
        return False
    if a.dtype.kind in "biu":
        return bool(np.array_equal(a, b))
    nan = (a != a) & (b != b)
    return bool((nan | ((a == b) & _same_sign(a, b))).all())


def _same_sign(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    if a.dtype.kind == "c":
        return _same_sign(a.real, b.real) & _same_sign(a.imag, b.imag)
    return np.signbit(a.astype(np.float64)) == np.signbit(b.astype(np.float64))


def check(rule: Rule, before: Sequence[Any], after: Sequence[Any]) -> None:
    for a, b in zip(before, after, strict=True):
        if isinstance(a, tuple):
            check(rule, a, b)
        elif a is None:
            assert b is None  # a token
        elif rule.inexact:
            tolerance = TOLERANCE.get(a.dtype.name.replace("float", "f"), 2e-2)
            np.testing.assert_allclose(
                a.astype(np.complex128), b.astype(np.complex128), tolerance, tolerance, equal_nan=True
            )
        else:
            assert same_bits(a, b), (a, b)


@pytest.mark.parametrize("name", [name for name, rule in RULES.items() if rule.example])
def test_results_before_and_after(name: str) -> None:
    rule = RULES[name]
    rng = np.random.default_rng(0)
    applied = 0
    for module in programs(rule):
        changed = module.clone()
        options = {"fold-op-element-limit": 1000}
        counts = apply_rules(changed, changed.op, [rule], options, erase_dead=False, share=False)
        if not counts:
            continue
        applied += 1
        assert not [d for d in shlo.verify(changed) if d.severity == "error"], str(changed)
        inputs = [argument(rng, value.type) for value in module.functions["main"].regions[0].block.arguments]
        try:
            before = shlo.run(module, inputs, max_steps=1000)
        except shlo.RunError:  # of a target that is not registered, or inputs out of range
            continue
        check(rule, before, shlo.run(changed, inputs))
    assert applied, "the example does not match"
