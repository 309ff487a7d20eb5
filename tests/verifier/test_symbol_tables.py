"""Symbols and their tables, visibilities, and constants whose elements are left out."""

from __future__ import annotations

import pytest

import stablehlo_py as shlo


def findings(text: str) -> list[tuple[int, str, str]]:
    found = shlo.verify(shlo.parse(text, allow_unregistered=True))
    return [(d.line, d.code, d.severity) for d in found]


def messages(text: str) -> set[str]:
    return {d.message for d in shlo.verify(shlo.parse(text, allow_unregistered=True))}


def test_elided_elements_are_an_error_where_the_constant_is() -> None:
    constant = "stablehlo.constant dense_resource<__elided__> : tensor<2xf32>"
    text = f"func.func @f() {{\n  %0 = {constant}\n  return\n}}"
    assert findings(text) == [(2, "elided", "error")]
    assert messages(text) == {
        "the elements of this constant are elided, so the program cannot run; "
        "print it without eliding constants"
    }


NAMED = """func.func @f() {
  "test.op"() {sym_name = "f"} : () -> ()
  "test.x"() ({ func.func private @g() }) : () -> ()
  return
}
"test.op"() {sym_name = "NAME", sym_visibility = "strange"} : () -> ()
"""


def test_names_of_unknown_ops_are_symbols_where_there_is_a_table() -> None:
    assert findings(NAMED.replace("NAME", "h")) == []
    assert findings(NAMED.replace("NAME", "f")) == [(6, "symbol", "error")]
    assert "@f is already defined" in messages(NAMED.replace("NAME", "f"))


def test_symbols_in_an_op_that_has_no_table() -> None:
    text = "func.func @f() {\n  func.func private @g()\n  return\n}"
    assert messages(text) == {"func.func cannot be inside func.func, which is not a symbol table"}


@pytest.mark.parametrize("visibility", ["public", "private", "nested", "strange", ""])
def test_visibilities(visibility: str) -> None:
    properties = f'sym_name = "f", function_type = () -> (), sym_visibility = "{visibility}"'
    text = f'"func.func"() <{{{properties}}}> ({{ func.return }}) : () -> ()'
    wrong = {f'visibility of @f must be public, private or nested, not "{visibility}"'}
    assert messages(text) == (set() if visibility in ("public", "private", "nested") else wrong)
