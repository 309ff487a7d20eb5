"""Dominators of random graphs of blocks are those of the definition."""

from __future__ import annotations

import random

import pytest

from stablehlo_py.ir.core import Block, Operation
from stablehlo_py.verifier.dominators import immediate_dominators


def graph(edges: list[list[int]]) -> list[Block]:
    blocks = [Block() for _ in edges]
    for block, targets in zip(blocks, edges, strict=True):
        block.append(Operation("test.branch", successors=[blocks[target] for target in targets]))
    return blocks


def reachable(edges: list[list[int]], without: int) -> set[int]:
    seen: set[int] = set()
    pending = [0] if without != 0 else []
    while pending:
        at = pending.pop()
        if at not in seen:
            seen.add(at)
            pending += [target for target in edges[at] if target != without]
    return seen


def dominators(edges: list[list[int]]) -> dict[int, set[int]]:
    """A block dominates those that cannot be reached without it."""
    everything = reachable(edges, -1)
    found: dict[int, set[int]] = {block: {block} for block in everything}
    for block in everything:
        for other in everything - reachable(edges, block):
            found[other].add(block)
    return found


@pytest.mark.parametrize("seed", range(40))
def test_random_graphs(seed: int) -> None:
    draw = random.Random(seed)
    size = draw.randint(1, 30)
    edges = [[draw.randrange(size) for _ in range(draw.randint(0, 3))] for _ in range(size)]
    blocks = graph(edges)
    index = {block: number for number, block in enumerate(blocks)}
    immediate = immediate_dominators(blocks[0])
    expected = dominators(edges)
    assert {index[block] for block in immediate} == set(expected)
    for block, dominator in immediate.items():
        above = {index[block]}
        while dominator is not None:
            above.add(index[dominator])
            dominator = immediate[dominator]
        assert above == expected[index[block]]


def test_long_chains_with_exits() -> None:
    size = 5_000
    edges = [*([at + 1, size] for at in range(size)), []]
    blocks = graph(edges)
    immediate = immediate_dominators(blocks[0])
    assert [immediate[block] for block in blocks[1:size]] == blocks[: size - 1]
    assert immediate[blocks[size]] is blocks[0]
