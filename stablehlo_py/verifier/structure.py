"""Structural checks of ops and blocks: numbers of operands, results, regions and successors, terminators."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache

from stablehlo_py.diagnostics.render import counted
from stablehlo_py.ir.attributes import DenseArrayAttr
from stablehlo_py.ir.core import Block, Operation
from stablehlo_py.ir.types import Type
from stablehlo_py.opset.definition import OpDef, Operand, Result, Successor, lookup
from stablehlo_py.opset.op_inputs import SEGMENTS, successor_operands
from stablehlo_py.verifier.report import Violation

_SEGMENTS = frozenset(SEGMENTS)


def op_structure(op: Operation, definition: OpDef) -> Iterator[Violation]:
    """Check the numbers of operands, results, regions and successors of an op against its definition."""
    counts = len(op.operands), len(op.results), len(op.regions), len(op.successors)
    if counts == _decisive_counts(definition) and not op.attributes and _SEGMENTS.isdisjoint(op.properties):
        return
    for kind, name, parts, given in (
        ("operand", "operandSegmentSizes", definition.operands, len(op.operands)),
        ("result", "resultSegmentSizes", definition.outputs, len(op.results)),
    ):
        segments = op.attribute(name)
        if isinstance(segments, DenseArrayAttr):
            wrong = _segments_fault(segments.value, kind, parts, given)
        elif segments is None and given and name in definition.property_kinds:
            wrong = f"{name} is missing, but there are {counted(given, kind)}"
        else:
            wrong = _count_fault(kind, parts, given)
        if wrong:
            yield Violation(op, "structure", f"{op.name}: {wrong}")
    if op.regions or definition.bodies:
        yield from _regions(op, definition)
    if op.successors or definition.successors:
        yield from _successors(op, definition)
    parent = op.parent_op
    if definition.parents and parent is not None and parent.name not in definition.parents:
        names = " or ".join(definition.parents)
        yield Violation(op, "structure", f"{op.name} must be in a region of {names}, not of {parent.name}")


@cache
def _decisive_counts(definition: OpDef) -> tuple[int, int, int, int] | None:
    """Return the numbers of operands, results, regions and successors if they decide, as for most ops."""
    parts: tuple[Operand | Result, ...] = (*definition.operands, *definition.outputs)
    is_open = any(part.variadic or getattr(part, "optional", False) for part in parts)
    if is_open or definition.bodies or definition.successors or definition.parents:
        return None
    return len(definition.operands), len(definition.outputs), 0, 0


def _count_fault(kind: str, parts: Sequence[Operand | Result | Successor], given: int) -> str:
    """Describe what is wrong with the number of operands or results, or return ""."""
    open_ended = [p for p in parts if p.variadic or getattr(p, "optional", False)]
    fixed = len(parts) - len(open_ended)
    if open_ended and given >= fixed:
        variadic = [p.name for p in open_ended if p.variadic]
        if len(variadic) < len(open_ended) or (given - fixed) % len(variadic) == 0:
            return ""
        return f"expected equal numbers of {' and '.join(variadic)}, got {given} {kind}s"
    if given == fixed:
        return ""
    names = ", ".join(p.name + "..." * p.variadic for p in parts)
    words = counted(fixed, kind) + (f" ({names})" if names else "")
    return f"expected {'at least ' if open_ended else ''}{words}, got {given}"


def mismatches(part: str, expected: Sequence[Type], given: Sequence[Type]) -> Iterator[str]:
    """Describe how types differ from those that are expected, if they do."""
    if len(expected) != len(given):
        yield f"expected {counted(len(expected), part)}, got {len(given)}"
        return
    for index, (want, have) in enumerate(zip(expected, given, strict=True)):
        if want is not have:
            yield f"expected type {want} for {part} {index}, got {have}"


def _segments_fault(sizes: Sequence[int], kind: str, parts: Sequence[Operand | Result], given: int) -> str:
    """Describe what is wrong with the segment sizes of operands or results, or return ""."""
    if len(sizes) != len(parts):
        return f"expected {len(parts)} sizes in {kind}SegmentSizes, got {len(sizes)}"
    if any(size < 0 for size in sizes):
        return f"negative size in {kind}SegmentSizes"
    if sum(sizes) != given:
        return f"{kind}SegmentSizes adds up to {sum(sizes)}, but there are {given} {kind}s"
    return ""


def _successors(op: Operation, definition: OpDef) -> Iterator[Violation]:
    """Check the successors of an op, and that it gives each of them the arguments that it takes."""
    wrong = _count_fault("successor", definition.successors, len(op.successors))
    given = [] if wrong else successor_operands(op, definition)
    if not wrong and len(given) != len(op.successors):
        wrong = f"expected operands of {counted(len(op.successors), 'successor')}, got those of {len(given)}"
    if wrong:
        yield Violation(op, "structure", f"{op.name}: {wrong}")
        return
    for block, values in zip(op.successors, given, strict=True):
        label = f"^{block.label}" if block.label else "its successor"
        for message in mismatches(
            f"argument of {label}", [a.type for a in block.arguments], [v.type for v in values]
        ):
            yield Violation(op, "structure", f"{op.name}: {message}")


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
        if body.may_be_empty and not region.blocks:
            continue
        if not body.optional and len(region.blocks) != 1:
            message = f"{op.name}: expected one block in region {body.name}, got {len(region.blocks)}"
            yield Violation(op, "structure", message)
        wanted, last = (
            body.ends_with or body.terminator,
            region.blocks[-1].terminator if region.blocks else None,
        )
        if wanted and last is not None and last.name != wanted and _ends_block(last):
            message = f"{op.name}: region {body.name} must end with {wanted}, not {last.name}"
            yield Violation(last, "structure", message)


def block_structure(op: Operation) -> Iterator[Violation]:
    """Check that the blocks of an op's regions end in terminators."""
    definition = lookup(op.name)
    lenient = definition is None or "no_terminator" in definition.traits
    for region in op.regions:
        for block in region.blocks:
            yield from _block_end(op, block, lenient and len(region.blocks) == 1)


def _block_end(parent: Operation, block: Block, lenient: bool) -> Iterator[Violation]:
    for op in block.ops[:-1] if _may_end_early(block) else ():
        if _ends_block(op):
            yield Violation(op, "structure", f"terminator {op.name} is not the last operation of its block")
    last = block.terminator
    if last is not None and block.parent is not None and block.parent.blocks[0] in last.successors:
        message = f"{last.name}: its successor is the entry block of the region, which has no predecessors"
        yield Violation(last, "structure", message)
    if lenient:
        return
    if last is None:
        yield Violation(parent, "structure", f"{parent.name} has an empty block; expected a terminator")
    elif lookup(last.name) is not None and not _ends_block(last):
        yield Violation(last, "structure", f"block ends with {last.name}, which is not a terminator")


def _may_end_early(block: Block) -> bool:
    """Test whether an op before the last one may be a terminator; each name is looked up once."""
    definitions = map(lookup, {op.name for op in block.ops[:-1]})
    return any(definition is None or "terminator" in definition.traits for definition in definitions)


def _ends_block(op: Operation) -> bool:
    definition = lookup(op.name)
    return bool(op.successors) if definition is None else "terminator" in definition.traits
