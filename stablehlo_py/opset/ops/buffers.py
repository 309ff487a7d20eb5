"""The casts of the `memref` and `bufferization` dialects, which surround programs in buffers."""

from __future__ import annotations

from stablehlo_py.opset.classes import ANY, BUFFER
from stablehlo_py.opset.definition import define
from stablehlo_py.opset.shared.common import SHAPED, conversion

define(
    conversion(
        "memref.cast",
        ANY,
        ANY,
        "Casts a buffer to a type with more or fewer static dimensions.",
        "cast",
        types="memref<?xf32> to memref<2xf32>",
    ),
    conversion(
        "bufferization.to_tensor",
        BUFFER,
        SHAPED,
        "Returns the elements of a buffer as a tensor.",
        types="memref<2xf32> to tensor<2xf32>",
    ),
    conversion(
        "bufferization.to_buffer",
        SHAPED,
        BUFFER,
        "Returns a buffer with the elements of a tensor.",
        types="tensor<2xf32> to memref<2xf32>",
    ),
)
