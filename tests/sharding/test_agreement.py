"""What shardings agree on, and how far an axis divides a factor: by hand. Parts of axes are `x:PRE:SIZE`.

The axis x has 4 devices, and y has 2.
"""

from __future__ import annotations

import pytest

from stablehlo_py.sharding.axes import Axes, Axis, even_prefix
from stablehlo_py.sharding.factor_propagation import _agreed, _truncated, _within
from stablehlo_py.sharding.projection import FactorSharding, TensorFactors

SIZES = {"x": 4, "y": 2}


def axes(text: str) -> Axes:
    found = []
    for word in text.split():
        name, *numbers = word.split(":")
        found.append(Axis(name, *map(int, numbers)))
    return tuple(found)


@pytest.mark.parametrize(
    ("old", "new", "expands", "agreed", "still_expands"),
    [
        ("x", "x", True, "x", True),
        ("x", "x", False, "x", False),
        ("x", "y", True, "", False),
        ("x y", "y x", True, "", False),
        ("x y", "x", True, "x y", True),
        ("x y", "x", False, "x y", False),
        ("x", "x y", True, "x y", True),
        ("x", "x y", False, "x", False),
        ("", "x", True, "x", True),
        ("", "x", False, "", False),
        ("x:1:2", "x", True, "x", True),
        ("x:1:2", "x", False, "x:1:2", False),
        ("x:1:2 y", "x", True, "x:1:2", False),
        ("x:1:2", "x y", True, "x y", True),
        ("x", "x:1:2", True, "x", True),
        ("x", "x:1:2", False, "x", False),
        ("x", "x:1:2 y", True, "x:1:2", False),
        ("x y", "x:1:2", True, "x y", True),
        ("x:1:2", "x:2:2", True, "", False),
        ("y x", "y x:2:2", True, "y", False),
    ],
)
def test_agreement(old: str, new: str, expands: bool, agreed: str, still_expands: bool) -> None:
    assert _agreed(axes(old), axes(new), expands) == (axes(agreed), still_expands)


@pytest.mark.parametrize(
    ("given", "size", "even"),
    [
        ("x y", 8, "x y"),
        ("x", 2, "x:1:2"),
        ("x", 3, ""),
        ("x", 6, "x:1:2"),
        ("x y", 4, "x"),
        ("x y", 12, "x"),
        ("y x", 6, "y"),
        ("y x", 4, "y x:1:2"),
        ("y x", 8, "y x"),
        ("x:2:2", 2, "x:2:2"),
        ("x:2:2", 1, ""),
    ],
)
def test_axes_that_divide_evenly(given: str, size: int, even: str) -> None:
    assert even_prefix(axes(given), size, SIZES) == axes(even)


@pytest.mark.parametrize(
    ("axis", "factor", "state", "replicated", "shards", "size", "found"),
    [
        ("x", "", "open", "", 1, 8, "x"),
        ("x", "", "open", "", 4, 8, "x:1:2"),
        ("x:2:2", "", "open", "", 4, 8, "x:2:2"),
        ("x", "", "open", "", 4, 4, ""),
        ("x", "", "open", "", 4, 6, ""),
        ("x", "", "minor", "", 4, 6, "x"),
        ("x", "", "closed", "", 1, 8, ""),
        ("x", "x", "closed", "", 1, 8, "x"),
        ("x:1:2", "x", "closed", "", 1, 8, "x:1:2"),
        ("x", "x:1:2", "closed", "", 1, 8, "x:1:2"),
        ("x", "x:2:2", "closed", "", 1, 8, ""),
        ("x", "y x:1:2", "closed", "", 2, 8, "x:1:2"),
        ("x", "", "overflow", "", 1, 8, ""),
        ("x", "", "open", "x:2:2", 1, 8, "x:1:2"),
        ("x", "", "open", "x", 1, 8, ""),
        ("x", "", "open", "y", 1, 8, "x"),
    ],
)
def test_the_part_that_divides_a_factor(
    axis: str, factor: str, state: str, replicated: str, shards: int, size: int, found: str
) -> None:
    overflow = axes("y") if state == "overflow" else ()
    stated = FactorSharding(axes(factor), overflow, state == "closed", state == "minor")
    for where in ("replicated", "unreduced"):
        taken = {"replicated": (), "unreduced": (), where: axes(replicated)}
        tensor = TensorFactors(**taken)
        (given,), expected = axes(axis), axes(found)
        assert _within(given, tensor, stated, shards, size, SIZES) == (expected[0] if expected else None)


@pytest.mark.parametrize(
    ("prefixes", "found", "seen"),
    [("y x", "y x", [1, 2]), ("y", "y", [1, 2]), ("y x:1:2", "y x:1:2", [1, 2]), ("", "", [1])],
)
def test_axes_end_at_the_first_conflict(prefixes: str, found: str, seen: list[int]) -> None:
    """The number of shards before each axis is that of the axes before it."""
    kept, shards = dict(zip("yx", axes(prefixes), strict=False)), list[int]()

    def prefix(axis: Axis, before: int) -> Axis | None:
        shards.append(before)
        return kept.get(axis.name)

    assert _truncated(axes("y x"), prefix, SIZES) == axes(found)
    assert shards == seen
