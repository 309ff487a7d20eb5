"""Random bits, the same as XLA's, and random numbers of a distribution.

Both generators are counter-based (J. Salmon and others, "Parallel random numbers: as easy as 1, 2, 3"): they
encrypt consecutive counters. Unsigned integers wrap around intentionally.
"""

from __future__ import annotations

import math

import numpy as np

from stablehlo_py.ir.types import Type
from stablehlo_py.kernels.grid.process import current
from stablehlo_py.kernels.numeric import numerics as n
from stablehlo_py.kernels.registry import Array, DType, Ints, kernel
from stablehlo_py.kernels.shape import element_count, element_dtype, static_shape

Words = list[Array]
_ROTATIONS = tuple(
    [
        tuple([(np.uint32(left), np.uint32(32 - left)) for left in four])
        for four in ((13, 15, 26, 6), (17, 29, 16, 24))
    ]
)
_PARITY = np.uint32(0x1BD11BDA)
_MULTIPLIERS = (np.uint64(0xD2511F53), np.uint64(0xCD9E8D57))
_WEYL = (np.uint32(0x9E3779B9), np.uint32(0xBB67AE85))
_LOW = np.uint64(0xFFFFFFFF)
_HALF = np.uint64(32)
_AT_ONCE = 1 << 15  # blocks per step, so that intermediates stay in cache


@kernel("stablehlo.rng_bit_generator")
def rng_bit_generator(initial_state: Array, *, rng_algorithm: str, output: Type) -> tuple[Array, Array]:
    """Random bits and the updated state of a generator (rng_bit_generator)."""
    state = np.ascontiguousarray(initial_state).view(np.uint64).copy()
    generate = _three_fry if rng_algorithm == "THREE_FRY" else _philox
    found = generate(state, static_shape(output), element_dtype(output))
    return state.view(initial_state.dtype), found


def _as_elements(words: Array, dtype: DType) -> Array:
    """Return elements with the lowest bits of `words` as their bit patterns."""
    if n.bits(dtype) < 8:
        words = words & words.dtype.type((1 << n.bits(dtype)) - 1)
    return n.sign_extended(words.astype(n.unsigned(dtype), copy=False).view(dtype))


def _split(words: Array) -> tuple[Array, Array]:
    """Return the lower and the upper halves of 64-bit words."""
    return (words & _LOW).astype(np.uint32), (words >> _HALF).astype(np.uint32)


def _joined(low: Array, high: Array) -> Array:
    """Return 64-bit words from lower and upper halves."""
    return low.astype(np.uint64) | (high.astype(np.uint64) << _HALF)


# Threefry-2x32, 20 rounds; state: key, counter


def _three_fry(state: Array, shape: Ints, dtype: DType) -> Array:
    """Return random elements of a shape; advance the counter by the number of blocks."""
    if dtype.itemsize == 8:
        words = _three_fry_blocks(state, element_count(shape), 1)
        return _as_elements(_joined(words[:, 0, 0], words[:, 1, 0]).reshape(shape), dtype)
    axis = _halved_axis(shape)
    lead = shape or (1,)
    outer, size, inner = lead[:axis], lead[axis], lead[axis + 1 :]
    words = _three_fry_blocks(state, math.prod(outer) * -(-size // 2), math.prod(inner))
    both = words.reshape(*outer, size + size % 2, *inner)[(*[slice(None)] * axis, slice(0, size))]
    return _as_elements(both.reshape(shape), dtype)


def _halved_axis(shape: Ints) -> int:
    """Return the axis along which the words of a block alternate: the first even one, else the longest."""
    even = [axis for axis, size in enumerate(shape) if size % 2 == 0]
    return even[0] if even else max(range(len(shape)), key=shape.__getitem__, default=0)


def _three_fry_blocks(state: Array, rows: int, columns: int) -> Array:
    """Return the two words of the blocks of a matrix, counted from the state, as (row, word, column)."""
    words = np.empty((rows, 2, columns), np.uint32)
    key, height = _split(state[:1]), max(1, _AT_ONCE // max(1, columns))
    for at in range(0, rows, height):
        some = words[at : at + height]
        counter = np.arange(at * columns, (at + len(some)) * columns, dtype=np.uint64) + state[1]
        found = three_fry_2x32(key, _split(counter))
        some[:, 0], some[:, 1] = (word.reshape(-1, columns) for word in found)
    state[1] += np.uint64(rows * columns)
    return words


def three_fry_2x32(key: tuple[Array, Array], block: tuple[Array, Array]) -> Words:
    """Encrypt blocks with Threefry-2x32, 20 rounds.

    Args:
        key: Two uint32 words.
        block: Two uint32 words, or arrays of them.

    Returns:
        Two arrays of uint32 words.
    """
    keys = (*key, key[0] ^ key[1] ^ _PARITY)
    x, y = np.asarray(block[0] + keys[0]), np.asarray(block[1] + keys[1])
    high = np.empty_like(y)
    for group in range(5):
        for left, right in _ROTATIONS[group % 2]:
            np.add(x, y, out=x)
            np.left_shift(y, left, out=high)
            np.right_shift(y, right, out=y)
            np.bitwise_or(y, high, out=y)
            np.bitwise_xor(y, x, out=y)
        x += keys[(group + 1) % 3]
        y += keys[(group + 2) % 3] + np.uint32(group + 1)
    return [x, y]


# Philox-4x32, 10 rounds; state: key, counter (of one or two 64-bit words)


def _philox(state: Array, shape: Ints, dtype: DType) -> Array:
    """Return random elements of a shape, word after word; advance the counter by the number of blocks."""
    size = element_count(shape)
    words = 2 * size if dtype.itemsize == 8 else size
    blocks = -(-words // 4)
    low = np.arange(blocks, dtype=np.uint64) + state[1]
    upper = state[2] if len(state) > 2 else state[0]
    high = upper + (low < state[1]).astype(np.uint64)
    _advance(state, blocks)
    found = philox_4x32(_split(state[:1]), [*_split(low), *_split(high)])
    flat = np.stack(found, axis=-1).reshape(-1)[:words]
    if dtype.itemsize == 8:
        flat = _joined(flat[0::2], flat[1::2])
    return _as_elements(flat.reshape(shape), dtype)


def _advance(state: Array, blocks: int) -> None:
    before = state[1]
    state[1] += np.uint64(blocks)
    if len(state) > 2 and state[1] < before:
        state[2] += np.uint64(1)


def philox_4x32(key: tuple[Array, Array], block: Words) -> Words:
    """Encrypt blocks with Philox-4x32, 10 rounds.

    Args:
        key: Two uint32 words.
        block: Four uint32 words, or arrays of them.

    Returns:
        Four arrays of uint32 words.
    """
    k0, k1 = key
    a, b, c, d = block
    for _ in range(10):
        low0, high0 = _split(a.astype(np.uint64) * _MULTIPLIERS[0])
        low1, high1 = _split(c.astype(np.uint64) * _MULTIPLIERS[1])
        a, b, c, d = high1 ^ b ^ k0, low1, high0 ^ d ^ k1, low0
        k0, k1 = k0 + _WEYL[0], k1 + _WEYL[1]
    return [a, b, c, d]


# Random numbers of a distribution; the specification does not define the generator


@kernel("stablehlo.rng")
def rng(a: Array, b: Array, shape: Array, *, rng_distribution: str) -> Array:
    """Random numbers of a uniform or normal distribution (rng)."""
    sizes = tuple(shape.tolist())
    dtype = a.dtype
    if rng_distribution == "NORMAL":
        draw = current().generator.standard_normal(sizes)
        return np.asarray(draw * float(b) + float(a)).astype(dtype)
    if n.dtype_kind(dtype) == "b":
        return current().generator.random(sizes) < 0.5
    if n.dtype_kind(dtype) in "iu":
        return current().generator.integers(int(a), int(b), sizes, dtype=n.wide(dtype)).astype(dtype)
    draw = float(a) + current().generator.random(sizes) * (float(b) - float(a))
    below = np.nextafter(b.astype(n.wide(dtype)), a.astype(n.wide(dtype)))
    result: Array = np.minimum(draw, below).astype(dtype)
    return result
