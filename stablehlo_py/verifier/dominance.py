"""SSA dominance: the definition of a value must dominate its uses.

Implements the sections "Programs" and "Functions" of the specification. A value is visible after its
definition in its own block, in the blocks that its block dominates, and in nested regions, except those of an
op that is isolated from above, such as a function. Order does not matter in graph regions: the region of a
module, and single-block regions of unregistered ops.
"""

from __future__ import annotations

from collections.abc import Container, Iterator

from stablehlo_py.ir.core import Block, Module, Operation, OpResult, Region, Value
from stablehlo_py.opset.definition import lookup
from stablehlo_py.verifier.dominators import immediate_dominators
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
        if not region.blocks:
            return
        found = self.dominated_blocks(region.blocks[0], visible)
        if not found.keys() >= set(region.blocks):
            found |= self.unreachable_blocks(region, visible, found)
        for block in region.blocks:
            yield from found[block]

    def dominated_blocks(self, entry: Block, visible: Visible) -> dict[Block, list[Violation]]:
        """Check the reachable blocks in the order of the dominator tree; `visible` is restored afterwards."""
        dominated: dict[Block, list[Block]] = {}
        for block, dominator in immediate_dominators(entry).items():
            dominated[block] = []
            if dominator is not None:
                dominated[dominator].append(block)
        found: dict[Block, list[Violation]] = {}
        stack = [(entry, False)]
        while stack:
            block, is_left = stack.pop()
            if is_left:
                visible.difference_update(_defined(block))
                continue
            found[block] = list(self.block(block, visible))
            if dominated[block]:
                visible.update(_defined(block))
                stack.append((block, True))
                stack += [(inner, False) for inner in dominated[block]]
        return found

    def unreachable_blocks(
        self, region: Region, visible: Visible, reachable: Container[Block]
    ) -> dict[Block, list[Violation]]:
        """Check the unreachable blocks, which may use any value; `visible` is restored afterwards."""
        everything = [value for block in region.blocks for value in _defined(block)]
        visible.update(everything)
        found = {}
        for block in region.blocks:
            if block not in reachable:
                found[block] = list(self.block(block, visible, ordered_freely=True))
                visible.update(_defined(block))
        visible.difference_update(everything)
        return found

    def hidden(self, op: Operation, index: int, value: Value) -> Violation:
        name = f"%{value.name}" if value.name else f"operand {index}"
        notes: tuple[str, ...] = ()
        if isinstance(value, OpResult):
            notes = (f"it is defined by {value.op.name}{line_note(self.module, value.op)}",)
        return Violation(op, "ssa", f"{op.name} uses {name}, which is not defined at this point", notes)


def _defined(block: Block) -> list[Value]:
    return [*block.arguments, *(result for op in block.ops for result in op.results)]
