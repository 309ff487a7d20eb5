"""Random bits: the generators' published test vectors, and XLA's layout of them."""

from __future__ import annotations

import numpy as np
import pytest

from stablehlo_py.ir.types import F32, IntegerType, TensorType
from stablehlo_py.kernels import random

U32, U64 = IntegerType(32, "u"), IntegerType(64, "u")


def words(*values: int) -> list[np.ndarray]:  # type: ignore[type-arg]
    return [np.array([v], np.uint32) for v in values]


@pytest.mark.parametrize(
    ("key", "block", "expected"),
    [
        ((0, 0), (0, 0), (0x6B200159, 0x99BA4EFE)),
        ((0xFFFFFFFF, 0xFFFFFFFF), (0xFFFFFFFF, 0xFFFFFFFF), (0x1CB996FC, 0xBB002BE7)),
        ((0x13198A2E, 0x03707344), (0x243F6A88, 0x85A308D3), (0xC4923A9C, 0x483DF7A0)),
    ],
)
def test_three_fry_vectors(key: tuple[int, int], block: tuple[int, int], expected: tuple[int, int]) -> None:
    with np.errstate(all="ignore"):
        found = random.three_fry_2x32(tuple(words(*key)), tuple(words(*block)))  # type: ignore[arg-type]
    assert [int(w[0]) for w in found] == list(expected)


@pytest.mark.parametrize(
    ("key", "block", "expected"),
    [
        ((0, 0), (0, 0, 0, 0), (0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8)),
        (
            (0xA4093822, 0x299F31D0),
            (0x243F6A88, 0x85A308D3, 0x13198A2E, 0x03707344),
            (0xD16CFE09, 0x94FDCCEB, 0x5001E420, 0x24126EA1),
        ),
    ],
)
def test_philox_vectors(key: tuple[int, int], block: tuple[int, ...], expected: tuple[int, ...]) -> None:
    with np.errstate(all="ignore"):
        found = random.philox_4x32(tuple(words(*key)), words(*block))  # type: ignore[arg-type]
    assert [int(w[0]) for w in found] == list(expected)


@pytest.mark.parametrize(("algorithm", "steps"), [("THREE_FRY", 3), ("PHILOX", 2)])
def test_the_state_moves_on_by_blocks(algorithm: str, steps: int) -> None:
    state = np.array([1, 2], np.uint64)
    after, output = random.rng_bit_generator(state, rng_algorithm=algorithm, output=TensorType((2, 3), U32))
    assert state.tolist() == [1, 2]
    assert after.tolist() == [1, 2 + steps]
    assert output.shape == (2, 3) and output.dtype == np.uint32


def philox(key: int, counter: int) -> list[int]:
    """Philox-4x32 with 10 rounds on Python's integers, as its authors define it."""
    low, mask = [counter >> shift & 0xFFFFFFFF for shift in (0, 32, 64, 96)], 0xFFFFFFFF
    k0, k1 = key & mask, key >> 32
    for _ in range(10):
        first, second = 0xD2511F53 * low[0], 0xCD9E8D57 * low[2]
        low = [second >> 32 ^ low[1] ^ k0, second & mask, first >> 32 ^ low[3] ^ k1, first & mask]
        k0, k1 = k0 + 0x9E3779B9 & mask, k1 + 0xBB67AE85 & mask
    return low


def test_the_counter_of_philox_carries_into_its_third_word() -> None:
    """Blocks on both sides of a counter whose lower 64 bits are all ones."""
    assert philox(0, 0) == [0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8]
    key, start = 0x299F31D0A4093822, (5 << 64) + 2**64 - 2
    state = np.array([key, start & 2**64 - 1, start >> 64], np.uint64)
    with np.errstate(all="ignore"):
        after, found = random.rng_bit_generator(state, rng_algorithm="PHILOX", output=TensorType((16,), U32))
    assert found.tolist() == [word for block in range(4) for word in philox(key, start + block)]
    assert after.tolist() == [key, 2, 6]


def test_sixty_four_bits_join_two_words() -> None:
    state = np.array([7, 0, 0], np.uint64)
    _, narrow = random.rng_bit_generator(state, rng_algorithm="PHILOX", output=TensorType((4,), U32))
    _, wide = random.rng_bit_generator(state, rng_algorithm="PHILOX", output=TensorType((2,), U64))
    assert wide.view(np.uint32).tolist() == narrow.tolist()


def test_uniform_numbers_lie_between() -> None:
    a, b = np.array(-1, np.float32), np.array(1, np.float32)
    drawn = random.rng(a, b, np.array([1000]), rng_distribution="UNIFORM")
    assert drawn.dtype == np.float32
    assert (drawn >= -1).all() and (drawn < 1).all() and abs(float(drawn.mean())) < 0.1
    assert TensorType((1000,), F32).size == drawn.size


@pytest.mark.parametrize("shape", [(0,), (3, 0), (2, 40000), (70000,), (3, 5, 7), (3, 2, 4)])
def test_three_fry_alternates_the_words_of_blocks_along_one_axis(shape: tuple[int, ...]) -> None:
    """The first even dimension, or else the longest one; blocks are counted over what it leaves."""
    axis = {(0,): 0, (3, 0): 1, (2, 40000): 0, (70000,): 0, (3, 5, 7): 2, (3, 2, 4): 1}[shape]
    half = list(shape)
    half[axis] = -(-shape[axis] // 2)
    with np.errstate(all="ignore"):
        state, found = random.rng_bit_generator(
            np.array([5, 9], np.uint64), rng_algorithm="THREE_FRY", output=TensorType(shape, U32)
        )
        count = int(np.prod(half))
        counter = np.arange(9, 9 + count, dtype=np.uint64)
        key = (np.array([5], np.uint32), np.array([0], np.uint32))
        pair = random.three_fry_2x32(key, (counter.astype(np.uint32), np.zeros(count, np.uint32)))
    assert state.tolist() == [5, 9 + count]
    for word in (0, 1):
        index = [slice(None)] * len(shape)
        index[axis] = slice(word, None, 2)
        part = found[tuple(index)]
        inside = tuple(slice(0, size) for size in part.shape)
        assert np.array_equal(part, pair[word].reshape(half)[inside])


def test_booleans_are_as_often_true_as_false() -> None:
    a, b = np.array(False), np.array(True)
    drawn = random.rng(a, b, np.array([2, 1000]), rng_distribution="UNIFORM")
    assert (drawn.dtype, drawn.shape) == (np.bool_, (2, 1000))
    assert abs(drawn.mean() - 0.5) < 0.1


@pytest.mark.parametrize("type", [np.float32, np.float64])
def test_uniform_numbers_are_below_the_upper_limit(type: np.dtype) -> None:  # type: ignore[type-arg]
    """There is one number from 1 to the next one."""
    a = np.array(1, type)
    drawn = random.rng(a, np.nextafter(a, type(2)), np.array([200]), rng_distribution="UNIFORM")
    assert (drawn == 1).all()


@pytest.mark.parametrize(("counter", "upper"), [(7, 5), (2**64 - 2, 5), (2**64 - 1, 6)])
def test_the_upper_word_of_a_counter_moves_on_where_the_lower_one_wraps(counter: int, upper: int) -> None:
    state = np.array([3, counter, 5], np.uint64)
    with np.errstate(all="ignore"):
        after, _ = random.rng_bit_generator(state, rng_algorithm="PHILOX", output=TensorType((4,), U32))
    assert after.tolist() == [3, (counter + 1) % 2**64, upper]
