"""Arrays in linear memory: the source document's numbers, and hand-made buffers."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from stablehlo_py.layout import Layout, PaddingValue, Shape, from_buffer, linear_index, to_buffer, to_bytes

LETTERS = np.array([list(b"abc"), list(b"def")], np.uint8)  # the document's array of size [2 x 3]


def memory(shape: str) -> str:
    """The document's array as it lies in memory, zeros as 0."""
    return to_buffer(LETTERS, Shape.parse(shape)).tobytes().replace(b"\0", b"0").decode()


def test_dimension_0_is_minor() -> None:
    assert memory("u8[2,3]{0,1}") == "adbecf"


def test_dimension_0_is_major() -> None:
    assert memory("u8[2,3]{1,0}") == "abcdef"


def test_the_default_is_major_to_minor() -> None:
    assert memory("u8[2,3]") == "abcdef"


def test_padding() -> None:
    assert memory("u8[2,3]{0,1:pad(3,5)}") == "ad0be0cf0000000"


def test_padding_is_the_layout_of_the_larger_array() -> None:
    larger = np.zeros((3, 5), np.uint8)
    larger[:2, :3] = LETTERS
    assert to_buffer(larger, Shape.parse("u8[3,5]{0,1}")).tobytes().replace(b"\0", b"0") == b"ad0be0cf0000000"
    assert memory("u8[2,3]{1,0:pad(3,5)}") == "abc00def0000000"


@pytest.mark.parametrize(
    ("element", "value", "expected"),
    [
        ("s8", PaddingValue.ZERO_PAD, 0),
        ("s8", PaddingValue.ONE_PAD, 1),
        ("s8", PaddingValue.LOWEST_PAD, -128),
        ("s8", PaddingValue.HIGHEST_PAD, 127),
        ("u4", PaddingValue.HIGHEST_PAD, 15),
        ("pred", PaddingValue.LOWEST_PAD, 0),
        ("pred", PaddingValue.HIGHEST_PAD, 1),
        ("f16", PaddingValue.LOWEST_PAD, -65504),
        ("f8e4m3fn", PaddingValue.HIGHEST_PAD, 448),
        ("c64", PaddingValue.ONE_PAD, 1),
    ],
)
def test_padding_values(element: str, value: PaddingValue, expected: float) -> None:
    shape = Shape.make(element, (1,)).with_layout(Layout((0,), (3,), value))
    buffer = to_buffer(np.zeros(1, shape.dtype), shape)
    assert buffer.astype(np.complex64).tolist() == [0, expected, expected]


def test_what_pads_dimensions_pads_tiles_as_well() -> None:
    layout = Layout((0,), padding_value=PaddingValue.ONE_PAD, tiles=((4,), (3,)))
    shape = Shape.make("s8", (2,)).with_layout(layout)
    assert to_buffer(np.int8([7, 8]), shape).tolist() == [7, 8, 1, 1, 1, 1]


def test_complex_numbers_have_no_lowest() -> None:
    shape = Shape.parse("c64[1]{0:pad(2;lowest)}")
    with pytest.raises(ValueError, match="c64 is not ordered"):
        to_buffer(np.zeros(1, np.complex64), shape)


def test_tiles_of_2_by_2() -> None:
    """XLA's page on tiled layouts: f32[3,5]{1,0:T(2,2)}, each tile in one piece, from left to right."""
    array = np.arange(15, dtype=np.float32).reshape(3, 5)
    buffer = to_buffer(array, Shape.parse("f32[3,5]{1,0:T(2,2)}"))
    tiles = [[0, 1, 5, 6], [2, 3, 7, 8], [4, 0, 9, 0], [10, 11, 0, 0], [12, 13, 0, 0], [14, 0, 0, 0]]
    assert buffer.reshape(6, 4).tolist() == tiles


def test_tiles_of_tiles_pair_rows() -> None:
    """bf16 on TPU: rows are paired within a tile, so that two numbers share 32 bits."""
    array = np.arange(16, dtype=np.int8).reshape(4, 4)
    buffer = to_buffer(array, Shape.parse("s8[4,4]{1,0:T(4,4)(2,1)}"))
    assert buffer.tolist() == [0, 4, 1, 5, 2, 6, 3, 7, 8, 12, 9, 13, 10, 14, 11, 15]


@pytest.mark.parametrize(
    ("shape", "array", "expected"),
    [
        ("f32[2]", np.array([1, -2], np.float32), "0000803f000000c0"),
        ("s16[2]", np.array([1, 258], np.int16), "01000201"),
        ("bf16[1]", np.array([1], ml_dtypes.bfloat16), "803f"),
        ("c64[1]", np.array([1 + 2j], np.complex64), "0000803f00000040"),
        ("pred[3]", np.array([True, False, True]), "010001"),
        ("s4[3]", np.array([1, -1, 7], ml_dtypes.int4), "010f07"),
        ("s4[3]{0:E(4)}", np.array([1, -1, 7], ml_dtypes.int4), "f107"),
        ("u2[5]{0:E(2)}", np.array([1, 2, 3, 0, 1], ml_dtypes.uint2), "3901"),
        ("f4e2m1fn[2]{0:E(4)}", np.array([1, -6], ml_dtypes.float4_e2m1fn), "f2"),
        ("s1[3]", np.array([-1, 0, -1], np.int8), "ff00ff"),
        ("s1[3]{0:E(1)}", np.array([-1, 0, -1], np.int8), "05"),
        ("u1[3]{0:E(1)}", np.array([1, 0, 1], np.uint8), "05"),
        ("pred[3]{0:E(1)}", np.array([True, False, True]), "05"),
        ("s32[]", np.array(7, np.int32), "07000000"),
        ("s32[0,3]", np.zeros((0, 3), np.int32), ""),
    ],
)
def test_bytes(shape: str, array: Any, expected: str) -> None:
    parsed = Shape.parse(shape)
    data = to_bytes(array, parsed)
    masked = bytes(b & 15 for b in data) if shape == "s4[3]" else data  # the high bits are the sign's
    assert masked.hex() == expected
    back = from_buffer(data, parsed)
    assert back.dtype == array.dtype and back.shape == array.shape
    np.testing.assert_array_equal(back, array)


def test_high_bits_of_narrow_elements_do_not_matter() -> None:
    assert from_buffer(bytes([0x0F, 0xF1]), Shape.parse("s4[2]")).astype(int).tolist() == [-1, 1]
    assert from_buffer(bytes([2, 0]), Shape.parse("pred[2]")).tolist() == [True, False]


@pytest.mark.parametrize(
    ("shape", "buffer", "message"),
    [
        ("f32[2,3]", bytes(20), "expected 24 bytes .*, got 20"),
        ("s4[3]{0:E(4)}", bytes(3), "expected 2 bytes .*, got 3"),
        ("f32[2,3]{0,1:pad(3,5)}", np.zeros(6, np.float32), "expected 15 of float32 .*, got 6 of float32"),
        ("f32[2]", np.zeros(2, np.float64), "expected 2 of float32 .*, got 2 of float64"),
        ("f32[2]{0:E(16)}", bytes(4), "take 32 bits, not 16"),
        ("s4[2]{0:E(2)}", bytes(4), "take 8 bits, or 4 packed, not 2"),
        ("f32[?]", bytes(4), "has an unbounded dimension"),
        ("f32[2]{0:T(2,2)}", bytes(4), "has more dimensions than"),
    ],
)
def test_buffers_that_do_not_fit(shape: str, buffer: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        from_buffer(buffer, Shape.parse(shape))


def test_arrays_that_do_not_fit() -> None:
    with pytest.raises(
        ValueError, match=r"expected an array of f32\[2,3\], got shape \(3, 2\) and type float32"
    ):
        to_buffer(np.zeros((3, 2), np.float32), Shape.parse("f32[2,3]{0,1}"))


def test_the_array_given_is_not_the_buffer() -> None:
    array = np.zeros(3, np.float32)
    to_buffer(array, Shape.parse("f32[3]"))[0] = 1
    assert array[0] == 0


@st.composite
def shapes(draw: st.DrawFn) -> Shape:
    """Shapes of at most three dimensions in any layout, padded and tiled."""
    sizes = tuple(draw(st.lists(st.integers(0, 4), max_size=3)))
    order = tuple(draw(st.permutations(range(len(sizes)))))
    padded = tuple(size + draw(st.integers(0, 2)) for size in sizes) if draw(st.booleans()) else None
    depth = draw(st.integers(0, len(sizes)))
    tile = tuple(draw(st.integers(1, 3)) for _ in range(depth))
    layout = Layout(
        order, padded, draw(st.sampled_from(PaddingValue)), (tile, (2, 1)) if depth == 2 else (tile,)
    )
    return Shape.make("s32", sizes).with_layout(layout)


@given(shapes())
def test_every_element_is_where_its_index_says(shape: Shape) -> None:
    array = np.arange(shape.size, dtype=np.int32).reshape(shape.sizes)
    buffer = to_buffer(array, shape)
    assert [buffer[linear_index(shape, index)] for index in np.ndindex(array.shape)] == array.ravel().tolist()
    np.testing.assert_array_equal(from_buffer(buffer, shape), array)
    np.testing.assert_array_equal(from_buffer(to_bytes(array, shape), shape), array)


@pytest.mark.parametrize("shape", ["f32[2,3]{1,0}", "f32[2,3]{0,1}"])
def test_an_array_shares_no_memory_with_its_buffer(shape: str) -> None:
    buffer = np.arange(6, dtype=np.float32)
    assert not np.shares_memory(from_buffer(buffer, Shape.parse(shape)), buffer)
