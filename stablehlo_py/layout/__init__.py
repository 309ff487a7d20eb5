"""XLA shapes and layouts: the type of an array, and its representation in memory.

A layout affects how an array is stored, never its meaning: programs, and the Python functions that implement
custom calls, operate on logical arrays regardless of the layouts in the program.

Example:
    shape = Shape.parse("f32[2,3]{0,1}")        # or Shape.make("f32", (2, 3), (0, 1))
    to_buffer(array, shape)                     # the elements in memory order
    to_bytes(array, shape)                      # the same as bytes
    from_buffer(buffer, shape)                  # the inverse, from elements or bytes
    linear_index(shape, (1, 2))                 # 5
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
