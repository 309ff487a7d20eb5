"""Chains by themselves: the parts that broadcasts repeat, blocks, links on registers, and threads."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import stablehlo_py as shlo
from stablehlo_py.engines.numpy import chain
from stablehlo_py.engines.numpy.broadcasting import Extent, Source, _extent, _repeated_part
from stablehlo_py.engines.numpy.chain import Chain, Link

FULL, ROW, COLUMN, SCALAR = Extent.FULL, Extent.PER_ROW, Extent.PER_COLUMN, Extent.SCALAR


@pytest.mark.parametrize(
    ("small", "large", "dimensions", "extent"),
    [
        ((), (4, 5), (), SCALAR),
        ((), (), (), SCALAR),
        ((4,), (4, 5), (0,), ROW),
        ((5,), (4, 5), (1,), COLUMN),
        ((4,), (4, 4), (0,), ROW),
        ((4,), (4, 4), (1,), COLUMN),
        ((4, 1), (4, 5), (0, 1), ROW),
        ((1, 5), (4, 5), (0, 1), COLUMN),
        ((4, 5), (4, 5), (0, 1), None),
        ((1, 1), (4, 5), (0, 1), None),
        ((1,), (4, 5), (0,), None),
        ((1,), (4, 5), (1,), None),
        ((1,), (4, 1), (1,), COLUMN),
        ((2, 3), (2, 3, 5), (0, 1), ROW),
        ((2, 3, 1), (2, 3, 5), (0, 1, 2), ROW),
        ((2, 2), (2, 2, 5), (1, 0), None),
        ((3,), (2, 3, 5), (1,), None),
        ((5,), (2, 3, 5), (2,), COLUMN),
        ((1, 5), (2, 3, 5), (1, 2), COLUMN),
        ((3, 5), (2, 3, 5), (1, 2), None),
        ((2, 5), (2, 3, 5), (0, 2), None),
        ((1, 1, 5), (2, 3, 5), (0, 1, 2), COLUMN),
    ],
)
def test_what_a_broadcast_repeats(
    small: tuple[int, ...], large: tuple[int, ...], dimensions: tuple[int, ...], extent: Extent | None
) -> None:
    """Along rows, one element for each; from row to row, one row; else what no block can read."""
    assert _extent(small, large, dimensions) is extent


@pytest.mark.parametrize(
    ("extent", "shape", "matrix"),
    [
        (FULL, (2, 3, 5), (6, 5)),
        (ROW, (2, 3, 5), (6, 1)),
        (COLUMN, (2, 3, 5), (1, 5)),
        (SCALAR, (2, 3, 5), (1, 1)),
        (FULL, (5,), (1, 5)),
        (ROW, (5,), (1, 1)),
    ],
)
def test_matrices(extent: Extent, shape: tuple[int, ...], matrix: tuple[int, int]) -> None:
    assert extent.matrix(shape) == matrix


ROWS = np.arange(6.0).reshape(2, 3)


@pytest.mark.parametrize(
    ("array", "extent", "part"),
    [
        (np.broadcast_to(7.0, (2, 3)), SCALAR, 7.0),
        (np.broadcast_to(7.0, (3,)), SCALAR, 7.0),
        (np.broadcast_to(ROWS[1], (4, 3)), COLUMN, [3, 4, 5]),
        (np.broadcast_to(ROWS[1], (2, 4, 3)), COLUMN, [3, 4, 5]),
        (np.broadcast_to(ROWS[:, 1:2], (2, 5)), ROW, [1, 4]),
        (np.broadcast_to(ROWS[..., None], (2, 3, 5)), ROW, ROWS.tolist()),
        (np.broadcast_to(ROWS[:, None], (2, 4, 3)), None, None),
        (ROWS, None, None),
        (ROWS[0], None, None),
    ],
)
def test_what_a_constant_repeats(array: Any, extent: Extent | None, part: Any) -> None:
    found = _repeated_part(array)
    assert (found is None) == (extent is None)
    if found is not None:
        assert (found[0], found[1].tolist()) == (extent, part)


def s(start: int, stop: int) -> slice:
    return slice(start, stop)


@pytest.mark.parametrize(
    ("shape", "most", "blocks"),
    [
        ((10,), 4, [(s(0, 4),), (s(4, 8),), (s(8, 12),)]),
        ((8,), 4, [(s(0, 4),), (s(4, 8),)]),
        ((2, 10), 4, [(i, s(at, at + 4)) for i in (0, 1) for at in (0, 4, 8)]),
        ((4, 3), 6, [(s(0, 2),), (s(2, 4),)]),
        ((4, 3), 5, [(s(at, at + 1),) for at in range(4)]),
        ((2, 3, 4), 4, [(i, s(at, at + 1)) for i in (0, 1) for at in range(3)]),
        ((2, 3, 4), 8, [(i, s(at, at + 2)) for i in (0, 1) for at in (0, 2)]),
        ((2, 3, 4), 12, [(s(0, 1),), (s(1, 2),)]),
        ((2, 3, 4), 24, [(s(0, 2),)]),
    ],
)
def test_blocks_of_an_array(shape: tuple[int, ...], most: int, blocks: list[chain.Index]) -> None:
    """At most so many elements, along as many of the last axes as fit: each element in one of them."""
    assert chain._indices(shape, most) == blocks


F32, I1 = np.dtype(np.float32), np.dtype(bool)


def link(call: Callable[..., Any], ins: list[tuple[int, Extent]], out: int, shape: Any, **more: Any) -> Link:
    return Link(
        call,
        tuple(Source(*each) for each in ins),
        Source(out, more.get("extent", FULL)),
        more.get("dtype", F32),
        shape,
    )


def array(*shape: int, seed: int = 1) -> Any:
    return np.random.default_rng(seed).integers(-9, 9, shape).astype(np.float32)


def largest(x: Any, init: Any) -> Any:
    """A reduction of rows, as a column."""
    return np.maximum(x.max(-1, keepdims=True), init)


@pytest.fixture(params=[1, 16, 50, 1 << 16])
def block(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(chain, "BLOCK", request.param)


SHAPES = [(7, 5), (2, 3, 4), (24,), (1, 6), (5, 1)]


@pytest.mark.usefixtures("block")
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("order", ["C", "F"])
def test_links_of_full_arrays(shape: tuple[int, ...], order: Any) -> None:
    """Slots 0 and 1, a scalar 2; two results, the first of which a later link reads."""
    run = Chain(
        shape,
        (Source(0, FULL), Source(1, FULL), Source(2, SCALAR)),
        [
            link(np.subtract, [(0, FULL), (1, FULL)], 3, shape),
            link(lambda a: a * 2 - 1, [(3, FULL)], 4, shape),
            link(np.multiply, [(2, SCALAR), (4, FULL)], 5, shape),
            link(np.greater, [(5, FULL), (3, FULL)], 6, shape, dtype=I1),
            link(np.add, [(5, FULL), (5, FULL)], 7, shape),
        ],
        (4, 6, 7),
    )
    x, y, z = np.array(array(*shape), order=order), array(*shape, seed=2), np.float32(3)
    given = [x, y, np.asarray(z)]
    kept = [each.copy() for each in given]
    found = run(*given)
    difference = x - y
    expected = [difference * 2 - 1, z * (difference * 2 - 1) > difference, 2 * z * (difference * 2 - 1)]
    assert [each.tolist() for each in found] == [each.tolist() for each in expected]
    assert [each.dtype for each in found] == [F32, I1, F32]
    assert all(np.array_equal(a, b) for a, b in zip(given, kept, strict=True))
    assert run.replaceable == ()


@pytest.mark.usefixtures("block")
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("turned", [False, True])
def test_links_of_rows(shape: tuple[int, ...], turned: bool) -> None:
    """A full array, one element a row, one row, and a scalar; a reduction of rows, and what is made of it."""
    lead = shape[:-1]
    run = Chain(
        shape,
        (Source(0, FULL), Source(1, ROW), Source(2, COLUMN), Source(3, SCALAR)),
        [
            link(np.add, [(0, FULL), (1, ROW)], 4, shape),
            link(np.multiply, [(4, FULL), (2, COLUMN)], 5, shape),
            link(largest, [(5, FULL), (3, SCALAR)], 6, lead, extent=ROW),
            link(np.subtract, [(6, ROW), (1, ROW)], 7, lead, extent=ROW),
            link(np.add, [(2, COLUMN), (3, SCALAR)], 8, shape),
            link(np.subtract, [(8, FULL), (7, ROW)], 9, shape),
            link(np.multiply, [(9, FULL), (4, FULL)], 10, shape),
        ],
        (6, 10),
    )
    x = array(*shape[::-1]).T if turned else array(*shape)
    rows, row, least = array(*lead, seed=3), array(shape[-1], seed=4), np.asarray(np.float32(2))
    sums = x + rows[..., None]
    tops = np.maximum((sums * row).max(-1), least)
    expected = (row + least - (tops - rows)[..., None]) * sums
    found = run(x, rows, row, least)
    assert found[0].tolist() == tops.tolist() and found[1].tolist() == expected.tolist()
    assert run.replaceable == ()


@pytest.mark.parametrize("count", [1, 2])
def test_what_a_chain_may_write_into(count: int) -> None:
    """Its full inputs, where it has one result; nothing is read after it is written."""
    run = Chain(
        (4, 5),
        (Source(0, FULL), Source(1, COLUMN), Source(2, FULL)),
        [
            link(np.add, [(0, FULL), (1, COLUMN)], 3, (4, 5)),
            link(np.subtract, [(2, FULL), (3, FULL)], 4, (4, 5)),
        ],
        (3, 4)[-count:],
    )
    assert run.replaceable == ((0, 2) if count == 1 else ())
    for target in run.replaceable:
        given = [array(4, 5), array(5, seed=2), array(4, 5, seed=3)]
        expected = given[2] - (given[0] + given[1])
        found = run(*given, into=given[target])
        assert found is given[target] and found.tolist() == expected.tolist()


# Threads

SHAPE = (64, 32)


def shared(call: Callable[..., Any], monkeypatch: pytest.MonkeyPatch) -> Chain:
    """A chain that runs on the threads of the pool, in blocks of a row."""
    monkeypatch.setattr(chain, "BLOCK", 32)
    monkeypatch.setattr(chain, "PARALLEL", 64 * 32)
    monkeypatch.setattr(chain, "processors", lambda: 2)
    links = [link(np.negative, [(0, FULL)], 1, SHAPE), link(call, [(1, FULL)], 2, SHAPE)]
    return Chain(SHAPE, (Source(0, FULL),), links, (2,))


class Threads:
    """A pool that runs a job once, or is busy."""

    def __init__(self, is_busy: bool) -> None:
        self.is_busy = is_busy
        self.jobs = 0

    def run(self, job: Callable[[int], None], stop: Callable[[], None]) -> bool:
        self.jobs += 1
        if not self.is_busy:
            job(0)
            job(1)  # finds nothing to do
        return not self.is_busy


@pytest.mark.parametrize("is_busy", [False, True])
def test_blocks_that_threads_share(is_busy: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """All of them, once each; by the caller alone where the threads are busy."""
    threads, blocks = Threads(is_busy), []

    def call(x: Any) -> Any:
        blocks.append(x.shape)
        return x / np.float32(0)  # without a warning, as in the run

    monkeypatch.setattr(chain, "pool", lambda: threads)
    x = array(*SHAPE)
    with np.errstate(all="ignore"):
        assert np.array_equal(shared(call, monkeypatch)(x), -x / np.float32(0), equal_nan=True)
    assert (threads.jobs, blocks) == (1, [(32,)] * 64)


def test_an_array_below_the_limit_and_one_processor_have_no_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    run = shared(np.abs, monkeypatch)
    monkeypatch.setattr(chain, "pool", lambda: pytest.fail("threads"))
    monkeypatch.setattr(chain, "PARALLEL", 64 * 32 + 1)
    assert run(array(*SHAPE)).tolist() == np.abs(array(*SHAPE)).tolist()
    monkeypatch.setattr(chain, "PARALLEL", 64 * 32)
    monkeypatch.setattr(chain, "processors", lambda: 1)
    assert run(array(*SHAPE)).tolist() == np.abs(array(*SHAPE)).tolist()


def test_an_error_in_a_thread_ends_the_run(monkeypatch: pytest.MonkeyPatch) -> None:
    """The first one is raised, and no further block is begun."""
    blocks = []

    def fail(x: Any) -> Any:
        blocks.append(1)
        raise shlo.RunError(f"block {len(blocks)}")

    monkeypatch.setattr(chain, "pool", lambda: Threads(False))
    with pytest.raises(shlo.RunError, match=r"^block 1$"):
        shared(fail, monkeypatch)(array(*SHAPE))
    assert len(blocks) == 1
