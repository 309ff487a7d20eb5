"""Values of kernels by hand calculation, from C's Annex G and from IEEE 754: tables, a row a case."""

from __future__ import annotations

import cmath
import math
import re
from collections.abc import Iterator
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from lifted import ADD, Lifted, type_of

import stablehlo_py as shlo
from stablehlo_py.kernels import chlo, tensor
from stablehlo_py.kernels.numeric.complex_functions import divide
from stablehlo_py.kernels.numeric.ufuncs import MAXIMUM, MINIMUM
from stablehlo_py.kernels.reduction import reduce

INF, NAN = math.inf, math.nan


@pytest.fixture(autouse=True)
def quiet() -> Iterator[None]:
    """Floating-point warnings off, as in a run."""
    with np.errstate(all="ignore"):
        yield


@pytest.mark.parametrize(
    ("dimension", "is_reverse", "sums", "total", "last"),
    [
        (0, False, [[1, 2, 3], [5, 7, 9]], [5, 7, 9], [-4, -5, -6]),
        (0, True, [[5, 7, 9], [4, 5, 6]], [5, 7, 9], [-1, -2, -3]),
        (1, False, [[1, 3, 6], [4, 9, 15]], [6, 15], [-3, -6]),
        (1, True, [[6, 5, 3], [15, 11, 6]], [6, 15], [-1, -4]),
    ],
)
def test_scans(dimension: int, is_reverse: bool, sums: object, total: object, last: object) -> None:
    x = np.array([[1, 2, 3], [4, 5, 6]])
    init = np.zeros(x.shape[1 - dimension], x.dtype)
    body = Lifted(lambda x, total, _: (total + x, total + x, -x))
    found = chlo.scan(
        (x,),
        (init, init),
        dimension=dimension,
        scan_dim_size=None,
        is_reverse=is_reverse,
        body=body,
        outputs=(type_of(x),),
    )
    assert [each.tolist() for each in found] == [sums, total, last]


@pytest.mark.parametrize("count", [0, 3])
def test_scans_without_inputs(count: int) -> None:
    output = type_of(np.zeros((count, 2), np.int32))
    ones = np.ones(2, np.int32)
    made, last = chlo.scan(
        (),
        (ones,),
        dimension=0,
        scan_dim_size=count,
        is_reverse=False,
        body=Lifted(lambda x: (x, 2 * x)),
        outputs=(output,),
    )
    assert (made.shape, made.dtype) == ((count, 2), np.int32)
    assert made.tolist() == [[2**i] * 2 for i in range(count)]
    assert last.tolist() == [2**count] * 2


BROADCASTING = {
    "EQ": [[True, False], [False, True]],
    "LT": [[False, True], [False, False]],
    "GE": [[True, False], [True, True]],
}


@pytest.mark.parametrize("direction", BROADCASTING)
def test_comparisons_with_broadcasting(direction: str) -> None:
    rows, row = np.float32([[1, 2], [5, 3]]), np.float32([1, 3])
    found = chlo.broadcast_compare(
        rows, row, broadcast_dimensions=(1,), comparison_direction=direction, compare_type=None
    )
    assert found.tolist() == BROADCASTING[direction]


def test_selection_with_broadcasting() -> None:
    pred = np.array([True, False])
    assert chlo.broadcast_select(pred, np.array(1), np.array([2, 3])).tolist() == [1, 3]


def test_constant_like() -> None:
    found = chlo.constant_like(np.zeros((2, 1)), value=3, result=type_of(np.zeros((2, 1), np.float32)))
    assert (found.tolist(), found.dtype) == ([[3], [3]], np.float32)


@pytest.mark.parametrize("z", [0.5 + 0.25j, 2 + 1j, -3 - 0.5j, -0.25 + 3j, 1e-3 - 1j])
def test_kernel_of_asin_and_acos(z: complex) -> None:
    w = complex(chlo.asin_acos_kernel(np.array(z)))
    imag = math.copysign(w.imag, z.imag)
    assert cmath.isclose(complex(math.atan2(z.real, w.real), imag), cmath.asin(z))
    assert cmath.isclose(complex(math.atan2(w.real, z.real), -imag), cmath.acos(z))


QUOTIENTS = [
    (3 + 4j, 1 - 2j, -1 + 2j),
    (1 + 2j, 0, complex(INF, INF)),
    (-1 + 2j, 0, complex(-INF, INF)),
    (1 + 2j, complex(0.0, -0.0), complex(INF, INF)),  # of the sign of the real part
    (1 + 2j, complex(-0.0, 0.0), complex(-INF, -INF)),
    (complex(0, -3), complex(-0.0, -0.0), complex(NAN, INF)),
    (0, 0, complex(NAN, NAN)),
    (0 + 1j, 0, complex(NAN, INF)),
    (complex(INF, 1), 1 + 1j, complex(INF, -INF)),
    (complex(1, INF), 1 + 2j, complex(INF, INF)),
    (complex(-INF, 1), 1 + 1j, complex(-INF, INF)),
    (1 + 1j, complex(INF, 1), 0),
    (1 + 2j, complex(1, -INF), 0),
    (complex(INF, 0), complex(INF, 0), complex(NAN, NAN)),
    (complex(INF, 1), complex(1, INF), complex(NAN, NAN)),
    (complex(1, NAN), complex(INF, 1), complex(NAN, NAN)),
    (complex(NAN, 1), complex(1, -INF), complex(NAN, NAN)),
    (complex(INF, 1), complex(1, NAN), complex(NAN, NAN)),
    (complex(1, NAN), 1 + 1j, complex(NAN, NAN)),
    (1 + 1j, complex(NAN, 1), complex(NAN, NAN)),
]


@pytest.mark.parametrize(("x", "y", "quotient"), QUOTIENTS)
def test_quotients_of_complex_numbers(x: complex, y: complex, quotient: complex) -> None:
    found = divide(np.complex128([x, 6]), np.complex128([y, 2]))
    np.testing.assert_array_equal(found, np.complex128([quotient, 3]))


@pytest.mark.parametrize("dtype", [np.float32, np.float16, np.float64, ml_dtypes.bfloat16])
@pytest.mark.parametrize(("op", "zero"), [(MINIMUM, -0.0), (MAXIMUM, 0.0)])
def test_zeros_of_extrema(op: Any, zero: float, dtype: Any) -> None:
    """IEEE 754, 9.6: -0 is less than +0. In all methods, in any order, and into an operand."""
    x, y = np.array([0.0, -0.0, 0.0, -0.0], dtype), np.array([-0.0, 0.0, 0.0, -0.0], dtype)
    wanted = [zero, zero, 0.0, -0.0]

    def check(found: Any, expected: list[float] = wanted) -> None:
        assert np.signbit(found).tolist() == [math.copysign(1, each) < 0 for each in expected]
        assert not np.asarray(found).astype(bool).any()

    check(op(x, y))
    check(op(y, x))
    for out in (x.copy(), np.ones_like(x)):
        assert op(out if out[0] == 0 else x, y, out=out) is out
        check(out)
    check(op(x, np.array(-0.0, dtype)), [zero, -0.0, zero, -0.0])
    check(op.reduce(np.stack([x, y])))
    check(op.reduce(np.stack([x, y], 1), axis=1))
    check(op.accumulate(np.stack([x, y]))[1])
    check(op.accumulate(np.stack([x, y]))[0], [0.0, -0.0, 0.0, -0.0])
    target = x.copy()
    op.at(target, np.arange(4), y)
    check(target)
    numbers = np.array([2, -3], dtype)
    assert op(numbers, np.array(1, dtype)).tolist() == ([1, -3] if op is MINIMUM else [2, 1])


@pytest.mark.parametrize("dtype", [np.float32, ml_dtypes.bfloat16])
def test_extrema_at_indices(dtype: Any) -> None:
    for op, expected in ((MINIMUM, [-2, 4, 0]), (MAXIMUM, [7, 4, 1])):
        target = np.array([3, 4, 0], dtype)
        op.at(target, np.array([0, 0, 2]), np.array([-2, 7, 1], dtype))
        assert target.tolist() == expected


def test_extrema_of_a_type_without_a_negative_zero() -> None:
    dtype = ml_dtypes.float8_e4m3fnuz
    target = np.array([3, 4], dtype)
    MINIMUM.at(target, np.array([0, 0, 1]), np.array([2, 0, 9], dtype))
    assert target.tolist() == [0, 4]
    assert MAXIMUM.accumulate(np.array([1, 3, 2], dtype)).tolist() == [1, 3, 3]


REDUCTIONS = {
    "add": (ADD, 0, np.sum),
    "multiply": (Lifted(np.multiply, np.multiply), 1, np.prod),
    "maximum": (Lifted(np.maximum, np.maximum), -9, np.max),
    "minimum": (Lifted(np.minimum, np.minimum), 9, np.min),
}
SHAPES = [
    ((6,), (0,)),
    ((3, 4), (0,)),
    ((3, 4), (1,)),
    ((3, 4), (0, 1)),
    ((2, 3, 4), (0, 2)),
    ((2, 70), (1,)),
]


@pytest.mark.parametrize("name", REDUCTIONS)
@pytest.mark.parametrize(("shape", "dimensions"), SHAPES)
@pytest.mark.parametrize("dtype", ["int8", "int32", "float32", "float64", "complex64"])
def test_reductions_of_small_integers(
    name: str, shape: tuple[int, ...], dimensions: tuple[int, ...], dtype: str
) -> None:
    if (dtype == "complex64" and name in ("maximum", "minimum")) or (name == "multiply" and 70 in shape):
        return  # no order, and products beyond what floats hold
    body, init, fold = REDUCTIONS[name]
    values = np.random.default_rng(0).choice([1, -1, 2] if name == "multiply" else [-2, -1, 1, 3], shape)
    x = values.astype(dtype)
    expected = fold(values, axis=dimensions).astype(dtype)
    init_value = np.array(init, dtype)
    (found,) = reduce((x,), (init_value,), dimensions=dimensions, body=body, results=(type_of(expected),))
    assert (found.dtype, found.tolist()) == (x.dtype, expected.tolist())


def test_initial_values_count() -> None:
    x = np.array([[1, 2], [3, 4]])
    for name, expected in (("add", [14, 16]), ("multiply", [30, 80]), ("maximum", [10, 10])):
        body = REDUCTIONS[name][0]
        (found,) = reduce((x,), (np.array(10),), dimensions=(0,), body=body, results=(type_of(x[0]),))
        assert found.tolist() == expected
    negative = np.float32([[-0.0, -0.0]])
    for init, is_negative in ((-0.0, True), (0.0, False)):
        (found,) = reduce(
            (negative,), (np.float32(init),), dimensions=(1,), body=ADD, results=(type_of(negative[:, 0]),)
        )
        assert np.signbit(found).tolist() == [is_negative]


def test_indices_out_of_range() -> None:
    x = np.zeros((2, 3), np.float32)
    assert [int(tensor.dim(x, np.array(i))) for i in (0, 1)] == [2, 3]
    for index in (-1, 2):
        with pytest.raises(shlo.RunError, match=f"^dimension {index} is out of range for rank 2$"):
            tensor.dim(x, np.array(index))
    assert tensor.extract(x, (np.array(1), np.array(2))) == 0
    for at in ([2, 0], [0, 3], [0, -1]):
        with pytest.raises(
            shlo.RunError, match=rf"^index {re.escape(str(at))} is out of bounds for shape \[2, 3\]$"
        ):
            tensor.extract(x, tuple(map(np.array, at)))


@pytest.mark.parametrize("name", ["float8_e4m3fnuz", "float8_e5m2fnuz", "float8_e4m3b11fnuz"])
def test_the_nan_of_a_type_without_a_negative_zero_is_no_zero(name: str) -> None:
    """Its pattern is that of the negative zero of other types."""
    dtype = getattr(ml_dtypes, name)
    x, y = np.array([0, 1, 0, -1]).astype(dtype), np.array([np.nan, np.nan, -1, 0]).astype(dtype)
    pairs: list[tuple[Any, list[int]]] = [(MAXIMUM, [0, 0]), (MINIMUM, [-1, -1])]
    for ufunc, numbers in pairs:
        for found in (ufunc(x, y), ufunc(y, x), ufunc.reduce(np.stack([x, y]))):
            assert np.isnan(found.astype(np.float32)[:2]).all()
            assert found.astype(np.float32)[2:].tolist() == numbers
