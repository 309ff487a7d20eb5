"""Multidimensional and linear indices, with the numbers of the XLA document on shapes and layouts."""

from __future__ import annotations

from itertools import product

import pytest

from stablehlo_py.layout import Shape, linear_index, multi_index


@pytest.mark.parametrize(
    ("shape", "index", "linear"),
    [
        ("f32[2,3]{0,1}", (0, 1), 2),
        ("f32[2,3]{0,1}", (1, 0), 1),
        ("f32[2,3]{0,1}", (1, 2), 5),
        ("f32[2,3]{1,0}", (0, 1), 1),
        ("f32[2,3]{1,0}", (1, 0), 3),
        ("f32[2,3]{1,0}", (1, 2), 5),
        ("f32[2,3]{0,1:pad(3,5)}", (1, 2), 7),
        ("f32[2,3]{1,0:pad(3,5)}", (1, 2), 7),
        ("f32[2,3]{1,0:pad(3,5)}", (1, 0), 5),
        ("f32[]", (), 0),
        # XLA's page on tiled layouts: element (2, 3) of f32[3,5] in tiles of 2 by 2 is the 18th
        ("f32[3,5]{1,0:T(2,2)}", (2, 3), 17),
    ],
)
def test_indices(shape: str, index: tuple[int, ...], linear: int) -> None:
    assert linear_index(Shape.parse(shape), index) == linear
    assert multi_index(Shape.parse(shape), linear) == index


@pytest.mark.parametrize(
    "text", ["f32[4,6]{1,0:T(2,3)(2,1)}", "f32[5,7]{0,1:T(4,4)(2,2)}", "f32[3,4,6]{1,2,0:T(2,4)(3)}"]
)
def test_tiles_of_tiles(text: str) -> None:
    """Each element has a place of its own, from which its index is found again."""
    shape = Shape.parse(text)
    indices = list(product(*map(range, shape.sizes)))
    places = [linear_index(shape, index) for index in indices]
    assert len(set(places)) == len(places)
    assert [multi_index(shape, place) for place in places] == indices


def test_padding_has_the_indices_of_the_padded_array() -> None:
    assert multi_index(Shape.parse("f32[2,3]{0,1:pad(3,5)}"), 14) == (2, 4)


@pytest.mark.parametrize("index", [(2, 0), (0, -1), (0,), (0, 0, 0)])
def test_indices_outside_the_array(index: tuple[int, ...]) -> None:
    with pytest.raises(ValueError, match=r"index|indices"):
        linear_index(Shape.parse("f32[2,3]"), index)


@pytest.mark.parametrize("linear", [-1, 6])
def test_indices_outside_the_buffer(linear: int) -> None:
    with pytest.raises(ValueError, match="out of range for the 6 elements"):
        multi_index(Shape.parse("f32[2,3]"), linear)


def test_what_fills_up_a_tile_has_no_index() -> None:
    with pytest.raises(ValueError, match=r"position 9 .* is padding of a tile"):
        multi_index(Shape.parse("f32[3,5]{1,0:T(2,2)}"), 9)
