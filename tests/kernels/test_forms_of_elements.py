"""Elements of narrow and wide types, where a kernel has a form for them: results by hand."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import ml_dtypes
import numpy as np
import pytest

from stablehlo_py.ir.types import IntegerType, TensorType
from stablehlo_py.kernels import chlo, slabs
from stablehlo_py.kernels.numeric import numerics
from stablehlo_py.kernels.random import rng_bit_generator


@pytest.fixture(autouse=True)
def quiet() -> Iterator[None]:
    """Floating-point warnings off, as in a run."""
    with np.errstate(all="ignore"):
        yield


def test_high_halves_of_products() -> None:
    lhs = np.array([-8, 7, -8, 7, -1]).astype(ml_dtypes.int4)
    rhs = np.array([-8, 7, 7, 1, 1]).astype(ml_dtypes.int4)
    assert chlo.mulhi_narrow(4)(lhs, rhs).astype(int).tolist() == [4, 3, -4, 0, -1]
    wide = np.array([-(1 << 63), 5, -5, (1 << 63) - 1], np.int64)
    other = np.array([-(1 << 63), 7, 7, (1 << 63) - 1], np.int64)
    exact = [(int(a) * int(b)) >> 64 for a, b in zip(wide, other, strict=True)]
    assert chlo.mulhi(wide, other).tolist() == exact
    a, b = wide.view(np.uint64), other.view(np.uint64)
    assert chlo.mulhi(a, b).tolist() == [(int(x) * int(y)) >> 64 for x, y in zip(a, b, strict=True)]


def test_the_largest_elements_of_a_long_row(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of equal elements the first comes first, in other slabs as well."""
    values = np.array([3, 9, 1, 9, 4, 9, 2, 8] * 40, np.int32)
    expected = np.argsort(-values, kind="stable")[:3]
    monkeypatch.setattr(chlo, "SLAB", 256)
    monkeypatch.setattr(slabs, "SLAB", 256)
    monkeypatch.setattr(chlo, "_FEW", 4)
    found, places = chlo.top_k(values, k=3)
    assert (found.tolist(), places.tolist(), places.dtype) == ([9, 9, 9], expected.tolist(), np.int32)
    found, places = chlo.first_in_order(values, 2, largest=False)
    assert (found.tolist(), places.tolist()) == ([1, 1], [2, 10])


@pytest.mark.parametrize(
    ("source", "values"),
    [
        (ml_dtypes.bfloat16, [0, -0.0, 1e-30, np.nan]),
        (ml_dtypes.float8_e5m2, [0, -0.0, 2**-16, np.nan]),
        (np.float16, [0, -0.0, 2**-24, np.nan]),
        (np.float32, [0, -0.0, 1e-45, np.nan]),
    ],
)
def test_numbers_as_booleans(source: Any, values: list[float]) -> None:
    convert = numerics.converter(np.dtype(source), np.dtype(np.bool_))
    assert convert(np.array(values).astype(source)).tolist() == [False, False, True, True]


def test_bits_of_a_narrow_type_and_back() -> None:
    x = np.array([-8, 7, -1, 0]).astype(ml_dtypes.int4)
    pattern = numerics.to_bits(x)
    assert pattern.tolist() == [[0, 0, 0, 1], [1, 1, 1, 0], [1, 1, 1, 1], [0, 0, 0, 0]]
    assert numerics.from_bits(pattern, x.dtype).astype(int).tolist() == [-8, 7, -1, 0]
    few = np.array([[1, 0, 0, 0, 0, 0, 0, 1]], np.uint8)  # 8 bits of 16: those above are 0
    assert numerics.from_bits(few, np.dtype(np.uint16)).tolist() == [129]


@pytest.mark.parametrize("bits", [2, 4, 8, 16, 32, 64])
def test_random_bits_of_each_width(bits: int) -> None:
    """Each width takes the low bits of the words of the same blocks: of 64 bits, two words."""
    name = f"uint{bits}"
    dtype = np.dtype(name if bits >= 8 else getattr(ml_dtypes, name))
    state = np.array([1, 2], np.uint64)
    output = TensorType((4,), IntegerType(bits, "u"))
    _, found = rng_bit_generator(state, rng_algorithm="PHILOX", output=output)
    assert found.dtype == dtype
    _, words = rng_bit_generator(state, rng_algorithm="PHILOX", output=TensorType((4,), IntegerType(32, "u")))
    if bits <= 32:
        assert found.astype(np.uint64).tolist() == [int(word) % (1 << bits) for word in words]
    else:
        assert (found & np.uint64(0xFFFFFFFF)).tolist()[0] == int(words[0])
        assert (found >> np.uint64(32)).tolist()[0] == int(words[1])


@pytest.mark.parametrize(
    ("x", "q", "expected"),
    [
        # zeta(2, -1/2) is 4 (at -1/2) and pi^2 / 2; zeta(3, -1/2) is -8 and 7 zeta(3)
        (2, -0.5, 4 + np.pi**2 / 2),
        (3, -0.5, -8 + 7 * 1.2020569031595942),
        (2, 0.5, np.pi**2 / 2),
        (2, 1, np.pi**2 / 6),
    ],
)
def test_zeta(x: float, q: float, expected: float) -> None:
    found = float(
        chlo.zeta_stage(np.dtype(np.float64), np.dtype(np.float64))(np.array([x], float), np.array([q]))[0]
    )
    assert found == pytest.approx(expected, rel=1e-12)
