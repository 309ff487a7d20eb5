"""Lines, lists and trees of `shlo inspect`, and versions and rules of `shlo lint`, with the text by hand."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

import click
import pytest
from stablehlo_py.cli import common, extract, inspect_report, lint_explain
from stablehlo_py.cli.sources import Text
from stablehlo_py.cli.tables import cut

from stablehlo_py import Diagnostic
from stablehlo_py.analysis.callgraph import CallGraph
from stablehlo_py.ir.version import Version
from stablehlo_py.linter.catalogue import RULES, named

Printed = Callable[..., list[str]]


@pytest.fixture
def printed(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Printed:
    """What a function prints on a terminal of a width."""

    def lines(function: Callable[..., None], *arguments: Any, columns: int = 40) -> list[str]:
        monkeypatch.setattr(common, "width", lambda *_: columns)
        function(*arguments)
        return capsys.readouterr().out.splitlines()

    return lines


@pytest.mark.parametrize(
    ("text", "columns", "expected"),
    [
        ("", 40, ["  label"]),
        ("a" * 25, 40, ["  label        " + "a" * 25]),
        ("a" * 26, 40, ["  label        " + "a" * 25, "                 a"]),
        ("one two three four five six", 40, ["  label        one two three four five",
                                             "                 six"]),
        ("one-two-three-four-five-six-seven", 40, ["  label        one-two-three-four-five-s",
                                                    "                 ix-seven"]),
        ("a" * 21, 10, ["  label        " + "a" * 20, "                 a"]),  # at least 20 cells
    ],
)  # fmt: skip
def test_a_text_beside_a_label(text: str, columns: int, expected: list[str], printed: Printed) -> None:
    assert printed(inspect_report.row, "label", text, columns=columns) == expected


@pytest.mark.parametrize(
    ("counts", "limit", "expected"),
    [
        ({}, 1, []),
        ({"a": 1, "b": 20}, 1, ["  ops          1 a, 20 b"]),
        ({"a": 1, "b": 20, "c": 3}, 1, ["  ops          1 a, 20 b, and 1 more", "               (--all)"]),
        ({"a": 1, "b": 20, "c": 3}, None, ["  ops          1 a, 20 b, 3 c"]),
        (
            {"a" * 18: 1, "b" * 9: 2},
            None,
            ["  ops          1 " + "a" * 18 + ",", "               2 bbbbbbbbb"],
        ),
        ({"a" * 11: 1, "b" * 8: 2}, None, ["  ops          1 " + "a" * 11 + ", 2 bbbbbbbb"]),
        (
            {"a" * 11: 1, "b" * 9: 2},
            None,
            ["  ops          1 " + "a" * 11 + ",", "               2 bbbbbbbbb"],
        ),
    ],
)
def test_counts(counts: Mapping[str, int], limit: int | None, expected: list[str], printed: Printed) -> None:
    assert printed(inspect_report._counts, "ops", counts, limit) == expected


@pytest.mark.parametrize(
    ("text", "width", "expected"),
    [
        ("abcdef", 7, "abcdef"), ("abcdef", 6, "abcdef"), ("abcdef", 5, "ab..."), ("abcdef", 3, "..."),
        ("abcdef", 1, "..."), ("", 0, ""),
    ],
)  # fmt: skip
def test_texts_of_a_width(text: str, width: int, expected: str) -> None:
    assert cut(text, width) == expected


def test_notes_and_rests(printed: Printed) -> None:
    assert printed(inspect_report._wrapped, "one two three", "  ", columns=5) == ["  one two three"]
    assert printed(inspect_report._wrapped, "one two three four five", "  ", columns=12) == [
        "  one two three four",
        "    five",
    ]
    assert [printed(inspect_report._rest, count, 3) for count in (2, 3, 4)] == [
        [],
        [],
        ["  and 1 more (--all)"],
    ]
    assert printed(inspect_report._rest, 9, None) == []
    assert printed(inspect_report.heading, "title") == ["", "title"]


CALLS = {
    "main": {"a": 2, "b": 1},
    "a": {"c": 1},
    "b": {"a": 1, "c": 3},
    "c": {},
    "d": {"d": 1},
    "e": {"c": 1},
}


@pytest.mark.parametrize(
    ("calls", "entry", "limit", "expected"),
    [
        (
            CALLS,
            "main",
            None,
            ["@main", " @a x2", "  @c", " @b", "  @a ...", "  @c x3", "@e", " @c", "@d (recursive)",
             " @d (recursive) ..."],
        ),
        (CALLS, "main", 0, ["@main", " ... 2 more functions (--all)", " ... 1 more function (--all)", "@e",
                            " ... @c", "@d (recursive)", " ... @d"]),
        (CALLS, "b", None, ["@b", " @a", "  @c", " @c x3", "@main", " @a x2 ...", " @b ...", "@e", " @c",
                            "@d (recursive)", " @d (recursive) ..."]),
        ({"a": {"b": 1}, "b": {"a": 1}}, None, None,
         ["@a (recursive)", " @b (recursive)", "  @a (recursive) ..."]),
        ({"a": {"b": 1}, "b": {"c": 1}, "c": {}}, None, 1, ["@a", " @b", "  ... 1 more function (--all)"]),
    ],
)  # fmt: skip
def test_trees_of_calls(
    calls: dict[str, dict[str, int]],
    entry: str | None,
    limit: int | None,
    expected: list[str],
    printed: Printed,
) -> None:
    found = printed(inspect_report._print_calls, CallGraph(calls), entry, limit)
    indented = ["  " * (1 + len(row) - len(row.lstrip())) + row.lstrip() for row in expected]
    assert found == ["", "calls", *indented]


def test_what_a_container_says(printed: Printed) -> None:
    """What is empty is not shown; of a list, as many as the limit."""
    fields = {
        "kind": "container",
        "the_version": 3,
        "empty": "",
        "none": None,
        "false": False,
        "list": [],
        "nothing": [None, None],
        "names": ["a", None, "b"],
    }
    name = "names".ljust(28)
    rows = [f"  {'the version':28}3", f"  {name}a", f"  {'':28}-"]
    limited = printed(inspect_report._print_container, fields, 2, columns=80)
    assert limited == ["", "container", *rows, f"  {'':28}and 1 more (--all)"]
    whole = printed(inspect_report._print_container, fields, None, columns=80)
    assert whole == ["", "container", *rows, f"  {'':28}b"]


OLD, NEW = Version(1, 4), Version(1, 7)
USES = [(OLD, "tan", 9), (NEW, "f8E4M3", 5), (OLD, "tan", 3), (NEW, "collective_broadcast", 2)]


def test_features_by_version() -> None:
    """The newest version first, then by the line of the first use."""
    rows = lint_explain._by_feature(USES)
    assert rows == [(NEW, "collective_broadcast", [2]), (NEW, "f8E4M3", [5]), (OLD, "tan", [9, 3])]


@pytest.mark.parametrize("others", [[], ["a.b", "c.d"]])
def test_versions_that_programs_need(others: list[str], printed: Printed) -> None:
    rows = lint_explain._by_feature(USES)
    note = "  not part of any version: a.b, c.d; portable artifacts may reject them"
    assert printed(lint_explain._print_text, "p", rows, others) == [
        "p: 1.7.0",
        "  line 2: collective_broadcast requires 1.7.0",
        "  line 5: f8E4M3 requires 1.7.0",
        "  line 9: tan requires 1.4.0 (2 in total)",
        *([note] if others else []),
    ]
    assert json.loads("".join(printed(lint_explain._print_json, "p", rows[2:], others))) == {
        "file": "p",
        "min_version": "1.4.0",
        "needs": [{"version": "1.4.0", "what": "tan", "lines": [9, 3]}],
        "other_dialects": others,
    }
    assert printed(lint_explain._print_text, "p", [], []) == ["p: 0.9.0"]


def test_the_wrapping_of_explanations() -> None:
    """Programs keep their lines; text has at most 100 characters a line."""
    long = " ".join(["word"] * 30)
    text = f"{long}\n\n```mlir\n{long}\n```\n{long}"
    wrapped = [*lint_explain._wrapped(text, 300)]
    lines = [" ".join(["word"] * 20), " ".join(["word"] * 10)]
    assert wrapped == [*lines, "", "```mlir", long, "```", *lines]
    assert max(map(len, lint_explain._wrapped(long, 40))) == 39


def test_lists_of_rules() -> None:
    rules = [*named("dead-op"), *named("wide-float"), *named("chlo-op")]
    lines = [*lint_explain._listing(rules, 400)]
    heads = [line for line in lines if not line.startswith("  ")]
    assert [head.rpartition("(")[2] for head in heads[:3]] == ["D)", "T)", f"{rules[2].code[0]})"]
    assert heads[3:] == ["", "* enabled by default   + fixable with --fix"]
    rows = [line for line in lines if line.startswith("  ")]
    assert rows == [
        f"  D101 *+ dead-op                   {rules[0].summary}",
        f"  {rules[1].code} *  wide-float                {rules[1].summary}",
        f"  {rules[2].code}    chlo-op                   {rules[2].summary}",
    ]
    narrow = [*lint_explain._listing(rules[:1], 10)]
    assert all(len(line) <= 35 + 20 for line in narrow[1:-2]) and narrow[2].startswith(" " * 35)


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        ("dead-o", ["dead-op"]),
        ("chlo-op,dead-o", ["chlo-op,dead-op"]),
        ("defa", ["default"]),
        ("al", ["all"]),
        ("", [*[rule.name for rule in RULES], "default", "all"]),
        ("none", []),
    ],
)
def test_completion_of_rules(word: str, expected: list[str]) -> None:
    context = click.Context(click.Command("lint"))
    items = lint_explain.complete_rule(context, click.Option(["--select"]), word)
    assert [item.value for item in items] == expected
    assert all(item.help for item in items)


def test_examples_of_a_help() -> None:
    """Each is a paragraph that is not wrapped again (a backspace begins it)."""
    assert common.examples(("Do it", "shlo do"), ("Do more", "shlo do -a")) == (
        "EXAMPLES\n\n\b\n  # Do it\n  shlo do\n\n\b\n  # Do more\n  shlo do -a"
    )


@pytest.mark.parametrize(
    ("target", "expected"),
    [
        ("a.mlir", "text"),
        ("A.MLIR", "text"),
        ("a.Hlo", "hlo"),
        ("a", "other"),
        (None, "other"),
        ("/dev/x.y", "other"),
    ],
)
def test_the_format_of_a_suffix_in_any_case(
    target: str | None, expected: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(common, "is_device", lambda path: path.startswith("/dev/"))
    assert common.format_of(target, common.PROGRAM_SUFFIXES, "other") == expected


def test_a_diagnostic_without_a_line_shows_none() -> None:
    source = Text("a", "first\nlast", first_line=3)
    found = [Diagnostic("error", "c", "m", line, 1) for line in (0, 2, 3, 4, 5)]
    rows = common.diagnostics_json(source, found)
    assert [row["end_column"] for row in rows] == [0, 0, 6, 5, 0]


def test_iterations_are_in_the_order_of_the_loops() -> None:
    assert extract._iterations("2,0, 5") == (2, 0, 5)
    assert extract._iterations(None) is None
