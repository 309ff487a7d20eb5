"""Gathers, and scatters: slices at computed places (`kernels/gather_scatter.py`)."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import TYPE_CHECKING

from stablehlo_py.engines.native import cost
from stablehlo_py.engines.native.loop_ir.expressions import Expression, load, position, reference
from stablehlo_py.engines.native.loop_ir.index import ZERO, Index, Indices, Number, of_atom, of_variable
from stablehlo_py.engines.native.loop_ir.statements import If, Let, Statement, Store
from stablehlo_py.engines.native.lower.records import by_element, by_loops, combines_elements
from stablehlo_py.engines.native.lower.shape import start
from stablehlo_py.engines.native.lower.values import I64, add, all_of, compare, convert, number
from stablehlo_py.interpreter.plan import Plan, Step
from stablehlo_py.ir.types import IntegerType

if TYPE_CHECKING:
    from stablehlo_py.engines.native.lower.region import Lowering


@by_element("stablehlo.gather")
def _gather(lowering: Lowering, step: Step, indices: Indices) -> Expression:
    operand, starts = step.ins
    keywords, shape = step.keywords, lowering.shape(operand)
    vector_dim, sizes = keywords["index_vector_dim"], keywords["slice_sizes"]
    batch = tuple([index for d, index in enumerate(indices) if d not in keywords["offset_dims"]])
    found = [ZERO] * len(shape)
    for component, d in enumerate(keywords["start_index_map"]):
        at = _with_component(batch, vector_dim, component, len(lowering.shape(starts)))
        found[d] = start(lowering, starts, at, shape[d] - sizes[d])
    batching = keywords["operand_batching_dims"]
    for d, axis in zip(batching, keywords["start_indices_batching_dims"], strict=True):
        found[d] = batch[axis - (axis > vector_dim)]
    kept = [d for d in range(len(shape)) if d not in (*keywords["collapsed_slice_dims"], *batching)]
    for d, dimension in zip(kept, keywords["offset_dims"], strict=True):
        found[d] = found[d] + indices[dimension]
    return lowering.at(operand, tuple(found))


def _with_component(batch: Indices, vector_dim: int, component: int, rank: int) -> Indices:
    """The index of a component of an index vector."""
    if vector_dim == rank:
        return batch
    return (*batch[:vector_dim], Index((), component), *batch[vector_dim:])


@by_loops("stablehlo.dynamic_update_slice")
def _dynamic_update_slice(lowering: Lowering, step: Step) -> Sequence[Statement]:
    (slot,), (operand, update, *starts) = step.outs, step.ins
    shape, sizes = lowering.shape(slot), lowering.shape(update)
    variables = lowering.variables(sizes)
    rows = zip(variables, starts, shape, sizes, strict=True)
    at = [start(lowering, s, (), extent - size) + of_variable(v) for v, s, extent, size in rows]
    inside = tuple(map(of_variable, variables))
    store = Store(lowering.buffers[slot], tuple(at), lowering.at(update, inside))
    return [*lowering.copy(operand, lowering.buffers[slot]), *lowering.nested(variables, [store])]


def _combines_windows(plan: Plan[Step], step: Step) -> bool:
    """Test whether windows are combined with updates by expressions, in the types of the operands."""
    count = len(step.outs)
    return combines_elements(plan, step, step.ins[:count], step.ins[count + 1 : 2 * count + 1], step.outs)


def window_sizes(plan: Plan[Step], step: Step) -> tuple[int, ...]:
    """The sizes of an update window in the operand, 1 in the dimensions that updates do not have."""
    keywords, updates = step.keywords, plan.shape_of(step.ins[len(step.outs) + 1])
    dropped = {*keywords["inserted_window_dims"], *keywords["input_batching_dims"]}
    window = iter([updates[d] for d in keywords["update_window_dims"]])
    return tuple([1 if d in dropped else next(window) for d in range(len(plan.shape_of(step.ins[0])))])


def _has_many_updates(plan: Plan[Step], step: Step) -> bool:
    """Test whether NumPy, which computes the index of each window, takes longer than the call of a region."""
    return prod(plan.shape_of(step.ins[len(step.outs) + 1])) >= cost.SCATTERED


@by_loops("stablehlo.scatter", supports=_combines_windows, pays=_has_many_updates)
def _scatter(lowering: Lowering, step: Step) -> Sequence[Statement]:
    """Copy the operands, then combine the windows with the updates, in order."""
    count = len(step.outs)
    inputs, indices, updates = step.ins[:count], step.ins[count], step.ins[count + 1 : 2 * count + 1]
    statements = [
        statement
        for slot, operand in zip(step.outs, inputs, strict=True)
        for statement in lowering.copy(operand, lowering.buffers[slot])
    ]
    rows = lowering.variables(lowering.shape(updates[0]))
    place = tuple(map(of_variable, rows))
    at, conditions = _target(lowering, step, indices, place)
    (body,) = step.plans
    old = [load(lowering.buffers[slot], at) for slot in step.outs]
    new = [lowering.at(slot, place) for slot in updates]
    captured = [lowering.at(slot, ()) for slot in step.ins[2 * count + 1 :]]
    combined = lowering.inline(body, [*old, *new, *captured])
    names = [f"r{slot}" for slot in step.outs]
    lets = [Let(name, value) for name, value in zip(names, combined, strict=True)]
    stores = [
        Store(lowering.buffers[slot], at, reference(let.name, let.value.type))
        for slot, let in zip(step.outs, lets, strict=True)
    ]
    update: list[Statement] = [*lets, *stores]
    if conditions:
        update = [If(all_of(conditions), tuple(update))]
    order = _batch_first(step, len(rows))
    return [*statements, *lowering.nested([rows[d] for d in order], update, "for")]


def _batch_first(step: Step, rank: int) -> list[int]:
    """The dimensions of updates, with window dimensions last: one window is combined before the next."""
    window = step.keywords["update_window_dims"]
    return [*(d for d in range(rank) if d not in window), *window]


def _target(lowering: Lowering, step: Step, indices: int, place: Indices) -> tuple[Indices, list[Expression]]:
    """The element of the operand that an element of the updates is combined with, and when it is there."""
    keywords, shape = step.keywords, lowering.shape(step.ins[0])
    vector_dim, window_dims = keywords["index_vector_dim"], keywords["update_window_dims"]
    batch = tuple([index for d, index in enumerate(place) if d not in window_dims])
    dropped = {*keywords["inserted_window_dims"], *keywords["input_batching_dims"]}
    window = iter([place[d] for d in window_dims])
    inside = [ZERO if d in dropped else next(window) for d in range(len(shape))]
    whole = window_sizes(lowering.plan, step) if lowering.memory.whole_windows else (1,) * len(shape)
    at = list(inside)
    conditions: list[Expression] = []
    for component, d in enumerate(keywords["scatter_dims_to_operand_dims"]):
        where = _with_component(batch, vector_dim, component, len(lowering.shape(indices)))
        first = lowering.at(indices, where)
        at[d], tests = _place(first, inside[d], shape[d], whole[d])
        conditions += tests
    batching = zip(keywords["input_batching_dims"], keywords["scatter_indices_batching_dims"], strict=True)
    for d, axis in batching:
        at[d] = batch[axis - (axis > vector_dim)]
    return tuple(at), conditions


def _place(first: Expression, inside: Index, extent: int, whole: int) -> tuple[Index, list[Expression]]:
    """Return an index at an offset from a computed index, and the conditions that it is in bounds.

    Args:
        first: The computed index.
        inside: The offset from the computed index.
        extent: The extent of the dimension.
        whole: The number of elements from the computed index on that must be in bounds; 1 tests only the
            element at the offset.
    """
    wide = convert(first, I64)
    place = add(wide, convert(position(inside), I64)) if inside != ZERO else wide
    tested = wide if whole > 1 else place
    tests = [compare(tested, "GE", number(0, I64)), compare(tested, "LE", number(extent - whole, I64))]
    if first.type == IntegerType(64, "u"):  # those beyond i64 are negative now
        tests.append(compare(wide, "GE", number(0, I64)))
    return of_atom(Number(place, extent, clamps=False)), tests
