"""Conversion of arrays to and from linear buffers in a layout.

A buffer holds elements of the array's NumPy type, including padding. As bytes they are little-endian.
Elements narrower than a byte, such as i4, occupy the low bits of a byte, as in XLA's literals; with `E(4)` in
the layout they are packed, the first one in the low bits of its byte.
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
    """Store an array in a linear buffer.

    Args:
        array: An array of the sizes and element type of `shape`.
        shape: The shape, with a layout.

    Returns:
        The elements in memory order, with padding: a one-dimensional array.

    Raises:
        ValueError: If the array does not match the shape.
    """
    given = np.asarray(array)
    if given.shape != shape.sizes or given.dtype != shape.dtype:
        raise ValueError(
            f"expected an array of {shape.text(layout=False)}, got shape {given.shape} and type {given.dtype}"
        )
    layout, filling = shape.layout, _filling(shape)
    widths = layout.widths(shape.sizes)
    memory = _padded(given, widths, filling).transpose(layout.major_to_minor)
    for tile in layout.tiles:
        memory = _tiled(memory, tile, filling)
    return memory.flatten()


def from_buffer(buffer: Array | Bytes, shape: Shape) -> Array:
    """Load an array from a linear buffer; the inverse of `to_buffer` and `to_bytes`.

    Args:
        buffer: The elements or bytes, with padding.
        shape: The shape, with a layout.

    Returns:
        A new array of the sizes and element type of `shape`.

    Raises:
        ValueError: If the size or type of the buffer does not match the shape.
    """
    elements = _elements(buffer, shape) if isinstance(buffer, Bytes) else np.asarray(buffer)
    sizes = buffer_sizes(shape)
    if elements.dtype != shape.dtype or elements.size != math.prod(sizes):
        wanted = f"{math.prod(sizes)} of {shape.dtype}"
        raise ValueError(f"expected {wanted} in a buffer of {shape}, got {elements.size} of {elements.dtype}")
    memory = elements.reshape(sizes)
    for tile, before, _ in reversed(tilings(shape)):
        memory = _corner(_untiled(memory, len(tile)), before)
    padded = memory.transpose(np.argsort(shape.layout.major_to_minor))
    return _corner(padded, shape.sizes).copy()


def to_bytes(array: Any, shape: Shape) -> bytes:
    """Store an array as bytes.

    Args:
        array: An array of the sizes and element type of `shape`.
        shape: The shape, with a layout.

    Returns:
        The bytes of the buffer, little-endian.

    Raises:
        ValueError: If the array does not match the shape.
    """
    buffer = to_buffer(array, shape)
    bits = _packed_bits(shape)
    if bits:
        return _packed(buffer.view(np.uint8), bits).tobytes()
    return _little_endian(buffer).tobytes()


def byte_size(shape: Shape) -> int:
    """Return the size of the buffer of a shape, in bytes."""
    elements, bits = math.prod(buffer_sizes(shape)), _packed_bits(shape)
    return -(-elements // (8 // bits)) if bits else elements * shape.dtype.itemsize


def _elements(data: Bytes, shape: Shape) -> Array:
    """Decode bytes to elements."""
    wanted = byte_size(shape)
    if len(data) != wanted:
        raise ValueError(f"expected {wanted} bytes for a buffer of {shape}, got {len(data)}")
    bits, dtype = _packed_bits(shape), shape.dtype
    if bits:
        found = _unpacked(np.frombuffer(data, np.uint8), bits)[: math.prod(buffer_sizes(shape))]
        if dtype.kind == "i":  # wider than the elements
            return (found << (8 - bits)).view(dtype) >> (8 - bits)
        return found.view(dtype)
    if dtype.kind == "b":
        truth: Array = np.frombuffer(data, np.uint8) != 0
        return truth
    return _little_endian(np.frombuffer(data, dtype))


def _little_endian(elements: Array) -> Array:
    return elements.byteswap() if sys.byteorder == "big" else elements


def _packed_bits(shape: Shape) -> int:
    """Return the bits per element if elements are packed into bytes, otherwise 0."""
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
    """Pack several elements into each byte, the first one in the low bits."""
    per_byte = 8 // bits
    filled = np.pad(codes & ((1 << bits) - 1), (0, -codes.size % per_byte)).reshape(-1, per_byte)
    packed: Array = np.bitwise_or.reduce(filled << np.arange(0, 8, bits, dtype=np.uint8), axis=1)
    return packed


def _unpacked(data: Array, bits: int) -> Array:
    codes = data[:, None] >> np.arange(0, 8, bits, dtype=np.uint8) & np.uint8((1 << bits) - 1)
    return codes.reshape(-1)


def _filling(shape: Shape) -> Any:
    """Return the padding value; 0 if it is unknown."""
    match shape.layout.padding_value:
        case PaddingValue.ONE_PAD:
            return np.ones((), shape.dtype)
        case PaddingValue.LOWEST_PAD | PaddingValue.HIGHEST_PAD as value:
            return extreme(shape.element_type, highest=value is PaddingValue.HIGHEST_PAD)
        case _:
            return np.zeros((), shape.dtype)


def _padded(array: Array, widths: tuple[int, ...], filling: Any) -> Array:
    """Pad an array at the end of each dimension."""
    if array.shape == widths:
        return array
    padded = np.full(widths, filling, array.dtype)
    _corner(padded, array.shape)[...] = array
    return padded


def _corner(array: Array, sizes: tuple[int, ...]) -> Array:
    """Return the first elements of every dimension."""
    return array[tuple([slice(size) for size in sizes])]


def _tiled(array: Array, tile: tuple[int, ...], filling: Any) -> Array:
    """Split the last dimensions into tiles: the numbers of tiles, then the dimensions of a tile."""
    kept = array.ndim - len(tile)
    counts = [-(-size // t) for size, t in zip(array.shape[kept:], tile, strict=True)]
    pairs = list(zip(counts, tile, strict=True))
    padded = _padded(array, (*array.shape[:kept], *(count * t for count, t in pairs)), filling)
    split = padded.reshape((*array.shape[:kept], *(size for pair in pairs for size in pair)))
    outer, inner = range(kept, split.ndim, 2), range(kept + 1, split.ndim, 2)
    return split.transpose((*range(kept), *outer, *inner))


def _untiled(array: Array, depth: int) -> Array:
    """Join tiles; the inverse of `_tiled`, without removing padding."""
    kept = array.ndim - 2 * depth
    outer = range(kept, kept + depth)
    beside = array.transpose((*range(kept), *(axis for place in outer for axis in (place, place + depth))))
    joined = [array.shape[place] * array.shape[place + depth] for place in outer]
    return beside.reshape((*array.shape[:kept], *joined))
