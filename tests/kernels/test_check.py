"""The check dialect: equality, and messages of failures."""

from __future__ import annotations

import re
from collections.abc import Iterator

import numpy as np
import pytest

import stablehlo_py as shlo
from stablehlo_py.diagnostics.diagnostic import RunError
from stablehlo_py.kernels import check


@pytest.fixture(autouse=True)
def quiet() -> Iterator[None]:
    """Floating-point warnings off, as in a run."""
    with np.errstate(all="ignore"):
        yield


def test_expect_eq_shows_the_first_difference() -> None:
    check.expect_eq(np.array([1.0, np.nan]), np.array([1.0, np.nan]))
    with pytest.raises(RunError, match=r"1 of 2 elements are not equal; the first at \[1\]: 3, expected 2"):
        check.expect_eq(np.array([1, 3]), np.array([1, 2]))
    with pytest.raises(RunError, match="shapes differ"):
        check.expect_eq(np.zeros(2), np.zeros(3))


def test_complex_numbers_of_exported_programs_are_almost_equal() -> None:
    one = np.array([1 + 1j], np.complex64)
    assert check.call_eq(one, one + np.complex64(0.00009j)).item() is True
    with pytest.raises(RunError, match=r"differ by more than 0\.0001"):
        check.call_eq(one, one + np.complex64(0.0002j))
    with pytest.raises(RunError, match="are not equal"):
        check.call_eq(np.array([True]), np.array([False]))


def test_ulps_are_counted_across_zero() -> None:
    tiny = np.nextafter(np.float32(0), np.float32(1))
    a, b = np.array([tiny, 1, np.nan], np.float32), np.array([-tiny, 1, 0], np.float32)
    assert check.ulp_distance(a, b).tolist() == [2, 0, 2**64 - 1]
    check.expect_close(np.float16([1.0]), np.float16([1.003]))
    with pytest.raises(RunError, match="more than 3 ULPs"):
        check.expect_close(np.float16([1.0]), np.float16([1.0049]))


@pytest.mark.parametrize(
    ("dtype", "one"), [(np.float16, 0x3C00), (np.float32, 0x3F800000), (np.float64, 0x3FF0000000000000)]
)
def test_ulps_are_differences_of_bit_patterns(dtype: type, one: int) -> None:
    a = np.array([0, -1, -1, -1, 1, -0.0], dtype)
    b = np.array([1, 0, 1, -1, -1, 0.0], dtype)
    assert check.ulp_distance(a, b).tolist() == [one, one, 2 * one, 0, 2 * one, 0]


def test_almost_equal_is_absolute() -> None:
    check.expect_almost_eq(np.array([np.inf, 5.0]), np.array([np.inf, 5.0009]))
    with pytest.raises(RunError, match=r"differ by more than 0\.001"):
        check.expect_almost_eq(np.array([5.0]), np.array([5.0011]))


def test_both_parts_of_complex_numbers_count() -> None:
    a, real, imag = (np.complex64([z]) for z in (1 + 2j, 1.5 + 2j, 1 + 2.5j))
    nan = np.complex64([complex(np.nan, 1)])
    check.expect_eq(nan, nan)
    for other in (real, imag):
        for test in (check.expect_eq, check.expect_close, check.expect_almost_eq):
            test(a, a)
            with pytest.raises(RunError, match=r"1 of 1 elements"):
                test(a, other)


def test_least_distances() -> None:
    one = np.float32([1, 1])
    near = np.nextafter(one, np.float32([2, 1]))
    check.expect_close(one, near, min_ulp_difference=1)
    with pytest.raises(RunError, match=r"^no elements are 2 ULPs apart or more$"):
        check.expect_close(one, near, min_ulp_difference=2)


CALLS = {  # of a target: attributes, what the second operand is if it holds, and if it does not; both first 5
    "check.expect_eq": [("", "i32", 5, 6), ("", "f32", 5, 5.25)],
    "check.expect_almost_eq": [("", "f32", 5.0009, 5.0011), ("tolerance = 0.5", "f32", 5.5, 5.75)],
    "check.expect_close": [
        ("", "f32", 5 + 3 * 2**-21, 5 + 2**-19),
        ("max_ulp_difference = 1 : i64", "f32", 5 + 2**-21, 5 + 2**-20),
        ("min_ulp_difference = 2 : i64", "f32", 5 + 2**-20, 5 + 2**-21),
    ],
    "check.eq": [("", "i32", 5, 6), ("", "f32", 5.00009, 5.0002)],
}


@pytest.mark.parametrize("target", CALLS)
def test_custom_calls(target: str) -> None:
    """Operands are what is found and what is expected, but of check.eq, which has a result."""
    for attributes, element, holds, fails in CALLS[target]:
        result = "tensor<i1>" if target == "check.eq" else "()"
        text = f"""func.func @main(%a: tensor<{element}>, %b: tensor<{element}>) {{
          {"%r = " * (target == "check.eq")}stablehlo.custom_call @{target}(%a, %b) {{has_side_effect = true,
            mhlo.backend_config = {{{attributes}}}}} : (tensor<{element}>, tensor<{element}>) -> {result}
          return
        }}"""
        module = shlo.parse(text)
        assert shlo.run(module, [5, holds]) == []
        with pytest.raises(shlo.RunError) as caught:
            shlo.run(module, [5, fails])
        shown = re.search(r"the first at \[\]: (.+), expected (.+)", str(caught.value))
        if shown is None:
            assert "no elements are 2 ULPs apart" in str(caught.value)
            continue
        assert list(map(float, shown.groups())) == pytest.approx(
            [fails, 5] if target == "check.eq" else [5, fails]
        )


def test_tolerances_in_pretty_form() -> None:
    text = """func.func @main(%a: tensor<2xf32>, %b: tensor<2xf32>) {
  check.expect_almost_eq %a, %b, tolerance = 5.000000e-01 : tensor<2xf32>
  check.expect_close %a, %b, max_ulp_difference = 18446744073709551615 : tensor<2xf32>, tensor<2xf32>
  check.expect_almost_eq_const %a, dense<0.000000e+00> : tensor<2xf32>, tolerance = 2.500000e-01
  return
}
"""
    module = shlo.parse(text)
    assert shlo.verify(module) == []
    assert shlo.format(module, canonical=False) == text
    assert shlo.run(module, [np.float32([0, 0.25]), np.float32([0.5, 0])]) == []
    with pytest.raises(shlo.RunError, match=r":4:3: check.expect_almost_eq_const: 1 of 2 elements"):
        shlo.run(module, [np.float32([0, 0.5]), np.float32([0.5, 0.5])])
