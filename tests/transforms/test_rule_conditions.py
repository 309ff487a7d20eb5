"""Each condition of each rewrite rule alone refuses a program: the rule without it would apply there.

The programs are in `refused.mlir`, made by `tests/make_refused_programs.py` or written by hand.
"""

from __future__ import annotations

import pytest
from rule_conditions import alone, conditions, read
from rule_variants import module_of

from stablehlo_py.transforms.greedy_driver import apply_rules
from stablehlo_py.transforms.registry import all_passes, all_rules

REFUSED = read()
RULES = {rule.name: rule for rule in all_rules() if rule.condition}
OPTIONS = {"fold-op-element-limit": 1000}

# Conditions that no valid program breaks alone, by the reason.
IMPLIED = {
    "the types that the op has": {
        "fold-abs: is_integer(r) or is_float(r)",
        "fold-and: is_integer(r) or is_boolean(r)",
        "fold-erf: is_float(r)",
        "fold-iota: is_static(r)",
        "fold-not: is_integer(r) or is_boolean(r)",
        "fold-or: is_integer(r) or is_boolean(r)",
        "fold-reshape: is_integer(r) or is_boolean(r) or is_float(r) or is_complex(r)",
        "fold-reshape: is_static(r)",
        "fold-round_nearest_afz: is_float(r)",
        "fold-round_nearest_even: is_float(r)",
        "fold-xor: is_integer(r) or is_boolean(r)",
        "iota-size-one: is_static(r)",
    },
    "what is known of a constant": {"fold-reverse: size(x) > 1", "fold-slice: is_static(x)"},
    "a size that is not known is equal to none": {
        "broadcast-to-reshape: is_static(x)",
        "broadcast-to-transpose: is_static(x)",
        "dynamic-update-slice-empty: is_static(u)",
        "pad-empty: is_static(x)",
        "reduce-empty: is_static(xs[0])",
        "reduce-to-constant: is_static(xs[0])",
        "reverse-empty: is_static(x)",
        "set-dimension-size-same: identical(r, x)",
        "transpose-to-reshape: is_static(x)",
    },
}
ALL_IMPLIED = {row for rows in IMPLIED.values() for row in rows}


@pytest.mark.parametrize("name", RULES)
def test_each_condition_refuses(name: str) -> None:
    rule, found = RULES[name], set()
    for body in REFUSED.get(name, ()):
        module = module_of(body)
        assert module is not None, body
        found |= alone(rule, module)
        assert not apply_rules(module, module.op, [rule], OPTIONS), body
    left = {f"{name}: {each}" for index, each in enumerate(conditions(rule)) if index not in found}
    assert left == {row for row in ALL_IMPLIED if row.startswith(f"{name}: ")}


def test_programs_are_of_rules() -> None:
    assert set(REFUSED) <= set(RULES)
    assert {row.partition(":")[0] for row in ALL_IMPLIED} <= set(RULES)


def test_rules_of_several_passes_are_listed_once() -> None:
    names = [rule.name for rule in all_rules()]
    assert len(set(names)) == len(names) < sum(len(getattr(each, "rules", ())) for each in all_passes())
