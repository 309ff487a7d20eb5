"""Sorts of shadow runs follow the program, and say where the wide program has another order."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest

import stablehlo_py as shlo
from stablehlo_py.rounding.orders import followed

BF16 = np.dtype(ml_dtypes.bfloat16)

SORT = """func.func @main(%x: tensor<2x4xf32>, %p: tensor<2x4xf32>) -> (tensor<2x4xbf16>, tensor<2x4xf32>) {
  %b = stablehlo.convert %x : (tensor<2x4xf32>) -> tensor<2x4xbf16>
  %s:2 = "stablehlo.sort"(%b, %p) ({
  ^bb0(%a: tensor<bf16>, %c: tensor<bf16>, %d: tensor<f32>, %e: tensor<f32>):
    %lt = stablehlo.compare LT, %a, %c : (tensor<bf16>, tensor<bf16>) -> tensor<i1>
    stablehlo.return %lt : tensor<i1>
  }) {is_stable = true} : (tensor<2x4xbf16>, tensor<2x4xf32>) -> (tensor<2x4xbf16>, tensor<2x4xf32>)
  return %s#0, %s#1 : tensor<2x4xbf16>, tensor<2x4xf32>
}"""


def test_what_is_sorted_by_a_rounded_key_follows_the_program() -> None:
    """1.002 and 1.001 are both 1 in bf16, and keep their order there; 4 and 3 are sorted in both."""
    x = np.array([[1.002, 1.001, 4, 3], [1, 2, 3, 4]], np.float32)
    payload = np.array([[10, 20, 30, 40], [50, 60, 70, 80]], np.float32)
    found = shlo.shadow(shlo.parse(SORT), [x, payload])
    assert found.errors[1] == 0
    assert found.results[1].tolist() == [[10, 20, 40, 30], [50, 60, 70, 80]]
    assert [(row.op, row.diverged) for row in found.diverged] == [("stablehlo.sort", 2)]
    wide_order = shlo.shadow(shlo.parse(SORT), [x[:, [1, 0, 2, 3]], payload])
    assert wide_order.errors[1] == 0 and not wide_order.diverged


def test_sorts_along_each_dimension_are_followed() -> None:
    """A sort of columns finds what the sort of the same rows does."""
    x = np.array([[1.002, 1.001, 4, 3], [2.002, 1, 2.001, 1.5]], np.float32)
    payload = np.arange(8, dtype=np.float32).reshape(2, 4)
    columns = SORT.replace("2x4", "4x2").replace("is_stable", "dimension = 0 : i64, is_stable")
    found, turned = (
        shlo.shadow(shlo.parse(SORT), [x, payload]),
        shlo.shadow(shlo.parse(columns), [x.T.copy(), payload.T.copy()]),
    )
    assert found.results[1].tolist() == turned.results[1].T.tolist()
    assert found.errors[1] == turned.errors[1] == 0
    assert found.errors[0] == pytest.approx(turned.errors[0]) and found.errors[0] > 0
    diverged = [[(row.op, row.diverged) for row in each.diverged] for each in (found, turned)]
    assert diverged[0] == diverged[1] and diverged[0][0][1] > 0


TOP = """func.func @main(%x: tensor<4xf32>) -> (tensor<3xbf16>, tensor<3xi32>) {
  %b = stablehlo.convert %x : (tensor<4xf32>) -> tensor<4xbf16>
  %0:2 = chlo.top_k(%b, k = 3) : tensor<4xbf16> -> (tensor<3xbf16>, tensor<3xi32>)
  return %0#0, %0#1 : tensor<3xbf16>, tensor<3xi32>
}"""


@pytest.mark.parametrize(("least", "diverged"), [((1.001, 1.002), 1), ((1.002, 1.001), 0), ((1.5, 1.25), 0)])
def test_the_largest_elements(least: tuple[float, float], diverged: int) -> None:
    """Values and places are those of each program: of equal rounded ones, the first."""
    x = np.array([least[0], 4.01, least[1], 3.01], np.float32)
    found = shlo.shadow(shlo.parse(TOP), [x])
    narrow, wide = x.astype(BF16).astype(np.float64), x.astype(np.float64)
    mine, exact = (-np.sort(-each)[:3] for each in (narrow, wide))
    assert found.results[0].astype(np.float64).tolist() == mine.tolist()
    assert found.results[1].tolist() == np.argsort(-narrow, kind="stable")[:3].tolist()
    assert found.errors[0] == pytest.approx(np.linalg.norm(mine - exact) / np.linalg.norm(exact))
    assert found.errors[1] is None
    assert sum(row.diverged for row in found.rows) == diverged


def test_errors_of_keys_that_are_sorted_in_a_circle() -> None:
    """The third of four comes first, the first one second, ...: each keeps its own rounding to bf16."""
    x = np.array([[2.005, 3.005, 1.005, 4.005], [3.005, 1.005, 2.005, 4.005]], np.float32)
    found = shlo.shadow(shlo.parse(SORT), [x, np.zeros((2, 4), np.float32)])
    assert found.results[0].astype(np.float64).tolist() == [[1.0078125, 2, 3, 4]] * 2
    assert 0 < found.errors[0] < 0.004


@pytest.mark.parametrize("axis", [0, 1, 2, -1])
def test_orders_of_drawn_rows(axis: int) -> None:
    """The wide values have the order of a stable sort of the narrow ones, many of which are equal."""
    rng = np.random.default_rng(axis % 3)
    wide = rng.normal(size=(23, 25, 27))
    narrow = wide.astype(BF16)
    narrow[rng.random(narrow.shape) < 0.5] = 1
    payload = np.arange(narrow.size).reshape(narrow.shape)
    order = np.argsort(narrow.astype(np.float64), axis, kind="stable")
    own = np.argsort(wide, axis, kind="stable")

    def taken(by: np.ndarray, *arrays: np.ndarray) -> list[np.ndarray]:
        return [np.take_along_axis(each, by, axis) for each in arrays]

    results, exact = taken(order, narrow, payload), taken(own, wide, payload)
    (mine, places), others = followed([narrow, payload], results, [wide, payload], exact, axis)
    assert np.array_equal(mine, taken(order, wide)[0])
    assert np.array_equal(places, results[1])
    assert others == np.count_nonzero(order != own)
    (alone,), _ = followed([narrow], results[:1], [wide], exact[:1], axis)  # equal keys keep their order
    assert np.array_equal(alone, mine)


def test_equal_elements_are_no_others() -> None:
    """Of keys alone, elements that are equal in the program may change places."""
    keys, wide = np.array([1, 1, 0], np.float32), np.array([1.2, 1.1, 0.0])
    (found,), others = followed([keys], [np.sort(keys)], [wide], [np.sort(wide)], 0)
    assert (found.tolist(), others) == ([0.0, 1.2, 1.1], 0)


def test_no_elements() -> None:
    empty = np.zeros((2, 0), np.float32)
    (found,), others = followed([empty], [empty], [empty.astype(np.float64)], [empty.astype(np.float64)], 1)
    assert (found.shape, others) == ((2, 0), 0)
