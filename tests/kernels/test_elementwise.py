"""Elementwise kernels: values from the specification's examples and from hand calculation."""

from __future__ import annotations

import cmath
import math
from itertools import product
from typing import Any

import ml_dtypes
import numpy as np
import pytest

from stablehlo_py.ir.element_types import numpy_dtype
from stablehlo_py.ir.types import TensorType
from stablehlo_py.kernels.numeric import numerics as n
from stablehlo_py.kernels.registry import all_kernels, find_kernel
from stablehlo_py.opset.definition import lookup
from stablehlo_py.syntax.parser import parse_type


def apply(name: str, *arrays: Any, **keywords: Any) -> Any:
    """Runs the kernel of an elementwise op."""
    kernel = find_kernel(f"stablehlo.{name}")
    assert kernel is not None
    with np.errstate(all="ignore"):
        return np.asarray(kernel.call(*[a.dtype for a in arrays], **keywords)(*arrays))


def ints(*values: int, dtype: Any = np.int32) -> Any:
    return np.array(values, dtype)


@pytest.mark.parametrize("name", sorted(all_kernels()))
def test_parameters_are_the_definitions(name: str) -> None:
    """Kernels name operands, attributes, regions and results as the definitions do."""
    definition = lookup(name)
    assert definition is not None, f"{name} has a kernel and no definition"
    call = all_kernels()[name].call
    code = getattr(call, "__code__", None)
    if code is None:  # a row of a table
        return
    positional = list(code.co_varnames[: code.co_argcount])
    keywords = set(code.co_varnames[code.co_argcount : code.co_argcount + code.co_kwonlyargcount])
    known = {part.name for part in (*definition.attrs, *definition.bodies, *definition.outputs)}
    assert [p.rstrip("_") for p in positional] == [o.name for o in definition.operands]
    assert keywords <= known | {"overwrite", "attributes", "values", "semantics"}


def test_division_rounds_toward_zero_and_is_total() -> None:
    lowest = -(2**31)
    found = apply("divide", ints(7, -7, 7, -7, 5, lowest), ints(2, 2, -2, -2, 0, -1))
    assert found.tolist() == [3, -3, -3, 3, -1, lowest]
    assert apply("divide", ints(5, dtype=np.uint8), ints(0, dtype=np.uint8)).tolist() == [255]


def test_remainder_has_the_sign_of_the_dividend() -> None:
    assert apply("remainder", ints(17, -17, 17, -17, 5), ints(3, 3, -3, -3, 0)).tolist() == [2, -2, 2, -2, 5]


def test_shifts_beyond_the_width() -> None:
    x, by = ints(-1, -1, 1, -8), ints(31, 32, -1, 1)
    assert apply("shift_left", x, by).tolist() == [-(2**31), 0, 0, -16]
    assert apply("shift_right_arithmetic", x, by).tolist() == [-1, -1, 0, -4]
    assert apply("shift_right_logical", x, by).tolist() == [1, 0, 0, 2**31 - 4]


def test_shifts_of_four_bits() -> None:
    x = np.array([-1, 7, -8, 3]).astype(ml_dtypes.int4)
    by = np.array([1, 4, 3, -1]).astype(ml_dtypes.int4)
    assert apply("shift_left", x, by).astype(int).tolist() == [-2, 0, 0, 0]
    assert apply("shift_right_logical", x, by).astype(int).tolist() == [7, 0, 1, 0]
    assert apply("shift_right_arithmetic", x, by).astype(int).tolist() == [-1, 0, -1, 0]


@pytest.mark.parametrize("dtype", ["int2", "uint2", "int4", "uint4"])
def test_shifts_of_all_narrow_numbers(dtype: str) -> None:
    """By less than the width, and by as much or a negative number: 0, or all bits the highest one."""
    type = np.dtype(getattr(ml_dtypes, dtype))
    width, low = int(dtype[-1]), 0 if dtype[0] == "u" else -(1 << int(dtype[-1]) - 1)
    numbers = range(low, low + (1 << width))
    x, by = (np.array(each).astype(type) for each in zip(*product(numbers, numbers), strict=True))

    def wrapped(number: int) -> int:
        return (number - low) % (1 << width) + low

    def bits(number: int) -> int:
        return number % (1 << width)

    def signed(number: int) -> int:
        return bits(number) - (1 << width) * (bits(number) >> width - 1)

    left, logical, arithmetic = [], [], []
    for number, count in product(numbers, numbers):
        is_far = not 0 <= count < width
        left.append(0 if is_far else wrapped(number << count))
        logical.append(0 if is_far else wrapped(bits(number) >> count))
        arithmetic.append(wrapped(signed(number) >> (width if is_far else count)))
    assert apply("shift_left", x, by).astype(int).tolist() == left
    assert apply("shift_right_logical", x, by).astype(int).tolist() == logical
    assert apply("shift_right_arithmetic", x, by).astype(int).tolist() == arithmetic


def test_integer_powers() -> None:
    assert apply("power", ints(2, -1, -1, 3, 0, 2), ints(3, -3, -2, -1, 0, 31)).tolist() == [
        8,
        -1,
        1,
        0,
        1,
        -(2**31),
    ]


def test_bits_are_counted() -> None:
    x = ints(0, 1, -128, 127, dtype=np.int8)
    assert apply("popcnt", x).tolist() == [0, 1, 1, 7]
    assert apply("count_leading_zeros", x).tolist() == [8, 7, 0, 1]
    assert apply("count_leading_zeros", ints(0, 1, 2**62, dtype=np.int64)).tolist() == [64, 63, 1]


def test_booleans_add_and_multiply() -> None:
    a, b = np.array([True, True, False]), np.array([True, False, False])
    assert apply("add", a, b).tolist() == [True, True, False]
    assert apply("multiply", a, b).tolist() == [True, False, False]


def test_sign_keeps_zeros_and_nan() -> None:
    found = apply("sign", np.array([-np.inf, -0.0, 0.0, 2.5, np.nan]))
    assert found[:4].tolist() == [-1, 0, 0, 1]
    assert np.signbit(found[1]) and not np.signbit(found[2]) and np.isnan(found[4])


def test_rounding_of_ties() -> None:
    ties = np.array([-2.5, -0.5, 0.4, 0.5, 2.5])
    assert apply("round_nearest_afz", ties).tolist() == [-3, -1, 0, 1, 3]
    assert apply("round_nearest_even", ties).tolist() == [-2, 0, 0, 0, 2]
    assert np.signbit(apply("round_nearest_afz", np.array([-0.4])))[0]


@pytest.mark.parametrize("name", ["round_nearest_afz", "round_nearest_even", "ceil"])
def test_small_negative_numbers_round_to_a_negative_zero(name: str) -> None:
    x = np.array([-0.25, -0.0, 0.0], np.float32)
    assert apply(name, x).tolist() == [0, 0, 0]
    assert np.signbit(apply(name, x)).tolist() == [True, True, False]


@pytest.mark.parametrize("name", ["float4_e2m1fn", "float6_e2m3fn", "float6_e3m2fn"])
@pytest.mark.parametrize("source", [np.float32, np.float64, ml_dtypes.bfloat16])
def test_nan_is_a_negative_zero_in_a_type_without_nan(name: str, source: Any) -> None:
    target = np.dtype(getattr(ml_dtypes, name))
    x = np.array([np.nan, -np.nan, 1.0]).astype(source)
    found = n.converter(x.dtype, target)(x).astype(np.float32)
    assert found.tolist() == [0, 0, 1] and np.signbit(found).tolist() == [True, True, False]


def test_narrow_floats_round_once() -> None:
    one, small = np.array([1], ml_dtypes.bfloat16), np.array([2**-9], ml_dtypes.bfloat16)
    assert apply("add", one, small).astype(float).tolist() == [1.0]
    assert apply("exponential", one).dtype == ml_dtypes.bfloat16
    assert apply("compare", one, small, comparison_direction="GT").dtype == np.bool_


@pytest.mark.parametrize(
    ("direction", "expected"),
    [
        ("EQ", [False, True, False]),
        ("NE", [True, False, True]),
        ("LT", [True, False, False]),
        ("LE", [True, True, False]),
        ("GT", [False, False, True]),
        ("GE", [False, True, True]),
    ],
)
@pytest.mark.parametrize("dtype", [np.int32, np.uint8, np.float32, ml_dtypes.bfloat16])
def test_directions_of_comparison(direction: str, expected: list[bool], dtype: Any) -> None:
    """A smaller number, the same number and a larger one, each with 2."""
    found = apply(
        "compare", ints(1, 2, 3, dtype=dtype), ints(2, 2, 2, dtype=dtype), comparison_direction=direction
    )
    assert found.tolist() == expected


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (1 + 2**-8, 1.0),  # halfway between 1 and 1 + 2**-7: to the even significand
        (1 + 3 * 2**-8, 1 + 2**-6),  # halfway between 1 + 2**-7 and 1 + 2**-6
        (1 + 2**-8 + 2**-20, 1 + 2**-7),  # nearer to the larger one
        (-1 - 3 * 2**-8, -1 - 2**-6),
        (float.fromhex("0x1.fffffep127"), math.inf),
    ],
)
def test_f32_is_rounded_to_bf16(value: float, expected: float) -> None:
    """To the nearest number of 8 bits, and not towards zero."""
    convert = n.converter(np.dtype(np.float32), np.dtype(ml_dtypes.bfloat16))
    with np.errstate(all="ignore"):
        assert float(convert(np.array([value], np.float32))[0]) == expected


def test_total_order() -> None:
    x = np.array([np.nan, -0.0, -np.nan, 1.0])
    y = np.array([np.inf, 0.0, -np.inf, 1.0])
    less = apply("compare", x, y, comparison_direction="LT", compare_type="TOTALORDER")
    assert less.tolist() == [False, True, True, False]


@pytest.mark.parametrize(
    ("dtype", "patterns"),
    [
        (np.float16, [0xFE00, 0xFC01, 0xFC00, 0x8000, 0, 0x7C00, 0x7C01, 0x7DFF, 0x7E00, 0x7FFF]),
        (ml_dtypes.bfloat16, [0xFFC0, 0xFF81, 0xFF80, 0x8000, 0, 0x7F80, 0x7F81, 0x7FBF, 0x7FC0]),
        (ml_dtypes.float8_e5m2, [0xFF, 0xFE, 0xFD, 0xFC, 0x80, 0, 0x7C, 0x7D, 0x7E, 0x7F]),
        (np.float32, [0xFFC00000, 0xFF800001, 0x80000000, 0, 0x7F800001, 0x7FC00000]),
    ],
)
def test_total_order_of_nans(dtype: Any, patterns: list[int]) -> None:
    """By all of their bits, from the negative NaNs up to the positive ones."""
    word = np.dtype(f"u{np.dtype(dtype).itemsize}")
    x = np.array(patterns, word).view(dtype)
    less = apply("compare", x[:, None], x[None, :], comparison_direction="LT", compare_type="TOTALORDER")
    assert np.array_equal(less, np.triu(np.ones((len(x), len(x)), bool), 1))


@pytest.mark.parametrize(
    ("value", "target", "expected"),
    [
        (np.nan, np.int32, 0),
        (3e9, np.int32, 2**31 - 1),
        (-3e9, np.int32, -(2**31)),
        (2.0**31, np.int32, 2**31 - 1),
        (2.0**63, np.int64, 2**63 - 1),
        (2.0**64, np.uint64, 2**64 - 1),
        (256.0, np.uint8, 255),
        (128.0, np.int8, 127),
        (-128.5, np.int8, -128),
        (-129.0, np.int8, -128),
        (8.0, ml_dtypes.int4, 7),
        (16.0, ml_dtypes.uint4, 15),
        (2.0, ml_dtypes.int2, 1),
        (-0.5, np.uint8, 0),
        (-5.7, np.uint8, 0),
        (300.2, np.uint8, 255),
        (-2.9, np.int8, -2),
        (0.1, np.bool_, True),
        (np.nan, np.bool_, True),
        (9.0, ml_dtypes.int4, 7),
    ],
)
def test_conversion_of_floats(value: float, target: Any, expected: int) -> None:
    with np.errstate(all="ignore"):
        found = n.converter(np.dtype(np.float32), np.dtype(target))(np.array([value], np.float32))
    assert found.dtype == target
    assert int(found[0]) == expected


@pytest.mark.parametrize("element", ["i1", "i4", "ui4", "i32", "ui64", "bf16", "f16", "f32", "complex<f32>"])
def test_conversion_to_the_type_itself(element: str) -> None:
    type = parse_type(f"tensor<2x{element}>")
    assert isinstance(type, TensorType)
    x = np.array([0, 1]).astype(numpy_dtype(type.element_type))
    found = apply("convert", x, result=type)
    assert found.dtype == x.dtype and found.tolist() == x.tolist()


def test_conversion_of_complex_numbers_takes_the_real_part() -> None:
    z = np.array([2j, 0.5, complex(np.nan, 0), complex(0, np.nan)], np.complex64)
    assert n.converter(z.dtype, np.dtype(np.bool_))(z).tolist() == [False, True, True, False]


def test_reduce_precision() -> None:
    x = np.array([np.nan, 1 + 2**-4, 1 + 2**-3 + 2**-4, 3e38, 1e-30, -1e-30], np.float32)
    found = apply("reduce_precision", x, exponent_bits=5, mantissa_bits=3)
    assert np.isnan(found[0])
    assert found[1:5].tolist() == [1.0, 1.25, np.inf, 0.0]
    assert np.signbit(found[5])


@pytest.mark.parametrize(
    ("dtype", "exponents", "mantissa", "kept", "large", "small"),
    [
        (np.float32, 5, 10, [65504, 2.0**-14], [65536, 65520], [2.0**-15, 2.0**-14 - 2.0**-25]),
        (np.float64, 8, 23, [1.5 * 2.0**127, 2.0**-126], [2.0**128], [2.0**-127]),
        (np.float32, 2, 3, [3.75, 1.0], [4.0, 3.9375], [0.5, 0.875]),
        (np.float32, 8, 7, [1.5 * 2.0**127, 2.0**-126], [], []),
    ],
)
def test_range_of_a_reduced_precision(
    dtype: Any, exponents: int, mantissa: int, kept: list[float], large: list[float], small: list[float]
) -> None:
    """Numbers between the least normal one and the largest one are kept, also of the narrowest format."""
    for sign in (1, -1):
        x = sign * np.array([*kept, *large, *small], dtype)
        found = apply("reduce_precision", x, exponent_bits=exponents, mantissa_bits=mantissa)
        expected = sign * np.array([*kept, *[np.inf] * len(large), *[0.0] * len(small)], dtype)
        assert found.tolist() == expected.tolist()
        assert np.array_equal(np.signbit(found), np.signbit(expected))


@pytest.mark.parametrize(
    ("dtype", "least"),
    [(np.float16, 2.0**-24), (ml_dtypes.float8_e5m2, 2.0**-16), (ml_dtypes.float8_e5m2fnuz, 2.0**-16)],
)
def test_reduce_precision_to_the_type_itself(dtype: Any, least: float) -> None:
    """Denormals are kept down to the least one of a format with infinities."""
    info = ml_dtypes.finfo(dtype)
    x = np.array([least, -info.smallest_normal, info.max, 1 + info.eps]).astype(dtype)
    exponents = 8 * x.itemsize - 1 - info.nmant
    found = apply("reduce_precision", x, exponent_bits=exponents, mantissa_bits=info.nmant)
    assert found.tolist() == x.tolist()


def test_clamp_and_select_take_scalars() -> None:
    x = np.array([1.0, 5.0, 9.0])
    assert apply("clamp", np.array(2.0), x, np.array(6.0)).tolist() == [2, 5, 6]
    assert apply("clamp", np.array(6.0), x, np.array(2.0)).tolist() == [2, 2, 2]  # max prevails
    assert apply("select", np.array(True), x, -x).tolist() == [1, 5, 9]


@pytest.mark.parametrize(
    ("name", "exact"),
    [
        ("cosine", cmath.cos),
        ("exponential", cmath.exp),
        ("log", cmath.log),
        ("sine", cmath.sin),
        ("tan", cmath.tan),
        ("tanh", cmath.tanh),
        ("log_plus_one", lambda z: cmath.log(1 + z)),
        ("logistic", lambda z: 1 / (1 + cmath.exp(-z))),
        ("power", lambda z: z**z),
        ("cbrt", lambda z: z ** (1 / 3)),
    ],
)
def test_functions_of_complex64_are_rounded_once(name: str, exact: Any) -> None:
    random = np.random.default_rng(0)
    z = (random.normal(size=100) + 1j * random.normal(size=100)).astype(np.complex64)
    operands = (z, z) if name == "power" else (z,)
    expected = np.array([exact(complex(value)) for value in z]).astype(np.complex64)
    assert np.mean(apply(name, *operands) == expected) > 0.98  # the rest is next to a tie


def test_complex_numbers() -> None:
    z = np.array([3 + 4j, 0j])
    assert apply("abs", z).tolist() == [5, 0]
    np.testing.assert_allclose(apply("sign", z), [0.6 + 0.8j, 0], rtol=1e-15)
    assert apply("real", z).tolist() == [3, 0]
    assert apply("complex", np.array([1.0]), np.array([-np.inf])).imag[0] == -np.inf


def test_remainder_of_f32_is_exact() -> None:
    """As `math.fmod` computes it: also of quotients just below an integer, large ones and special values."""
    rng = np.random.default_rng(0)
    patterns = rng.integers(0, 2**32, (2, 2000), np.uint32).view(np.float32)
    y = rng.uniform(0.1, 10, 2000).astype(np.float32)
    near = np.nextafter(y * rng.integers(1, 2**24, 2000).astype(np.float32), np.float32(0))
    lhs = np.concatenate([patterns[0], near, np.array([5, -5, -0.0, np.inf, 1, np.nan, 7], np.float32)])
    rhs = np.concatenate([patterns[1], y, np.array([np.inf, 5, 3, 2, 0, 1, -np.inf], np.float32)])
    found = apply("remainder", lhs, rhs)
    for x, by, rest in zip(lhs.tolist(), rhs.tolist(), found.tolist(), strict=True):
        if math.isinf(x) or by == 0 or math.isnan(x) or math.isnan(by):
            assert math.isnan(rest)
        else:
            expected = math.fmod(x, by)
            assert (rest, math.copysign(1, rest)) == (expected, math.copysign(1, expected))


@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.int16, np.uint32, np.int64, np.uint64])
def test_leading_zeros_of_every_length(dtype: Any) -> None:
    width = np.dtype(dtype).itemsize * 8
    patterns = [0, *(1 << k for k in range(width)), *((1 << k) - 1 for k in range(2, width + 1))]
    x = np.array(patterns, np.dtype(dtype).newbyteorder("=").str.replace("i", "u")).view(dtype)
    assert apply("count_leading_zeros", x).tolist() == [width - p.bit_length() for p in patterns]
