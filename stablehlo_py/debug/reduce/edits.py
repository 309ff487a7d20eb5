"""Edits of candidates: smaller programs to try, each with what it does in words."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

import numpy as np

from stablehlo_py.debug.compare.stepwise import Stepwise, is_taken_here
from stablehlo_py.debug.reduce import descent
from stablehlo_py.debug.reduce.candidate import MAIN, Candidate
from stablehlo_py.debug.reduce.shrink import shrunk
from stablehlo_py.debug.subprograms import inline_block, inline_call, subprogram
from stablehlo_py.diagnostics.diagnostic import StablehloError
from stablehlo_py.ir.attributes import Attribute, DenseElementsAttr
from stablehlo_py.ir.captures import captures
from stablehlo_py.ir.core import Block, Operation, Value, erase_all
from stablehlo_py.ir.op_builder import OpBuilder
from stablehlo_py.ir.types import QuantizedType, TensorType
from stablehlo_py.opset.calls import callee
from stablehlo_py.opset.definition import has_trait, lookup

_ITERATIONS = (0, 1, 2, 4, 8)  # of a loop, whose carried values are tried


Edit = descent.Edit[Candidate]

# The body ----------------------------------------------------------------------------------------------


def single_results(candidate: Candidate) -> Iterator[Edit]:
    """Keep a single result, with the ops that it depends on."""
    for value in candidate.results if len(candidate.results) > 1 else ():
        yield Edit(f"return {value} only", partial(_returning, candidate, [value]))


def fewer_results(candidate: Candidate) -> Iterator[Edit]:
    """Drop a result, and the ops that nothing else depends on."""
    results = candidate.results
    for at, value in enumerate(results if len(results) > 2 else ()):
        rest = [*results[:at], *results[at + 1 :]]
        yield Edit(f"drop the result {value}", partial(_returning, candidate, rest))


def _returning(candidate: Candidate, results: Sequence[Value]) -> Candidate:
    needed = set(results)
    ops = []
    for op in reversed(candidate.ops):
        if not needed.isdisjoint(op.results):
            ops.append(op)
            needed.update(captures([op]))
    return candidate.keeping(ops[::-1], results)


def dropped_ops(candidate: Candidate) -> Iterator[Edit]:
    """Drop runs of ops, the longest first; what they compute becomes an argument."""
    ops = candidate.ops
    for run in descent.runs(len(ops)):
        dropped, kept = ops[run], [*ops[: run.start], *ops[run.stop :]]
        what = f"drop {dropped[0].name}" if len(dropped) == 1 else f"drop {len(dropped)} ops"
        if kept:
            yield Edit(what, partial(candidate.keeping, kept, constants=False))


# Ops ---------------------------------------------------------------------------------------------------


def _edited(candidate: Candidate, op: Operation, change: Callable[[Operation], bool]) -> Candidate | None:
    """Return a copy of a candidate in which an op is changed; None if it cannot be."""
    module = candidate.module.clone()
    pairs = zip(candidate.module.walk(), module.walk(), strict=True)
    copied = next(new for old, new in pairs if old is op)
    return Candidate(module, candidate.inputs) if change(copied) else None


def replaced_by_values(candidate: Candidate) -> Iterator[Edit]:
    """Replace an op by an operand, or by an argument of its block, of the same type."""
    for op in candidate.module.walk():
        if len(op.results) != 1 or op.parent is None or has_trait(op.name, "terminator"):
            continue
        values = [*op.operands, *_arguments(op.parent, candidate)]
        positions = [i for i, value in enumerate(values) if value.type == op.result.type]
        for at in positions:
            yield Edit(
                f"replace {op.name} by {values[at]}",
                partial(_edited, candidate, op, partial(_replace, at=at)),
            )


def _arguments(block: Block, candidate: Candidate) -> Sequence[Value]:
    """Return the arguments of an inner block; arguments of the entry function are no simpler than the op."""
    return () if block is candidate.body else block.arguments


def _replace(op: Operation, at: int) -> bool:
    assert op.parent is not None
    value = [*op.operands, *op.parent.arguments][at]
    op.result.replace_all_uses(value)
    op.erase()
    return True


def without_dead_ops(candidate: Candidate) -> Iterator[Edit]:
    """Drop the ops of regions whose results nothing uses."""
    if any(_is_dead(op) for op in candidate.module.walk()):
        yield Edit("drop dead ops of regions", partial(_without_dead, candidate))


def _is_dead(op: Operation) -> bool:
    unused = bool(op.results) and not any(result.uses for result in op.results)
    nested = op.parent_op is not None and not op.parent_op.is_function
    return unused and nested and has_trait(op.name, "pure")


def _without_dead(candidate: Candidate) -> Candidate:
    module = candidate.module.clone()
    while dead := [op for op in module.walk() if _is_dead(op)]:
        erase_all(dead)
    return Candidate(module, candidate.inputs)


def replaced_by_constants(candidate: Candidate) -> Iterator[Edit]:
    """Replace an op of a region by the constant 0 or 1."""
    for op in candidate.module.walk():
        type = op.results[0].type if len(op.results) == 1 else None
        if not isinstance(type, TensorType) or not type.is_static or not op.operands:
            continue
        if op.parent_op is None or op.parent_op.is_function or isinstance(type.element_type, QuantizedType):
            continue
        for number in (0, 1):
            change = partial(_replace_by_constant, number=number)
            yield Edit(f"replace {op.name} by {number}", partial(_edited, candidate, op, change))


def _replace_by_constant(op: Operation, number: int) -> bool:
    op.result.replace_all_uses(OpBuilder.before(op).constant(number, op.result.type))
    op.erase()
    return True


def unwrapped(candidate: Candidate) -> Iterator[Edit]:
    """Replace a call by the function's body, a loop by one iteration, a branch by one of its regions."""
    for op in candidate.ops:
        name = callee(op)
        if name is not None and name in candidate.module.functions:
            yield Edit(f"inline @{name}", partial(_edited, candidate, op, _inline))
        elif is_taken_here(op):
            yield from _unwrapped(candidate, op)


def _unwrapped(candidate: Candidate, op: Operation) -> Iterator[Edit]:
    definition = lookup(op.name)
    if definition is None or definition.loop is None:
        for number in range(len(op.regions)):
            take = partial(_region, number=number, operands=())
            yield Edit(f"take region {number} of {op.name}", partial(_edited, candidate, op, take))
        return
    names = [each.name for each in definition.bodies]
    body, condition = names.index(definition.loop.body), names.index(definition.loop.condition)
    take = partial(_region, number=body, operands=None)
    yield Edit(f"take one iteration of {op.name}", partial(_edited, candidate, op, take))
    for at in _ITERATIONS:
        for region in (body, condition):
            what = f"take {names[region]} of {op.name} in iteration {at}"
            yield Edit(what, partial(_iteration, candidate, op, region, at))


def _inline(op: Operation) -> bool:
    top = op
    while top.parent_op is not None:
        top = top.parent_op
    named = {str(each.python_value("sym_name")): each for each in top.entry_block.ops}
    return inline_call(op, named[str(callee(op))])


def _region(op: Operation, number: int, operands: Sequence[Value] | None) -> bool:
    """Replace an op by a region, whose arguments are the given values, or the op's operands."""
    return inline_block(op, op.regions[number].block, op.operands if operands is None else operands)


def _iteration(candidate: Candidate, op: Operation, body: int, iteration: int) -> Candidate | None:
    """Return a region of a loop, with the values that it carries into an iteration."""
    block = op.regions[body].blocks[0]
    ops = [each for each in block.ops if not has_trait(each.name, "terminator")]
    last = block.terminator
    if not ops or last is None:
        return None
    part = subprogram(candidate.module, ops, last.operands)
    try:
        run = Stepwise(candidate.module, MAIN, "numpy")
        values = run.values_before(ops[-1], part.captured, candidate.inputs, (iteration,))
    except StablehloError:
        return None
    return Candidate(part.module, values)


# Types, attributes, constants --------------------------------------------------------------------------


def smaller_dimensions(candidate: Candidate) -> Iterator[Edit]:
    """Replace a size by a smaller one, wherever it occurs."""
    sizes = {
        size
        for op in candidate.module.walk()
        for value in (*op.results, *(a for block in op.blocks for a in block.arguments))
        if isinstance(value.type, TensorType)
        for size in value.type.shape
        if size is not None and size > 1
    }
    for size in sorted(sizes, reverse=True):
        for smaller in sorted({1, 2, 3, size // 2} - {0}):
            if smaller < size:
                yield Edit(
                    f"shrink dimensions of {size} to {smaller}",
                    partial(_shrunk, candidate, size, smaller),
                )


def _shrunk(candidate: Candidate, size: int, smaller: int) -> Candidate | None:
    found = shrunk(candidate.module, candidate.inputs, size, smaller)
    return None if found is None else Candidate(*found)


def simpler_attributes(candidate: Candidate) -> Iterator[Edit]:
    """Drop attributes that an op can do without."""
    rows = [(op, name) for op in candidate.module.walk() for name in _optional(op)]
    if len(rows) > 1:
        yield Edit("drop all optional attributes", partial(_without, candidate, rows))
    for op, name in rows:
        yield Edit(f"drop {name} of {op.name}", partial(_without, candidate, [(op, name)]))


def _optional(op: Operation) -> list[str]:
    definition = lookup(op.name)
    kinds = definition.property_kinds if definition is not None else {}
    required = definition.required_properties if definition is not None else frozenset(op.properties)
    segments = {"operandSegmentSizes", "resultSegmentSizes"}
    return [
        *op.attributes,
        *(name for name in op.properties if name in kinds and name not in required | segments),
    ]


def _without(candidate: Candidate, rows: Sequence[tuple[Operation, str]]) -> Candidate:
    module = candidate.module.clone()
    copies = dict(zip(candidate.module.walk(), module.walk(), strict=True))
    for op, name in rows:
        copies[op].properties.pop(name, None)
        copies[op].attributes.pop(name, None)
    return Candidate(module, candidate.inputs)


def simpler_constants(candidate: Candidate) -> Iterator[Edit]:
    """Replace a constant by a splat: of its first element, of 0, or of 1."""
    for op in candidate.module.walk():
        value = op.properties.get("value")
        if (
            not isinstance(value, DenseElementsAttr)
            or not has_trait(op.name, "constant")
            or not value.data.size
        ):
            continue
        first = value.data[:1]
        options = [("its first element", first)] if not value.is_splat else []
        if value.data[0] not in (0, 1):
            options += [(str(number), np.full_like(first, number)) for number in (0, 1)]
        for what, data in options:
            splat = _splat(value, data)
            yield Edit(
                f"replace a constant by {what}",
                partial(_edited, candidate, op, partial(_set_value, value=splat)),
            )


def _splat(value: DenseElementsAttr, data: Any) -> DenseElementsAttr:
    array = np.asarray(data).astype(value.data.dtype).reshape(-1)
    array.flags.writeable = False
    return DenseElementsAttr(value.type, array)


def _set_value(op: Operation, value: Attribute) -> bool:
    op.properties["value"] = value
    return True
