"""Selection of rules, severities, and suppression comments."""

from __future__ import annotations

import pytest

import stablehlo_py as shlo
from stablehlo_py.linter.catalogue import RULES
from stablehlo_py.linter.settings import Settings, SettingsError

DEAD = """func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.exponential %x : tensor<4xf32>BEHIND
  return %x : tensor<4xf32>
}"""


def codes(text: str, **options: object) -> list[str]:
    return [d.code for d in shlo.lint(shlo.parse(text), **options)]  # type: ignore[arg-type]


def dead(behind: str = "", before: str = "", top: str = "") -> str:
    text = DEAD.replace("BEHIND", behind)
    return top + text.replace("  %0", f"{before}  %0")


def test_a_diagnostic_says_where_and_why() -> None:
    (found,) = shlo.lint(shlo.parse(dead()))
    assert (found.severity, found.code) == ("warning", "lint.dead-op")
    assert (found.line, found.column) == (2, 8)
    assert "%0" in found.message


def test_a_diagnostic_names_the_python_that_made_the_op() -> None:
    text = dead(behind=' loc("model.py":7:3)')
    (found,) = shlo.lint(shlo.parse(text))
    assert found.notes == ("from model.py:7:3",)


@pytest.mark.parametrize("word", ["dead-op", "D101", "D", "d101", "D1", "default", "all", "lint.dead-op"])
def test_what_selects_a_rule(word: str) -> None:
    assert "lint.dead-op" in codes(dead(), select=[word])
    assert "lint.dead-op" not in codes(dead(), select=["all"], ignore=[word])


def test_default_is_what_the_rules_state() -> None:
    for rule in RULES:
        settings = dict(rule.example_settings)
        found = {d.code for d in shlo.lint(shlo.parse(rule.bad), settings=settings)}
        assert (f"lint.{rule.name}" in found) is rule.default


def test_unknown_rules_are_errors_with_the_nearest_name() -> None:
    with pytest.raises(SettingsError, match="unknown lint rule 'ded-op'; did you mean dead-op"):
        codes(dead(), select=["ded-op"])
    with pytest.raises(ValueError, match="unknown lint rule 'X9'"):
        codes(dead(), ignore=["X9"])


def test_severities() -> None:
    module = shlo.parse(dead())
    (found,) = shlo.lint(module, settings={"severity": {"D": "error"}})
    assert found.severity == "error"


@pytest.mark.parametrize(
    "text",
    [
        dead(behind="  // shlo: ignore[dead-op]"),
        dead(behind="  // shlo: ignore"),
        dead(behind="  // shlo:ignore[K101, D101]"),
        dead(behind="  // shlo: ignore[dead-op] because the trace needs it"),
        dead(before="  // shlo: ignore[dead-op]\n"),
        dead(before="  // shlo: ignore[dead-op]\n  // another comment\n"),
        dead(top="// shlo: ignore-file[dead-op]\n"),
        dead(top="// shlo: ignore-file\n"),
    ],
)
def test_what_silences_a_finding(text: str) -> None:
    assert codes(text, select=["dead-op"]) == []


@pytest.mark.parametrize(
    "text",
    [
        dead(behind="  // shlo: ignore[large-constant]"),
        dead(behind="  // see shlo: ignore[dead-op]"),
        dead(top="// shlo: ignore[dead-op]\n"),
        dead() + "\n// shlo: ignore[dead-op]\n",
    ],
)
def test_what_does_not(text: str) -> None:
    assert codes(text, select=["dead-op"]) == ["lint.dead-op"]


def test_suppressions_that_silence_nothing() -> None:
    text = dead(behind="  // shlo: ignore[dead-op, lossy-convert]")
    (found,) = shlo.lint(shlo.parse(text))
    assert (found.severity, found.code, found.line) == ("note", "lint.unused-suppression", 2)
    assert "lossy-convert" in found.message
    assert "dead-op" not in found.message


def test_a_suppression_of_a_rule_that_is_not_applied_is_not_unused() -> None:
    assert codes(dead(behind="  // shlo: ignore[dead-op, chlo-op]")) == []


def test_a_suppression_of_no_rule_names_the_nearest() -> None:
    found = shlo.lint(shlo.parse(dead(behind="  // shlo: ignore[dead-ops]")))
    assert [d.code for d in found] == ["lint.dead-op", "lint.unknown-suppression"]
    assert "did you mean dead-op?" in found[1].message


def test_a_part_of_a_file_has_its_lines() -> None:
    text = dead(before="  // shlo: ignore[dead-op]\n")
    assert shlo.lint(shlo.parse(text, first_line=100)) == []
    (found,) = shlo.lint(shlo.parse(dead(), first_line=100))
    assert found.line == 101


def test_rules_left_out_by_path() -> None:
    settings = Settings.of({"per-file-ignores": {"tests/*.mlir": ["D"], "*_grad.mlir": ["dead-op"]}})
    for name, count in [
        ("tests/a.mlir", 0),
        ("/home/me/tests/a.mlir", 0),
        ("src/loss_grad.mlir", 0),
        ("a.mlir", 1),
    ]:
        assert len(shlo.lint(shlo.parse(dead(), name), settings=settings)) == count


def test_a_module_that_was_built_can_be_linted() -> None:
    module = shlo.Module()
    assert shlo.lint(module, select=["all"]) == []
