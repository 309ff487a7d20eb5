"""Which functions of a module run, and what is said where none does."""

from __future__ import annotations

import pytest

import stablehlo_py as shlo
from stablehlo_py.interpreter.entry import entries

MAIN = "func.func @main(%x: tensor<f32>) -> tensor<f32> { return %x : tensor<f32> }\n"
OTHER = MAIN.replace("@main", "@other")
CHECK = "func.func @NAME() { return }\n"
DECLARED = "func.func private @declared(tensor<f32>)\n"


def inner(name: str, text: str) -> str:
    return f"module @{name} {{\n{text}}}\n"


@pytest.mark.parametrize(
    ("text", "name", "expected"),
    [
        (OTHER + MAIN, None, ["main"]),
        (OTHER + MAIN, "other", ["other"]),
        (OTHER + MAIN, "@other", ["other"]),
        (OTHER, None, ["other"]),  # the only one, also where it has inputs
        (CHECK.replace("NAME", "a") + CHECK.replace("NAME", "b"), None, ["a", "b"]),
        (inner("m", MAIN), None, ["main"]),
        (inner("m", OTHER), "other", ["other"]),
        (inner("m", CHECK.replace("NAME", "a")) + inner("n", CHECK.replace("NAME", "b")), None, ["a", "b"]),
    ],
)
def test_entries(text: str, name: str | None, expected: list[str]) -> None:
    assert [function for _, function in entries(shlo.parse(text), name)] == expected


@pytest.mark.parametrize(
    ("text", "name", "message"),
    [
        ("", None, "there is no function @main: the module has no functions"),
        (
            OTHER + OTHER.replace("@other", "@third"),
            None,
            "there is no function @main; the module has @other, @third; select one as entry",
        ),
        # With an input, a function does not check itself; so it is with a result, and without a body.
        (
            OTHER + CHECK.replace("NAME", "a"),
            None,
            "there is no function @main; the module has @other, @a; select one as entry",
        ),
        (
            "func.func private @f()\n" + CHECK.replace("NAME", "a"),
            None,
            "there is no function @main; the module has @f, @a; select one as entry",
        ),
        (
            inner("m", OTHER) + inner("n", MAIN),
            None,
            "there is no function @main; the module has @other, @main; select one as entry",
        ),
        (MAIN, "@nothing", "there is no function @nothing; the module has @main"),
        (MAIN, "mian", "there is no function @mian; did you mean @main?"),
        (MAIN + DECLARED, "declared", "@declared is declared without a body"),
    ],
)
def test_no_entry(text: str, name: str | None, message: str) -> None:
    with pytest.raises(shlo.RunError) as caught:
        entries(shlo.parse(text), name)
    assert caught.value.args[0] == message


def test_a_function_without_a_body_is_reported_at_its_place() -> None:
    with pytest.raises(shlo.RunError) as caught:
        entries(shlo.parse(MAIN + "  " + DECLARED), "declared")
    diagnostic = caught.value.diagnostic
    assert diagnostic is not None
    assert (diagnostic.code, diagnostic.line, diagnostic.column) == ("func", 2, 3)
