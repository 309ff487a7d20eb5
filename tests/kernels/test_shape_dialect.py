"""Ops of the shape dialect, with the tensor and arith ops used beside them."""

from __future__ import annotations

import numpy as np
import pytest

import stablehlo_py as shlo

SHAPES = """
func.func @main(%x: tensor<?x3xf32>, %y: tensor<?x1xf32>)
    -> (tensor<2xindex>, tensor<index>, tensor<?x?xf32>) {
  %a = shape.shape_of %x : tensor<?x3xf32> -> tensor<2xindex>
  %b = shape.shape_of %y : tensor<?x1xf32> -> tensor<2xindex>
  %w = "shape.cstr_broadcastable"(%a, %b) : (tensor<2xindex>, tensor<2xindex>) -> !shape.witness
  %0 = "shape.assuming"(%w) ({
    %s = shape.broadcast %a, %b : tensor<2xindex>, tensor<2xindex> -> tensor<2xindex>
    "shape.assuming_yield"(%s) : (tensor<2xindex>) -> ()
  }) : (!shape.witness) -> tensor<2xindex>
  %n = shape.num_elements %0 : tensor<2xindex> -> index
  %c1 = "arith.constant"() <{value = 1 : index}> : () -> index
  %d = "tensor.dim"(%x, %c1) : (tensor<?x3xf32>, index) -> index
  %m = arith.addi %n, %d : index
  %e = "tensor.from_elements"(%m) : (index) -> tensor<1xindex>
  %c0 = "arith.constant"() <{value = 0 : index}> : () -> index
  %f = "tensor.extract"(%e, %c0) : (tensor<1xindex>, index) -> index
  %g = "tensor.from_elements"(%f) : (index) -> tensor<index>
  %z = tensor.cast %y : tensor<?x1xf32> to tensor<?x?xf32>
  return %0, %g, %z : tensor<2xindex>, tensor<index>, tensor<?x?xf32>
}"""


def test_shapes() -> None:
    module = shlo.parse(SHAPES)
    x, y = np.zeros((2, 3), np.float32), np.zeros((1, 1), np.float32)
    shape, count, cast = shlo.run(module, [x, y])
    assert (shape.tolist(), int(count), cast.shape) == ([2, 3], 9, (1, 1))
    with pytest.raises(shlo.RunError, match=r"shapes \[2, 3\], \[4, 1\] cannot be broadcast"):
        shlo.run(module, [x, np.zeros((4, 1), np.float32)])
