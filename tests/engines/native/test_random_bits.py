"""Random bits of the native engine beside the NumPy engine's, bit for bit."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("llvmlite", reason="needs the extra native")

from tests.helpers.crossed import crossed
from tests.helpers.native import assert_same, check_loops, tensor

BITS = [(), (1,), (7,), (4096,), (5, 6), (6, 5), (3, 5, 7), (2, 300, 5)]


@pytest.mark.parametrize(
    ("algorithm", "element", "shape"),
    crossed(["THREE_FRY", "PHILOX", "DEFAULT"], ["ui8", "i4", "ui32", "i64"], BITS),
)
def test_random_bits(algorithm: str, element: str, shape: tuple[int, ...]) -> None:
    bits = tensor(shape, element)
    for state in ([3, (1 << 64) - 2], [7, (1 << 64) - 2, 9]):  # counters that carry
        if len(state) > 2 and algorithm == "THREE_FRY":
            continue
        words = f"tensor<{len(state)}xui64>"
        text = f"""func.func @main(%x: {words}) -> ({words}, {bits}) {{
          %y = stablehlo.not %x : {words}
          %z = stablehlo.not %y : {words}
          %s, %b = stablehlo.rng_bit_generator %z, algorithm = {algorithm} : ({words}) -> ({words}, {bits})
          return %s, %b : {words}, {bits}
        }}"""
        assert_same(text, np.array(state, np.uint64), ulps=0)
        if np.prod(shape) <= 7 and len(state) == (2 if element == "ui8" else 3):
            check_loops(text, np.array(state, np.uint64))


def test_random_bits_whose_state_or_bits_nothing_reads() -> None:
    words, bits = "tensor<2xui64>", "tensor<9xui32>"
    lines = [
        f"%s{k}, %b{k} = stablehlo.rng_bit_generator %s{k - 1}, algorithm = PHILOX"
        f" : ({words}) -> ({words}, {bits})"
        for k in (1, 2, 3)
    ]
    text = f"""func.func @main(%s0: {words}) -> {bits} {{
      {chr(10).join(lines)}
      return %b3 : {bits}
    }}"""
    assert_same(text, np.array([1, 2], np.uint64))
