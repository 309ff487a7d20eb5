"""Built programs give XLA's results."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

import stablehlo_py as shlo
from stablehlo_py.builder import Padding, XlaBuilder, XlaOp

pytest.importorskip("jaxlib")
from tests.helpers.xla import Array, run_xla

RANDOM = np.random.default_rng(0)


def normal(*shape: int) -> Array:
    return RANDOM.standard_normal(shape).astype(np.float32)


def network(b: XlaBuilder, images: XlaOp, kernel: XlaOp, weights: XlaOp) -> XlaOp:
    """A convolution, pooling, a dense layer and a softmax."""
    features = b.Max(b.Conv(images, kernel, [1, 1], Padding.kSame), 0.0)
    pooled = b.ReduceWindow(features, -np.inf, b.Max, [1, 1, 2, 2], [1, 1, 2, 2], Padding.kValid)
    logits = b.Reshape(pooled, [2, 36]) @ weights
    shifted = b.Sub(logits, b.Reduce(logits, -np.inf, "Max", [1]), broadcast_dimensions=[0])
    powers = b.Exp(shifted)
    return b.Div(powers, b.Reduce(powers, 0.0, "Add", [1]), broadcast_dimensions=[0])


def windows(b: XlaBuilder, x: XlaOp, source: XlaOp) -> XlaOp:
    return b.Tuple(
        b.ReduceWindow(x, 0.0, "Add", [2, 3], [1, 2], "SAME"),
        b.ReduceWindow(x, 1.0, "Mul", [2, 2], [2, 1], [(1, 0), (0, 1)], [1, 2], [2, 1]),
        b.SelectAndScatter(x, "Ge", [2, 3], [2, 3], "VALID", source, 0.0, "Add"),
    )


def convolutions(b: XlaBuilder, x: XlaOp, kernel: XlaOp, grouped: XlaOp) -> XlaOp:
    return b.Tuple(
        b.ConvWithGeneralPadding(x, kernel, [2, 1], [(1, -1), (0, 2)], [2, 1], [1, 2]),
        b.ConvWithGeneralPadding(x, grouped, [1, 1], [(0, 0), (1, 1)], feature_group_count=2),
        b.Conv(x, kernel, [3, 2], "SAME"),
    )


def places(b: XlaBuilder, x: XlaOp, indices: XlaOp) -> XlaOp:
    rows = b.Gather(x, indices, 1, [1], [1, 6], [0], [0])
    return b.Tuple(rows, b.Scatter(x, indices, rows * 2.0, "Add", 1, [1], [0], [0]), x[1:, ::-2], x[-1, 2])


def loops(b: XlaBuilder, x: XlaOp) -> XlaOp:
    """The square root of each element by Newton's method, in a loop, and its branches by sign."""
    guess = b.While(lambda i, y: i < 20, lambda i, y: (i + 1, (y + b.Abs(x) / y) * 0.5), (0, b.Abs(x)))[1]
    total = b.Reduce(x, 0.0, "Add")
    return b.Tuple(guess, b.Conditional(total > 0.0, x, "Neg", guess, lambda g: b.Call("Exp", g)))


def sorts(b: XlaBuilder, x: XlaOp) -> XlaOp:
    keys = b.ConvertElementType(x * 10.0, "s32")
    return b.Tuple(b.Sort(keys, x, 0), b.TopK(x, 3), b.Sort([x], "Gt", 0, is_stable=True))


def bits(b: XlaBuilder, x: XlaOp) -> XlaOp:
    words = b.BitcastConvertType(x, "u32")
    state, drawn = b.RngBitGenerator("THREE_FRY", np.array([3, 4], np.uint64), "u32[5]")
    mixed = (words ^ (words << 13)) >> 7
    return b.Tuple(mixed, b.PopulationCount(mixed), b.Clz(mixed), b.ReducePrecision(x, 5, 4), state, drawn)


CASES: list[tuple[Callable[..., XlaOp], list[Array]]] = [
    (network, [normal(2, 1, 6, 6), normal(4, 1, 3, 3), normal(36, 5)]),
    (windows, [normal(4, 6), normal(2, 2)]),
    (convolutions, [normal(2, 4, 7, 6), normal(3, 4, 3, 2), normal(6, 2, 2, 3)]),
    (places, [normal(4, 6), np.array([[2], [0], [2]], np.int32)]),
    (loops, [normal(5)]),
    (sorts, [normal(16)]),
    (bits, [normal(7)]),
]


@pytest.mark.parametrize(("make", "inputs"), CASES, ids=[make.__name__ for make, _ in CASES])
def test_results_are_those_of_xla(make: Callable[..., XlaOp], inputs: list[Array]) -> None:
    b = XlaBuilder()
    module = b.build(make(b, *[b.Parameter(number, value) for number, value in enumerate(inputs)]))
    assert shlo.verify(module) == []
    want = run_xla(shlo.format(module), *inputs)
    got = shlo.run(module, inputs)
    for ours, theirs in zip(got, want, strict=True):
        assert ours.dtype == theirs.dtype
        np.testing.assert_allclose(ours, theirs, rtol=1e-4, atol=1e-5)
