"""The dominator tree of the blocks of a region, after Lengauer and Tarjan (1979)."""

from __future__ import annotations

from stablehlo_py.ir.core import Block


def immediate_dominators(entry: Block) -> dict[Block, Block | None]:
    """Compute the immediate dominator of each block that can be reached from the entry.

    The time is O(m log n) for m edges and n blocks, whatever the shape of the graph.

    Args:
        entry: The first block of a region.

    Returns:
        The immediate dominators, in depth-first preorder; None for the entry.
    """
    order, parents = _preorder(entry)
    number = {block: index for index, block in enumerate(order)}
    before: list[list[int]] = [[] for _ in order]
    for index, block in enumerate(order):
        for successor in successors(block):
            before[number[successor]].append(index)
    found = _Forest(len(order)).dominators(before, parents)
    return {block: order[found[index]] if index else None for index, block in enumerate(order)}


def successors(block: Block) -> tuple[Block, ...]:
    """Return the blocks that a block may pass control to."""
    return block.ops[-1].successors if block.ops else ()


def _preorder(entry: Block) -> tuple[list[Block], list[int]]:
    """Return the reachable blocks in depth-first preorder, and the parent of each in the tree."""
    order, parents, seen = [entry], [0], {entry}
    stack = [(0, iter(successors(entry)))]
    while stack:
        index, rest = stack[-1]
        successor = next((block for block in rest if block not in seen), None)
        if successor is None:
            stack.pop()
            continue
        seen.add(successor)
        stack.append((len(order), iter(successors(successor))))
        order.append(successor)
        parents.append(index)
    return order, parents


class _Forest:
    """The part of the depth-first tree that has been visited from the end, with compressed paths."""

    def __init__(self, size: int) -> None:
        self.semi = list(range(size))  # semidominators
        self.best = list(range(size))  # the vertex with the least semidominator on the path to the ancestor
        self.ancestor = [-1] * size

    def dominators(self, before: list[list[int]], parents: list[int]) -> list[int]:
        """Return the immediate dominators, given predecessors and parents."""
        semi, found = self.semi, [0] * len(parents)
        waiting: list[list[int]] = [[] for _ in parents]  # vertices, by their semidominator
        for vertex in range(len(parents) - 1, 0, -1):
            semi[vertex] = min(semi[self.least(other)] for other in before[vertex])
            waiting[semi[vertex]].append(vertex)
            parent = self.ancestor[vertex] = parents[vertex]
            for other in waiting[parent]:
                least = self.least(other)
                found[other] = least if semi[least] < semi[other] else parent
            waiting[parent] = []
        for vertex in range(1, len(parents)):
            if found[vertex] != semi[vertex]:
                found[vertex] = found[found[vertex]]
        return found

    def least(self, vertex: int) -> int:
        """Return the vertex with the least semidominator among a vertex and its visited ancestors."""
        ancestor, best, semi = self.ancestor, self.best, self.semi
        if ancestor[vertex] < 0:
            return vertex
        path, at = [], vertex
        while ancestor[ancestor[at]] >= 0:
            path.append(at)
            at = ancestor[at]
        for each in reversed(path):
            above = ancestor[each]
            if semi[best[above]] < semi[best[each]]:
                best[each] = best[above]
            ancestor[each] = ancestor[above]
        return best[vertex]
