"""Kinds of loop nests: what has the same code is written once, and nothing else is."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("llvmlite", reason="needs the extra native")

import stablehlo_py as shlo
from stablehlo_py.engines.native import library
from stablehlo_py.engines.native.nest_functions import NestEmitter

TYPE, ROWS = "tensor<64x48xf32>", "tensor<64xf32>"
SUM = f"applies stablehlo.add across dimensions = [1] : ({TYPE}, tensor<f32>) -> {ROWS}"
REST = {  # of the second sum's nest, beside the first's: the terms are the same, or others
    "the same": (f"%b = stablehlo.multiply %y, %two : {TYPE}", lambda x, y: 2 * y),
    "another constant": (f"%b = stablehlo.multiply %y, %three : {TYPE}", lambda x, y: 3 * y),
    "another op": (f"%b = stablehlo.add %y, %two : {TYPE}", lambda x, y: 2 + y),
    "another order": (f"%b = stablehlo.subtract %two, %y : {TYPE}", lambda x, y: 2 - y),
    "one array twice": (f"%b = stablehlo.multiply %y, %y : {TYPE}", lambda x, y: y * y),
    "two arrays": (f"%b = stablehlo.multiply %y, %x : {TYPE}", lambda x, y: y * x),
    "another type": (
        f"""%i = stablehlo.convert %y : ({TYPE}) -> tensor<64x48xi32>
            %b = stablehlo.convert %i : (tensor<64x48xi32>) -> {TYPE}""",
        lambda x, y: np.trunc(y),
    ),
}


@pytest.mark.parametrize("name", REST)
def test_nests_of_one_kind_are_written_once(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Sums of rows, and between them an update that depends on the first, so that they are no one nest."""
    terms, expected = REST[name]
    module = shlo.parse(f"""
        func.func @main(%x: {TYPE}, %y: {TYPE}) -> ({ROWS}, tensor<512xi32>, {ROWS}) {{
          %zero = stablehlo.constant dense<0.0> : tensor<f32>
          %two = stablehlo.constant dense<2.0> : {TYPE}
          %three = stablehlo.constant dense<3.0> : {TYPE}
          %a = stablehlo.multiply %x, %two : {TYPE}
          %0 = stablehlo.reduce(%a init: %zero) {SUM}
          %start = stablehlo.reduce(%0 init: %zero) applies stablehlo.maximum across dimensions = [0]
            : ({ROWS}, tensor<f32>) -> tensor<f32>
          %at = stablehlo.convert %start : (tensor<f32>) -> tensor<i32>
          %few = stablehlo.constant dense<7> : tensor<1xi32>
          %table = stablehlo.iota dim = 0 : tensor<512xi32>
          %moved = stablehlo.dynamic_update_slice %table, %few, %at
            : (tensor<512xi32>, tensor<1xi32>, tensor<i32>) -> tensor<512xi32>
          {terms}
          %1 = stablehlo.reduce(%b init: %zero) {SUM}
          return %0, %moved, %1 : {ROWS}, tensor<512xi32>, {ROWS}
        }}""")
    written: list[int] = []
    emit = NestEmitter.emit
    monkeypatch.setattr(NestEmitter, "emit", lambda *given: [written.append(1), emit(*given)])
    monkeypatch.setattr(library.cache, "load", lambda *arguments: None)
    x, y = np.random.default_rng(3).integers(-4, 5, (2, 64, 48)).astype(np.float32)
    compiled = shlo.compile(module, engine="native")
    first, _, second = compiled(x, y)
    np.testing.assert_array_equal(first, (2 * x).sum(1))
    np.testing.assert_array_equal(second, expected(x, y).sum(1))
    assert len(written) == (3 if name == "the same" else 4)
