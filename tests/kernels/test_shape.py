"""Kernels that move elements: the specification's examples and hand calculations."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest

import stablehlo_py as shlo
from stablehlo_py.diagnostics.diagnostic import RunError
from stablehlo_py.ir.types import F32, F64, I1, I32, ComplexType, IntegerType, TensorType
from stablehlo_py.kernels import shape


def test_iota_counts_along_one_dimension() -> None:
    assert shape.iota(iota_dimension=1, output=TensorType((2, 3), I32)).tolist() == [[0, 1, 2], [0, 1, 2]]
    assert shape.iota(iota_dimension=0, output=TensorType((2, 3), F32)).tolist() == [[0, 0, 0], [1, 1, 1]]


def test_broadcast_in_dim_may_permute() -> None:
    operand = np.array([[1, 2, 3]])
    result = TensorType((2, 3, 2), I32)
    found = shape.broadcast_in_dim(operand, broadcast_dimensions=(2, 1), result=result)
    assert found.tolist() == [[[1, 1], [2, 2], [3, 3]]] * 2


def test_pad_inside_and_outside() -> None:
    found = shape.pad(
        np.array([[1, 2, 3], [4, 5, 6]]),
        np.array(0),
        edge_padding_low=(0, 1),
        edge_padding_high=(2, 1),
        interior_padding=(1, 2),
    )
    row = [[0, 1, 0, 0, 2, 0, 0, 3, 0], [0] * 9, [0, 4, 0, 0, 5, 0, 0, 6, 0], [0] * 9, [0] * 9]
    assert found.tolist() == row


@pytest.mark.parametrize(
    ("low", "high", "interior", "expected"),
    [
        (-1, 0, 0, [2, 3]),
        (0, -2, 0, [1]),
        (-1, 2, 1, [0, 2, 0, 3, 0, 0]),
        (-2, -2, 1, [2]),
        (-5, 1, 0, []),
        (2, -4, 0, [0]),
    ],
)
def test_negative_padding_cuts(low: int, high: int, interior: int, expected: list[int]) -> None:
    found = shape.pad_array(np.array([1, 2, 3]), np.array(0), (low,), (high,), (interior,))
    assert found.tolist() == expected


@pytest.mark.parametrize(
    ("low", "high", "interior", "expected"), [(1, 1, 1, 2), (0, 0, 3, 0), (2, -1, 1, 1), (-1, 0, 2, 0)]
)
def test_nothing_is_between_no_elements(low: int, high: int, interior: int, expected: int) -> None:
    found = shape.pad_array(np.zeros(0, np.int32), np.array(7), (low,), (high,), (interior,))
    assert found.tolist() == [7] * expected


@pytest.mark.parametrize(
    ("starts", "row", "column"),
    [((0, 0), 0, 0), ((1, 1), 1, 1), ((2, 2), 1, 2), ((-1, 3), 0, 2), ((9, -9), 1, 0), ((1, 2), 1, 2)],
)
def test_slices_of_known_shapes_are_moved_inside(starts: tuple[int, int], row: int, column: int) -> None:
    """A slice of 2x2 of 3x4, with the last start indices 1 and 2."""
    operand, update = np.arange(12, dtype=np.int32).reshape(3, 4), np.full((2, 2), -1, np.int32)
    types = [TensorType((3, 4), I32), TensorType((2, 2), I32)]
    indices = [np.array(start) for start in starts]
    found = shape.specialized_dynamic_slice(types, slice_sizes=(2, 2))(operand, *indices)
    first = 4 * row + column
    assert found.tolist() == [[first, first + 1], [first + 4, first + 5]]
    expected = operand.copy()
    expected[row : row + 2, column : column + 2] = -1
    updated = shape.specialized_dynamic_update_slice(types)(operand, update, *indices)
    assert np.array_equal(updated, expected) and operand[row, column] == first


def test_dynamic_slices_are_moved_inside() -> None:
    operand = np.arange(12).reshape(3, 4)
    found = shape.dynamic_slice(operand, (np.array(-1), np.array(3)), slice_sizes=(2, 2))
    assert found.tolist() == [[2, 3], [6, 7]]
    updated = shape.dynamic_update_slice(operand, np.array([[90, 91]]), (np.array(9), np.array(9)))
    assert updated[2].tolist() == [8, 9, 90, 91]
    assert operand[2].tolist() == [8, 9, 10, 11]


def test_dynamic_update_slice_in_place() -> None:
    operand = np.zeros(3)
    found = shape.dynamic_update_slice(operand, np.ones(1), (np.array(1),), overwrite=True)
    assert found is operand
    assert operand.tolist() == [0, 1, 0]


@pytest.mark.parametrize("size", [0, 1, 2, 3])
def test_set_dimension_size_keeps_the_first_elements(size: int) -> None:
    operand = np.array([[1, 2, 3], [4, 5, 6]])
    found = shape.set_dimension_size(operand, np.array(size, np.int32), dimension=1)
    assert found.tolist() == [[1, 2, 3][:size], [4, 5, 6][:size]]
    assert int(shape.get_dimension_size(found, dimension=1)) == size


@pytest.mark.parametrize("size", [-1, 4])
@pytest.mark.parametrize("engine", ["numpy", "native"])
def test_a_dimension_has_no_other_sizes(size: int, engine: str) -> None:
    if engine == "native":
        pytest.importorskip("llvmlite", reason="needs the extra native")
    bounded = "tensor<2x?xf32, #stablehlo.bounds<?, 3>>"
    text = f"""func.func @main(%x: tensor<2x3xf32>, %n: tensor<i32>) -> {bounded} {{
      %0 = stablehlo.set_dimension_size %x, %n, dim = 1 : (tensor<2x3xf32>, tensor<i32>) -> {bounded}
      return %0 : {bounded}
    }}"""
    with pytest.raises(RunError, match=rf"size {size} is not within a dimension of size 3"):
        shlo.run(shlo.parse(text), [np.ones((2, 3), np.float32), np.int32(size)], engine=engine)


def test_views_share_memory() -> None:
    operand = np.arange(6).reshape(2, 3)
    assert np.shares_memory(shape.transpose(operand, permutation=(1, 0)), operand)
    assert np.shares_memory(shape.reverse(operand, dimensions=(1,)), operand)
    assert shape.reverse(operand, dimensions=(1,)).tolist() == [[2, 1, 0], [5, 4, 3]]
    found = shape.slice_(operand, start_indices=(0, 1), limit_indices=(2, 3), strides=(1, 1))
    assert found.tolist() == [[1, 2], [4, 5]]


def test_bitcast_between_widths() -> None:
    assert shape.bitcast_convert(np.array([1.0], np.float32), result=TensorType((1,), I32)).tolist() == [
        0x3F800000
    ]
    words = shape.bitcast_convert(
        np.array([0x12345678], np.int32), result=TensorType((1, 2), IntegerType(16))
    )
    assert words.tolist() == [[0x5678, 0x1234]]
    back = shape.bitcast_convert(words, result=TensorType((1,), I32))
    assert back.tolist() == [0x12345678]
    nibbles = shape.bitcast_convert(np.array([0x7F], np.int8), result=TensorType((1, 2), IntegerType(4)))
    assert nibbles.dtype == ml_dtypes.int4
    assert nibbles.astype(int).tolist() == [[-1, 7]]
    assert shape.bitcast_convert(nibbles, result=TensorType((1,), IntegerType(8))).tolist() == [0x7F]
    bits = shape.bitcast_convert(np.array([5], np.uint8), result=TensorType((1, 8), I1))
    assert bits.tolist() == [[True, False, True, False, False, False, False, False]]


@pytest.mark.parametrize(
    ("element", "values"),
    [
        (IntegerType(2), [0, 1, -2, -1]),
        (IntegerType(2, "u"), [0, 1, 2, 3]),
        (IntegerType(4), [4, -2]),
        (IntegerType(4, "u"), [4, 14]),
    ],
)
def test_bitcast_to_narrow_integers_and_back(element: IntegerType, values: list[int]) -> None:
    """Of 11 10 01 00, the lowest bits come first; narrow elements have the sign of their highest bit."""
    given = np.array([0b11100100], np.uint8)
    parts = shape.bitcast_convert(given, result=TensorType((1, len(values)), element))
    assert parts.astype(int).tolist() == [values]
    whole = shape.bitcast_convert(parts, result=TensorType((1,), IntegerType(8, "u")))
    assert whole.tolist() == given.tolist()


def test_bits_of_complex_numbers() -> None:
    """The real part of complex<f64> is the first of two complex<f32>; its lower bits are the first part."""
    single = np.array([[complex(0, 1.875), complex(0, -2)]], np.complex64)
    double = np.array([complex(1, -2)])
    assert (
        shape.bitcast_convert(single, result=TensorType((1,), ComplexType(F64))).tolist() == double.tolist()
    )
    found = shape.bitcast_convert(double, result=TensorType((1, 2), ComplexType(F32)))
    assert found.view(np.uint32).tolist() == single.view(np.uint32).tolist()
