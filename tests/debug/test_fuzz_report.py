"""The report of fuzzing as text: its summary and its table, by hand."""

from __future__ import annotations

from stablehlo_py.debug.fuzz.report import REDUCED, Group, Report
from stablehlo_py.debug.fuzz.verdict import Verdict
from stablehlo_py.debug.generate.programs import Request


def test_summary_and_table() -> None:
    groups = [
        Group("stablehlo.abs", "values", ("stablehlo.abs",), 2, 7, "at 0", "first"),
        Group("", "an error", (), 1200, 9, "refused", "second"),
    ]
    report = Report(("numpy", "native"), 5, Request(ops=12), 34567, 89012, 7200.0, groups)
    assert report.to_markdown().splitlines()[:9] == [
        "# Differences between numpy and native",
        "",
        "34,567 programs of about 12 ops (seed 5), 89,012 results, 120.0 minutes: "
        "1,202 programs differ, in 2 groups.",
        "",
        "| Programs | Op | What differs | First |",
        "|---|---|---|---|",
        "| 1,200 | `-` | an error | 9 |",
        "| 2 | `stablehlo.abs` | values | 7 |",
        "",
    ]


def test_no_groups_no_table() -> None:
    assert Report(("numpy", "native"), 0, Request(ops=3), 1, 2, 90.0).to_markdown() == (
        "# Differences between numpy and native\n\n"
        "1 programs of about 3 ops (seed 0), 2 results, 1.5 minutes: 0 programs differ, in 0 groups.\n"
    )


def test_programs_that_fail_alike_are_counted_in_one_group() -> None:
    """A difference by its reduced ops; an error by its op and text, whatever leads to it."""
    report = Report(("numpy", "native"), 0, Request(ops=3))
    drawn = Verdict("stablehlo.dot", "values", "at 3", 0)
    differs, error = Verdict("stablehlo.abs", "values", "at 0", 0), Verdict("stablehlo.abs", "refused", "no")
    abs_, sine = ("stablehlo.abs",), ("stablehlo.abs", "stablehlo.sine")
    first, second, third = (report.add(drawn, differs, ops, "text") for ops in (abs_, sine, abs_))
    assert first is third is not second
    assert report.add(drawn, error, abs_, "text") is report.add(drawn, error, sine, "text")
    assert [(group.ops, group.cause, group.count) for group in report.groups] == [
        (abs_, "values", 2),
        (sine, "values", 1),
        (abs_, "refused", 2),
    ]
    assert report.seen == {"stablehlo.dot: values": [0, 1, 0, 2, 2]}


def test_a_program_like_three_that_were_reduced_is_counted_alone() -> None:
    report = Report(("numpy", "native"), 0, Request(ops=3))
    drawn, other = Verdict("stablehlo.dot", "values", "at 3", 0), Verdict("stablehlo.dot", "refused", "no")
    for number in range(REDUCED):
        assert report.known(drawn) is None
        report.add(drawn, Verdict("stablehlo.abs", f"values {number}", "at 0", 0), (), "text")
    group = report.known(drawn)
    assert group is report.groups[-1] and group.count == 2
    assert report.known(other) is None
