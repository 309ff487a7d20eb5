"""Ops of the tensor dialect."""

from __future__ import annotations

import numpy as np
import pytest

import stablehlo_py as shlo

CAST = """func.func @main(%x: tensor<?xf32>) -> tensor<3xf32> {
  %0 = tensor.cast %x : tensor<?xf32> to tensor<3xf32>
  return %0 : tensor<3xf32>
}"""


def test_a_cast_to_a_shape_that_a_tensor_has_not() -> None:
    with pytest.raises(shlo.RunError, match=r"shape \[2\] does not match tensor<3xf32>"):
        shlo.run(shlo.parse(CAST), [np.zeros(2, np.float32)])
