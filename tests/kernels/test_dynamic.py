"""Ops with shapes given as operands, compared with hand calculations."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import stablehlo_py as shlo
from stablehlo_py.diagnostics.diagnostic import RunError
from stablehlo_py.ir.types import FloatType, TensorType
from stablehlo_py.kernels import dynamic


def test_dynamic_forms_agree_with_static_ones() -> None:
    operand = np.array([1, 2, 3])
    sizes = np.array([2, 3])
    assert dynamic.dynamic_reshape(np.arange(6), sizes).tolist() == [[0, 1, 2], [3, 4, 5]]
    assert (
        dynamic.dynamic_broadcast_in_dim(operand, sizes, broadcast_dimensions=(1,)).tolist()
        == [[1, 2, 3]] * 2
    )
    result = TensorType((None, None), FloatType("f64"))
    assert dynamic.dynamic_iota(sizes, iota_dimension=0, result=result).tolist() == [[0, 0, 0], [1, 1, 1]]
    one = np.array([1])
    assert dynamic.dynamic_pad(operand, np.array(0), one, one, one).tolist() == [0, 1, 0, 2, 0, 3, 0]
    assert dynamic.real_dynamic_slice(operand, one, np.array([3]), one).tolist() == [2, 3]


@pytest.mark.parametrize(
    ("groups", "stride", "dilation", "padding", "expected"),
    [
        # x is [[1, 2, 3], [4, 5, 6]], the kernels are [1, 10] and [100, 1000]
        ("feature_group_count = 1", 1, 1, [1, 0], [[[10, 21, 32], [1000, 2100, 3200]],
                                                   [[40, 54, 65], [4000, 5400, 6500]]]),
        ("feature_group_count = 1", 2, 1, [1, 0], [[[10, 32], [1000, 3200]], [[40, 65], [4000, 6500]]]),
        ("feature_group_count = 1", 1, 2, [0, 0], [[[31], [3100]], [[64], [6400]]]),
        ("batch_group_count = 2", 1, 1, [0, 0], [[[21, 32], [5400, 6500]]]),
    ],
)  # fmt: skip
def test_convolutions(groups: str, stride: int, dilation: int, padding: list[int], expected: Any) -> None:
    count = "batch_group_count" if groups.startswith("feature") else "feature_group_count"
    shape = "x".join(map(str, np.shape(expected)))
    text = f"""func.func @main(%x: tensor<2x1x3xf32>, %k: tensor<2x1x2xf32>, %p: tensor<1x2xi64>)
        -> tensor<{shape}xf32> {{
      %r = "stablehlo.dynamic_conv"(%x, %k, %p) <{{{groups} : i64, {count} = 1 : i64,
        window_strides = array<i64: {stride}>, rhs_dilation = array<i64: {dilation}>,
        dimension_numbers = #stablehlo.conv<[b, f, 0]x[o, i, 0]->[b, f, 0]>}}>
        : (tensor<2x1x3xf32>, tensor<2x1x2xf32>, tensor<1x2xi64>) -> tensor<{shape}xf32>
      return %r : tensor<{shape}xf32>
    }}"""
    x, k = np.float32([[[1, 2, 3]], [[4, 5, 6]]]), np.float32([[[1, 10]], [[100, 1000]]])
    (found,) = shlo.run(shlo.parse(text), [x, k, np.array([padding])], engine="numpy")
    assert found.tolist() == expected


def test_dynamic_forms_refuse_what_does_not_fit() -> None:
    with pytest.raises(RunError, match="6 elements do not fill"):
        dynamic.dynamic_reshape(np.arange(6), np.array([4]))
    with pytest.raises(RunError, match="does not broadcast"):
        dynamic.dynamic_broadcast_in_dim(np.arange(3), np.array([2]), broadcast_dimensions=(0,))
    for bounds in ((1, 4, 1), (-1, 2, 1), (2, 1, 1), (4, 4, 1), (0, 2, 0), (2, 2, -1)):
        with pytest.raises(RunError, match="is not within"):
            dynamic.real_dynamic_slice(np.arange(3), *[np.array([each]) for each in bounds])
    for bounds in ((3, 3, 1), (0, 3, 9)):
        found = dynamic.real_dynamic_slice(np.arange(3), *[np.array([each]) for each in bounds])
        assert found.tolist() == list(range(*bounds))
