"""The report of fuzzing as text: its summary and its table, by hand."""

from __future__ import annotations

from stablehlo_py.debug.fuzz.report import Group, Report
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
