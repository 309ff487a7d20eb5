"""Products of tensors: the specification's example, hand calculation, and NumPy on exact numbers."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest
from lifted import type_of

from stablehlo_py.ir.types import F32, F64, I32, I64, FloatType, TensorType
from stablehlo_py.kernels.dot import dot, dot_general, einsum, unary_einsum
from stablehlo_py.kernels.registry import Array


def product(
    lhs: Array,
    rhs: Array,
    result: Any,
    batching: Any = ((), ()),
    contracting: Any = ((1,), (0,)),
    **more: Any,
) -> Array:
    answer: Array = dot_general(
        lhs,
        rhs,
        lhs_batching_dimensions=batching[0],
        rhs_batching_dimensions=batching[1],
        lhs_contracting_dimensions=contracting[0],
        rhs_contracting_dimensions=contracting[1],
        result=result,
        **more,
    )
    return answer


def test_specification_example() -> None:
    lhs = np.array([[[1, 2], [3, 4]], [[5, 6], [7, 8]]])
    rhs = np.array([[[1, 0], [0, 1]], [[1, 0], [0, 1]]])
    result = product(lhs, rhs, type_of(lhs), ((0,), (0,)), ((2,), (1,)))
    assert result.tolist() == [[[1, 2], [3, 4]], [[5, 6], [7, 8]]]


def test_result_dimensions_are_batching_then_those_of_lhs_then_those_of_rhs() -> None:
    lhs = np.arange(24.0).reshape(2, 3, 4)  # contracting 2, batching 3, own 4
    rhs = np.arange(30.0).reshape(5, 2, 3)  # own 5, contracting 2, batching 3
    result = product(lhs, rhs, TensorType((3, 4, 5), F32), ((1,), (2,)), ((0,), (1,)))
    assert result.shape == (3, 4, 5)
    assert result[2, 1, 4] == lhs[0, 2, 1] * rhs[4, 0, 2] + lhs[1, 2, 1] * rhs[4, 1, 2]


def test_nothing_to_contract_and_nothing_to_add() -> None:
    outer = product(np.array([1.0, 2.0]), np.array([3.0, 4.0]), TensorType((2, 2), F32), contracting=((), ()))
    assert outer.tolist() == [[3.0, 4.0], [6.0, 8.0]]
    empty = product(np.ones((2, 0), np.float32), np.ones((0, 3), np.float32), TensorType((2, 3), F32))
    assert empty.tolist() == [[0.0] * 3] * 2


@pytest.mark.parametrize("size", [3, 40])
@pytest.mark.parametrize("dtype", ["int8", "uint8", "int32", "int64"])
def test_integers_wrap(dtype: str, size: int) -> None:
    limits = np.iinfo(dtype)
    numbers = np.random.default_rng(size).integers(
        limits.min, limits.max, (2, size, size), dtype=dtype, endpoint=True
    )
    exact = numbers[0].astype(object) @ numbers[1].astype(object)
    wrapped = np.array([[int(x) % 2 ** (8 * limits.dtype.itemsize) for x in row] for row in exact], np.uint64)
    assert np.array_equal(product(*numbers, type_of(numbers[0])), wrapped.astype(dtype))


def test_narrow_integers_into_wide_ones() -> None:
    lhs, rhs = np.full((1, 300), -128, np.int8), np.full((300, 1), -128, np.int8)
    assert product(lhs, rhs, TensorType((1, 1), I32)).tolist() == [[300 * 2**14]]


@pytest.mark.parametrize("terms", [1024, 1025, 3000])
@pytest.mark.parametrize("low", [-128, 0])
def test_many_narrow_integers(terms: int, low: int) -> None:
    """Sums beyond what f32 holds exactly, of the largest products that there are."""
    dtype = np.dtype(np.int8 if low else np.uint8)
    largest = low or 255
    lhs, rhs = np.full((9, terms), largest, dtype), np.full((terms, 5), largest, dtype)
    lhs[0, 0] = 1
    expected = np.full((9, 5), terms * largest**2)
    expected[0] += largest - largest**2
    assert product(lhs, rhs, TensorType((9, 5), I32)).tolist() == expected.tolist()


@pytest.mark.parametrize("bits", [4, 10, 12, 20, 24, 25, 27, 31, 40])
@pytest.mark.parametrize("signs", ["both", "negative", "positive"])
def test_integers_of_every_magnitude(bits: int, signs: str) -> None:
    """Sums of 24 products that f32, f64 or only integers hold."""
    low, high = {"both": (-(2**bits), 2**bits), "negative": (-(2**bits), 0), "positive": (1, 2**bits)}[signs]
    numbers = np.random.default_rng(bits).integers(low, high, (2, 24, 24))
    exact = (numbers[0].astype(object) @ numbers[1].astype(object)) % 2**64
    found = product(*numbers, type_of(numbers[0]))
    assert found.view(np.uint64).tolist() == exact.tolist()


def test_sums_of_bytes_beyond_an_f32_or_an_i32() -> None:
    """1029 products of 2^14 and one of 1 are odd, and more than 2^24; 2^17 products are 2^31."""
    odd = np.full((3, 1030), -128, np.int8)
    odd[:, -1] = 1
    assert product(odd, odd.T, TensorType((3, 3), I32)).tolist() == [[1029 * 2**14 + 1] * 3] * 3
    many = np.full((1, 1 << 17), -128, np.int8)
    assert product(many, many.T, TensorType((1, 1), I64)).tolist() == [[2**31]]


def test_booleans_are_an_or_of_ands() -> None:
    lhs, rhs = np.array([[True, True], [True, False]]), np.array([[True], [True]])
    assert product(lhs, rhs, type_of(lhs)).tolist() == [[True], [True]]
    assert product(lhs, ~rhs, type_of(lhs)).tolist() == [[False], [False]]


def test_narrow_floats_round_once() -> None:
    ones = np.ones((1, 257), ml_dtypes.bfloat16)  # 256 + 1 would stay 256, added up in bf16
    assert product(ones, ones.T * 1.5, type_of(ones)).tolist() == [[386.0]]  # 385.5, rounded to 2s


@pytest.mark.parametrize("view", ["broadcast", "reverse", "columns"])
def test_operands_of_any_strides(view: str) -> None:
    base = np.arange(16.0, dtype=np.float32).reshape(4, 4)
    lhs = {
        "broadcast": np.broadcast_to(base[:1], (4, 4)),
        "reverse": base[:, ::-1],
        "columns": base.T[::2].T,
    }[view]
    terms = lhs.shape[1]
    assert product(lhs, np.ones((terms, 1), np.float32), TensorType((4, 1), F32)).ravel().tolist() == [
        float(sum(row)) for row in lhs.tolist()
    ]


ALGORITHM = {
    "accumulation_type": F32,
    "lhs_component_count": 1,
    "rhs_component_count": 1,
    "num_primitive_operations": 1,
}


@pytest.mark.parametrize("contracted", [1, 2])
@pytest.mark.parametrize("other", [1, 2])
@pytest.mark.parametrize("rows", [100, 127, 240])
def test_stacks_are_multiplied_in_blocks_of_rows(rows: int, contracted: int, other: int) -> None:
    """Small integers, whose sums are exact; products of more multiplications than one thread takes."""
    numbers = np.random.default_rng(rows)
    lhs = numbers.integers(-9, 9, (3, rows, 70)).astype(np.float32)
    rhs = numbers.integers(-9, 9, (3, 70, 90)).astype(np.float32)
    expected = np.einsum("bij,bjk->bik", lhs.astype(np.int64), rhs.astype(np.int64))
    left = lhs if contracted == 2 else lhs.transpose(0, 2, 1).copy()
    right = rhs if other == 1 else rhs.transpose(0, 2, 1).copy()
    result = product(
        left, right, type_of(lhs[:, :, :1] * rhs[:, :1]), ((0,), (0,)), ((contracted,), (other,))
    )
    np.testing.assert_array_equal(result, expected)


@pytest.mark.parametrize("other", [0, 1])
@pytest.mark.parametrize(("rows", "terms", "columns"), [(2, 700, 390), (4, 300, 900), (16, 128, 257)])
def test_few_rows_are_multiplied_in_blocks_of_columns(
    rows: int, terms: int, columns: int, other: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Small integers, whose sums are exact; no product is of more multiplications than one thread takes."""
    sizes = []
    matmul = np.matmul

    def recorded(left: Array, right: Array, out: Array | None = None) -> Array:
        sizes.append(left.size * right.shape[-1])
        found: Array = matmul(left, right, out=out)
        return found

    numbers = np.random.default_rng(rows)
    lhs = numbers.integers(-9, 9, (rows, terms)).astype(np.float32)
    rhs = numbers.integers(-9, 9, (terms, columns)).astype(np.float32)
    expected = np.einsum("ij,jk->ik", lhs.astype(np.int64), rhs.astype(np.int64))
    monkeypatch.setattr(np, "matmul", recorded)
    right = rhs if other == 0 else rhs.T.copy()
    result = product(lhs, right, TensorType((rows, columns), F32), contracting=((1,), (other,)))
    np.testing.assert_array_equal(result, expected)
    assert len(sizes) > 1 and sum(sizes) == lhs.size * columns
    assert max(sizes) < 1 << 19  # from there on, OpenBLAS uses several threads


@pytest.mark.parametrize(
    ("precision", "kept"), [("tf32", 1 + 2**-10), ("bf16", 1.0), ("f32", 1 + 2**-10 + 2**-20)]
)
def test_algorithm_rounds_the_operands(precision: str, kept: float) -> None:
    lhs, rhs = np.array([[1 + 2**-10 + 2**-20]], np.float32), np.ones((1, 1), np.float32)
    types = {"lhs_precision_type": FloatType(precision), "rhs_precision_type": FloatType(precision)}
    assert product(lhs, rhs, type_of(lhs), **types, **ALGORITHM).item() == kept


@pytest.mark.parametrize(
    ("bits", "rounded"),
    [
        (0x3F800FFF, 0x3F800000),
        (0x3F801000, 0x3F800000),  # halfway: to even
        (0x3F801001, 0x3F802000),
        (0x3F803000, 0x3F804000),
        (0xBF801000, 0xBF800000),
        (0x7F7FFFFF, 0x7F800000),  # infinity
        (0xFF800000, 0xFF800000),
    ],
)
@pytest.mark.filterwarnings("ignore:invalid value")
def test_numbers_of_tf32(bits: int, rounded: int) -> None:
    """They have 10 bits of fraction; those of f32 have 23."""
    lhs, rhs = np.array([[bits]], np.uint32).view(np.float32), np.ones((1, 1), np.float32)
    types = {"lhs_precision_type": FloatType("tf32"), "rhs_precision_type": F32}
    assert product(lhs, rhs, type_of(lhs), **types, **ALGORITHM).view(np.uint32).tolist() == [[rounded]]


@pytest.mark.parametrize("bits", [0x7FC00000, 0x7FFFFFFF, 0xFFFFFFFF, 0x7F800001])
@pytest.mark.filterwarnings("ignore:invalid value")
def test_nan_stays_nan_in_tf32(bits: int) -> None:
    lhs, rhs = np.array([[bits]], np.uint32).view(np.float32), np.ones((1, 1), np.float32)
    types = {"lhs_precision_type": FloatType("tf32"), "rhs_precision_type": F32}
    assert np.isnan(product(lhs, rhs, type_of(lhs), **types, **ALGORITHM)).all()


def test_integers_have_no_components() -> None:
    lhs, rhs = np.array([[2**24 + 1]], np.int32), np.ones((1, 1), np.int32)
    types = {"lhs_precision_type": F32, "rhs_precision_type": F32}
    assert product(lhs, rhs, type_of(lhs), **types, **ALGORITHM).item() == 2**24 + 1


def test_algorithm_with_components_restores_precision() -> None:
    lhs = np.array([[1 + 2**-10 + 2**-20]], np.float32)
    types = {"lhs_precision_type": FloatType("bf16"), "rhs_precision_type": FloatType("bf16")}
    counts = ALGORITHM | {"lhs_component_count": 3, "rhs_component_count": 3, "num_primitive_operations": 6}
    assert product(lhs, np.ones((1, 1), np.float32), type_of(lhs), **types, **counts).item() == lhs.item()


def test_real_products_of_complex_numbers() -> None:
    """Operands are converted to the type of the result, as in the reference interpreter."""
    z = np.array([[1 + 2j, 3 - 1j]], np.complex64)
    found = dot(z, z.T, result=TensorType((1, 1), F32))
    assert found.tolist() == [[1 + 9]]


def test_dot_of_vectors_and_matrices() -> None:
    matrix, vector = np.array([[1, 2], [3, 4]]), np.array([5, 6])
    assert dot(vector, vector, result=type_of(vector)).item() == 61
    assert dot(matrix, vector, result=type_of(vector)).tolist() == [17, 39]
    assert dot(vector, matrix, result=type_of(vector)).tolist() == [23, 34]


def test_einsum() -> None:
    matrix = np.array([[1.0, 2.0], [3.0, 4.0]])
    assert einsum(matrix, matrix, einsum_config="ab,bc->ac", result=type_of(matrix)).tolist() == [
        [7, 10],
        [15, 22],
    ]
    transposed = unary_einsum(matrix, einsum_config="ab->ba", result=type_of(matrix))
    assert transposed.tolist() == [[1, 3], [2, 4]]
    assert not np.may_share_memory(transposed, matrix)
    assert unary_einsum(matrix, einsum_config="aa->a", result=type_of(matrix)).tolist() == [1, 4]


def test_algorithm_accumulates_in_its_type() -> None:
    """2**-40 is below the last bit of f32, and above that of f64."""
    lhs, rhs = np.array([[1, 2.0**-40]]), np.ones((2, 1))
    types = {"lhs_precision_type": F64, "rhs_precision_type": F64}
    wide = ALGORITHM | {"accumulation_type": F64}
    assert product(lhs, rhs, type_of(lhs[:, :1]), **types, **wide).item() == 1 + 2.0**-40
    assert product(lhs, rhs, type_of(lhs[:, :1]), **types, **ALGORITHM).item() == 1
    near = np.array([[1 + 2.0**-40]])
    assert product(near, rhs[:1], type_of(near), **types, **wide).item() == 1 + 2.0**-40
