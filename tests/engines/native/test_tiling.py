"""Transposed operands, in squares: every element is at its place, whatever the extents and elements."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("llvmlite", reason="needs the extra native")

import stablehlo_py as shlo
from stablehlo_py.engines.native import nests
from stablehlo_py.engines.native.tiling import TileEmitter
from stablehlo_py.ir.element_types import numpy_dtype
from stablehlo_py.ir.types import TensorType

TEXT = """func.func @main(%x: tensor<IN>, %y: tensor<OUT>) -> (tensor<OUT>, tensor<OUT>) {
  %0 = stablehlo.transpose %x, dims = [ORDER] : (tensor<IN>) -> tensor<OUT>
  %1 = stablehlo.add %0, %y : tensor<OUT>
  %2 = stablehlo.add %1, %0 : tensor<OUT>
  return %1, %2 : tensor<OUT>, tensor<OUT>
}"""


@pytest.mark.parametrize("element", ["f32", "f64", "i8", "bf16", "complex<f32>"])
@pytest.mark.parametrize(
    ("shape", "order"),
    [
        ((129, 131), (1, 0)),
        ((512, 1024), (1, 0)),
        ((16, 1030), (1, 0)),
        ((7, 37, 5, 70), (3, 1, 2, 0)),
        ((35, 37, 5, 17), (0, 3, 2, 1)),
    ],
)
def test_transposes(
    shape: tuple[int, ...], order: tuple[int, ...], element: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    tiled = list[TileEmitter]()

    class Recorded(TileEmitter):
        def emit(self, part: nests.Range) -> None:
            tiled.append(self)
            super().emit(part)

    monkeypatch.setattr(nests, "TileEmitter", Recorded)
    monkeypatch.setattr("stablehlo_py.storage.cache.load", lambda *entry: None)
    result = [shape[d] for d in order]
    text = TEXT.replace("ORDER", ", ".join(map(str, order)))
    for name, sizes in (("IN", shape), ("OUT", result)):
        text = text.replace(f"<{name}>", f"<{'x'.join(map(str, sizes))}x{element}>")
    module = shlo.parse(text)
    type = module.body.ops[0].regions[0].blocks[0].arguments[0].type
    assert isinstance(type, TensorType)
    random, dtype = np.random.default_rng(0), numpy_dtype(type.element_type)
    x, y = (random.integers(-9, 9, sizes).astype(dtype) for sizes in (shape, result))
    once, twice = shlo.run(module, [x, y], engine="native")
    np.testing.assert_array_equal(once, np.transpose(x, order) + y)
    np.testing.assert_array_equal(twice, np.transpose(x, order) + y + np.transpose(x, order))
    assert bool(tiled) == (min(shape[d] for d in (order[-1], len(shape) - 1)) >= 16)
