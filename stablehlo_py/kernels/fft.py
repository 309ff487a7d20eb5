"""Fast Fourier transforms."""

from __future__ import annotations

from typing import Any

import numpy as np

from stablehlo_py.ir.element_types import numpy_dtype
from stablehlo_py.ir.types import TensorType
from stablehlo_py.kernels.numeric.matrix_product import cast
from stablehlo_py.kernels.registry import Array, Ints, kernel
from stablehlo_py.kernels.slabs import Cut, outer_dimension

_TRANSFORMS: dict[str, Any] = {
    "FFT": np.fft.fftn,
    "IFFT": np.fft.ifftn,
    "RFFT": np.fft.rfftn,
    "IRFFT": np.fft.irfftn,
}


def _slabs(operand: Array, *, fft_length: Ints) -> Cut | None:
    """Cut a batch."""
    axis = outer_dimension(operand, range(operand.ndim - len(fft_length)))
    return None if axis is None else Cut((axis,), axis)


@kernel("stablehlo.fft", slabs=_slabs)
def fft(operand: Array, *, fft_type: str, fft_length: Ints, result: TensorType) -> Array:
    """Transform of the last dimensions: FFT, IFFT, RFFT or IRFFT (fft)."""
    dtype = numpy_dtype(result.element_type)
    count = len(fft_length)
    if operand.size == 0 or 0 in fft_length:
        last = fft_length[-1] // 2 + 1 if fft_type == "RFFT" and fft_length[-1] else fft_length[-1]
        return np.zeros((*operand.shape[:-1], last), dtype)
    axes = range(operand.ndim - count, operand.ndim)
    return cast(_TRANSFORMS[fft_type](operand, s=fft_length, axes=axes), dtype)
