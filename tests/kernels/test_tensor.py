"""Ops of the tensor dialect."""

from __future__ import annotations

import numpy as np
import pytest

import stablehlo_py as shlo
from stablehlo_py.kernels import tensor

CAST = """func.func @main(%x: tensor<?xf32>) -> tensor<3xf32> {
  %0 = tensor.cast %x : tensor<?xf32> to tensor<3xf32>
  return %0 : tensor<3xf32>
}"""


def test_a_cast_to_a_shape_that_a_tensor_has_not() -> None:
    with pytest.raises(shlo.RunError, match=r"shape \[2\] does not match tensor<3xf32>"):
        shlo.run(shlo.parse(CAST), [np.zeros(2, np.float32)])


@pytest.mark.parametrize(("index", "size"), [(0, 2), (1, 3), (2, None), (-1, None)])
def test_sizes_of_dimensions(index: int, size: int | None) -> None:
    """Negative numbers do not count from the end."""
    given = np.zeros((2, 3)), np.array(index)
    if size is not None:
        assert tensor.dim(*given).tolist() == size
        return
    with pytest.raises(shlo.RunError, match=rf"dimension {index} is out of range for rank 2"):
        tensor.dim(*given)


@pytest.mark.parametrize(
    ("index", "element"), [((1, 2), 5), ((0, 0), 0), ((2, 0), None), ((0, 3), None), ((-1, 0), None)]
)
def test_elements_at_an_index(index: tuple[int, int], element: int | None) -> None:
    given = np.arange(6).reshape(2, 3), tuple(map(np.array, index))
    if element is not None:
        assert tensor.extract(*given).tolist() == element
        return
    with pytest.raises(shlo.RunError, match=rf"index \[{index[0]}, {index[1]}\] is out of bounds"):
        tensor.extract(*given)
