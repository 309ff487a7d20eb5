"""Comparisons give no warning, whatever they meet: infinities, numbers out of range, signalling NaNs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import ml_dtypes
import numpy as np
import pytest

import stablehlo_py as shlo
from stablehlo_py.debug.compare.conditioning import largest_error
from stablehlo_py.debug.compare.errors import is_small
from stablehlo_py.debug.compare.precision import Precision
from stablehlo_py.debug.compare_arrays import compare_arrays, worst_elements
from stablehlo_py.debug.error_map import error_map
from stablehlo_py.debug.fuzz.verdict import judged

SIGNALLING = np.array([0x7F800001, 0x3F800000], np.uint32).view(np.float32)  # and 1
NARROW = np.array([0x7F81, 0x3F80], np.uint16).view(ml_dtypes.bfloat16)
INFINITE, LARGE = np.array([np.inf, 1], np.float32), np.array([3e38, 1], np.float32)
PAIRS = [
    (SIGNALLING, LARGE),
    (NARROW, NARROW[::-1]),
    (INFINITE, INFINITE),
    (INFINITE, -INFINITE),
    (LARGE, -LARGE),
]


def verdict(a: Any, b: Any) -> Any:
    type = "bf16" if a.dtype == ml_dtypes.bfloat16 else "f32"
    text = f"func.func @main(%a: tensor<2x{type}>) -> tensor<2x{type}> {{ return %a : tensor<2x{type}> }}"
    return judged(shlo.parse(text), ("one", "two"), ([a], [b]))


def programs(a: Any, b: Any) -> Any:
    """Constants of f32 beside those of f16, in whose range they are not."""
    text = """func.func @main() -> tensor<2xTYPE> {
      %c = stablehlo.constant dense<[VALUE, 1.0]> : tensor<2xTYPE>
      return %c : tensor<2xTYPE>
    }"""
    wide, narrow = (
        shlo.parse(text.replace("TYPE", type).replace("VALUE", value)).functions["main"]
        for type, value in (("f32", "3.0e38"), ("f16", "0x7BFF"))
    )
    both = Precision(wide, narrow)
    (constant,) = [op for op in wide.walk() if op.name == "stablehlo.constant"]
    return both.attribute(constant.properties["value"]), both.in_range((a, b))


@pytest.mark.parametrize(
    "compared",
    [
        compare_arrays,
        error_map,
        largest_error,
        is_small,
        verdict,
        programs,
        lambda a, b: worst_elements(a, b, 2),
    ],
)
def test_no_number_gives_a_warning(compared: Callable[[Any, Any], Any]) -> None:
    for a, b in PAIRS:
        given = a.copy(), b.copy()
        with np.errstate(all="raise"):
            compared(*given)
            compared(*given[::-1])


@pytest.mark.parametrize(
    ("first", "second", "rounded"),
    [
        (("f16", "0.1"), ("f32", "0.1"), True),
        (("f16", "0.1"), ("f32", "0.1001"), False),  # numbers of f16 are 2**-14 apart there
        (("f16", "0.1"), ("f32", "0.2"), False),
        (("f32", "0.1"), ("f16", "0.1"), False),
        (("f32", "0.1"), ("f32", "0.1"), False),
        (("f16", "0x7BFF"), ("f32", "1.0e10"), True),  # the largest number of f16, for one beyond
        (("f16", "0xFBFF"), ("f32", "-1.0e10"), True),
        (("f16", "0xFBFF"), ("f32", "1.0e10"), False),
        (("f16", "0x7BFF"), ("f32", "0x7F800000"), False),  # for no infinity
        (("f16", "0xFBFF"), ("f32", "0xFF800000"), False),
        (("f16", "0x7C00"), ("f32", "0x7F800000"), True),
        (("f16", "0x7C00"), ("f32", "1.0e10"), True),  # where nothing is the largest number
    ],
)
def test_constants_that_are_those_of_a_wider_type(
    first: tuple[str, str], second: tuple[str, str], rounded: bool
) -> None:
    text = """func.func @main() -> tensor<2xTYPE> {
      %c = stablehlo.constant dense<[VALUE, 1.0]> : tensor<2xTYPE>
      return %c : tensor<2xTYPE>
    }"""
    functions = [
        shlo.parse(text.replace("TYPE", type).replace("VALUE", value)).functions["main"]
        for type, value in (first, second)
    ]
    one, other = [function.entry_block.ops[0] for function in functions]
    assert Precision(*functions).is_rounded(one, other) is rounded
