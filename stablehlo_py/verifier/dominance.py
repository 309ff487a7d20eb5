"""SSA dominance: the definition of a value must dominate its uses.

Implements the sections "Programs" and "Functions" of the specification. A value is visible after its
definition in its own block, in the blocks that its block dominates, and in nested regions, except those of an
op that is isolated from above, such as a function. Order does not matter in graph regions: the region of a
module, and single-block regions of unregistered ops.
"""

from __future__ import annotations

from collections.abc import Iterator

from stablehlo_py.ir.core import Block, Module, Operation, OpResult, Region, Value
from stablehlo_py.opset.definition import lookup
from stablehlo_py.verifier.report import Violation, line_note

Visible = set[Value]


def scope_violations(module: Module) -> Iterator[Violation]:
    """Yield a violation for every operand that is not visible at its use."""
    yield from _Scopes(module).op_regions(module.op, set())


class _Scopes:
    def __init__(self, module: Module) -> None:
        self.module = module

    def op_regions(self, op: Operation, visible: Visible) -> Iterator[Violation]:
        definition = lookup(op.name)
        isolated = definition is not None and "isolated" in definition.traits
        graph = definition is None or "no_terminator" in definition.traits
        for region in op.regions:
            outer: Visible = set() if isolated else visible
            if len(region.blocks) == 1:
                yield from self.block(region.blocks[0], outer, graph)
            else:
                yield from self.graph_of_blocks(region, outer)

    def block(self, block: Block, visible: Visible, ordered_freely: bool = False) -> Iterator[Violation]:
        """Check a block; `visible` is restored afterwards."""
        added: list[Value] = [*block.arguments]
        if ordered_freely:
            added += [result for op in block.ops for result in op.results]
        visible.update(added)
        for op in block.ops:
            if not visible.issuperset(op.operands):
                for index, operand in enumerate(op.operands):
                    if operand not in visible:
                        yield self.hidden(op, index, operand)
            if op.regions:
                yield from self.op_regions(op, visible)
            if not ordered_freely:
                visible.update(op.results)
                added += op.results
        visible.difference_update(added)

    def graph_of_blocks(self, region: Region, visible: Visible) -> Iterator[Violation]:
        """Check a region of several blocks, each with the values of the blocks that dominate it."""
        dominators = _dominators(region)
        everything = {block: _defined(block) for block in region.blocks}
        for block in region.blocks:
            above = dominators.get(block)
            if above is None:  # an unreachable block, which may use any value
                yield from self.block(block, visible.union(*everything.values()), ordered_freely=True)
                continue
            outer = visible.union(*(everything[b] for b in above if b is not block))
            yield from self.block(block, outer)

    def hidden(self, op: Operation, index: int, value: Value) -> Violation:
        name = f"%{value.name}" if value.name else f"operand {index}"
        notes: tuple[str, ...] = ()
        if isinstance(value, OpResult):
            notes = (f"it is defined by {value.op.name}{line_note(self.module, value.op)}",)
        return Violation(op, "ssa", f"{op.name} uses {name}, which is not defined at this point", notes)


def _defined(block: Block) -> Visible:
    return {*block.arguments, *(result for op in block.ops for result in op.results)}


def _dominators(region: Region) -> dict[Block, set[Block]]:
    """Compute the dominators of each reachable block: the blocks on every path from the entry to it."""
    if not region.blocks:
        return {}
    order = _reachable(region.blocks[0])
    before: dict[Block, list[Block]] = {block: [] for block in order}
    for block in order:
        for successor in _successors(block):
            before[successor].append(block)
    found = {block: set(order) for block in order}
    found[order[0]] = {order[0]}
    changed = True
    while changed:
        changed = False
        for block in order[1:]:
            new = {block} | set.intersection(*(found[b] for b in before[block]))
            changed |= new != found[block]
            found[block] = new
    return found


def _reachable(entry: Block) -> list[Block]:
    order, stack = [entry], [entry]
    while stack:
        for successor in _successors(stack.pop()):
            if successor not in order:
                order.append(successor)
                stack.append(successor)
    return order


def _successors(block: Block) -> tuple[Block, ...]:
    return block.ops[-1].successors if block.ops else ()
