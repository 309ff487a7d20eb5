"""Scatter: slices at computed places are combined with updates (`kernels/gather_scatter.py`)."""

from __future__ import annotations

from stablehlo_py.engines.native.index_space import ZERO, Index, Indices, computed
from stablehlo_py.engines.native.llvm_ir import Value
from stablehlo_py.engines.native.loops import Range, nested
from stablehlo_py.engines.native.scope import Scope
from stablehlo_py.interpreter.plan import Plan, Step


def window_sizes(plan: Plan[Step], step: Step) -> tuple[int, ...]:
    """The sizes of an update window in the operand, 1 in the dimensions that updates do not have."""
    keywords, updates = step.keywords, plan.shape_of(step.ins[len(step.outs) + 1])
    dropped = {*keywords["inserted_window_dims"], *keywords["input_batching_dims"]}
    window = iter([updates[d] for d in keywords["update_window_dims"]])
    return tuple([1 if d in dropped else next(window) for d in range(len(plan.shape_of(step.ins[0])))])


def is_native_scatter(plan: Plan[Step], step: Step) -> bool:
    """Test whether each window is inside or outside as a whole, and computed in the types of the operands.

    So results do not depend on `Options.semantics`.
    """
    count = len(step.outs)
    sizes = window_sizes(plan, step)
    indexed = step.keywords["scatter_dims_to_operand_dims"]
    whole = all(sizes[d] == 1 for d in indexed)
    inputs, updates = step.ins[:count], step.ins[count + 1 : 2 * count + 1]
    (body,) = step.plans
    columns = zip(inputs, updates, step.outs, body.outputs, strict=True)
    return whole and all(
        len({*(plan.tensor(slot).element_type for slot in slots), body.tensor(out).element_type}) == 1
        for *slots, out in columns
    )


def scatter_extent(plan: Plan[Step], step: Step) -> int:
    """The number of parts: the rows of the operand, where a window is in one row."""
    shape = plan.shape_of(step.ins[0])
    is_indexed = 0 in step.keywords["scatter_dims_to_operand_dims"]
    return shape[0] if shape and is_indexed and len(step.ins) == 3 else 1


def scatter(scope: Scope, step: Step, part: Range) -> None:
    """Copy the operands, then combine the windows that are inside with the updates, in order.

    Each thread copies some rows, and takes the updates of these.
    """
    count = len(step.outs)
    inputs, indices = step.ins[:count], step.ins[count]
    shape, b = scope.shape(inputs[0]), scope.b
    shared = scatter_extent(scope.plan, step) > 1
    for slot, operand in zip(step.outs, inputs, strict=True):
        _copy(scope, slot, operand, part if shared else None)
    batch = _batch_shape(scope, step)

    def update(row: Indices) -> None:
        starts, inside = _starts(scope, step, indices, row)
        if shared:
            first = starts[0].emit(b) if not starts[0].is_constant else b.constant(0, "i64")
            inside = inside & (first >= part.start) & (first < part.stop)
        then, after = b.fresh("update"), b.fresh("skip")
        b.do(f"br i1 {inside.text}, label %{then}, label %{after}")
        b.enter(then)
        scope.enter()
        nested(scope, window_sizes(scope.plan, step), lambda at: _combine(scope, step, row, starts, at))
        scope.leave()
        b.start_block(after)

    assert len(shape) > 0 or not shared
    nested(scope, batch, update)


def _copy(scope: Scope, slot: int, operand: int, part: Range | None) -> None:
    """Copy an operand to the result, unless it is there; only a range of its rows if there is one."""
    target = scope.buffers[slot]
    if operand in scope.buffers and scope.buffers[operand].name == target.name:
        return
    shape = scope.shape(operand)
    if part is None:
        nested(scope, shape, lambda at: scope.store(target, at, scope.at(operand, at)))
        return
    with scope.b.loop(part.start, part.stop) as i:
        scope.enter()
        row = computed(i, shape[0])
        nested(scope, shape[1:], lambda at: scope.store(target, (row, *at), scope.at(operand, (row, *at))))
        scope.leave()


def _batch_shape(scope: Scope, step: Step) -> tuple[int, ...]:
    """The dimensions of the indices that are not those of index vectors."""
    shape, vector = scope.shape(step.ins[len(step.outs)]), step.keywords["index_vector_dim"]
    return tuple([size for d, size in enumerate(shape) if d != vector])


def _starts(scope: Scope, step: Step, indices: int, row: Indices) -> tuple[list[Index], Value]:
    """Where a window begins in each dimension of the operand, and whether it is inside."""
    keywords, shape, b = step.keywords, scope.shape(step.ins[0]), scope.b
    vector_dim = keywords["index_vector_dim"]
    has_vectors = vector_dim < len(scope.shape(indices))
    starts: list[Index] = [ZERO] * len(shape)
    inside = b.constant(True, "i1")
    for component, d in enumerate(keywords["scatter_dims_to_operand_dims"]):
        at = (*row[:vector_dim], Index((), component), *row[vector_dim:]) if has_vectors else row
        start = scope.at(indices, at).convert("sext" if scope.element(indices).signed else "zext", "i64")
        inside = inside & start.compare("ult", shape[d])
        starts[d] = computed(start, shape[d])
    batching = zip(keywords["input_batching_dims"], keywords["scatter_indices_batching_dims"], strict=True)
    for d, axis in batching:
        starts[d] = row[axis - (axis > vector_dim)]
    return starts, inside


def _combine(scope: Scope, step: Step, row: Indices, starts: list[Index], at: Indices) -> None:
    """Combine one element of the results with that of the updates at an index of the window."""
    count, keywords, (body,) = len(step.outs), step.keywords, step.plans
    dropped = {*keywords["inserted_window_dims"], *keywords["input_batching_dims"]}
    window = iter([index for d, index in enumerate(at) if d not in dropped])
    outside = iter(row)
    rank = len(scope.shape(step.ins[count + 1]))
    places: list[Index] = [ZERO] * rank
    for d in keywords["update_window_dims"]:
        places[d] = next(window)
    for d in range(rank):
        if d not in keywords["update_window_dims"]:
            places[d] = next(outside)
    target = tuple([start + index for start, index in zip(starts, at, strict=True)])
    old = [scope.load(slot, target) for slot in step.outs]
    new = [scope.at(slot, tuple(places)) for slot in step.ins[count + 1 : 2 * count + 1]]
    captured = [scope.at(slot, ()) for slot in step.ins[2 * count + 1 :]]
    for slot, value in zip(step.outs, scope.inline(body, [*old, *new, *captured]), strict=True):
        scope.store(scope.buffers[slot], target, value)
