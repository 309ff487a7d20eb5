"""What `shlo blame` and `shlo compare` print of a finding, each part with and without what it may have."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from stablehlo_py.cli import blame
from stablehlo_py.cli.comparing import error_text, op_rows

from stablehlo_py.debug.blame.changes import Changes
from stablehlo_py.debug.blame.search import Blame
from stablehlo_py.debug.compare.errors import ValueDifference
from stablehlo_py.debug.compare.findings import OpDifference
from stablehlo_py.debug.compare_arrays import ArrayComparison
from stablehlo_py.diagnostics.render import unstyled

WRONG = ArrayComparison(False, 2000, 1500, 0.12345, 1.0, 70000)
SMALL = ArrayComparison(True, 4, 0, 0.0, 0.0, 1)
TYPE = "tensor<2000xf32>"


@pytest.mark.parametrize(
    ("type", "comparison", "expected"),
    [
        (TYPE, None, f"%3 : {TYPE}: equal"),
        ("", None, "%3: equal"),
        (TYPE, ArrayComparison(False, problem="has shape [2]"), f"%3 : {TYPE}: has shape [2]"),
        (
            TYPE,
            WRONG,
            f"%3 : {TYPE}: 1,500 of 2,000 elements out of tolerance; "
            "max error 0.123 absolute, 1 relative, 70,000 ULP",
        ),
        (
            "",
            SMALL,
            "%3: within tolerance; max error 0 absolute, 0 relative, 1 ULP",
        ),
    ],
)
def test_the_error_of_a_value(type: str, comparison: Any, expected: str) -> None:
    assert error_text(ValueDifference("%3", type, comparison)) == expected


OP = OpDifference(
    op="stablehlo.add",
    line=7,
    column=3,
    text="%3 = add",
    other_line=9,
    other_text="%4 = subtract",
    origin=("from model.py:1:2",),
    iterations=(0, 4),
    process=(1, 0),
    details=("op: from add to subtract", "types"),
    ok=False,
    results=(ValueDifference("%3", "", SMALL, (((1, 2), "1.5", "2"), ((), "3", "4"))),),
    operands=(ValueDifference("%1", "", None),),
)
ALL = [
    "  a.mlir:7:3: %3 = add",
    "  b.mlir:9: %4 = subtract",
    "  differs in op: from add to subtract",
    "  differs in types",
    "  from model.py:1:2",
    "  in iteration 0, 4 of the loop, counted from 0",
    "  on replica 1, partition 0",
    "  operand %1: equal",
    "  result  %3: within tolerance; max error 0 absolute, 0 relative, 1 ULP",
    "            [1, 2]: 1.5 and 2",
    "            3 and 4",
]


@pytest.mark.parametrize(
    ("changes", "hidden"),
    [
        ({}, []),
        ({"other_line": 0}, [1]),
        ({"other_text": "%3 = add"}, [1]),
        ({"details": ()}, [2, 3]),
        ({"origin": ()}, [4]),
        ({"iterations": ()}, [5]),
        ({"process": (0, 0)}, [6]),
        ({"operands": ()}, [7]),
        ({"results": ()}, [8, 9, 10]),
    ],
)
def test_the_rows_of_an_op(changes: dict[str, Any], hidden: list[int]) -> None:
    expected = [row for index, row in enumerate(ALL) if index not in hidden]
    assert [*op_rows(replace(OP, **changes), ("a.mlir", "b.mlir"))] == expected


def test_long_lines_of_programs_are_cut() -> None:
    text, other = "a" * 161, "b" * 161
    rows = [*op_rows(replace(OP, text=text, other_text=other), ("a.mlir", "b.mlir"))]
    assert rows[:2] == [f"  a.mlir:7:3: {'a' * 160}", f"  b.mlir:9: {'b' * 160}"]


BLAME = Blame("m", dumps=3, runs=1)
HEAD = "m: 3 dumps with different texts, 1 run"
ERROR = ValueDifference("result 0 (%x)", "", ArrayComparison(False, problem="is missing"))
FOUND = replace(BLAME, file="b.txt", before="a.txt", results=[ERROR])


def rows(found: Blame, files: list[Path] | None = None) -> list[str]:
    return [*blame._rows(found, Path("dumps"), files or [], unstyled)]


@pytest.mark.parametrize(
    ("found", "expected"),
    [
        (BLAME, ["no result differs"]),
        (
            replace(BLAME, skipped={"a": "b", "c": "d"}),
            ["cannot be run: a: b", "cannot be run: c: d", "no result differs"],
        ),
        (replace(BLAME, notes=["one", "two"]), ["one", "two", "no result differs"]),
        (
            replace(BLAME, backend=[ERROR]),
            [
                "no dump is wrong, and the results of the backend are:",
                "  result result 0 (%x): is missing",
                "what comes after the passes is at fault: code generation, or a library",
            ],
        ),
        (
            replace(FOUND, backend=[ERROR]),  # a wrong dump comes first
            ["first wrong dump: b.txt", "last right one: a.txt", "  result result 0 (%x): is missing"],
        ),
        (
            replace(FOUND, pass_name="fusion", pipeline="late"),
            [
                "first wrong dump: b.txt (pass fusion of late)",
                "last right one: a.txt",
                "  result result 0 (%x): is missing",
            ],
        ),
        (
            replace(FOUND, pipeline="late"),
            [
                "first wrong dump: b.txt (before the first pass of late)",
                "last right one: a.txt",
                "  result result 0 (%x): is missing",
            ],
        ),
    ],
)
def test_what_blame_prints(found: Blame, expected: list[str]) -> None:
    assert rows(found) == [HEAD, *expected]


@pytest.mark.parametrize(
    ("count", "others", "hidden"),
    [
        (0, 3, "3 other places"),
        (1, 0, None),
        (40, 0, None),
        (41, 0, "1 line"),
        (42, 1, "2 lines, 1 other place"),
        (2, 3, "3 other places"),
    ],
)
def test_the_changes_of_a_pass(count: int, others: int, hidden: str | None) -> None:
    texts = ["x" * 160, "y" * 161, *["z"] * 40]
    changes = [("+" if number % 2 else "-", number, texts[number]) for number in range(count)]
    head = ["what the pass changed there:"] if count else []
    shown = ["  -     0  " + "x" * 160, "  +     1  " + "y" * 160 + "..."]
    shown += [f"  {'+' if number % 2 else '-'} {number:5}  z" for number in range(2, 40)]
    last = [] if hidden is None else [f"  not shown: {hidden}"]
    found = rows(replace(FOUND, changes=Changes(changes, others)))
    assert found[4:] == [*head, *shown[:count], *last]


def test_programs_of_a_finding_are_named() -> None:
    assert rows(FOUND, [Path("a"), Path("b")])[-1] == "as programs of their own: a, b"
