"""Batch normalization, its training and gradient as loops: the values of the specification's formulas."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest

pytest.importorskip("llvmlite", reason="needs the extra native")

import stablehlo_py as shlo
from stablehlo_py.engines.registry import find_engine
from tests.engines.native.loops.loop_regions import check_module
from tests.helpers.native import compiled, tensor

NATIVE = find_engine("native", verify_loops=True)
TYPES = {"f32": (np.float32, 1e-5), "f64": (np.float64, 1e-13), "bf16": (ml_dtypes.bfloat16, 2e-2)}
EPSILON = 0.125


def program(shape: tuple[int, ...], feature: int, type: str) -> shlo.Module:
    """Training, and the gradient at its mean and variance."""
    x, v = tensor(shape, type), tensor((shape[feature],), type)
    options = f"{{epsilon = {EPSILON} : f32, feature_index = {feature} : i64}}"
    module = shlo.parse(f"""
    func.func @main(%x: {x}, %s: {v}, %o: {v}, %g: {x}) -> ({x}, {v}, {v}, {x}, {v}, {v}) {{
      %0:3 = "stablehlo.batch_norm_training"(%x, %s, %o) {options} : ({x}, {v}, {v}) -> ({x}, {v}, {v})
      %1:3 = "stablehlo.batch_norm_grad"(%x, %s, %0#1, %0#2, %g) {options}
        : ({x}, {v}, {v}, {v}, {x}) -> ({x}, {v}, {v})
      return %0#0, %0#1, %0#2, %1#0, %1#1, %1#2 : {x}, {v}, {v}, {x}, {v}, {v}
    }}""")
    assert not shlo.verify(module)
    return module


def inputs(shape: tuple[int, ...], feature: int, type: str) -> list[Any]:
    draw = np.random.default_rng(7).standard_normal
    shapes = (shape, (shape[feature],), (shape[feature],), shape)
    return [draw(each).astype(TYPES[type][0]) for each in shapes]


def normalized(shape: tuple[int, ...], feature: int, arrays: list[Any]) -> list[Any]:
    """The formulas of the specification, and those of its gradient, in f64."""
    x, scale, offset, grad = [np.asarray(a, np.float64) for a in arrays]
    others = tuple(d for d in range(len(shape)) if d != feature)
    count = np.prod([shape[d] for d in others])
    along = [1] * len(shape)
    along[feature] = -1
    mean, variance = x.mean(others), x.var(others)
    centered = x - mean.reshape(along)
    deviation = np.sqrt(variance + EPSILON)
    y = scale.reshape(along) * centered / deviation.reshape(along) + offset.reshape(along)
    moment = (grad * centered).sum(others)
    inner = count * grad - grad.sum(others).reshape(along)
    inner -= centered * (moment / (variance + EPSILON)).reshape(along)
    of_operand = (scale / deviation / count).reshape(along) * inner
    return [y, mean, variance, of_operand, moment / deviation, grad.sum(others)]


@pytest.mark.parametrize("type", TYPES)
@pytest.mark.parametrize(("shape", "feature"), [((5,), 0), ((6, 3), 1), ((2, 3, 5, 4), 1), ((40, 9, 17), 2)])
def test_training_and_gradient(shape: tuple[int, ...], feature: int, type: str) -> None:
    arrays = inputs(shape, feature, type)
    results = compiled(program(shape, feature, type), engine=NATIVE)(*arrays)
    tolerance = TYPES[type][1]
    for found, wanted in zip(results, normalized(shape, feature, arrays), strict=True):
        found = np.asarray(found, np.float64)
        np.testing.assert_allclose(found, wanted, rtol=tolerance, atol=tolerance * 10 * np.abs(wanted).max())


def test_loops_are_verified_and_interpreted_after_each_stage() -> None:
    shape, feature = (2, 3, 5), 1
    assert check_module(program(shape, feature, "f32"), "main", inputs(shape, feature, "f32")) > 6


def test_the_mean_of_negative_zeros_is_zero() -> None:
    """The specification sums from 0."""
    zeros, ones = np.full((4, 1), -0.0, np.float32), np.ones(1, np.float32)
    mean = shlo.compile(program((4, 1), 1, "f32"), engine=NATIVE)(zeros, ones, ones, zeros)[1]
    assert not np.signbit(mean).any()
