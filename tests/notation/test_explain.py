"""Explanations of false formulas: the decisive terms, innermost calls first, with values of constants."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from evaluating import environment, sort_of

from stablehlo_py.ir.core import Value
from stablehlo_py.ir.types import F32, I1, TensorType
from stablehlo_py.notation.explain import explain, show
from stablehlo_py.notation.terms import parse

NAMES: dict[str, Any] = {
    "lhs": Value(TensorType((2, 3), F32)),
    "rhs": Value(TensorType((4, None), F32)),
    "flag": Value(TensorType((), I1)),
    "inputs": [Value(TensorType((2, 3), F32)), Value(TensorType((2, 5), F32))],
    "dims": [1],
    "n": 3,
}

CASES = [
    ("dim(lhs, dims...) = dim(rhs, [0]...)", ["dim(lhs, [1]) is [3]", "dim(rhs, [0]) is [4]"]),
    ("0 <= dims < 1", ["dims is [1]"]),
    ("2 <= n < rank(lhs)", ["n is 3", "rank(lhs) is 2"]),
    ("shape(lhs) = shape(rhs)", ["shape(lhs) is [2, 3]", "shape(rhs) is [4, ?]"]),
    ("n = 3 and n = 4 and n = 5", ["n is 3"]),
    ("n = 3 and rank(lhs) = 4", ["rank(lhs) is 2"]),
    ("n = 4 or rank(lhs) = 4", ["n is 3", "rank(lhs) is 2"]),
    ("if n = 3 then rank(lhs) = 4", ["rank(lhs) is 2"]),
    ("if n = 4 then rank(lhs) = 4 else rank(rhs) = 5", ["rank(rhs) is 2"]),
    ("for d in [0, 1] : dim(lhs, d) = 2", ["dim(lhs, 1) is 3"]),
    ("let m = n + 1 in m = 5", ["m is 4"]),
    ("is_unique([n, n])", ["is_unique([3, 3]) is false"]),
    ("not is_float(lhs)", ["is_float(lhs) is true"]),
    ("same(shape(inputs...))", ["shape(inputs...) is [[2, 3], [2, 5]]"]),
    ("size(inputs) = n", ["size(inputs) is 2", "n is 3"]),
    ("shape(inputs[1]) = shape(lhs)", ["shape(inputs[1]) is [2, 5]", "shape(lhs) is [2, 3]"]),
    ("dim(lhs, rank(rhs) - 1) = 2", ["rank(rhs) is 2", "dim(lhs, rank(rhs) - 1) is 3"]),
    ("let t = element_type(lhs) in t = element_type(flag)", ["t is f32", "element_type(flag) is i1"]),
    ("rank(lhs) = n + 1", ["rank(lhs) is 2", "n is 3", "n + 1 is 4"]),
    ("1 = rank(lhs) = rank(rhs)", ["rank(lhs) is 2"]),
    # what does not fail, as its value is not known
    ("dim(rhs, 1) = 3 or n = 4", ["dim(rhs, 1) is ?", "n is 3"]),
    ("(for d in [0, 1] : dim(rhs, d) = 4) or n = 5", ["n is 3"]),
    ("is_boolean(lhs) = is_boolean(flag)", ["is_boolean(lhs) is false", "is_boolean(flag) is true"]),
]


@pytest.mark.parametrize(("formula", "expected"), CASES)
def test_reasons(formula: str, expected: list[str]) -> None:
    names = {name: sort_of(value) for name, value in NAMES.items()}
    reasons = explain(parse(formula), names, environment(dict(NAMES)))
    assert [reason.text for reason in reasons] == expected


def test_subjects() -> None:
    names = {name: sort_of(value) for name, value in NAMES.items()}
    formula = "shape(inputs[1]) = shape(lhs)"
    reasons = explain(parse(formula), names, environment(dict(NAMES)))
    assert [r.subject and r.subject.name for r in reasons] == ["inputs[1]", "lhs"]
    assert [r.subject and r.subject.value for r in reasons] == [NAMES["inputs"][1], NAMES["lhs"]]


def test_arrays_are_shown_up_to_64_elements() -> None:
    assert show(np.zeros((2, 32), np.int64)) == f"[{', '.join([show([0] * 32)] * 2)}]"
    assert show(np.zeros((5, 13), np.int64)) == "an array of shape [5, 13]"
