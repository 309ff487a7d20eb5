"""XLA's shapes and layouts: what an array is, and how it lies in memory.

    shape = Shape.parse("f32[2,3]{0,1}")        # or Shape.make("f32", (2, 3), (0, 1))
    to_buffer(array, shape)                     # the elements as they lie in memory
    to_bytes(array, shape)                      # the same as bytes
    from_buffer(buffer, shape)                  # and back, from elements or bytes
    linear_index(shape, (1, 2))                 # 5

A layout changes how an array is stored, never what it means: programs, and the Python functions that
implement custom calls, see arrays by their dimensions whatever the layouts in the program say.
"""

from __future__ import annotations

from stablehlo_py.layout.buffers import from_buffer, to_buffer, to_bytes
from stablehlo_py.layout.index import linear_index, multi_index
from stablehlo_py.layout.layout import Layout, PaddingValue
from stablehlo_py.layout.shape import Shape

__all__ = [
    "Layout",
    "PaddingValue",
    "Shape",
    "from_buffer",
    "linear_index",
    "multi_index",
    "to_buffer",
    "to_bytes",
]
