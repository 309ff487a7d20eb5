"""Shapes and layouts: ranks, dimension numbers, defaults, types, and errors."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest

from stablehlo_py.ir.types import F32, I1, I32, TOKEN, FloatType, IndexType, IntegerType, TensorType
from stablehlo_py.layout import Layout, Shape
from stablehlo_py.syntax.parser import parse_type


def test_make_shape_keeps_the_order_of_the_dimensions() -> None:
    shape = Shape.make("F32", (2, 3, 5, 7))
    assert shape.dimensions == (2, 3, 5, 7)
    assert shape.element_type is F32
    assert shape.rank == 4


@pytest.mark.parametrize(
    ("sizes", "true_rank"), [((), 0), ((1,), 0), ((2, 1, 3), 2), ((0, 1), 0), ((1, 1, 1), 0), ((4, 5), 2)]
)
def test_the_true_rank_counts_sizes_greater_than_1(sizes: tuple[int, ...], true_rank: int) -> None:
    assert Shape.make("s8", sizes).true_rank == true_rank


def test_negative_dimension_numbers_count_from_the_end() -> None:
    shape = Shape.make("f32", (11, 13, 17))
    assert [shape.dimension(number) for number in (-1, -2, -3, 0, 2)] == [17, 13, 11, 11, 17]
    assert shape.dimension_number(-2) == 1
    for number in (3, -4):
        with pytest.raises(ValueError, match=f"has no dimension {number}"):
            shape.dimension(number)


def test_the_default_layout_is_major_to_minor() -> None:
    assert Shape.make("f32", (2, 3, 4)).layout.minor_to_major == (2, 1, 0)
    assert Layout.default(3).major_to_minor == (0, 1, 2)
    assert Shape.make("f32", (2, 3)) == Shape.make(np.float32, [2, 3], [1, 0])
    assert Shape.make("f32", (2, 3)) != Shape.make("f32", (2, 3), (0, 1))


@pytest.mark.parametrize(
    ("given", "name"),
    [
        (np.bool_, "pred"),
        (np.uint8, "u8"),
        (ml_dtypes.int4, "s4"),
        (np.dtype("complex128"), "c128"),
        ("BF16", "bf16"),
        ("s1", "s1"),
        (IntegerType(1, "u"), "u1"),
    ],
)
def test_element_types_by_numpy_type_and_name(given: object, name: str) -> None:
    assert str(Shape.make(given)) == f"{name}[]"  # type: ignore[arg-type]


@pytest.mark.parametrize("given", ["f31", np.str_, "token", TOKEN, FloatType("tf32"), object])
def test_what_is_no_element_type(given: object) -> None:
    with pytest.raises(ValueError, match=r"element type"):
        Shape.make(given)  # type: ignore[arg-type]


@pytest.mark.parametrize("minor_to_major", [(0, 0), (1, 2), (-1, 0), (1,)])
def test_layouts_order_the_dimensions(minor_to_major: tuple[int, ...]) -> None:
    with pytest.raises(
        ValueError, match=r"minor_to_major must be a permutation|has 1 dimension, but the shape has 2"
    ):
        Shape.make("f32", (2, 3), minor_to_major)


@pytest.mark.parametrize(
    ("padded", "message"),
    [
        ((3,), "has 1 entries for 2 dimensions"),
        ((3, -1), "must not be negative"),
        ((3, 2), "dimension 1 of size 3 cannot be padded to 2"),
    ],
)
def test_padding_that_does_not_fit(padded: tuple[int, ...], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Shape.make("f32", (2, 3)).with_layout(Layout((1, 0), padded))


def test_other_numbers_that_do_not_fit() -> None:
    with pytest.raises(ValueError, match="dimension 1 has negative size -3"):
        Shape.make("f32", (2, -3))
    with pytest.raises(ValueError, match="sizes of a tile must be positive"):
        Layout((0,), tiles=((0,),))
    with pytest.raises(ValueError, match="must not be negative"):
        Layout((0,), memory_space=-1)
    with pytest.raises(ValueError, match="dynamic has 1 entries for 2 dimensions"):
        Shape(F32, (2, 3), dynamic=(True,))


@pytest.mark.parametrize(
    ("type", "shape"),
    [
        ("tensor<2x3xf32>", "f32[2,3]{1,0}"),
        ("tensor<i1>", "pred[]"),
        ("tensor<4xui8>", "u8[4]{0}"),
        ("tensor<1xf8E4M3FNUZ>", "f8e4m3fnuz[1]{0}"),
        ("tensor<?x3xi4>", "s4[?,3]{1,0}"),
        ("tensor<?x3xf32, #stablehlo.bounds<8, ?>>", "f32[<=8,3]{1,0}"),
        ("memref<2x3xf32>", "b(f32[2,3]{1,0})"),
        ("!stablehlo.token", "token[]"),
        ("tuple<tensor<2xcomplex<f32>>, tuple<>, !stablehlo.token>", "(c64[2]{0}, (), token[])"),
    ],
)
def test_types_and_shapes(type: str, shape: str) -> None:
    found = Shape.of_type(parse_type(type))
    assert str(found) == shape
    assert found.to_type() is parse_type(type)
    assert Shape.parse(shape) == found


def test_types_whose_shape_says_less() -> None:
    quantized = parse_type("tensor<2x!quant.uniform<i8:f32, 0.5>>")
    assert str(Shape.of_type(quantized)) == "s8[2]{0}"
    assert str(Shape.of_type(TensorType((2,), IndexType()))) == "s64[2]{0}"


@pytest.mark.parametrize("type", ["!stablehlo.future<tensor<2xf32>>", "tensor<*xf32>", "i32"])
def test_types_without_a_shape(type: str) -> None:
    with pytest.raises(ValueError, match="XLA has no shape for"):
        Shape.of_type(parse_type(type))


def test_what_shapes_say() -> None:
    shape = Shape.make(I32, (2, 0))
    assert (shape.size, shape.dtype, shape.is_static, shape.is_array) == (0, np.dtype(np.int32), True, True)
    pair = Shape.tuple_of([shape, Shape.token(), Shape.parse("pred[<=3]")])
    assert (pair.is_tuple, pair.is_array, pair.is_static) == (True, False, False)
    assert pair.tuple_shapes[2].element_type is I1
    assert pair.text(layout=False) == "(s32[2,0], token[], pred[<=3])"


def test_lists_do_as_well_as_tuples() -> None:
    layout = Layout([0, 1], [3, 5], tiles=[[2, 2]])  # type: ignore[arg-type, list-item]
    assert layout == Layout((0, 1), (3, 5), tiles=((2, 2),))
    assert hash(Shape(F32, [2, 3])) == hash(Shape.make("f32", np.array([2, 3])))  # type: ignore[arg-type]
    with pytest.raises(TypeError):
        Shape.make("f32", (2.5,))  # type: ignore[arg-type]
