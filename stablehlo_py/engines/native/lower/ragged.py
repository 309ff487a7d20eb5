"""Ragged dots: each row of the left factor is multiplied with the matrix of its group (`kernels/chlo.py`)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from stablehlo_py.engines.native.loop_ir.expressions import Buffer, choose, load, position, reference
from stablehlo_py.engines.native.loop_ir.index import Index, Indices, Number, of_atom, of_variable
from stablehlo_py.engines.native.loop_ir.statements import Fold, Statement, Store
from stablehlo_py.engines.native.lower.contraction import has_numbers
from stablehlo_py.engines.native.lower.records import always, by_loops
from stablehlo_py.engines.native.lower.values import (
    I64,
    add,
    compare,
    convert,
    multiply,
    number,
    select,
    sum_type,
)
from stablehlo_py.interpreter.plan import Plan, Step

if TYPE_CHECKING:
    from stablehlo_py.engines.native.lower.region import Lowering

RAGGED_DOT = "chlo.ragged_dot"


def _has_groups_of_rows(plan: Plan[Step], step: Step) -> bool:
    """Test whether groups are of rows, the same for all batches: each has a matrix of its own."""
    one = len(plan.shape_of(step.ins[2])) == 1
    return one and bool(step.keywords["rhs_group_dimensions"]) and has_numbers(plan, step)


@by_loops(RAGGED_DOT, supports=_has_groups_of_rows, pays=always)
def _ragged_dot(lowering: Lowering, step: Step) -> Sequence[Statement]:
    """Number the group of each row, then add up its products; rows of no group are zero."""
    lhs, rhs, sizes = step.ins
    (slot,), (ragged,), (groups,) = step.outs, step.keywords["lhs_ragged_dimensions"], lowering.shape(sizes)
    group, before = _groups(lowering, step, lowering.shape(lhs)[ragged], groups)
    rows = lowering.variables(lowering.shape(slot))
    terms = lowering.variables([lowering.shape(lhs)[d] for d in step.keywords["lhs_contracting_dimensions"]])
    batch = rows[: len(step.keywords["lhs_batching_dimensions"])]
    free = list(map(of_variable, rows[len(batch) :]))
    shared = list(map(of_variable, batch)), list(map(of_variable, terms))
    left = _at(step.keywords, "lhs", len(lowering.shape(lhs)), shared, free, {})
    own = load(group, (left[ragged],))
    chosen = dict.fromkeys(step.keywords["rhs_group_dimensions"], of_atom(Number(own, groups)))
    right = _at(step.keywords, "rhs", len(lowering.shape(rhs)), shared, free, chosen)
    wide, type = sum_type(lowering.type(slot)), lowering.type(slot)
    x, y = convert(lowering.at(lhs, left), wide), convert(lowering.at(rhs, right), wide)
    total = reference(f"r{slot}", wide)
    fold = Fold((total.name,), (number(0, wide),), terms, (add(total, multiply(x, y)),))
    result = select(compare(own, "LT", number(groups, I64)), convert(total, type), number(0, type))
    store = Store(lowering.buffers[slot], tuple(map(of_variable, rows)), result)
    return [*before, *lowering.nested(rows, [fold, store])]


def _groups(lowering: Lowering, step: Step, extent: int, count: int) -> tuple[Buffer, list[Statement]]:
    """The number of each row's group, the number of groups that end before it, and its statements."""
    (slot,), sizes = step.outs, step.ins[2]
    ends, group = (lowering.scratch([n], I64, f"{s}{slot}") for n, s in ((count, "ends"), (extent, "group")))
    (own, row), inner = lowering.variables([count, extent]), lowering.variables([count, count])
    total, zero = reference(f"n{slot}", I64), number(0, I64)
    size = convert(lowering.at(sizes, (of_variable(inner[0]),)), I64)
    up_to = choose(((of_variable(own) + of_variable(inner[0]) * -1, 0),), size, zero)
    place = convert(position(of_variable(row)), I64)
    ended = convert(compare(load(ends, (of_variable(inner[1]),)), "LE", place), I64)
    statements: list[Statement] = []
    for buffer, outer, term, value in ((ends, own, inner[0], up_to), (group, row, inner[1], ended)):
        fold = Fold((total.name,), (zero,), (term,), (add(total, value),))
        statements += lowering.nested([outer], [fold, Store(buffer, (of_variable(outer),), total)])
    return group, statements


def _at(
    keywords: Mapping[str, Any],
    side: str,
    rank: int,
    shared: tuple[list[Index], list[Index]],
    free: list[Index],
    bound: Mapping[int, Index],
) -> Indices:
    """The indices of an element of a factor; takes the indices of its own dimensions from `free`."""
    found = dict(bound)
    for kind, indices in zip(("batching", "contracting"), shared, strict=True):
        found |= dict(zip(keywords[f"{side}_{kind}_dimensions"], indices, strict=True))
    return tuple([found[d] if d in found else free.pop(0) for d in range(rank)])
