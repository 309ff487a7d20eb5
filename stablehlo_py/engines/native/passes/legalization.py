"""Legalization: ops without an emitter are rewritten to equivalent native ops.

These are broadcasting ops of CHLO, ops of older versions, ops of dynamic shapes with constant operands, and
compositions. They become broadcasts, slices, pads, gathers, elementwise ops and loops. A custom call of a
built-in target becomes a step with the name of the target.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from stablehlo_py.engines.native.lower.contraction import DOT
from stablehlo_py.engines.native.lower.registry import emitter_of
from stablehlo_py.engines.native.passes import custom_calls, scans
from stablehlo_py.engines.native.passes.pipeline import BROADCASTING
from stablehlo_py.engines.native.passes.plan_writer import BROADCAST, Form, PlanWriter, with_forms
from stablehlo_py.engines.native.passes.tracing import traced
from stablehlo_py.interpreter.plan import Plan, Step
from stablehlo_py.kernels.registry import Ints


def legalize(plan: Plan[Step]) -> Plan[Step]:
    """Return a plan in which ops are replaced by their equivalent native forms."""
    return with_forms(plan, _form_of)


def _form_of(step: Step) -> Form | None:
    if step.effect and step.name != CUSTOM_CALL:  # its checks fail; those of calls have effects by default
        return None
    return _broadcasting if step.name.startswith(BROADCASTING) else FORMS.get(step.name)


def _spread(writer: PlanWriter, step: Step, slot: int, shape: Ints, dimensions: Ints | None = None) -> int:
    """The slot of an array, broadcast to a shape along dimensions, by default the last ones."""
    plan = writer.plan
    rank = len(plan.shape_of(slot))
    if plan.shape_of(slot) == shape:
        return slot
    at = dimensions
    if at is None or rank == len(shape):
        at = tuple(range(len(shape) - rank, len(shape)))
    return writer.broadcast(step, slot, shape, at)


def _broadcast_to(result: Ints, shapes: Sequence[Ints], dimensions: Ints | None) -> bool:
    """Test whether shapes broadcast to the result's shape; `dimensions` places shapes of lower rank."""
    rank, placed = max(map(len, shapes)), []
    for shape in shapes:
        if dimensions is not None and len(shape) < rank:
            sizes = dict(zip(dimensions, shape, strict=True))
            shape = tuple([sizes.get(d, 1) for d in range(rank)])
        placed.append(shape)
    try:
        return np.broadcast_shapes(*placed) == tuple(result)
    except ValueError:
        return False


def _broadcasting(writer: PlanWriter, step: Step) -> bool:
    """An elementwise op on operands that are broadcast."""
    name, (out,) = step.name.removeprefix(BROADCASTING), step.outs
    shape, keywords = writer.plan.shape_of(out), step.keywords
    dimensions = keywords.get("broadcast_dimensions")
    if not _broadcast_to(shape, [writer.plan.shape_of(slot) for slot in step.ins], dimensions):
        return False
    ins = [_spread(writer, step, slot, shape, dimensions) for slot in step.ins]
    kept = ("comparison_direction", "compare_type") if name == "compare" else ()
    base = f"stablehlo.{name}" if emitter_of(f"stablehlo.{name}") else f"chlo.{name}"
    own = {key: keywords.get(key) for key in kept}
    writer.insert(base, step, tuple(ins), out, elementwise=True, **own)
    return True


def _broadcast(writer: PlanWriter, step: Step) -> bool:
    (operand,), (out,) = step.ins, step.outs
    rank = len(writer.plan.shape_of(out))
    dims = tuple(range(rank - len(writer.plan.shape_of(operand)), rank))
    writer.insert(BROADCAST, step, (operand,), out, broadcast_dimensions=dims)
    return True


def _constant_like(writer: PlanWriter, step: Step) -> bool:
    """One element of a constant, broadcast to the operand's shape."""
    (out,) = step.outs
    value = step.keywords["value"]
    scalar = writer.constant(getattr(value, "value", value), writer.plan.tensor(out).element_type)
    writer.insert(BROADCAST, step, (scalar,), out, broadcast_dimensions=())
    return True


def _dot(writer: PlanWriter, step: Step) -> bool:
    rank = len(writer.plan.shape_of(step.ins[0]))
    dimensions: dict[str, Any] = {
        "lhs_batching_dimensions": (),
        "rhs_batching_dimensions": (),
        "lhs_contracting_dimensions": (rank - 1,),
        "rhs_contracting_dimensions": (0,),
    }
    writer.insert(DOT, step, step.ins, step.outs[0], **dimensions)
    return True


def _padded(shape: Ints, low: Ints, high: Ints, interior: Ints) -> list[int]:
    return [n + a + b + max(n - 1, 0) * i for n, a, b, i in zip(shape, low, high, interior, strict=True)]


def _sliced(shape: Ints, starts: Ints, limits: Ints, strides: Ints) -> list[int]:
    return [-(-(b - a) // stride) for a, b, stride in zip(starts, limits, strides, strict=True)]


def _with_constants(
    name: str, *keywords: str, shape: Callable[..., Sequence[int]] = lambda operand, sizes: sizes
) -> Form:
    """Return the form with static shapes, whose attributes are the operands after the first one.

    `shape` computes the result's shape from the first operand's shape and the other operands. If it differs
    from the result type, the op is kept, and fails when it runs.
    """

    def form(writer: PlanWriter, step: Step) -> bool:
        takes = len(step.ins) - len(keywords)
        found = [writer.plan.constants.get(slot) for slot in step.ins[takes:]]
        known = [np.asarray(array).reshape(-1).tolist() for array in found if array is not None]
        if len(known) != len(found):
            return False
        if tuple(shape(writer.plan.shape_of(step.ins[0]), *known)) != writer.plan.shape_of(step.outs[0]):
            return False
        own: dict[str, Any] = {**step.keywords, **dict(zip(keywords, map(tuple, known), strict=True))}
        writer.insert(name, step, step.ins[:takes], step.outs[0], **own)
        return True

    return form


def _dynamic_gather(writer: PlanWriter, step: Step) -> bool:
    """A gather of windows of constant sizes."""
    keywords = step.keywords
    starts = [n for d, n in enumerate(writer.plan.shape_of(step.ins[1])) if d != keywords["index_vector_dim"]]
    dropped = (*keywords["collapsed_slice_dims"], *keywords["operand_batching_dims"])

    def shape(operand: Ints, sizes: Ints) -> list[int]:
        kept = iter([size for d, size in enumerate(sizes) if d not in dropped])
        batch = iter(starts)
        rank = len(starts) + len(sizes) - len(dropped)
        return [next(kept if d in keywords["offset_dims"] else batch, 0) for d in range(rank)]

    return _with_constants("stablehlo.gather", "slice_sizes", shape=shape)(writer, step)


CUSTOM_CALL = "stablehlo.custom_call"
FORMS: dict[str, Form] = {
    "chlo.constant_like": _constant_like,
    "chlo.scan": scans.scan,
    "stablehlo.batch_norm_grad": traced,
    "stablehlo.batch_norm_inference": traced,
    "stablehlo.batch_norm_training": traced,
    "stablehlo.broadcast": _broadcast,
    "stablehlo.dot": _dot,
    "stablehlo.dynamic_broadcast_in_dim": _with_constants(BROADCAST, "output_dimensions"),
    "stablehlo.dynamic_gather": _dynamic_gather,
    "stablehlo.dynamic_pad": _with_constants(
        "stablehlo.pad", "edge_padding_low", "edge_padding_high", "interior_padding", shape=_padded
    ),
    "stablehlo.dynamic_reshape": _with_constants("stablehlo.reshape", "output_shape"),
    "stablehlo.real_dynamic_slice": _with_constants(
        "stablehlo.slice", "start_indices", "limit_indices", "strides", shape=_sliced
    ),
    CUSTOM_CALL: custom_calls.built_in,
}
