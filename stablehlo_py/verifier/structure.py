"""Structural checks of ops and blocks: numbers of operands, results, regions and successors, terminators."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from stablehlo_py.diagnostics.render import counted
from stablehlo_py.ir.attributes import DenseArrayAttr
from stablehlo_py.ir.core import Block, Operation
from stablehlo_py.opset.definition import OpDef, Operand, Result, lookup
from stablehlo_py.verifier.report import Violation


def op_structure(op: Operation, definition: OpDef) -> Iterator[Violation]:
    """Check the numbers of operands, results, regions and successors of an op against its definition."""
    for kind, parts, given in (
        ("operand", definition.operands, len(op.operands)),
        ("result", definition.outputs, len(op.results)),
    ):
        name = f"{kind}SegmentSizes"
        segments = op.attribute(name)
        if isinstance(segments, DenseArrayAttr):
            wrong = _segments_fault(segments.value, kind, parts, given)
        elif segments is None and given and name in definition.property_kinds:
            wrong = f"{name} is missing, but there are {counted(given, kind)}"
        else:
            wrong = _count_fault(kind, parts, given)
        if wrong:
            yield Violation(op, "structure", f"{op.name}: {wrong}")
    yield from _regions(op, definition)
    if op.successors and "terminator" not in definition.traits:
        yield Violation(op, "structure", f"{op.name} is not a terminator, but has successors")


def _count_fault(kind: str, parts: Sequence[Operand | Result], given: int) -> str:
    """Describe what is wrong with the number of operands or results, or return ""."""
    open_ended = [p for p in parts if p.variadic or getattr(p, "optional", False)]
    fixed = len(parts) - len(open_ended)
    if given == fixed and not open_ended:
        return ""
    names = ", ".join(p.name + "..." * p.variadic for p in parts)
    words = counted(fixed, kind) + (f" ({names})" if names else "")
    if not open_ended:
        return f"expected {words}, got {given}"
    if given < fixed:
        return f"expected at least {words}, got {given}"
    variadic = [p for p in open_ended if p.variadic]
    if variadic == open_ended and (given - fixed) % len(variadic):
        return f"expected equal numbers of {' and '.join(p.name for p in variadic)}, got {given} {kind}s"
    return ""


def _segments_fault(sizes: Sequence[int], kind: str, parts: Sequence[Operand | Result], given: int) -> str:
    """Describe what is wrong with the segment sizes of operands or results, or return ""."""
    if len(sizes) != len(parts):
        return f"expected {len(parts)} sizes in {kind}SegmentSizes, got {len(sizes)}"
    if any(size < 0 for size in sizes):
        return f"negative size in {kind}SegmentSizes"
    if sum(sizes) != given:
        return f"{kind}SegmentSizes adds up to {sum(sizes)}, but there are {given} {kind}s"
    return ""


def _regions(op: Operation, definition: OpDef) -> Iterator[Violation]:
    bodies = definition.bodies
    variadic = any(b.variadic for b in bodies)
    least = sum(not (b.variadic or b.optional) for b in bodies)
    given = len(op.regions)
    if given < least or (given > len(bodies) and not variadic):
        words = f"expected {counted(len(bodies), 'region')}, got {given}"
        yield Violation(op, "structure", f"{op.name}: {words}")
        return
    for index, region in enumerate(op.regions):
        body = bodies[min(index, len(bodies) - 1)]
        if not body.optional and len(region.blocks) != 1:
            message = f"{op.name}: expected one block in region {body.name}, got {len(region.blocks)}"
            yield Violation(op, "structure", message)


def block_structure(op: Operation) -> Iterator[Violation]:
    """Check that the blocks of an op's regions end in terminators."""
    definition = lookup(op.name)
    lenient = definition is None or "no_terminator" in definition.traits
    for region in op.regions:
        for block in region.blocks:
            yield from _block_end(op, block, lenient and len(region.blocks) == 1)


def _block_end(parent: Operation, block: Block, lenient: bool) -> Iterator[Violation]:
    for op in block.ops[:-1]:
        if _ends_block(op):
            yield Violation(op, "structure", f"terminator {op.name} is not the last operation of its block")
    last = block.terminator
    if lenient:
        return
    if last is None:
        yield Violation(parent, "structure", f"{parent.name} has an empty block; expected a terminator")
    elif lookup(last.name) is not None and not _ends_block(last):
        yield Violation(last, "structure", f"block ends with {last.name}, which is not a terminator")


def _ends_block(op: Operation) -> bool:
    definition = lookup(op.name)
    return bool(op.successors) if definition is None else "terminator" in definition.traits
