"""Ops as programs run them, on values that are calculated by hand: every form that an op has in a plan."""

from __future__ import annotations

import cmath
from typing import Any

import ml_dtypes
import numpy as np
import pytest

import stablehlo_py as shlo
from stablehlo_py.kernels.numeric.ufuncs import MAXIMUM
from stablehlo_py.kernels.quantized import computes_on_numbers, sums_of
from stablehlo_py.kernels.reduction import is_rounded
from stablehlo_py.kernels.shape import iota_array
from stablehlo_py.opset.definition import lookup
from stablehlo_py.syntax.parser import parse_type

NAMES = {
    "float32": "f32", "float64": "f64", "float16": "f16", "bfloat16": "bf16", "bool": "i1", "int64": "i64",
    "int32": "i32", "int8": "i8", "uint8": "ui8", "uint32": "ui32", "int4": "i4", "complex64": "complex<f32>",
    "complex128": "complex<f64>",
}  # fmt: skip


def type_of(value: np.ndarray) -> str:
    return f"tensor<{''.join(f'{n}x' for n in value.shape)}{NAMES[value.dtype.name]}>"


def run(op: str, inputs: list[np.ndarray], result: np.ndarray) -> Any:
    """The result of one op; `{}` stands for its operands and `{T}` for its type."""
    types = [type_of(value) for value in inputs]
    arguments = ", ".join(f"%a{i}: {type}" for i, type in enumerate(types))
    names = ", ".join(f"%a{i}" for i in range(len(inputs)))
    text = f"""func.func @main({arguments}) -> {type_of(result)} {{
      %r = {op.format(names, T=f"({', '.join(types)}) -> {type_of(result)}")}
      return %r : {type_of(result)}
    }}"""
    (found,) = shlo.run(shlo.parse(text), inputs)
    return found


def check(op: str, inputs: list[np.ndarray], expected: np.ndarray) -> None:
    found = run(op, inputs, expected)
    assert found.dtype == expected.dtype
    assert np.array_equal(found, expected), found


def f32(*values: Any) -> np.ndarray:
    return np.array(values, np.float32)


def i64(*values: Any) -> np.ndarray:
    return np.array(values, np.int64)


MATRIX = np.arange(12, dtype=np.float32).reshape(3, 4)
STARTS = [np.array(2, np.int64), np.array(-5, np.int64)]

SHAPES = [
    (
        '"stablehlo.dynamic_slice"({}) <{{slice_sizes = array<i64: 2, 3>}}> : {T}',
        [MATRIX, *STARTS],
        MATRIX[1:, :3],
    ),
    (
        '"stablehlo.dynamic_update_slice"({}) : {T}',
        [MATRIX, f32([-1, -2]), np.array(7, np.int64), np.array(2, np.int64)],
        f32([0, 1, 2, 3], [4, 5, 6, 7], [8, 9, -1, -2]),
    ),
    (
        '"stablehlo.slice"({}) <{{start_indices = array<i64: 0, 1>, limit_indices = array<i64: 3, 4>, '
        "strides = array<i64: 2, 2>}}> : {T}",
        [MATRIX],
        f32([1, 3], [9, 11]),
    ),
    (
        '"stablehlo.transpose"({}) <{{permutation = array<i64: 1, 0>}}> : {T}',
        [MATRIX[:2, :2]],
        f32([0, 4], [1, 5]),
    ),
    ('"stablehlo.reshape"({}) : {T}', [MATRIX], np.arange(12, dtype=np.float32).reshape(2, 6)),
    (
        '"stablehlo.concatenate"({}) <{{dimension = 1 : i64}}> : {T}',
        [f32([1, 2], [3, 4]), f32([5], [6])],
        f32([1, 2, 5], [3, 4, 6]),
    ),
    (
        '"stablehlo.broadcast"({}) <{{broadcast_sizes = array<i64: 2>}}> : {T}',
        [i64(1, 2)],
        i64([1, 2], [1, 2]),
    ),
]


@pytest.mark.parametrize(("op", "inputs", "expected"), SHAPES)
def test_elements_that_move(op: str, inputs: list[np.ndarray], expected: np.ndarray) -> None:
    check(op, inputs, expected)


def test_the_largest_iota() -> None:
    type = parse_type("tensor<i8>")
    assert iota_array((2, 1 << 59), 0, type)[:, -1].tolist() == [0, 1]
    with pytest.raises(MemoryError):
        iota_array((2, (1 << 59) + 1), 0, type)


FLOATS = {"f16": np.float16, "bf16": ml_dtypes.bfloat16, "f32": np.float32, "f64": np.float64}
ELEMENTWISE = [
    ("stablehlo.logistic", [[0, -np.inf, np.inf]], [0.5, 0, 1]),
    ("stablehlo.rsqrt", [[4, 0, 0.0625]], [0.5, np.inf, 4]),
    ("stablehlo.power", [[2, -2, 0.5], [3, 3, -2]], [8, -8, 4]),
    ("stablehlo.remainder", [[7.5, -7.5, 7.5, 6, 0.25], [2, 2, -2, 3, 8]], [1.5, -1.5, 1.5, 0, 0.25]),
    ("stablehlo.atan2", [[0, 0, 1], [1, 2, 0]], [0, 0, np.pi / 2]),
    ("stablehlo.subtract", [[5, 0.5], [3, 2]], [2, -1.5]),
    ("stablehlo.divide", [[5, 1], [2, 0]], [2.5, np.inf]),
    ("stablehlo.sign", [[-3, 0, 2.5]], [-1, 0, 1]),
    ("stablehlo.cbrt", [[-8, 27]], [-2, 3]),
    ("stablehlo.floor", [[-1.5, 1.5]], [-2, 1]),
    ("stablehlo.ceil", [[-1.5, 1.5]], [-1, 2]),
    ("stablehlo.round_nearest_even", [[2.5, 3.5, -0.5]], [2, 4, 0]),
    ("stablehlo.round_nearest_afz", [[2.5, 3.5, -0.5]], [3, 4, -1]),
    ("chlo.zeta", [[2.0], [1.0]], [np.pi**2 / 6]),
    ("chlo.polygamma", [[1.0], [1.0]], [np.pi**2 / 6]),
]


@pytest.mark.parametrize("dtype", FLOATS.values(), ids=FLOATS)
@pytest.mark.parametrize(("op", "inputs", "expected"), ELEMENTWISE, ids=[row[0] for row in ELEMENTWISE])
def test_floats_of_each_width(op: str, inputs: list[Any], expected: list[float], dtype: Any) -> None:
    result = np.array(expected, dtype)
    found = run(f'"{op}"({{}}) : {{T}}', [np.array(x, dtype) for x in inputs], result)
    assert found.dtype == result.dtype
    near = 2 * float(ml_dtypes.finfo(dtype).eps)
    np.testing.assert_allclose(found.astype(np.float64), result.astype(np.float64), near, near)


@pytest.mark.parametrize("dtype", [np.complex64, np.complex128])
def test_complex_numbers(dtype: Any) -> None:
    y, x = np.array([1 + 2j, 0.5, -3j], dtype), np.array([2 - 1.5j, 1j, 1], dtype)
    near = 20 * float(np.finfo(dtype).eps)
    pairs = zip(y.tolist(), x.tolist(), strict=True)
    tangent = [-1j * cmath.log((b + 1j * a) / cmath.sqrt(b * b + a * a)) for a, b in pairs]
    np.testing.assert_allclose(run('"stablehlo.atan2"({}) : {T}', [y, x], y), tangent, near, near)
    # A product whose parts fit, and of whose factors the sizes do not.
    large = float(np.finfo(dtype).max) / 4
    a, b = np.array([complex(large, 0)], dtype), np.array([complex(2, 0.5)], dtype)
    assert run('"stablehlo.multiply"({}) : {T}', [a, b], a).tolist() == [complex(2 * large, large / 2)]


BROADCASTING = "add subtract divide multiply power remainder maximum minimum atan2 next_after polygamma zeta"


@pytest.mark.parametrize("name", BROADCASTING.split())
def test_broadcasting_is_the_op_on_operands_of_one_shape(name: str) -> None:
    dialect = "chlo" if lookup(f"stablehlo.{name}") is None else "stablehlo"
    lhs, rhs = f32([1, 2, 3], [4, 5, 6]), f32(3, 2, 1)
    result = np.zeros((2, 3), np.float32)
    expected = run(f'"{dialect}.{name}"({{}}) : {{T}}', [lhs, np.stack([rhs, rhs])], result)
    assert np.array_equal(run(f'"chlo.broadcast_{name}"({{}}) : {{T}}', [lhs, rhs], result), expected)
    assert not np.array_equal(expected, lhs)


def test_operands_that_cannot_be_broadcast() -> None:
    text = """func.func @main(%a: tensor<?xf32>, %b: tensor<?xf32>) -> tensor<?xf32> {
      %r = chlo.broadcast_add %a, %b : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
      return %r : tensor<?xf32>
    }"""
    for sizes in ((2, 2), (1, 2), (2, 1)):
        (found,) = shlo.run(shlo.parse(text), [np.ones(n, np.float32) for n in sizes])
        assert found.tolist() == [2, 2]
    with pytest.raises(shlo.RunError, match="the sizes of a dimension must be equal or 1"):
        shlo.run(shlo.parse(text), [np.ones(n, np.float32) for n in (2, 3)])


SUM = """({{
  ^bb0(%x: tensor<ELEMENT>, %y: tensor<ELEMENT>):
    %s = stablehlo.KIND %x, %y : tensor<ELEMENT>
    stablehlo.return %s : tensor<ELEMENT>
  }})"""


@pytest.mark.parametrize("kind", ["add", "multiply", "maximum", "minimum"])
@pytest.mark.parametrize("dtype", [np.float32, np.float64, ml_dtypes.bfloat16, np.int32, np.complex64])
@pytest.mark.parametrize("axes", [(0,), (1,), (2,), (0, 1), (1, 2), (0, 2), (0, 1, 2)])
def test_reductions_along_axes(kind: str, dtype: Any, axes: tuple[int, ...]) -> None:
    if dtype is np.complex64 and kind in ("maximum", "minimum"):
        return  # complex numbers have no order
    shape = (3, 65, 70)
    generator = np.random.default_rng(3)
    signs = generator.integers(-1, 2, shape) if kind == "add" else 1 - 2 * generator.integers(0, 2, shape)
    init = 2
    function = {"add": np.add, "multiply": np.multiply, "maximum": np.maximum, "minimum": np.minimum}[kind]
    expected = function(function.reduce(signs, axis=axes), init) if kind != "add" else signs.sum(axes) + init
    if dtype is ml_dtypes.bfloat16 and np.abs(expected).max() > 256:
        return  # sums are not exact
    result = np.asarray(expected).astype(dtype)
    region = SUM.replace("ELEMENT", NAMES[np.dtype(dtype).name]).replace("KIND", kind)
    dimensions = ", ".join(map(str, axes))
    op = f'"stablehlo.reduce"({{}}) <{{{{dimensions = array<i64: {dimensions}>}}}}> {region} : {{T}}'
    check(op, [signs.astype(dtype), np.array(init, dtype)], result)


@pytest.mark.parametrize(
    ("ufunc", "dtype", "expected"),
    [
        (np.add, np.float32, True),
        (np.add, ml_dtypes.bfloat16, True),
        (np.multiply, np.complex64, True),
        (np.add, np.int32, False),
        (np.maximum, np.float32, False),
        (np.minimum, np.float64, False),
        (MAXIMUM, np.float32, False),
        (None, np.float32, True),
        (None, np.bool_, False),
    ],
)
def test_what_is_rounded(ufunc: Any, dtype: Any, expected: bool) -> None:
    assert is_rounded(ufunc, np.dtype(dtype)) is expected


# Products


@pytest.mark.parametrize(
    ("dtype", "most", "terms"),
    [
        (np.int8, 127, 700),
        (np.int32, 40_000, 70),
        (np.int32, 2_000_000, 90),
        (np.int64, 1 << 62, 80),
        (np.uint8, 255, 90),
        (np.int32, -40_000, 70),
        (np.int32, -2_000_000, 90),
        (np.int64, -(1 << 62), 80),
        (np.int64, -3_000_000, 40),
    ],
)
def test_products_of_integers_wrap(dtype: Any, most: int, terms: int) -> None:
    """All numbers are near the largest, or all near the least."""
    generator = np.random.default_rng(1)
    bounds = sorted((most // 2, most))
    lhs = generator.integers(*bounds, (20, terms)).astype(dtype)
    rhs = generator.integers(*bounds, (terms, 30)).astype(dtype)
    exact = lhs.astype(object) @ rhs.astype(object)
    bits = np.dtype(dtype).itemsize * 8
    low = np.vectorize(lambda n: n & (1 << bits) - 1, otypes=[object])(exact)
    expected = low.astype(np.uint64).astype(f"u{bits // 8}").view(dtype)
    check('"stablehlo.dot"({}) : {T}', [lhs, rhs], expected)


def test_products_of_many_rows_in_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    from stablehlo_py.kernels.numeric import matrix_product

    lhs = np.arange(300 * 3, dtype=np.float32).reshape(300, 3)
    rhs = f32([1, 2], [3, 4], [5, 6])
    monkeypatch.setattr(matrix_product, "LONG", 100)
    columns = [a * lhs[:, 0] + (a + 2) * lhs[:, 1] + (a + 4) * lhs[:, 2] for a in (1, 2)]
    expected = np.stack(columns, 1)
    assert np.array_equal(matrix_product._blas_product(lhs, rhs, np.dtype(np.float32)), expected)


# Quantized numbers


QUANTIZED = "tensor<2x2x!quant.uniform<{}>>"


@pytest.mark.parametrize(
    ("lhs", "rhs", "largest"),
    [
        ("i8:f32, 0.5:3", "i8:f32, 0.5", (131, 128, 131 * 128 * 2)),  # 3 - -128, 0 - -128
        ("u8:f32, 0.5:10", "i4:f32, 0.5:-3", (245, 10, 245 * 10 * 2)),  # 255 - 10, 7 - -3
        ("u8:f32, 0.5:200", "i8:f32:1, {0.5:1, 0.25:-100}", (200, 227, 200 * 227 * 2)),  # 127 - -100
    ],
)
def test_sums_of_products_of_quantized_numbers(lhs: str, rhs: str, largest: tuple[int, int, int]) -> None:
    left, right = (parse_type(QUANTIZED.format(text)) for text in (lhs, rhs))
    keywords = {"lhs_contracting_dimensions": (1,), "rhs_contracting_dimensions": (0,),
                "lhs_batching_dimensions": (), "rhs_batching_dimensions": ()}  # fmt: skip
    found = sums_of("stablehlo.dot_general", keywords, left, right)
    assert found is not None
    assert found.largest == largest
    bits = max(largest[:2]).bit_length() + 1
    total = largest[2].bit_length() + 1
    assert found.fits(bits, total)
    assert not found.fits(bits - 1, total)
    assert not found.fits(bits, total - 1)


@pytest.mark.parametrize(
    ("name", "types", "expected"),
    [
        ("stablehlo.add", ["f32", "f32"], False),
        ("stablehlo.add", ["!quant.uniform<i8:f32, 0.5>"] * 2, True),
        ("stablehlo.select", ["i1", "!quant.uniform<i8:f32, 0.5>", "!quant.uniform<i8:f32, 0.5>"], False),
        ("stablehlo.select", ["i1", "!quant.uniform<i8:f32, 0.5>", "!quant.uniform<i8:f32, 0.25>"], True),
        ("stablehlo.reverse", ["!quant.uniform<i8:f32, 0.5>"] * 2, False),
    ],
)
def test_ops_that_compute_on_numbers(name: str, types: list[str], expected: bool) -> None:
    definition = lookup(name)
    assert definition is not None
    assert computes_on_numbers(definition, [parse_type(f"tensor<2x{type}>") for type in types]) is expected
