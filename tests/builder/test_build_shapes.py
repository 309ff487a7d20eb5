"""Operations on shapes, slices, element types and iotas."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest
from building import B, V, f32, result, results, s32

import stablehlo_py as shlo
from stablehlo_py.builder import BuildError, PaddingConfigDimension, XlaBuilder


def test_broadcast_adds_dimensions_in_front() -> None:
    b = XlaBuilder()
    b.Tuple(b.Broadcast(b.Parameter(0, "f32[]"), [2, 3]), b.Broadcast(b.Parameter(1, "f32[2]"), [3]))
    scalar, vector = results(b, f32(2), np.array([1, 2], f32))
    np.testing.assert_array_equal(scalar, np.full((2, 3), 2))
    np.testing.assert_array_equal(vector, [[1, 2]] * 3)


def test_broadcast_in_dim() -> None:
    b = XlaBuilder()
    b.BroadcastInDim(b.Parameter(0, "f32[2,1]"), [2, 4, 3], [0, 2])
    np.testing.assert_array_equal(
        result(b, np.array([[1], [2]], f32)), np.array([1, 2])[:, None, None] * np.ones((2, 4, 3))
    )
    with pytest.raises(BuildError, match=r"broadcast_in_dim \(C5\)"):
        b.BroadcastInDim(np.ones((2, 3), f32), [4, 3], [0, 1])


def test_collapse() -> None:
    """The documents name the results of {0,1} and {1,2} the wrong way round."""
    b = XlaBuilder()
    v = b.Parameter(0, V)
    b.Tuple(b.Collapse(v, [0, 1, 2]), b.Collapse(v, [0, 1]), b.Collapse(v, [1, 2]))
    for got, shape in zip(results(b, V), [(24,), (8, 3), (4, 6)], strict=True):
        np.testing.assert_array_equal(got, V.reshape(shape))


@pytest.mark.parametrize("dimensions", [[1, 0], [0, 2], [2, 3]])
def test_collapse_of_what_does_not_follow(dimensions: list[int]) -> None:
    with pytest.raises(BuildError, match="Collapse"):
        XlaBuilder().Collapse(V, dimensions)


def test_concatenate() -> None:
    b = XlaBuilder()
    vectors = [np.array(x, s32) for x in ([2, 3], [4, 5], [6, 7])]
    rows = np.array([[1, 2], [3, 4], [5, 6]], s32), np.array([[7, 8]], s32)
    b.Tuple(b.Concatenate(vectors, 0), b.ConcatInDim(rows, 0))
    one, two = results(b)
    assert one.tolist() == [2, 3, 4, 5, 6, 7]
    assert two.tolist() == [[1, 2], [3, 4], [5, 6], [7, 8]]
    with pytest.raises(BuildError, match="concatenate"):
        b.Concatenate(rows, 1)


def test_reshape_in_order_and_out_of_order() -> None:
    b = XlaBuilder()
    v = b.Parameter(0, V)
    b.Tuple(
        b.Reshape(v, [0, 1, 2], [24]),
        b.Reshape(v, [0, 1, 2], [8, 3]),
        b.Reshape(v, [1, 2, 0], [24]),
        b.Reshape(v, [1, 2, 0], [8, 3]),
        b.Reshape(v, dimensions=[1, 2, 0], new_sizes=[2, 6, 2]),
        b.Reshape(v, [4, 6]),
        b.Reshape(v, new_sizes=[12, 2]),
    )
    in24, in83, out24, out83, out262, plain, named = results(b, V)
    np.testing.assert_array_equal(in24, V.reshape(24))
    np.testing.assert_array_equal(in83, V.reshape(8, 3))
    out = [10, 20, 30, 40, 11, 21, 31, 41, 12, 22, 32, 42, 15, 25, 35, 45, 16, 26, 36, 46, 17, 27, 37, 47]
    np.testing.assert_array_equal(out24, out)
    np.testing.assert_array_equal(out83, np.reshape(out, (8, 3)))
    np.testing.assert_array_equal(out262, np.reshape(out, (2, 6, 2)))
    np.testing.assert_array_equal(plain, V.reshape(4, 6))
    np.testing.assert_array_equal(named, V.reshape(12, 2))


def test_reshape_of_scalars() -> None:
    b = XlaBuilder()
    b.Tuple(b.Reshape(np.array([[5]], f32), [0, 1], []), b.Reshape(b.ConstantLiteral(f32(5)), [], [1, 1]))
    assert [r.tolist() for r in results(b)] == [5, [[5]]]
    with pytest.raises(BuildError, match="reshape"):
        b.Reshape(V, [23])


def test_rev_and_transpose() -> None:
    b = XlaBuilder()
    v = b.Parameter(0, V)
    b.Tuple(b.Rev(v, [0, 2]), b.Transpose(v, [1, 2, 0]))
    reversed_, transposed = results(b, V)
    np.testing.assert_array_equal(reversed_, V[::-1, :, ::-1])
    np.testing.assert_array_equal(transposed, V.transpose(1, 2, 0))
    with pytest.raises(BuildError, match="transpose"):
        b.Transpose(v, [0, 0, 1])


def test_pad() -> None:
    """The third figure: a 2x3 array with {0,1,1}, {1,2,1} becomes 4x8."""
    b = XlaBuilder()
    x = b.Parameter(0, "f32[2,3]")
    config = [PaddingConfigDimension(0, 1, 1), (1, 2, 1)]
    b.Tuple(b.Pad(x, 9.0, config), b.Pad(x, 9.0, [{}, {"edge_padding_low": -1, "interior_padding": 1}]))
    padded, cropped = results(b, np.array([[1, 2, 3], [4, 5, 6]], f32))
    want = np.full((4, 8), 9)
    want[0:3:2, 1:6:2] = [[1, 2, 3], [4, 5, 6]]
    np.testing.assert_array_equal(padded, want)
    np.testing.assert_array_equal(cropped, [[9, 2, 9, 3], [9, 5, 9, 6]])
    with pytest.raises(BuildError, match="interior_padding"):
        b.Pad(x, 0.0, [(0, 0, -1), (0, 0, 0)])
    with pytest.raises(BuildError, match="edge_padding_low"):
        b.Pad(x, 0.0, [(0, 0, 0, 0), (0, 0, 0)])


def test_dimension_sizes() -> None:
    """The sum of v with size 5 is 15, its product 120; with size 6 the sum is 21."""
    v = np.arange(1, 11, dtype=f32)
    b = XlaBuilder()
    x = b.Parameter(0, v)
    five = b.SetDimensionSize(x, 5, 0)
    six = b.SetDimensionSize(x, b.Parameter(1, "s32[]"), dimension=0)
    b.Tuple(
        b.Reduce(five, 0.0, "Add", [0]),
        b.Reduce(five, 1.0, "Mul", [0]),
        b.Reduce(six, 0.0, "Add", [0]),
        b.GetDimensionSize(six, 0),
        b.GetDimensionSize(x, 0),
    )
    assert [float(r) for r in results(b, v, s32(6))] == [15, 120, 21, 6, 10]
    with pytest.raises(BuildError, match="no dimension 1"):
        b.SetDimensionSize(x, 5, 1)


def test_slice() -> None:
    b = XlaBuilder()
    a, m = np.arange(5, dtype=f32), b.Parameter(0, B)
    b.Tuple(b.Slice(a, [2], [4]), b.Slice(m, [2, 1], [4, 3]), b.Slice(a, [0], [5], [2]), b.Slice(a, [2], [2]))
    got = [r.tolist() for r in results(b, B)]
    assert got == [[2, 3], [[7, 8], [10, 11]], [0, 2, 4], []]
    with pytest.raises(BuildError, match="slice"):
        b.Slice(a, [3], [6])


def test_dynamic_slice() -> None:
    b = XlaBuilder()
    a, m, start = np.arange(5, dtype=f32), b.Parameter(0, B), b.Parameter(1, "s32[2]")
    b.Tuple(
        b.DynamicSlice(a, [2], [2]),
        b.DynamicSlice(m, [start[0], start[1]], [2, 2]),
        b.DynamicSlice(m, start, [2, 2]),
        b.DynamicSlice(m, [9, -9], [2, 2]),
        b.DynamicSlice(a, start[1], [2]),
    )
    got = [r.tolist() for r in results(b, B, np.array([2, 1], s32))]
    assert got == [[2, 3], [[7, 8], [10, 11]], [[7, 8], [10, 11]], [[6, 7], [9, 10]], [1, 2]]
    with pytest.raises(BuildError, match="dynamic_slice"):
        b.DynamicSlice(m, start, [5, 2])
    with pytest.raises(BuildError, match="start_indices"):
        b.DynamicSlice(m, start[:1], [2, 2])


def test_dynamic_update_slice() -> None:
    b = XlaBuilder()
    a, m, start = np.arange(5, dtype=f32), b.Parameter(0, B), b.Parameter(1, "s64[2]")
    update = np.array([[12, 13], [14, 15], [16, 17]], f32)
    b.Tuple(b.DynamicUpdateSlice(a, np.array([5, 6], f32), [2]), b.DynamicUpdateSlice(m, update, start))
    one, two = results(b, B, np.array([1, 1], np.int64))
    assert one.tolist() == [0, 1, 5, 6, 4]
    assert two.tolist() == [[0, 1, 2], [3, 12, 13], [6, 14, 15], [9, 16, 17]]


def test_convert_element_type() -> None:
    b = XlaBuilder()
    a = b.Parameter(0, "s32[3]")
    b.Tuple([b.ConvertElementType(a, to) for to in ("f32", "F16", np.int8, ml_dtypes.bfloat16)])
    got = results(b, np.array([0, 1, 2], s32))
    assert [r.dtype for r in got] == [f32, np.float16, np.int8, ml_dtypes.bfloat16]
    assert all(r.tolist() == [0, 1, 2] for r in got)
    with pytest.raises(BuildError, match="unknown element type"):
        b.ConvertElementType(a, "float")


def test_bitcast_convert_type() -> None:
    """f32[10] becomes f16[10,2], a scalar f16[2], and back."""
    x = np.arange(10, dtype=f32)
    b = XlaBuilder()
    wide, narrow = b.Parameter(0, x), b.Parameter(1, "f16[10,2]")
    b.Tuple(
        b.BitcastConvertType(wide, "f16"),
        b.BitcastConvertType(wide[0], "f16"),
        b.BitcastConvertType(narrow, "f32"),
        b.BitcastConvertType(wide, "s32"),
    )
    halves = x.view(np.float16).reshape(10, 2)
    for got, want in zip(results(b, x, halves), (halves, halves[0], x, x.view(s32)), strict=True):
        np.testing.assert_array_equal(got, want)
    with pytest.raises(BuildError, match="must have size 2"):
        b.BitcastConvertType(b.Parameter(2, "f16[10]"), "f32")


def test_reduce_precision_has_the_mantissa_first() -> None:
    x = np.array([1 + 2**-7, 1 + 3 * 2**-8, 1e30, np.nan], f32)
    b = XlaBuilder()
    b.ReducePrecision(b.Parameter(0, x), 7, exponent_bits=5)
    np.testing.assert_array_equal(result(b, x), np.array([1 + 2**-7, 1 + 2**-6, np.inf, np.nan], f32))
    with pytest.raises(BuildError, match="exponent_bits"):
        b.ReducePrecision(np.ones(2, f32), 7, 0)


def test_iota() -> None:
    b = XlaBuilder()
    b.Tuple(
        b.Iota("s32[4,8]", 0),
        b.Iota("s32[4,8]", iota_dimension=1),
        b.Iota("u8", 3),
        b.Iota(type=np.float32, size=3),
        b.Iota(("f32", (2, 2)), 1),
    )
    rows, columns, bytes_, floats, square = results(b)
    np.testing.assert_array_equal(rows, np.arange(4)[:, None] + np.zeros((4, 8)))
    np.testing.assert_array_equal(columns, np.zeros((4, 8)) + np.arange(8))
    assert (bytes_.dtype, bytes_.tolist(), floats.dtype, floats.tolist()) == (
        np.uint8,
        [0, 1, 2],
        f32,
        [0, 1, 2],
    )
    assert square.tolist() == [[0, 1], [0, 1]]
    for wrong in (("f32",), ("f32[2]", 1), ("pred[2]", 0), ("(f32[], f32[])", 0)):
        with pytest.raises(BuildError, match="Iota"):
            b.Iota(*wrong)


def test_starts_of_a_dynamic_slice_in_a_tuple() -> None:
    b = XlaBuilder()
    x, starts = b.Parameter(0, "f32[4,3]"), b.Parameter(1, "(s32[], s32[])")
    b.DynamicSlice(x, starts, [1, 2])
    found = shlo.run(b.build(), [B, (np.int32(2), np.int32(1))])
    np.testing.assert_array_equal(found[0], [[7, 8]])  # of row 2, whose numbers are 6, 7 and 8


def test_set_dimension_size_of_two_dimensions() -> None:
    b = XlaBuilder()
    both = b.SetDimensionSize(b.SetDimensionSize(b.Parameter(0, "f32[10,4]"), 5, 0), 3, 1)
    assert str(both.type) == "tensor<?x?xf32, #stablehlo.bounds<10, 4>>"


@pytest.mark.parametrize("dimensions", [[-1, 0], [1, 0], [0, 2], [0, 0], [-2, -1]])
def test_collapse_of_dimensions_that_are_not_consecutive(dimensions: list[int]) -> None:
    b = XlaBuilder()
    with pytest.raises(BuildError, match="are not consecutive"):
        b.Collapse(b.Parameter(0, "f32[4,2,3]"), dimensions)
