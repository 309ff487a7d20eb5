"""Element types of the native engine beside the NumPy engine: special values, movement, loops."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

pytest.importorskip("llvmlite", reason="needs the extra native")

import stablehlo_py as shlo
from stablehlo_py.debug.generate.elements import draw_values
from stablehlo_py.engines.native import regions
from stablehlo_py.engines.native.arithmetic.elements import element_of
from stablehlo_py.ir.element_types import ELEMENT_TYPES, FLOATS, numpy_dtype
from stablehlo_py.ir.types import F32, F64, ComplexType, TensorType
from stablehlo_py.syntax.parser import parse_type
from tests.helpers.agreement import distance
from tests.helpers.native import assert_same, compiled, counted, dtype_of, tensor

COMPLEX = {"f32": np.complex64, "f64": np.complex128}
PARTS = [0.0, -0.0, 1.0, -1.0, 0.5, -2.5, 1e-3, 3e4, 1e-40, 80.0, -95.0, np.inf, -np.inf, np.nan]


def test_the_sizes_of_elements_are_those_of_numpy() -> None:
    for type in (*ELEMENT_TYPES, ComplexType(F32), ComplexType(F64)):
        found = element_of(TensorType((), type))
        assert found is None or found.size == numpy_dtype(type).itemsize, type


def run_both(text: str, *inputs: Any) -> list[tuple[np.ndarray, np.ndarray]]:
    """Results of the native and the NumPy engine in pairs; all of the program is one region."""
    return list(zip(compiled(text)(*inputs), shlo.run(shlo.parse(text), inputs, engine="numpy"), strict=True))


def numbers(part: str) -> tuple[np.ndarray, np.ndarray]:
    """Each pair of complex numbers whose parts are special."""
    dtype = COMPLEX[part]
    z = np.array([complex(x, y) for x in PARTS for y in PARTS], dtype)
    rng = np.random.default_rng(4)
    drawn = (rng.normal(size=500) + 1j * rng.normal(size=500)) * 10.0 ** rng.integers(-5, 6, 500)
    z = np.concatenate([z, drawn.astype(dtype)])
    return z, rng.permutation(z)


# In ULPs of the larger part. Most are computed in f64 and rounded once; NumPy's modulus differs with the CPU.
FUNCTIONS = {
    "abs": 2.0, "exponential": 1.0, "imag": 0.0, "log": 1.0, "logistic": 1.0, "negate": 0.0, "real": 0.0,
    "rsqrt": 1.0, "sign": 3.0, "sqrt": 1.0,
}  # fmt: skip
SINGLE = ("exponential", "log", "logistic", "rsqrt", "sqrt")
REAL = ("abs", "imag", "real")


@pytest.mark.parametrize(
    ("name", "part"), [(n, p) for n in FUNCTIONS for p in COMPLEX if p == "f32" or n not in SINGLE]
)
def test_functions_of_complex_numbers(name: str, part: str) -> None:
    z, _ = numbers(part)
    shape, element = f"tensor<{z.size}x", f"complex<{part}>"
    result = part if name in REAL else element
    text = f"""func.func @main(%z: {shape}{element}>) -> {shape}{result}> {{
      %0 = stablehlo.negate %z : {shape}{element}>
      %1 = stablehlo.negate %0 : {shape}{element}>
      %2 = stablehlo.{name} %1 : ({shape}{element}>) -> {shape}{result}>
      return %2 : {shape}{result}>
    }}"""
    ((found, expected),) = run_both(text, z)
    apart = [distance(a, b) for a, b in zip(found, expected, strict=True)]
    worst = int(np.argmax(apart))
    assert apart[worst] <= FUNCTIONS[name], (z[worst], found[worst], expected[worst])


@pytest.mark.parametrize("part", COMPLEX)
def test_arithmetic_of_complex_numbers(part: str) -> None:
    z, w = numbers(part)
    t, b = f"tensor<{z.size}xcomplex<{part}>>", f"tensor<{z.size}xi1>"
    names = ("add", "subtract", "multiply", "divide", "maximum", "minimum")
    results = ", ".join([t] * (1 + len(names)))
    lines = [f"%{n} = stablehlo.{n} %z, %w : {t}" for n in names]
    text = f"""func.func @main(%z: {t}, %w: {t}) -> ({results}, {b}, {b}) {{
      {chr(10).join(lines)}
      %e = stablehlo.compare EQ, %z, %w : ({t}, {t}) -> {b}
      %n = stablehlo.compare NE, %z, %w : ({t}, {t}) -> {b}
      %s = stablehlo.select %n, %add, %z : {b}, {t}
      return {", ".join(f"%{n}" for n in names)}, %s, %e, %n : {results}, {b}, {b}
    }}"""
    found = run_both(text, z, w)
    for name, (have, want) in zip((*names, "select", "EQ", "NE"), found, strict=True):
        bound = 1.0 if name in ("multiply", "divide") else 0.0
        apart = [distance(x, y) for x, y in zip(have, want, strict=True)]
        worst = int(np.argmax(apart))
        assert apart[worst] <= bound, (name, z[worst], w[worst], have[worst], want[worst])


MOVEMENT = """func.func @main(%x: tensor<4x6xT>, %p: tensor<T>, %i: tensor<i32>, %c: tensor<4x6xi1>)
    -> (tensor<6x4xT>, tensor<8x9xT>, tensor<2x3xT>, tensor<4x6xT>, tensor<3x6xT>, tensor<24xT>) {
  %y = stablehlo.reverse %x, dims = [1] : tensor<4x6xT>
  %t = stablehlo.transpose %y, dims = [1, 0] : (tensor<4x6xT>) -> tensor<6x4xT>
  %q = stablehlo.broadcast_in_dim %p, dims = [] : (tensor<T>) -> tensor<4x6xT>
  %s = stablehlo.select %c, %y, %q : tensor<4x6xi1>, tensor<4x6xT>
  %two = stablehlo.concatenate %s, %y, dim = 0 : (tensor<4x6xT>, tensor<4x6xT>) -> tensor<8x6xT>
  %w = stablehlo.pad %two, %p, low = [0, 1], high = [0, 2], interior = [0, 0]
    : (tensor<8x6xT>, tensor<T>) -> tensor<8x9xT>
  %d = stablehlo.dynamic_slice %y, %i, %i, sizes = [2, 3]
    : (tensor<4x6xT>, tensor<i32>, tensor<i32>) -> tensor<2x3xT>
  %u = stablehlo.dynamic_update_slice %s, %d, %i, %i
    : (tensor<4x6xT>, tensor<2x3xT>, tensor<i32>, tensor<i32>) -> tensor<4x6xT>
  %rows = stablehlo.constant dense<[3, 0, 9]> : tensor<3xi32>
  %g = "stablehlo.gather"(%s, %rows) {
    dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0],
      start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 6>}
    : (tensor<4x6xT>, tensor<3xi32>) -> tensor<3x6xT>
  LOOP
  %flat = stablehlo.reshape %n#1 : (tensor<4x6xT>) -> tensor<24xT>
  return %t, %w, %d, %u, %g, %flat : tensor<6x4xT>, tensor<8x9xT>, tensor<2x3xT>, tensor<4x6xT>,
    tensor<3x6xT>, tensor<24xT>
}""".replace(
    "LOOP",
    counted(
        "%i",
        {"a": ("tensor<4x6xT>", "%s", "%b"), "b": ("tensor<4x6xT>", "%y", "%m")},
        "%m = stablehlo.select %c, %b, %a : tensor<4x6xi1>, tensor<4x6xT>",
        "n",
    )
    .replace("%i", "%k")
    .replace("LT, %k, %k", "LT, %k, %i"),
)
BYTES = [
    name for row in ELEMENT_TYPES.values() if row.supported and row.width < 9 and (name := row.name) != "i1"
]
MOVED = ("complex<f32>", "complex<f64>", *BYTES)


def drawn(element: str, shape: tuple[int, ...], seed: int = 0) -> np.ndarray:
    """Values of an element type, special ones among them."""
    type = parse_type(f"tensor<{element}>")
    assert isinstance(type, TensorType)
    return draw_values(np.random.default_rng(seed), type.element_type, shape, "any")


@pytest.mark.parametrize("element", MOVED)
def test_movement(element: str) -> None:
    mask = np.random.default_rng(1).random((4, 6)) < 0.5
    x, p = drawn(element, (4, 6)), drawn(element, (), 1)
    assert_same(MOVEMENT.replace("T>", f"{element}>"), x, p, np.int32(2), mask, ulps=0)


SUMS = """func.func @main(%x: tensor<4x40xT>, %y: tensor<40x5xT>, %p: tensor<T>)
    -> (tensor<4xT>, tensor<40xT>, tensor<4x5xT>) {
  %0 = stablehlo.add %x, %x : tensor<4x40xT>
  %a = stablehlo.reduce(%0 init: %p) applies stablehlo.add across dimensions = [1]
    : (tensor<4x40xT>, tensor<T>) -> tensor<4xT>
  %b = stablehlo.reduce(%0 init: %p) applies stablehlo.add across dimensions = [0]
    : (tensor<4x40xT>, tensor<T>) -> tensor<40xT>
  %c = stablehlo.dot_general %0, %y, contracting_dims = [1] x [0]
    : (tensor<4x40xT>, tensor<40x5xT>) -> tensor<4x5xT>
  return %a, %b, %c : tensor<4xT>, tensor<40xT>, tensor<4x5xT>
}"""


@pytest.mark.parametrize("part", COMPLEX)
def test_sums_of_complex_numbers(part: str) -> None:
    rng, dtype = np.random.default_rng(2), COMPLEX[part]
    x, y = (
        (rng.integers(-9, 9, shape) + 1j * rng.integers(-9, 9, shape)).astype(dtype)
        for shape in ((4, 40), (40, 5))
    )
    assert_same(SUMS.replace("T>", f"complex<{part}>>"), x, y, dtype(3 - 2j))


def convert(x: np.ndarray, source: str, target: str) -> tuple[np.ndarray, np.ndarray]:
    """A conversion on both engines."""
    a, b = f"tensor<{x.size}x{source}>", f"tensor<{x.size}x{target}>"
    text = f"""func.func @main(%x: {a}) -> {b} {{
      %0 = stablehlo.reverse %x, dims = [0] : {a}
      %1 = stablehlo.convert %0 : ({a}) -> {b}
      %2 = stablehlo.reverse %1, dims = [0] : {b}
      return %2 : {b}
    }}"""
    ((found, expected),) = run_both(text, x)
    return found, expected


CONVERSIONS = [
    (source, target)
    for source in ("i1", "i64", "f32", "f64", "complex<f32>", "complex<f64>")
    for target in ("i1", "i32", "ui8", "f16", "f64", "complex<f32>", "complex<f64>")
    if "complex" in source + target and (source, target) != ("complex<f64>", "f16")  # would be rounded twice
]


@pytest.mark.parametrize(("source", "target"), CONVERSIONS)
def test_conversions_of_complex_numbers(source: str, target: str) -> None:
    assert distance(*convert(drawn(source, (300,)), source, target)) == 0


@pytest.mark.parametrize("source", ["f32", "f64"])
def test_floats_about_the_limits_of_integers(source: str) -> None:
    """Numbers are rounded towards zero; those out of range become the nearest integer, and NaN is 0."""
    dtype = dtype_of(source)
    limits = np.array(
        [sign * 2**power for power in (7, 8, 15, 16, 31, 32, 63, 64) for sign in (1, -1)], dtype
    )
    near = [np.nextafter(limits, dtype.type(to)) for to in (np.inf, -np.inf, 0)]
    special = np.array([0.0, -0.0, 0.9, -0.9, 1.5, -1.5, np.nan, np.inf, -np.inf], dtype)
    x = np.concatenate([limits, *near, limits + 1, limits - 1, special])
    targets = [f"{sign}{width}" for sign in ("i", "ui") for width in (8, 16, 32, 64)]
    types = [tensor(x.shape, each) for each in targets]
    lines = [f"%{n} = stablehlo.convert %x : ({tensor(x.shape, source)}) -> {t}" for n, t in enumerate(types)]
    text = f"""func.func @main(%x: {tensor(x.shape, source)}) -> ({", ".join(types)}) {{
      {chr(10).join(lines)}
      return {", ".join(f"%{n}" for n in range(len(types)))} : {", ".join(types)}
    }}"""
    for target, found in zip(targets, compiled(text)(x), strict=True):
        info = np.iinfo(dtype_of(target))
        wanted = [0 if v != v else min(max(v, info.min), info.max) for v in x.tolist()]
        assert found.tolist() == list(map(int, wanted)), target


NARROW_FLOATS = [name for name in BYTES if name in FLOATS]


def every(element: str) -> np.ndarray:
    """All values of a type of at most 8 bits."""
    row = next(row for row in ELEMENT_TYPES.values() if row.name == element)
    patterns = np.arange(1 << row.width, dtype=np.uint8)
    if element.startswith("i"):
        patterns = np.where(patterns >> (row.width - 1), patterns | (256 - (1 << row.width)), patterns)
    return patterns.astype(np.uint8).view(numpy_dtype(row.type))


@pytest.mark.parametrize("element", NARROW_FLOATS)
def test_narrow_floats_are_widened_and_rounded_as_by_ml_dtypes(element: str) -> None:
    every_number = every(element)
    found, expected = convert(every_number, element, "f32")
    assert distance(found, expected) == 0
    known = np.sort(expected[np.isfinite(expected)])
    middle = known[:-1] + (known[1:] - known[:-1]) / 2
    exact = np.concatenate([known, middle, known[-1:] * 1.01, known[-1:] * 1.5, known[:1] * 2])
    rng = np.random.default_rng(3)
    drawn = rng.integers(0, 1 << 32, 20000, dtype=np.uint32).view(np.float32)
    near = rng.normal(size=20000) * 2.0 ** rng.integers(-20, 20, 20000)
    special = [0.0, -0.0, np.inf, -np.inf, np.nan, -np.nan, 1e-40, 2.0**-127, 2.0**-126, 3 * 2.0**-128]
    parts = [exact, np.nextafter(exact, np.inf), np.nextafter(exact, -np.inf), drawn, near, special]
    x = np.concatenate([np.asarray(part).astype(np.float32) for part in parts])
    found, expected = convert(x, "f32", element)
    same = (found.view(np.uint8) == expected.view(np.uint8)) | (
        np.isnan(found.astype(np.float32)) & np.isnan(expected.astype(np.float32))
    )
    assert same.all(), x[~same][:9]


@pytest.mark.parametrize("element", NARROW_FLOATS)
def test_arithmetic_of_narrow_floats(element: str) -> None:
    x, y = (np.ascontiguousarray(a.reshape(-1)) for a in np.meshgrid(every(element), every(element)))
    t, b = f"tensor<{x.size}x{element}>", f"tensor<{x.size}xi1>"
    text = f"""func.func @main(%x: {t}, %y: {t}) -> ({t}, {t}, {t}, {b}) {{
      %0 = stablehlo.multiply %x, %y : {t}
      %1 = stablehlo.add %0, %y : {t}
      %2 = stablehlo.maximum %x, %y : {t}
      %3 = stablehlo.compare LT, %x, %y : ({t}, {t}) -> {b}
      return %0, %1, %2, %3 : {t}, {t}, {t}, {b}
    }}"""
    assert_same(text, x, y)


BINARY = (
    "add", "subtract", "multiply", "divide", "remainder", "maximum", "minimum", "and", "or", "xor",
    "shift_left", "shift_right_arithmetic", "shift_right_logical",
)  # fmt: skip
UNARY = ("not", "popcnt", "count_leading_zeros", "negate", "abs", "sign")  # the last three of signed ones
ORDERS = ("EQ", "NE", "LT", "LE", "GT", "GE")
INTEGERS = [f"{sign}{width}" for sign in ("i", "ui") for width in (2, 4, 8, 16, 32, 64)]


def edges(element: str) -> np.ndarray:
    """Values at which integer ops differ: the least, the largest, and those about 0 and the width."""
    info = np.iinfo(dtype_of(element))
    values = [
        info.min,
        info.max,
        info.min + 1,
        info.max - 1,
        0,
        1,
        2,
        3,
        7,
        8,
        31,
        32,
        63,
        64,
        -1,
        -2,
        -3,
        -8,
    ]
    return np.array([v for v in values if info.min <= v <= info.max], info.dtype)


@pytest.mark.parametrize("element", INTEGERS)
def test_integers(element: str) -> None:
    """All values of less than a byte, and others at their edges."""
    values = every(element) if int(element.lstrip("ui")) < 8 else edges(element)
    x, y = (np.ascontiguousarray(a.reshape(-1)) for a in np.meshgrid(values, values))
    t, b, wide = (tensor(x.shape, each) for each in (element, "i1", "i32"))
    unary = UNARY[:3] if element.startswith("u") else UNARY
    names = [*BINARY, *unary]
    lines = [f"%{name} = stablehlo.{name} %x, %y : {t}" for name in BINARY]
    lines += [f"%{name} = stablehlo.{name} %x : {t}" for name in unary]
    lines += [f"%{d} = stablehlo.compare {d}, %x, %y : ({t}, {t}) -> {b}" for d in ORDERS]
    results = ", ".join([f"%{name}" for name in (*names, *ORDERS, "wide", "back", "float")])
    types = ", ".join([t] * len(names) + [b] * len(ORDERS) + [wide, t, tensor(x.shape, "f32")])
    text = f"""func.func @main(%x: {t}, %y: {t}) -> ({types}) {{
      {chr(10).join(lines)}
      %wide = stablehlo.convert %x : ({t}) -> {wide}
      %square = stablehlo.multiply %wide, %wide : {wide}
      %back = stablehlo.convert %square : ({wide}) -> {t}
      %float = stablehlo.convert %x : ({t}) -> {tensor(x.shape, "f32")}
      return {results} : {types}
    }}"""
    assert_same(text, x, y, ulps=0)


DIVISION = """
func.func @main(%x: tensor<{n}x{t}>, %y: tensor<{n}x{t}>)
    -> (tensor<{n}x{t}>, tensor<{n}x{t}>, tensor<{n}x{t}>) {{
  %q = stablehlo.divide %x, %y : tensor<{n}x{t}>
  %r = stablehlo.remainder %x, %y : tensor<{n}x{t}>
  %p = stablehlo.multiply %q, %y : tensor<{n}x{t}>
  return %q, %r, %p : tensor<{n}x{t}>, tensor<{n}x{t}>, tensor<{n}x{t}>
}}"""


@pytest.mark.parametrize("type", ["i4", "i8", "i16", "i32", "ui8", "ui16", "ui32", "i64"])
def test_quotients_next_to_whole_numbers(type: str) -> None:
    width, signed = int(type.lstrip("ui")), not type.startswith("u")
    low, high = (-(1 << width - 1), (1 << width - 1) - 1) if signed else (0, (1 << width) - 1)
    rng = np.random.default_rng(width)
    divisors = [low, high, 1, 2, 3, high // 2, *rng.integers(low, high, 300).tolist(), 0, -1 if signed else 1]
    wholes = [int(rng.integers(0, high // max(1, abs(y)) + 1)) * y for y in divisors]
    pairs = [(x + d, y) for x, y in zip(wholes, divisors, strict=True) for d in (-1, 0, 1)]
    pairs = [(x, y) for x, y in [*pairs, (low, high), (high, low), (low, low)] if low <= x <= high]
    x, y = np.array(pairs).T.astype(numpy_dtype(parse_type(type)))
    program = compiled(DIVISION.format(n=len(pairs), t=type))
    found = [[int(value) for value in array] for array in program(x, y)]
    for (a, b), quotient, rest, product in zip(pairs, *found, strict=True):
        if b == 0:
            expected = (-1 if signed else high, a)
        elif (a, b) == (low, -1) and signed:
            expected = (low, 0)
        else:
            whole = abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)
            expected = (whole, a - whole * b)
        assert (quotient, rest) == expected, (a, b)
        assert b == 0 or (product + rest - a) % (1 << width) == 0


def test_no_nan_becomes_an_infinity_in_fewer_bits(monkeypatch: pytest.MonkeyPatch) -> None:
    """The upper half of these f32 has all bits of an infinity."""
    monkeypatch.setattr(regions, "LEAST_STEPS", 1)
    patterns = np.uint32([0x7F800001, 0xFF80FFFF, 0x7F80FFFF, 0x7FC00000, 0x7F800000, 0xFF800000])
    text = """func.func @main(%x: tensor<6xf32>) -> tensor<6xbf16> {
      %0 = stablehlo.convert %x : (tensor<6xf32>) -> tensor<6xbf16>
      return %0 : tensor<6xbf16>
    }"""
    (found,) = compiled(text)(patterns.view(np.float32))
    assert np.isnan(found.astype(np.float32)).tolist() == [True] * 4 + [False] * 2
    assert found[4:].tolist() == [np.inf, -np.inf]


@pytest.mark.parametrize("element", ["f8E4M3", "bf16", "f16", "f32", "f64"])
def test_remainders_have_the_sign_of_the_dividend(element: str) -> None:
    """Zeros too, as C's `fmod`."""
    x = np.array([-4, 4, -4, 4, -0.0, 0.0, -0.0, -3, 3, -5, 5], dtype_of(element))
    y = np.array([2, 2, -2, -2, 3, -3, np.inf, -np.inf, np.inf, 3, -3], dtype_of(element))
    if element == "f8E4M3":
        y[~np.isfinite(y.astype(np.float64))] = 7
    type = tensor(x.shape, element)
    text = f"""func.func @main(%x: {type}, %y: {type}) -> {type} {{
      %0 = stablehlo.remainder %x, %y : {type}
      %1 = stablehlo.negate %0 : {type}
      %2 = stablehlo.negate %1 : {type}
      return %2 : {type}
    }}"""
    (found,) = compiled(text)(x, y)
    wanted = np.array([math.fmod(*each) for each in zip(x.tolist(), y.tolist(), strict=True)])
    assert found.astype(np.float64).tobytes() == wanted.tobytes()


@pytest.mark.parametrize("least", [20, 30, 40, 60])
def test_remainders_of_large_quotients(least: int) -> None:
    """Quotients of more than 2 to the power of 45 are rounded up to integers in f64; C's `fmod` is exact."""
    random = np.random.default_rng(8)
    x, y = random.integers(1 << 23, 1 << 24, (2, 11, 200)).astype(np.float32)
    x *= np.exp2(np.arange(least, least + 11, dtype=np.float32))[:, None]
    x *= random.choice(np.array([-1, 1], np.float32), x.shape)
    type = tensor(x.shape, "f32")
    text = f"""func.func @main(%x: {type}, %y: {type}) -> {type} {{
      %0 = stablehlo.negate %y : {type}
      %1 = stablehlo.remainder %x, %0 : {type}
      %2 = stablehlo.negate %1 : {type}
      return %2 : {type}
    }}"""
    expected = [-math.fmod(a, b) for a, b in zip(x.ravel().tolist(), y.ravel().tolist(), strict=True)]
    for each in (compiled(text), shlo.compile(shlo.parse(text), engine="numpy")):
        assert each(x, y)[0].ravel().tolist() == expected
