"""What `shlo blame` and `shlo compare` print of a finding, each part with and without what it may have."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from stablehlo_py.cli import blame, common, run_reports
from stablehlo_py.cli.comparing import error_text, op_rows, print_comparison

import stablehlo_py as shlo
from stablehlo_py.debug.blame.changes import Changes
from stablehlo_py.debug.blame.search import Blame
from stablehlo_py.debug.compare.errors import ValueDifference
from stablehlo_py.debug.compare.findings import Comparison, OpDifference
from stablehlo_py.debug.compare_arrays import ArrayComparison
from stablehlo_py.debug.observers.profile import ProfileRow
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


@pytest.mark.parametrize("process", [(0, 3), (2, 0), (1, 1)])
def test_the_process_of_an_op(process: tuple[int, int]) -> None:
    expected = [
        row if index != 6 else "  on replica {}, partition {}".format(*process)
        for index, row in enumerate(ALL)
    ]
    assert [*op_rows(replace(OP, process=process), ("a.mlir", "b.mlir"))] == expected


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


def marked(text: str, fg: str | None = None, bold: bool = False) -> str:
    """A text with its colour, and * where it is bold."""
    return f"{fg}{'*' * bold}[{text}]"


@pytest.mark.parametrize(
    ("found", "expected"),
    [
        (BLAME, ["green[no result differs]"]),
        (replace(BLAME, backend=[ERROR]), ["red*[no dump is wrong, and the results of the backend are:]"]),
        (
            replace(
                FOUND, pipeline="late", comparison=None, changes=Changes([("-", 1, "a"), ("+", 2, "b")], 0)
            ),
            [
                "red*[first wrong dump: b.txt] (before the first pass of late)",
                "red[  -     1  a]",
                "green[  +     2  b]",
            ],
        ),
    ],
)
def test_the_colours_of_what_blame_prints(found: Blame, expected: list[str]) -> None:
    printed = blame._rows(found, Path("dumps"), [], marked)
    assert [row for row in printed if "[" in row and "0 (%x)" not in row] == expected


EQUAL = Comparison(ops=3, results=[ValueDifference("out0", "", None)])
RIGHT_OP = replace(OP, ok=True, details=(), origin=(), iterations=(), process=(0, 0), operands=(), results=())
ONE_RESULT = "1 result of the program within tolerance"


@pytest.mark.parametrize(
    ("found", "expected"),
    [
        (EQUAL, ["None[equal]: 3 op executions compared", ONE_RESULT]),
        (replace(EQUAL, ops=1), ["None[equal]: 1 op execution compared", ONE_RESULT]),
        (
            replace(EQUAL, unmatched=1200),
            [
                "None[no difference found]: 3 op executions compared, 1,200 without a counterpart",
                ONE_RESULT,
            ],
        ),
        (
            replace(EQUAL, unmatched=2, unmatched_lines=[1, 2, 3], other_unmatched_lines=[7]),
            [
                "None[no difference found]: 3 op executions compared, 2 without a counterpart",
                "  without a counterpart: lines 1-3 of a; line 7 of b",
                ONE_RESULT,
            ],
        ),
        (
            replace(EQUAL, error=shlo.StablehloError("it stops"), unmatched=2, results=[]),
            [
                "red[b failed: it stops]",
                "red[no difference before the failure]: 3 op executions compared",
            ],
        ),
        (
            replace(EQUAL, results=[ERROR, *EQUAL.results]),
            [
                "red[results differ, and no op that was compared is wrong]: 3 op executions compared",
                "1 of 2 results of the program out of tolerance",
                "  result 0 (%x): is missing",
            ],
        ),
        (replace(EQUAL, ops=0, results=[]), ["red[nothing was compared]"]),
        (
            replace(EQUAL, first=RIGHT_OP, notes=["a note"]),
            [
                "green*[within tolerance; the first difference: stablehlo.add]",
                "  a:7:3: %3 = add",
                "  b:9: %4 = subtract",
                "3 op executions compared",
                ONE_RESULT,
                "a note",
            ],
        ),
        (
            replace(EQUAL, first=replace(RIGHT_OP, ok=False), results=[]),
            [
                "red*[first wrong op: stablehlo.add]",
                "  a:7:3: %3 = add",
                "  b:9: %4 = subtract",
                "3 op executions compared",
            ],
        ),
    ],
)
def test_what_compare_prints(
    found: Comparison, expected: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    print_comparison(found, ("a", "b"), marked)
    assert capsys.readouterr().out.splitlines() == expected


@pytest.mark.parametrize("columns", [60, 80, 120])
def test_tables_of_profiles_fit_the_terminal(
    columns: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The numbers take 40 cells; of the others, an op has three fifths where its place is shown."""
    monkeypatch.setattr(common, "width", lambda: columns)
    row = ProfileRow("a" * 200, "%1", 7, "", 3, 0.25, 10**9, 2 * 10**8)
    for place, room in ((None, columns - 40), (lambda row: "b" * 200, (columns - 40) * 3 // 5)):
        run_reports._print_table([row, row], 1.0, 1, lambda row: row.name, place)
        head, printed, rest = capsys.readouterr().out.splitlines()
        assert head.split()[:6] == ["ms", "%", "calls", "GFLOP/s", "GB/s", "op"]
        assert printed.split()[:5] == ["250.000", "25.0", "3", "4.00", "0.80"]
        assert len(printed) <= columns and printed.count("a") + 3 == room
        assert rest == "  250.000 ms in 1 other op"
