"""Each condition of each rewrite rule alone refuses a program: the rule without it would apply there.

The programs are in `refused.mlir`, made by `tests/make_refused_programs.py` or written by hand.
"""

from __future__ import annotations

import pytest
from rule_conditions import alone, conditions, read
from rule_variants import module_of, retyped

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


# The elements that rules apply to whose conditions have alternatives: of those below that the op may have.
ELEMENTS = ("f32", "i8", "ui8", "i1", "complex<f32>")
_COMPARISONS = [f"compare-{way}-constant-left" for way in ("eq", "ne", "ge", "gt", "le", "lt")]
_APPLY = {
    ("f32", "i8", "ui8", "i1"): (
        "fold-add",
        "fold-clamp",
        "fold-concatenate",
        "fold-convert",
        "fold-maximum",
        "fold-minimum",
        "fold-multiply",
        "fold-slice",
        "fold-transpose",
    ),
    ("f32", "i8", "ui8"): ("fold-divide", "fold-remainder", "fold-reverse", "fold-subtract"),
    ("f32", "i8"): ("fold-abs", "fold-negate", "fold-sign"),
    # Where a predicate is no splat, floating-point numbers are not selected.
    ("i8", "ui8", "i1"): ("add-zero", "multiply-zero", "fold-and", "fold-or", "fold-select", "fold-xor"),
    ("i8", "i1"): ("fold-not",),
    ("i8", "ui8"): ("fold-iota",),
    ELEMENTS: ("fold-reshape", "compare-same-true", "compare-same-false", *_COMPARISONS),
}
ALTERNATIVES = {name: elements for elements, names in _APPLY.items() for name in names}


@pytest.mark.parametrize("name", ALTERNATIVES)
def test_each_alternative_of_a_condition_applies(name: str) -> None:
    rule, found = RULES[name], []
    old = "f32" if "f32>" in rule.example else "i32"
    for element in ELEMENTS:
        module = module_of(retyped(rule.example, old, element))
        if module is not None and apply_rules(module, module.op, [rule], OPTIONS):
            found.append(element)
    assert tuple(found) == ALTERNATIVES[name]


def test_which_conditions_have_alternatives() -> None:
    found = {name for name, rule in RULES.items() if " or " in rule.condition or "[SIGNED" in rule.condition}
    assert found - {"broadcast-broadcast"} == set(ALTERNATIVES)


@pytest.mark.parametrize(("first", "inner", "applies"), [("3x2", "1, 0", True), ("2x1x3", "0, 2", False)])
def test_a_broadcast_of_a_broadcast(first: str, inner: str, applies: bool) -> None:
    """One that only adds dimensions of size 1 becomes a reshape instead; one that permutes is joined."""
    middle, last = f"tensor<{first}xf32>", f"tensor<4x{first}xf32>"
    dims = ", ".join([str(n + 1) for n in range(first.count("x") + 1)])
    module = module_of(f"""
        %y = stablehlo.broadcast_in_dim %x, dims = [{inner}] : (tensor<2x3xf32>) -> {middle}
        %r = stablehlo.broadcast_in_dim %y, dims = [{dims}] : ({middle}) -> {last}
    """)
    assert module is not None
    assert bool(apply_rules(module, module.op, [RULES["broadcast-broadcast"]])) is applies


@pytest.mark.parametrize(
    ("numbers", "applies"), [("000", True), ("100", False), ("010", False), ("001", False)]
)
def test_padding_of_unknown_sizes(numbers: str, applies: bool) -> None:
    """The type does not tell whether there is padding: low, high or between the elements."""
    low, high, inside = numbers
    module = module_of(f"""
        %r = stablehlo.pad %x, %p, low = [{low}], high = [{high}], interior = [{inside}]
          : (tensor<?xf32>, tensor<f32>) -> tensor<?xf32>
    """)
    assert module is not None
    assert bool(apply_rules(module, module.op, [RULES["pad-nothing"]])) is (numbers == "000")
