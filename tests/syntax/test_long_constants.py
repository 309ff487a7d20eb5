"""Hexadecimal constants that are long enough to be cut without a pattern."""

from __future__ import annotations

import numpy as np
import pytest

import stablehlo_py as shlo
from stablehlo_py.ir.attributes import DenseElementsAttr

DATA = np.random.default_rng(2).standard_normal(20_000).astype("<f4")
DIGITS = DATA.tobytes().hex().upper()
TYPE = f"tensor<{DATA.size}xf32>"


def program(*lines: str) -> str:
    return "\n".join(["func.func @main() {", *lines, "  return", "}"])


def constants(text: str) -> list[np.ndarray]:
    """The elements of the constants of a program."""
    attributes = [op.attribute("value") for op in shlo.parse(text).op.walk()]
    return [attribute.data for attribute in attributes if isinstance(attribute, DenseElementsAttr)]


@pytest.mark.parametrize(
    "line",
    [
        f'  %0 = stablehlo.constant dense<"0x{DIGITS}"> : {TYPE}',
        f'  %0 = stablehlo.constant dense< "0x{DIGITS.lower()}" > : {TYPE}',
        f'  %0 = stablehlo.constant {{name = "a b"}} dense<"0x{DIGITS}"> : {TYPE}',
        f'  %0 = "stablehlo.constant"() <{{value = dense<"0x{DIGITS}"> : {TYPE}}}> : () -> {TYPE}',
        f'  %0 = stablehlo.constant\n    dense<"0x{DIGITS}"> : {TYPE} // dense<"0x{DIGITS}"> : {TYPE}',
        f'  // dense<"0x{DIGITS}"> : {TYPE}\n  %0 = stablehlo.constant dense<"0x{DIGITS}"> : {TYPE}',
    ],
)
def test_elements(line: str) -> None:
    (found,) = constants(program(line))
    np.testing.assert_array_equal(found, DATA, strict=True)


def test_two_constants_on_lines_of_their_own() -> None:
    line = f'stablehlo.constant dense<"0x{DIGITS}"> : {TYPE}'
    other = line.replace(DIGITS, DIGITS[8:] + DIGITS[:8])
    first, second = constants(program(f"  %0 = {line}", f"  %1 = {other}"))
    np.testing.assert_array_equal(first, DATA)
    np.testing.assert_array_equal(second, np.roll(DATA, -1))


@pytest.mark.parametrize(
    ("literal", "message"),
    [
        (f'dense<"0x{DIGITS}0"> : {TYPE}', "elements hex data size is invalid"),
        (f'dense<"0x{DIGITS[:-8]}"> : {TYPE}', "elements hex data size is invalid"),
        (f'dense<"0x{DIGITS}"> : tensor<wrong>', "wrong"),
    ],
)
def test_errors_have_their_place(literal: str, message: str) -> None:
    line = f"  %0 = stablehlo.constant {literal}"
    with pytest.raises(shlo.ParseError, match=message) as failure:
        shlo.parse(program(line))
    found = failure.value.diagnostics[0]
    assert found.line == 2
    assert found.column > line.index(">")


def test_a_literal_with_another_character_is_not_hexadecimal() -> None:
    short = [f"  %0 = stablehlo.constant {{x = dense<{body}> : tensor<f32>}} dense<0.0> : tensor<f32>"
             for body in (f'"0x{DIGITS}G"', '"0x00G"')]  # fmt: skip
    kinds = [
        {type(a) for op in shlo.parse(program(line)).op.walk() for a in op.attributes.values()}
        for line in short
    ]
    assert kinds[0] == kinds[1]
