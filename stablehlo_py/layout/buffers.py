"""Arrays as they lie in memory: to and from the linear buffer of a layout.

A buffer holds elements of the array's NumPy type, those that padding adds included. As bytes they are
little-endian. An element narrower than a byte, such as that of i4, takes a byte, in its low bits, as in
XLA's literals; where the layout says `E(4)` they are packed, the first one in the low bits of its byte.
"""

from __future__ import annotations

import math
import sys
from typing import Any

import numpy as np

from stablehlo_py.ir.element_types import bit_width
from stablehlo_py.layout.elements import extreme
from stablehlo_py.layout.index import buffer_sizes, tilings
from stablehlo_py.layout.layout import PaddingValue
from stablehlo_py.layout.shape import Shape

Array = np.ndarray[Any, np.dtype[Any]]
Bytes = bytes | bytearray | memoryview


def to_buffer(array: Any, shape: Shape) -> Array:
    """The elements of an array in the order of memory: one-dimensional, with padding.

    Raises ValueError if the array is not of the shape.
    """
    given = np.asarray(array)
    if given.shape != shape.sizes or given.dtype != shape.dtype:
        raise ValueError(
            f"an array of shape {given.shape} and type {given.dtype} is not {shape.text(layout=False)}"
        )
    layout, filling = shape.layout, _filling(shape)
    widths = layout.widths(shape.sizes)
    memory = _padded(given, widths, filling).transpose(layout.major_to_minor)
    for tile in layout.tiles:
        memory = _tiled(memory, tile, filling)
    return memory.flatten()


def from_buffer(buffer: Array | Bytes, shape: Shape) -> Array:
    """The array whose elements lie in a buffer, an array of elements or bytes. Raises ValueError if its
    size is wrong."""
    elements = _elements(buffer, shape) if isinstance(buffer, Bytes) else np.asarray(buffer)
    sizes = buffer_sizes(shape)
    if elements.dtype != shape.dtype or elements.size != math.prod(sizes):
        wanted = f"{math.prod(sizes)} of {shape.dtype}"
        raise ValueError(f"a buffer of {shape} has {wanted}, not {elements.size} of {elements.dtype}")
    memory = elements.reshape(sizes)
    for tile, before, _ in reversed(tilings(shape)):
        memory = _corner(_untiled(memory, len(tile)), before)
    padded = memory.transpose(np.argsort(shape.layout.major_to_minor))
    return _corner(padded, shape.sizes).copy()


def to_bytes(array: Any, shape: Shape) -> bytes:
    """The bytes of an array in memory. Raises ValueError if the array is not of the shape."""
    buffer = to_buffer(array, shape)
    bits = _packed_bits(shape)
    if bits:
        return _packed(buffer.view(np.uint8), bits).tobytes()
    return _little_endian(buffer).tobytes()


def byte_size(shape: Shape) -> int:
    """How many bytes the buffer of a shape has."""
    elements, bits = math.prod(buffer_sizes(shape)), _packed_bits(shape)
    return -(-elements // (8 // bits)) if bits else elements * shape.dtype.itemsize


def _elements(data: Bytes, shape: Shape) -> Array:
    """The elements that bytes spell."""
    wanted = byte_size(shape)
    if len(data) != wanted:
        raise ValueError(f"a buffer of {shape} has {wanted} bytes, not {len(data)}")
    bits, dtype = _packed_bits(shape), shape.dtype
    if bits:
        found = _unpacked(np.frombuffer(data, np.uint8), bits)[: math.prod(buffer_sizes(shape))]
        return found.view(dtype)
    if dtype.kind == "b":
        truth: Array = np.frombuffer(data, np.uint8) != 0
        return truth
    return _little_endian(np.frombuffer(data, dtype))


def _little_endian(elements: Array) -> Array:
    return elements.byteswap() if sys.byteorder == "big" else elements


def _packed_bits(shape: Shape) -> int:
    """The bits of each element where several share a byte, 0 where none do."""
    stated, bits = shape.layout.element_size_in_bits, bit_width(shape.element_type)
    if stated in (0, 8 * shape.dtype.itemsize):
        return 0
    if stated == bits and bits in (1, 2, 4):
        return stated
    raise ValueError(
        f"elements of {shape} take {8 * shape.dtype.itemsize} bits{_packable(bits)}, not {stated}"
    )


def _packable(bits: int) -> str:
    return f", or {bits} packed" if bits in (1, 2, 4) else ""


def _packed(codes: Array, bits: int) -> Array:
    """Several codes to a byte, the first one in the low bits."""
    per_byte = 8 // bits
    filled = np.pad(codes & ((1 << bits) - 1), (0, -codes.size % per_byte)).reshape(-1, per_byte)
    packed: Array = np.bitwise_or.reduce(filled << np.arange(0, 8, bits, dtype=np.uint8), axis=1)
    return packed


def _unpacked(data: Array, bits: int) -> Array:
    codes = data[:, None] >> np.arange(0, 8, bits, dtype=np.uint8) & np.uint8((1 << bits) - 1)
    return codes.reshape(-1)


def _filling(shape: Shape) -> Any:
    """What padding is filled with; zeros where it is unknown, and around tiles."""
    match shape.layout.padding_value:
        case PaddingValue.ONE_PAD:
            return np.ones((), shape.dtype)
        case PaddingValue.LOWEST_PAD | PaddingValue.HIGHEST_PAD as value:
            return extreme(shape.element_type, highest=value is PaddingValue.HIGHEST_PAD)
        case _:
            return np.zeros((), shape.dtype)


def _padded(array: Array, widths: tuple[int, ...], filling: Any) -> Array:
    """The array in the corner of a larger one."""
    if array.shape == widths:
        return array
    padded = np.full(widths, filling, array.dtype)
    _corner(padded, array.shape)[...] = array
    return padded


def _corner(array: Array, sizes: tuple[int, ...]) -> Array:
    """The first elements of every dimension."""
    return array[tuple([slice(size) for size in sizes])]


def _tiled(array: Array, tile: tuple[int, ...], filling: Any) -> Array:
    """The last dimensions in tiles: how many there are of each, then the dimensions of a tile."""
    kept = array.ndim - len(tile)
    counts = [-(-size // t) for size, t in zip(array.shape[kept:], tile, strict=True)]
    pairs = list(zip(counts, tile, strict=True))
    padded = _padded(array, (*array.shape[:kept], *(count * t for count, t in pairs)), filling)
    split = padded.reshape((*array.shape[:kept], *(size for pair in pairs for size in pair)))
    outer, inner = range(kept, split.ndim, 2), range(kept + 1, split.ndim, 2)
    return split.transpose((*range(kept), *outer, *inner))


def _untiled(array: Array, depth: int) -> Array:
    """The inverse of `_tiled`, with what the tiles are filled up with."""
    kept = array.ndim - 2 * depth
    outer = range(kept, kept + depth)
    beside = array.transpose((*range(kept), *(axis for place in outer for axis in (place, place + depth))))
    joined = [array.shape[place] * array.shape[place + depth] for place in outer]
    return beside.reshape((*array.shape[:kept], *joined))
