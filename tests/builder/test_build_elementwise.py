"""Elementwise operations, and XLA's broadcasting of binary ones."""

from __future__ import annotations

import math

import numpy as np
import pytest
from building import f32, result, results, s32

from stablehlo_py.builder import BuildError, XlaBuilder

NAN, INF = math.nan, math.inf

# Operands and result of each binary operation, one column each.
BINARY = {
    "Add": ([1.5, -2], [2, 5], [3.5, 3]),
    "Sub": ([1.5, -2], [2, 5], [-0.5, -7]),
    "Mul": ([1.5, -2], [2, 5], [3, -10]),
    "Div": ([1.5, -2], [2, 5], [0.75, -0.4]),
    "Rem": ([7.5, -7.5], [2, 2], [1.5, -1.5]),
    "Max": ([1, NAN], [2, 0], [2, NAN]),
    "Min": ([1, NAN], [2, 0], [1, NAN]),
    "Atan2": ([1, 0, -1], [0, -1, 0], [math.pi / 2, math.pi, -math.pi / 2]),
    "Pow": ([2, 9], [3, 0.5], [8, 3]),
}
INTEGERS = {
    "Div": ([7, -7], [2, 2], [3, -3]),
    "Rem": ([7, -7], [2, 2], [1, -1]),
    "LogicalAnd": ([6, 1], [3, 3], [2, 1]),
    "LogicalOr": ([6, 1], [3, 2], [7, 3]),
    "LogicalXor": ([6, 1], [3, 3], [5, 2]),
    "ShiftLeft": ([1, 3], [4, 1], [16, 6]),
    "ShiftRightArithmetic": ([-8, 8], [1, 1], [-4, 4]),
    "ShiftRightLogical": ([-8, 8], [1, 1], [0x7FFFFFFC, 4]),
}
# x, and what each unary operation gives.
UNARY = {
    "Abs": ([-1.5, 2], [1.5, 2]),
    "Ceil": ([-1.5, 1.2], [-1, 2]),
    "Cos": ([0, math.pi], [1, -1]),
    "Sin": ([0, math.pi / 2], [0, 1]),
    "Exp": ([0, 1], [1, math.e]),
    "Expm1": ([0, 1], [0, math.e - 1]),
    "Floor": ([-1.5, 1.2], [-2, 1]),
    "Imag": ([1, 2], [0, 0]),
    "IsFinite": ([1, INF, NAN], [True, False, False]),
    "Log": ([1, math.e], [0, 1]),
    "Log1p": ([0, math.e - 1], [0, 1]),
    "Logistic": ([0, 100], [0.5, 1]),
    "Neg": ([1, -2], [-1, 2]),
    "Real": ([1, 2], [1, 2]),
    "Rsqrt": ([4, 0.25], [0.5, 2]),
    "Sign": ([-3, 0, 2, NAN], [-1, 0, 1, NAN]),
    "Sqrt": ([4, 2.25], [2, 1.5]),
    "Cbrt": ([27, -8], [3, -2]),
    "Tan": ([0, math.pi / 4], [0, 1]),
    "Tanh": ([0, 100], [0, 1]),
    "Round": ([2.5, -2.5, 0.4], [3, -3, 0]),
    "RoundNearestEven": ([2.5, -2.5, 3.5], [2, -2, 4]),
}
# x compared with 1, for each direction.
COMPARED = {
    "Eq": [0, 1, 0],
    "Ne": [1, 0, 1],
    "Ge": [0, 1, 1],
    "Gt": [0, 0, 1],
    "Le": [1, 1, 0],
    "Lt": [1, 0, 0],
}


@pytest.mark.parametrize("name", BINARY)
def test_binary(name: str) -> None:
    lhs, rhs, want = (np.array(x, f32) for x in BINARY[name])
    b = XlaBuilder()
    getattr(b, name)(b.Parameter(0, lhs), b.Parameter(1, rhs))
    np.testing.assert_allclose(result(b, lhs, rhs), want, rtol=1e-6)


@pytest.mark.parametrize("name", INTEGERS)
def test_binary_of_integers(name: str) -> None:
    lhs, rhs, want = (np.array(x, s32) for x in INTEGERS[name])
    b = XlaBuilder()
    getattr(b, name)(b.Parameter(0, lhs), b.Parameter(1, rhs))
    np.testing.assert_array_equal(result(b, lhs, rhs), want)


def test_logic_of_pred() -> None:
    p, q = np.array([0, 0, 1, 1], bool), np.array([0, 1, 0, 1], bool)
    b = XlaBuilder()
    x, y = b.Parameter(0, p), b.Parameter(1, q)
    b.Tuple(b.LogicalAnd(x, y), b.LogicalOr(x, y), b.LogicalXor(x, y), b.LogicalNot(x), b.Add(x, y))
    for got, want in zip(results(b, p, q), (p & q, p | q, p ^ q, ~p, p | q), strict=True):
        np.testing.assert_array_equal(got, want)


@pytest.mark.parametrize("name", UNARY)
def test_unary(name: str) -> None:
    x, want = (np.array(x) for x in UNARY[name])
    b = XlaBuilder()
    getattr(b, name)(b.Parameter(0, x.astype(f32)))
    np.testing.assert_allclose(result(b, x.astype(f32)), want, rtol=1e-6, atol=1e-6)


def test_unary_of_bits() -> None:
    x = np.array([1, 255], np.uint8)
    b = XlaBuilder()
    op = b.Parameter(0, x)
    b.Tuple(b.Clz(op), b.PopulationCount(op), b.LogicalNot(op), b.Neg(op))
    assert [r.tolist() for r in results(b, x)] == [[7, 0], [1, 8], [254, 0], [255, 1]]


def test_unary_of_complex_numbers() -> None:
    b = XlaBuilder()
    z = b.Complex(b.Parameter(0, "f32[]"), b.Parameter(1, "f32[]"))
    b.Tuple(b.Real(z), b.Imag(z), b.Abs(z))
    assert [float(r) for r in results(b, f32(3), f32(4))] == [3, 4, 5]


def test_scalars_are_allowed() -> None:
    b = XlaBuilder()
    b.Exp(b.Parameter(0, "f32[]"))
    assert result(b, f32(0)) == 1


@pytest.mark.parametrize("name", COMPARED)
@pytest.mark.parametrize("dtype", [f32, s32, np.uint8])
def test_comparison(name: str, dtype: type) -> None:
    x = np.array([0, 1, 2], dtype)
    b = XlaBuilder()
    getattr(b, name)(b.Parameter(0, x), 1)
    assert result(b, x).tolist() == [bool(want) for want in COMPARED[name]]


def test_comparison_with_nan() -> None:
    x = np.array([NAN], f32)
    b = XlaBuilder()
    op = b.Parameter(0, x)
    b.Tuple([getattr(b, name)(op, op) for name in COMPARED])
    assert [bool(r[0]) for r in results(b, x)] == [name == "Ne" for name in COMPARED]


@pytest.mark.parametrize("name", COMPARED)
def test_comparison_in_total_order(name: str) -> None:
    """-NaN < -Inf < -Finite < -0 < +0 < +Finite < +Inf < +NaN"""
    x = np.array([-NAN, -INF, -1, -0.0, 0.0, 1, INF, NAN], f32)
    x[0], x[-1] = np.copysign(f32(NAN), f32(-1)), np.copysign(f32(NAN), f32(1))
    b = XlaBuilder()
    op = b.Parameter(0, x)
    getattr(b, f"{name}TotalOrder")(op[:-1], op[1:])
    assert result(b, x).tolist() == [name in ("Ne", "Le", "Lt")] * 7


@pytest.mark.parametrize(
    ("lhs", "rhs", "dimensions", "shape"),
    [
        ((), (2, 3), (), (2, 3)),
        ((2, 3), (), (), (2, 3)),
        ((2, 3), (3,), (1,), (2, 3)),
        ((2,), (2, 3), (0,), (2, 3)),
        ((2, 3), (2, 1), (), (2, 3)),
        ((1, 3), (2, 1), (), (2, 3)),
        ((2, 3), (2, 3), (0, 1), (2, 3)),
        ((4, 2, 3), (2, 1), (1, 2), (4, 2, 3)),
        ((1, 3), (4, 5, 3), (1, 2), (4, 5, 3)),
        ((5, 3), (4, 1, 3), (1, 2), (4, 5, 3)),
    ],
)
def test_operands_are_broadcast(
    lhs: tuple[int, ...], rhs: tuple[int, ...], dimensions: tuple[int, ...], shape: tuple[int, ...]
) -> None:
    x, y = (
        np.arange(math.prod(lhs), dtype=f32).reshape(lhs),
        np.arange(math.prod(rhs), dtype=f32).reshape(rhs),
    )
    b = XlaBuilder()
    b.Add(b.Parameter(0, x), b.Parameter(1, y), dimensions)
    lower, higher = (x, y) if len(lhs) <= len(rhs) else (y, x)
    placed = [1] * len(shape)
    for size, d in zip(lower.shape, dimensions or range(lower.ndim), strict=True):
        placed[d] = size
    want = lower.reshape(placed) + higher
    assert want.shape == shape
    np.testing.assert_array_equal(result(b, x, y), want)


@pytest.mark.parametrize("size", [0, 1, 4])
@pytest.mark.parametrize(
    ("shape", "other", "dimensions"),
    [
        ("f32[?,3]", "f32[3]", (1,)),
        ("f32[?,3]", "f32[]", ()),
        ("f32[?,3]", "f32[1,3]", ()),
        ("f32[?,2,3]", "f32[2,1]", (1, 2)),
        ("f32[2,?,3]", "f32[2,3]", (0, 2)),
    ],
)
def test_a_dynamic_size_is_that_of_the_other_operand(
    shape: str, other: str, dimensions: tuple[int, ...], size: int
) -> None:
    x, y = (
        np.arange(math.prod(sizes), dtype=f32).reshape(sizes)
        for sizes in (
            [int(part) for part in text[4:-1].replace("?", str(size)).split(",") if part]
            for text in (shape, other)
        )
    )
    placed = [1] * x.ndim
    for extent, d in zip(y.shape, dimensions or range(y.ndim), strict=True):
        placed[d] = extent
    for order in ((0, 1), (1, 0)):
        b = XlaBuilder()
        both = [b.Parameter(order.index(0), shape), b.Parameter(order.index(1), other)]
        b.Sub(*(both[at] for at in order), dimensions)
        found = result(b, *((x, y)[at] for at in order))
        want = x - y.reshape(placed) if order == (0, 1) else y.reshape(placed) - x
        np.testing.assert_array_equal(found, want)


@pytest.mark.parametrize(
    ("lhs", "rhs", "dimensions", "message"),
    [
        ("f32[?,1]", "f32[1,?]", (), "Add: the dynamic sizes must all come from one operand"),
        ("f32[2,3]", "f32[3]", (), "different ranks"),
        ("f32[2,3]", "f32[3]", (2,), "dimensions of"),
        ("f32[2,3]", "f32[2,3]", (1, 0), "equal rank"),
        ("f32[2,3,4]", "f32[3,2]", (1, 0), "strictly increasing"),
        ("f32[2,3]", "f32[2]", (1,), "the sizes 3 and 2 in dimension 1"),
        ("f32[2,3]", "f32[2,4]", (), "are incompatible"),
        ("f32[2]", "s32[2]", (), r"add \(C1\)"),
        ("(f32[2], f32[2])", "f32[2]", (), "expected an array"),
    ],
)
def test_what_does_not_broadcast(lhs: str, rhs: str, dimensions: tuple[int, ...], message: str) -> None:
    b = XlaBuilder()
    x, y = b.Parameter(0, lhs), b.Parameter(1, rhs)
    with pytest.raises(BuildError, match=message):
        b.Add(x, y, broadcast_dimensions=dimensions)


def test_select_with_an_array_and_with_a_scalar() -> None:
    v1, v2 = np.array([1, 2, 3, 4], s32), np.array([100, 200, 300, 400], s32)
    b = XlaBuilder()
    pred, on_true, on_false = b.Parameter(0, "pred[4]"), b.Parameter(1, v1), b.Parameter(2, v2)
    b.Tuple(b.Select(pred, on_true, on_false), b.Select(True, on_true, on_false))
    got = results(b, np.array([1, 0, 0, 1], bool), v1, v2)
    assert [r.tolist() for r in got] == [[1, 200, 300, 4], [1, 2, 3, 4]]


def test_select_between_tuples() -> None:
    b = XlaBuilder()
    pred, x = b.Parameter(0, "pred[]"), b.Parameter(1, "f32[2]")
    b.Select(pred, (x, 1), (x * 2.0, 2))
    assert [r.tolist() for r in results(b, np.False_, np.array([1, 2], f32))] == [[2, 4], 2]
    with pytest.raises(BuildError, match="scalar"):
        XlaBuilder().Select(np.zeros(2, bool), (1,), (2,))


def test_clamp_with_scalars() -> None:
    b = XlaBuilder()
    b.Clamp(0, b.Parameter(0, "s32[3]"), 6)
    assert result(b, np.array([-1, 5, 9], s32)).tolist() == [0, 5, 6]


@pytest.mark.parametrize("dimensions", [[1, 1], [1, 0], [2, 1], [-1, 1], [1, 3]])
def test_dimensions_that_do_not_rise(dimensions: list[int]) -> None:
    b = XlaBuilder()
    x, y = b.Parameter(0, "f32[2,2]"), b.Parameter(1, "f32[2,2,2]")
    with pytest.raises(BuildError, match="must be strictly increasing dimensions of"):
        b.Add(x, y, dimensions)


@pytest.mark.parametrize(
    ("element", "name"),
    [("pred", "UNSIGNED"), ("u8", "UNSIGNED"), ("s8", "SIGNED"), ("f16", "FLOAT"), ("c64", "FLOAT")],
)
def test_comparisons_by_the_element_type(element: str, name: str) -> None:
    b = XlaBuilder()
    b.Eq(b.Parameter(0, f"{element}[2]"), b.Parameter(1, f"{element}[2]"))
    (compare,) = [op for op in b.build().walk() if op.name == "stablehlo.compare"]
    assert getattr(compare.attribute("compare_type"), "value", None) == name
