"""Polynomials that have measured values, and their text."""

from __future__ import annotations

from collections.abc import Callable
from math import log2

import pytest

from stablehlo_py.analysis.polynomial import Point, fitted


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (lambda b, s: 2 * b * s * 4096, "8192*b*s"),
        (lambda b, s: 7 * b * s * s - s + 5, "7*b*s^2 - s + 5"),
        (lambda b, s: -b + s, "-b + s"),
        (lambda b, s: b**4 * s**3, "b^4*s^3"),
        (lambda b, s: b * (b + 1) // 2, "1/2*b^2 + 1/2*b"),
        (lambda b, s: 12, "12"),
        (lambda b, s: 0, "0"),
        (lambda b, s: b**5, "None"),
        (lambda b, s: b * s.bit_length(), "None"),
        (lambda b, s: b // 2, "None"),
        (lambda b, s: max(b * b, 1000), "None"),
        (lambda b, s: b * s + int(log2(b * s)), "None"),
    ],
)
@pytest.mark.parametrize("step", [1, 4])
def test_polynomials_of_values(value: Callable[[int, int], int], text: str, step: int) -> None:
    if text == "None" and value(8, 8) == 4 and step == 4:
        text = "1/2*b"  # of even numbers, it is one
    seen: list[Point] = []

    def measure(sizes: Point) -> list[int]:
        seen.append(sizes)
        return [3, value(*sizes), sizes[1]]

    first, found, last = fitted(["b", "s"], measure, 4 * step, step, 4095)
    assert [str(first), str(found), str(last)] == ["3", text, "s"]
    assert len(seen) == len(set(seen))
    assert all(size % step == 0 for sizes in seen for size in sizes)


@pytest.mark.parametrize(("degree", "text"), [(3, "a^3*b^3*c^3"), (4, "None")])
def test_at_most_64_products_of_powers(degree: int, text: str) -> None:
    """Of three sizes up to the third power; not up to the fourth, of which there are 125."""
    found = fitted(["a", "b", "c"], lambda sizes: [(sizes[0] * sizes[1] * sizes[2]) ** degree, 3], 4, 1, 4095)
    assert [str(each) for each in found] == [text, "3" if text != "None" else "None"]
