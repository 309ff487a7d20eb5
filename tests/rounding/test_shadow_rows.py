"""Rows of a shadow run by hand: what counts as the worst execution, digits, scopes, and plain data."""

from __future__ import annotations

import math
from typing import Any

import pytest

import stablehlo_py as shlo
from stablehlo_py.rounding.measures import Measures
from stablehlo_py.rounding.rows import Shadow, ShadowRow, by_contribution

(OP,) = shlo.parse("%0 = stablehlo.constant dense<0.0> : tensor<bf16>").body.ops


def row(type: str = "bf16", **given: Any) -> ShadowRow:
    return ShadowRow(OP, OP.name, "%0", type, given.pop("line", 1), "m.py:3", "f/dot", **given)


@pytest.mark.parametrize(
    ("type", "error", "ulp", "digits"),
    [
        ("bf16", 2.0**-8, 0.5, 8 * math.log10(2)),
        ("bf16", 0.01, 1.28, 2),
        ("bf16", 1e-9, 1.28e-7, 8 * math.log10(2)),  # no more than the type has
        ("bf16", 0.0, 0.0, 8 * math.log10(2)),
        ("bf16", 10.0, 1280, 0),
        ("f32", 1e-3, 1e-3 * 2**23, 3),
        ("i32", 0.0, 0.0, math.inf),
        ("i32", 0.1, 0.0, 1),
    ],
)
def test_units_and_digits(type: str, error: float, ulp: float, digits: float) -> None:
    found = row(type, error=error)
    assert (found.ulp, found.digits) == (pytest.approx(ulp), pytest.approx(digits))


def test_a_row_before_any_execution() -> None:
    named = {"op": OP.name, "value": "%0", "type": "bf16", "line": 1, "source": "m.py:3", "scope": "f/dot"}
    numbers = "error introduced carried amplification cancelled largest overflow underflow flushed"
    counted = dict.fromkeys([*numbers.split(), "executions", "contribution", "diverged", "ulp"], 0)
    assert row().map is None
    assert row().to_dict() == {**named, **counted, "iterations": (), "digits": 8 * math.log10(2)}


def measures(error: float, carried: float = 0.0) -> Measures:
    return Measures(1.0, error, error / 2, carried, 3 * error, 1, 10, 4)


def add(found: ShadowRow, measured: Measures, *place: Any) -> None:
    if found.adds(measured):
        found.put(measured, *place)


def test_the_execution_with_the_largest_error_is_kept() -> None:
    found = row()
    add(found, measures(0.0), 0.0, 1.0, (0,))
    assert (found.executions, found.iterations, found.cancelled, found.amplification) == (1, (0,), 1.0, 0.0)
    add(found, measures(0.0), 0.0, 2.0, (1,))  # not larger
    assert (found.executions, found.iterations, found.cancelled) == (2, (0,), 1.0)
    add(found, measures(0.5, 0.25), 0.125, 3.0, (2, 1))
    assert (found.error, found.introduced, found.carried, found.largest) == (0.5, 0.25, 0.25, 1.5)
    assert (found.amplification, found.cancelled, found.iterations) == (2.0, 3.0, (2, 1))
    add(found, measures(0.25), 0.0, 4.0, (3,))
    add(found, measures(0.5), 0.0, 5.0, (4,))
    assert (found.error, found.iterations, found.executions) == (0.5, (2, 1), 5)
    assert (found.overflow, found.underflow, found.flushed) == (5, 50, 20)  # of all executions


def test_order() -> None:
    rows = [
        row(line=1, error=9.0),
        row(line=2, contribution=-0.5, introduced=9.0),
        row(line=3, contribution=0.5, error=1.0),
        row(line=4, contribution=0.5, introduced=1.0),
        row(line=6, contribution=0.5, error=2.0),
        row(line=5, contribution=0.5, error=1.0),
    ]
    assert [each.line for each in by_contribution(rows)] == [4, 6, 3, 5, 1, 2]


def test_a_shadow_in_words_and_plain_data() -> None:
    rows = [row(error=math.inf, diverged=2), row(line=4)]
    found = Shadow("f64", rows, {"a": 0.25, "b": 0.5, "c": -1.0}, [0.5, None, math.inf])
    assert found.note == ""
    found.unshadowed.update({("effects", "x.a"): 1, ("effects", "x.b"): 3, ("random", "x.c"): 2})
    assert found.note == "not shadowed: effects: x.a, x.b (3); random: x.c (2)"
    assert found.scopes() == [("b", 0.5), ("a", 0.25), ("c", -1.0)]
    assert found.diverged == rows[:1]
    plain = found.to_dict()
    assert (plain["wide"], plain["errors"], plain["note"]) == ("f64", [0.5, None, "inf"], found.note)
    assert plain["scopes"][0] == {"scope": "b", "contribution": 0.5}
    first, second = plain["ops"]
    assert (first["error"], first["ulp"], first["digits"], first["diverged"]) == ("inf", "inf", 0.0, 2)
    assert "operation" not in second
    assert (second["op"], second["line"], second["source"], second["scope"]) == (
        OP.name,
        4,
        "m.py:3",
        "f/dot",
    )


@pytest.mark.parametrize(
    ("error", "introduced", "amplification", "predicted", "is_chaotic"),
    [
        (0.5, 1e-4, 2.0, 0.0, True),  # 5,000 times the largest own error
        (0.5, 1e-3, 2.0, 0.0, False),  # 500 times
        (0.5, 0.5 / 999.5, 2.0, 0.0, False),
        (0.5, 0.5 / 1000.5, 2.0, 0.0, True),
        (0.5, 1e-4, 80.0, 0.0, False),  # less than the square of the largest amplification
        (0.5, 1e-4, 70.0, 0.0, True),
        (0.1, 1e-5, 2.0, 0.0, True),  # a tenth and more is lost
        (0.09, 1e-6, 2.0, 0.0, False),
        (math.inf, 1e-4, 2.0, 0.0, False),  # an overflow
        (math.inf, 1e-4, 2.0, math.inf, False),
        (0.5, 0.0, 2.0, 0.0, False),
        (0.5, 0.1, 2.0, 6.0, True),  # predictions of more than ten times the error
        (0.5, 0.1, 2.0, 4.0, False),
        (0.5, 0.1, 2.0, 5.25, True),
        (0.5, 0.1, 2.0, 4.75, False),
    ],
)
def test_what_is_chaotic(
    error: float, introduced: float, amplification: float, predicted: float, is_chaotic: bool
) -> None:
    rows = [row(introduced=introduced, amplification=1.0), row(introduced=0.0, amplification=amplification)]
    found = Shadow("f64", rows, errors=[None, error, error / 2], predicted=predicted)
    assert found.is_chaotic is is_chaotic


def test_nothing_is_not_chaotic() -> None:
    nothing = {"errors": [], "ops": [], "scopes": [], "note": "", "chaotic": False}
    assert Shadow("f64").to_dict() == {"wide": "f64", **nothing}
    assert (Shadow("f64").results, Shadow("f64").predicted, Shadow("f64").warning) == ([], 0, "")
    assert not Shadow("f64").is_chaotic and not Shadow("f64", errors=[None], predicted=math.inf).is_chaotic
