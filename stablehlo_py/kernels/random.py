"""Random bits, the same as XLA's, and random numbers of a distribution.

Both generators are counter-based (J. Salmon and others, "Parallel random numbers: as easy as 1, 2, 3"): they
encrypt consecutive counters. Unsigned integers wrap around intentionally.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import product

import numpy as np

from stablehlo_py.ir.types import Type
from stablehlo_py.kernels.grid.process import current
from stablehlo_py.kernels.numeric import numerics as n
from stablehlo_py.kernels.registry import Array, DType, Ints, kernel
from stablehlo_py.kernels.shape import element_count, element_dtype, static_shape
from stablehlo_py.kernels.slabs import row_slabs

Words = list[Array]
ROTATIONS = ((13, 15, 26, 6), (17, 29, 16, 24))  # of groups of Threefry's rounds, in turn
PARITY = 0x1BD11BDA  # of Threefry's third key
MULTIPLIERS = (0xD2511F53, 0xCD9E8D57)  # of Philox
WEYL = (0x9E3779B9, 0xBB67AE85)  # added to Philox's keys in each round
PHILOX_ROUNDS, PHILOX_WORDS = 10, 4  # words of a block
_ROTATIONS = tuple([tuple([(np.uint32(left), np.uint32(32 - left)) for left in four]) for four in ROTATIONS])
_MULTIPLIERS, _WEYL = np.array(MULTIPLIERS, np.uint64), np.array(WEYL, np.uint64)
_LOW = np.uint64(0xFFFFFFFF)
_HALF = np.uint64(32)
_WORD = np.dtype("<u4")
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


def _pairs(words: Array) -> Array:
    """Return 64-bit words from their halves, the lower one first: the memory of `words` on most machines."""
    return words.reshape(-1).view(np.dtype("<u8")).astype(np.uint64, copy=False)


# Threefry-2x32, 20 rounds; state: key, counter


def _three_fry(state: Array, shape: Ints, dtype: DType) -> Array:
    """Return random elements of a shape; advance the counter by the number of blocks."""
    if dtype.itemsize == 8:
        words = _three_fry_blocks(state, element_count(shape), 1, _WORD)
        return _as_elements(_pairs(words).reshape(shape), dtype)
    axis = halved_axis(shape)
    lead = shape or (1,)
    outer, size, inner = lead[:axis], lead[axis], lead[axis + 1 :]
    rows = math.prod(outer) * -(-size // 2)
    words = _three_fry_blocks(state, rows, math.prod(inner), n.unsigned(dtype))
    both = words.reshape(*outer, size + size % 2, *inner)[(*[slice(None)] * axis, slice(0, size))]
    return _as_elements(both.reshape(shape), dtype)


def halved_axis(shape: Ints) -> int:
    """Return the axis along which the words of a block alternate: the first even one, else the longest."""
    even = [axis for axis, size in enumerate(shape) if size % 2 == 0]
    return even[0] if even else max(range(len(shape)), key=shape.__getitem__, default=0)


def _three_fry_blocks(state: Array, rows: int, columns: int, dtype: DType) -> Array:
    """Return the two words of the blocks of a matrix, counted from the state, as (row, word, column).

    `dtype` is the type that holds the bits of the words that are used, the lowest.
    """
    words = np.empty((rows, 2, columns), dtype)
    key, height = _split(state[:1]), max(1, _AT_ONCE // max(1, columns))
    for at, left in product(range(0, rows, height), range(0, columns, _AT_ONCE)):
        some = words[at : at + height, :, left : left + _AT_ONCE]
        row, column = np.arange(at, at + len(some)), np.arange(left, left + some.shape[2])
        counter = (row[:, None] * columns + column).astype(np.uint64).reshape(-1) + state[1]
        found = three_fry_2x32(key, _split(counter))
        some[:, 0], some[:, 1] = (word.reshape(len(some), -1) for word in found)
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
    keys = (*key, key[0] ^ key[1] ^ np.uint32(PARITY))
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
    upper = state[2] if len(state) > 2 else state[0]
    found = np.empty((blocks, 4), _WORD if dtype.itemsize == 8 else n.unsigned(dtype))
    for at in range(0, blocks, _AT_ONCE):
        some = found[at : at + _AT_ONCE]
        low = np.arange(at, at + len(some), dtype=np.uint64) + state[1]
        high = upper + (low < state[1]).astype(np.uint64)
        some.T[...] = philox_4x32(_split(state[:1]), [*_split(low), *_split(high)])
    _advance(state, blocks)
    flat = found.reshape(-1)[:words]
    if dtype.itemsize == 8:
        flat = _pairs(flat)
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
    keys = [np.asarray(word).astype(np.uint64) for word in key]
    a, b, c, d = (np.asarray(word).astype(np.uint64) for word in block)
    for _ in range(PHILOX_ROUNDS):
        first, second = a * _MULTIPLIERS[0], c * _MULTIPLIERS[1]
        b ^= keys[0]
        b ^= second >> _HALF
        d ^= keys[1]
        d ^= first >> _HALF
        a, b, c, d = b, second, d, first
        b &= _LOW
        d &= _LOW
        keys = [(word + step) & _LOW for word, step in zip(keys, _WEYL, strict=True)]
    return [word.astype(np.uint32) for word in (a, b, c, d)]


# Random numbers of a distribution; the specification does not define the generator


@kernel("stablehlo.rng")
def rng(a: Array, b: Array, shape: Array, *, rng_distribution: str) -> Array:
    """Random numbers of a uniform or normal distribution (rng)."""
    result = np.empty(shape.tolist(), a.dtype)
    flat, draw = result.reshape(-1), _distribution(a, b, rng_distribution)
    for part in row_slabs(flat.size, np.dtype(np.float64).itemsize):
        flat[part] = draw(part.stop - part.start).astype(a.dtype)
    return result


def _distribution(a: Array, b: Array, name: str) -> Callable[[int], Array]:
    """Return a function that draws a number of values."""
    generator, kind, wide = current().generator, n.dtype_kind(a.dtype), n.wide(a.dtype)
    if name == "NORMAL":
        return lambda count: np.asarray(generator.standard_normal(count) * float(b) + float(a))
    if kind == "b":
        return lambda count: generator.random(count) < 0.5
    if kind in "iu":
        return lambda count: generator.integers(int(a), int(b), count, dtype=wide)
    below = np.nextafter(b.astype(wide), a.astype(wide))
    return lambda count: np.minimum(float(a) + generator.random(count) * (float(b) - float(a)), below)
