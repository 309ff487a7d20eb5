"""`--verify-diagnostics`: expectations in comments compared with diagnostics."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from stablehlo_py.cli.expectations import check_expectations
from stablehlo_py.cli.sources import Text

from stablehlo_py import Diagnostic

Shlo = Callable[..., Any]


def found(line: int, severity: Any = "error", message: str = "a is not b") -> Diagnostic:
    return Diagnostic(severity, "op.C1", message, line, 1, ("a is 1",))


def differences(text: str, *diagnostics: Diagnostic, match: Any = "line", first_line: int = 1) -> list[Any]:
    """What differs, as (code, line)."""
    return [
        (d.code, d.line) for d in check_expectations(Text("x", text, first_line), diagnostics, match, None)
    ]


def test_nothing_is_above_the_first_line() -> None:
    text = "// expected-error@above {{a is not b}}\n// expected-error@above {{a is not b}}\nop"
    assert differences(text, found(1), match="text") == [("op.C1", 1), ("expected", 1), ("expected", 2)]


@pytest.mark.parametrize("match", ["line", "text"])
@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("op // expected-error {{a is not b}}", 1),
        ("// expected-error@+1 {{a is not b}}\nop", 2),
        ("// expected-error @+1 {{a is not b}}\nop", 2),
        ("// expected-error@+1{{is not}}\nop", 2),
        ("// expected-error @+2 {{is not}}\n\nop", 3),
        ("op\n// expected-error@-1 {{is not}}", 1),
        ("op\n// expected-error@above {{is not}}", 1),
        ("// expected-error@below {{is not}}\nop", 2),
        ("// expected-error@below {{is not}}\n// expected-note@below {{is 1}}\nop", 3),
        ("// expected-error-re@+1 {{a {{.*}} b{{$}}}}\nop", 2),
        ("// expected-error-re @+1 {{a {{is|was}} not}}\nop", 2),
        ("// @expected-error@+1 {{a is not b}}\nop", 2),
    ],
)
def test_what_is_expected_is_found(text: str, line: int, match: str) -> None:
    assert differences(text, found(line), match=match) == []
    # Nothing there, or elsewhere:
    stated = next(i for i, row in enumerate(text.split("\n"), 1) if "expected-error" in row)
    assert ("expected", stated) in differences(text, match=match)
    elsewhere = differences(text, found(9), match=match)
    assert elsewhere[0] == ("expected", stated) and elsewhere[-1] == ("op.C1", 9)


def test_words_count_in_text_only() -> None:
    text = "op // expected-error {{other words}}"
    assert differences(text, found(1)) == []
    assert differences(text, found(1), match="text") == [("op.C1", 1), ("expected", 1)]


@pytest.mark.parametrize("words", ["a is not b", "op.C1", "a is 1"])
def test_text_is_of_message_code_or_notes(words: str) -> None:
    assert differences(f"op // expected-error {{{{{words}}}}}", found(1), match="text") == []


def test_text_is_no_pattern_without_re() -> None:
    assert differences("op // expected-error {{a.*b}}", found(1), match="text") != []
    assert differences("op // expected-error {{a (1)}}", found(1, message="a (1)"), match="text") == []


@pytest.mark.parametrize(("times", "wrong"), [(1, 1), (2, 0), (3, 1)])
def test_counts(times: int, wrong: int) -> None:
    text = f"op // expected-error {times} {{{{a}}}}"
    assert len(differences(text, found(1), found(1), match="text")) == wrong
    assert differences(text, found(1), found(1)) == []


def test_warnings_may_be_expected_and_need_not_be() -> None:
    text = "op // expected-warning {{a}}"
    for match in ("line", "text"):
        assert differences(text, found(1, "warning"), match=match) == []
        assert differences("op", found(1, "warning"), match=match) == []
        assert differences(text, match=match) == [("expected", 1)]
        assert ("expected", 1) in differences(text, found(1), match=match)


def test_notes_are_asked_for_in_text_only() -> None:
    text = "// expected-error@+2 {{a}}\n// expected-note@+1 {{b is 1}}\nop"
    assert differences(text, found(3)) == []
    assert differences(text, found(3), match="text") == [("expected", 2)]


def test_lines_are_those_of_the_file() -> None:
    assert differences("// expected-error@+1 {{a}}\nop", found(8), first_line=7) == []


def test_an_expression_that_is_none() -> None:
    (wrong,) = check_expectations(Text("x", "op // expected-error-re {{a {{(}}}}"), [found(1)], "line", None)
    assert (wrong.code, wrong.line) == ("expected", 1) and "invalid regular expression" in wrong.message


PROGRAM = """func.func @f(%a: tensor<2xf32>) {
  // expected-error@+1 {{abs.C1}}
  %0 = "stablehlo.abs"(%a) : (tensor<2xf32>) -> tensor<3xf32>
  return
}
// -----
func.func @g(%a: tensor<2xf32>) {
  %0 = "stablehlo.abs"(%a) : (tensor<2xf32>) -> tensor<2xf32>
  return
}
"""


def test_the_command(shlo: Shlo) -> None:
    for match in ("line", "text"):
        done = shlo("verify", "--verify-diagnostics", "--match", match, "-", stdin=PROGRAM)
        assert done.returncode == 0 and done.stdout.startswith("no errors in 1 file (2 modules, ")
    wrong = PROGRAM.replace("-> tensor<3xf32>", "-> tensor<2xf32>")
    done = shlo("verify", "--verify-diagnostics", "-", stdin=wrong)
    assert done.returncode == 1
    first, excerpt, marker, last = done.stdout.splitlines()
    assert first == "<stdin>:2:6: error: expected error on line 3 was not produced: abs.C1"
    assert excerpt[marker.index("^") :][: len(marker.strip())] == "expected-error"
    assert last.startswith("1 error in 1 file")
    done = shlo("verify", "--verify-diagnostics", "-", stdin=PROGRAM.replace("expected-", "expect "))
    assert done.returncode == 1 and done.stdout.startswith("<stdin>:3:8: error: stablehlo.abs (C1)")


REDUCE = """func.func @f(%a: tensor<4x4xf32>, %b: tensor<f32>) -> tensor<4xf32> {
  // expected-error@+1 {{}}
  %0 = "stablehlo.reduce"(%a, %b) <{dimensions = array<i64: 7>}> ({
  ^bb0(%c: tensor<f32>, %d: tensor<f32>):
    %1 = "stablehlo.add"(%c, %d) : (tensor<f32>, tensor<f32>) -> tensor<i32>
    stablehlo.return %1 : tensor<i32>
  }) : (tensor<4x4xf32>, tensor<f32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
func.func @g(%a: tensor<2xf32>) {
  %0 = "stablehlo.abs"(%a) : (tensor<2xf32>) -> tensor<2xf32>
  return
}
"""


def test_what_follows_a_stated_error_of_a_function_is_not_unexpected(shlo: Shlo) -> None:
    """As upstream, which stops there: in the regions of the op, but not in other functions."""
    assert shlo("verify", "--verify-diagnostics", "-", stdin=REDUCE).returncode == 0
    assert shlo("verify", "--verify-diagnostics", "--match", "text", "-", stdin=REDUCE).returncode == 1
    done = shlo("verify", "--verify-diagnostics", "-", stdin=REDUCE.replace("-> tensor<2x", "-> tensor<3x"))
    assert done.returncode == 1 and done.stdout.startswith("<stdin>:11:")
    below = REDUCE.replace("    %1 = ", "    // expected-error@+1 {{}}\n    %1 = ").replace(
        "  // exp", "  // ", 1
    )
    done = shlo("verify", "--verify-diagnostics", "-", stdin=below)
    assert done.returncode == 1 and done.stdout.startswith("<stdin>:3:")


def test_after_a_stated_error_of_the_syntax_nothing_is_unexpected(shlo: Shlo) -> None:
    text = "// expected-error@+1 {{}}\nfunc.func @f() {\n  stablehlo.add 1\n  return\n}\nfunc.func @g() {"
    assert shlo("verify", "--verify-diagnostics", "-", stdin=text).returncode == 1  # the error is on line 3
    done = shlo("verify", "--verify-diagnostics", "-", stdin=text.replace("@+1", "@+2"))
    assert done.returncode == 0, done.stdout
