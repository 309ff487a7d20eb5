"""Ops with shapes given as operands, compared with hand calculations."""

from __future__ import annotations

import numpy as np
import pytest

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


def test_dynamic_forms_refuse_what_does_not_fit() -> None:
    with pytest.raises(RunError, match="6 elements do not fill"):
        dynamic.dynamic_reshape(np.arange(6), np.array([4]))
    with pytest.raises(RunError, match="does not broadcast"):
        dynamic.dynamic_broadcast_in_dim(np.arange(3), np.array([2]), broadcast_dimensions=(0,))
    with pytest.raises(RunError, match="is not within"):
        dynamic.real_dynamic_slice(np.arange(3), np.array([1]), np.array([9]), np.array([1]))
