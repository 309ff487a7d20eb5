"""Selectors of rules, precedence of settings, comments that suppress, and what a fix is given."""

from __future__ import annotations

import pytest

import stablehlo_py as shlo
from stablehlo_py.linter.catalogue import is_rule, matches, named, selected
from stablehlo_py.linter.fixes import fix
from stablehlo_py.linter.settings import Settings, SettingsError
from stablehlo_py.linter.suppressions import with_ignores

DEAD = """func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.exponential %x : tensor<4xf32>
  return %x : tensor<4xf32>
}
"""


def lines(text: str, **options: object) -> list[str]:
    found = shlo.lint(shlo.parse(text), **options)  # type: ignore[arg-type]
    return [f"{d.line}:{d.column} {d.severity} {d.code.removeprefix('lint.')}: {d.message}" for d in found]


MESSAGE = "2:8 warning dead-op: %0 of stablehlo.exponential is unused"


@pytest.mark.parametrize(
    ("word", "is_known"),
    [
        *[
            (word, True)
            for word in ("dead-op", "DEAD-OP", "d", "D1", "D10", "D101", "d101", "all", "Default")
        ],
        *[(word, False) for word in ("", "dead", "D2", "D1011", "X", "lint.dead-op")],
    ],
)
def test_words_that_select(word: str, is_known: bool) -> None:
    assert is_rule(word) is is_known


def test_a_selector_may_have_spaces_and_the_prefix_of_codes() -> None:
    assert named(" D101 ") == named("lint.dead-op") == named(" lint.D101") == named("dead-op")
    with pytest.raises(SettingsError, match=r"^unknown lint rule 'X'$"):
        named("lint.X ")


@pytest.mark.parametrize(
    ("select", "ignore", "codes"),
    [
        (("D",), (), ["D101", "D102", "D103"]),
        (("D103", "D101"), (), ["D101", "D103"]),  # in the order of codes
        (("D", "S"), ("D102", "D103"), ["D101", "S101", "S102"]),
        (("dead-op",), ("D",), []),  # what is ignored is not selected
        ((), (), []),
    ],
)
def test_rules_that_apply(select: tuple[str, ...], ignore: tuple[str, ...], codes: list[str]) -> None:
    assert [rule.code for rule in selected(Settings(select=select, ignore=ignore), "")] == codes


def test_arguments_precede_settings() -> None:
    settings = {"select": ["N"], "ignore": ["D102"], "severity": {"D": "error", "dead-op": "note"}}
    assert lines(DEAD, settings=settings) == []
    assert lines(DEAD, settings=settings, select=["D"]) == [MESSAGE.replace("warning", "note")]
    assert lines(DEAD, settings=settings, select=["D"], ignore=["dead-op"]) == []
    assert lines(DEAD, settings={"ignore": ["dead-op"]}, ignore=["D102"]) == []  # both are ignored
    assert lines(DEAD, select=[]) == []
    with pytest.raises(SettingsError, match="unknown lint rule 'x'"):
        lines(DEAD, settings={"severity": {"x": "note"}})
    with pytest.raises(SettingsError, match="unknown lint rule 'x'"):
        lines(DEAD, settings={"per-file-ignores": {"other/*": ["x"]}})


@pytest.mark.parametrize(
    ("file", "pattern", "is_match"),
    [
        ("tests/a.mlir", "tests/*.mlir", True),
        ("b/tests/a.mlir", "tests/*.mlir", True),
        ("b\\tests\\a.mlir", "tests/*.mlir", True),
        ("mytests/a.mlir", "tests/*.mlir", False),
        ("a.mlir", "*.MLIR", False),
        ("b/a.mlir", "a.mlir", True),
        ("ba.mlir", "a.mlir", False),
        ("", "*", True),
        ("", "?", False),
    ],
)
def test_patterns_of_files(file: str, pattern: str, is_match: bool) -> None:
    assert matches(file, pattern) is is_match


@pytest.mark.parametrize(
    ("comment", "expected"),
    [
        ("// shlo: ignore[]", [MESSAGE]),
        ("// shlo: ignore[ , ]", [MESSAGE]),
        ("// shlo: ignore[ D101 , ]", []),
        ("//shlo:ignore[d101]", []),
        ("// shlo: ignored", []),  # what follows is a remark
        ("// shlo: ignore-file", []),
        ("// Shlo: ignore", [MESSAGE]),
        ("// shlo: ignore[K]", [MESSAGE, "2:49 note unused-suppression: unused suppression of K"]),
        ("// shlo: ignore[N]", [MESSAGE]),  # rules that are not applied
        (
            "// shlo: ignore[D101, D102, T103]",
            ["2:49 note unused-suppression: unused suppression of D102, T103"],
        ),
        (
            "// shlo: ignore[deadop, D]",
            ["2:49 warning unknown-suppression: unknown lint rule 'deadop'; did you mean dead-op?"],
        ),
    ],
)
def test_comments_behind_an_op(comment: str, expected: list[str]) -> None:
    first, second, rest = DEAD.split("\n", 2)
    assert lines(f"{first}\n{second} {comment}\n{rest}") == expected


def test_a_comment_without_rules_that_silences_nothing() -> None:
    text = DEAD.replace("  return", "  // shlo: ignore\n  return")
    assert lines(text) == [MESSAGE, "3:3 note unused-suppression: unused suppression of all"]
    assert lines(text, ignore=["S101"]) == [MESSAGE]
    unknown = DEAD.replace("  return", "  // shlo: ignore[x]\n  return")
    assert lines(unknown, ignore=["S102"]) == [MESSAGE]


@pytest.mark.parametrize(
    ("before", "is_silent"),
    [
        ("// shlo: ignore[D]\n", True),
        ("  // shlo: ignore[D]\n// a remark\n\t// another\n", True),
        ("// shlo: ignore[K]\n// shlo: ignore[D]\n", True),
        ("// shlo: ignore[D]\n// shlo: ignore[K]\n", True),
        ("// shlo: ignore[D]\n\n", False),  # an empty line is the next one
    ],
)
def test_comments_before_an_op(before: str, is_silent: bool) -> None:
    first, rest = DEAD.split("\n", 1)
    found = lines(f"{first}\n{before}{rest}", select=["dead-op"])
    assert len(found) == (not is_silent)


def test_two_comments_that_silence_one_finding_are_both_used() -> None:
    text = "// shlo: ignore-file[D101]\n" + DEAD.replace(
        "f32>\n  return", "f32> // shlo: ignore[D101]\n  return"
    )
    assert lines(text) == []


def test_comments_are_added_to_lines() -> None:
    text = "a\n  b // why\nc\n"
    assert with_ignores(text, {1: ["y", "x"], 2: ["z"]}) == (
        "a  // shlo: ignore[x, y]\n  // shlo: ignore[z]\n  b // why\nc\n"
    )
    assert with_ignores(text, {3: ["x"]}) == "a\n  b // why\nc  // shlo: ignore[x]\n"


def test_a_fix_by_the_name_of_the_file() -> None:
    settings = Settings.of({"per-file-ignores": {"a.mlir": ["D"]}})
    assert fix(DEAD, settings, "a.mlir").text == DEAD
    fixed = fix(DEAD, settings, "b.mlir")
    assert (fixed.counts, "exponential" in fixed.text) == ({"dead-op": 1}, False)


def test_a_fix_of_a_program_that_was_invalid() -> None:
    """An error that was there before is none of the fix's."""
    wrong = f'{DEAD}func.func @f(%x: tensor<2xf32>) -> tensor<3xf32> {{\n  %0 = "stablehlo.abs"(%x) '
    wrong += ": (tensor<2xf32>) -> tensor<3xf32>\n  return %0 : tensor<3xf32>\n}\n"
    assert fix(wrong, Settings()).counts == {"dead-op": 1}


def test_a_fix_with_ops_that_are_not_registered() -> None:
    text = DEAD.replace("  return", '  "x.y"(%x) : (tensor<4xf32>) -> ()\n  return')
    with pytest.raises(shlo.ParseError):
        fix(text, Settings())
    assert '"x.y"(%x)' in fix(text, Settings(), allow_unregistered=True).text
