"""Scans as loops: a loop carries a counter, the carries and the outputs, and captures the inputs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from stablehlo_py.engines.native.passes.plan_writer import PlanWriter
from stablehlo_py.engines.native.region import WHILE
from stablehlo_py.interpreter.plan import Plan, Step
from stablehlo_py.ir.types import I1, I32, TensorType, Type
from stablehlo_py.kernels.registry import Ints

_INDEX, _TEST = TensorType((), I32), TensorType((), I1)
_MOST = (1 << 31) - 1  # iterations that the counter counts


def scan(writer: PlanWriter, step: Step) -> bool:
    """A `while` that slices the inputs and writes the outputs."""
    plan, (body,) = writer.plan, step.plans
    made = len(step.keywords["outputs"])
    inits = len(step.outs) - made
    inputs = step.ins[: len(step.ins) - inits]
    axis = step.keywords["dimension"]
    count = plan.shape_of(inputs[0] if inputs else step.outs[0])[axis]
    results = [plan.tensor(slot) for slot in step.outs]
    elements = [_without(type, axis) for type in results[:made]]
    if list(body.output_types) != [*elements, *results[made:]] or count > _MOST:
        return False
    carried = [writer.constant(0, I32), *step.ins[len(inputs) :]]
    for slot in step.outs[:made]:
        zero = writer.constant(0, plan.tensor(slot).element_type)
        carried.append(writer.broadcast(step, zero, plan.shape_of(slot), ()))
    types = [plan.types[slot] for slot in carried]
    captured = [plan.types[slot] for slot in inputs]
    bodies = {
        "cond": _condition(body, step, types, count),
        "body": _iteration(body, step, [*types, *captured], len(inputs), count),
    }
    outs = (writer.slot(_INDEX), *step.outs[made:], *step.outs[:made])
    writer.change(step, name=WHILE, ins=(*carried, *inputs), outs=outs, bodies=bodies, keywords={})
    return True


def _without(type: TensorType, axis: int) -> TensorType:
    return TensorType((*type.shape[:axis], *type.shape[axis + 1 :]), type.element_type)


def _empty(body: Plan[Step], types: Sequence[Type], captures: int = 0) -> PlanWriter:
    """A plan without steps, in place of the body of a scan."""
    kept = replace(body, types=list(types), constants={}, steps=[], outputs=(), aliases=None)
    return PlanWriter(replace(kept, arity=len(types), captures=captures))


def _condition(body: Plan[Step], step: Step, types: Sequence[Type], count: int) -> Plan[Step]:
    """Whether the counter is less than the number of iterations."""
    writer = _empty(body, types)
    test, last = writer.slot(_TEST), writer.constant(count, I32)
    order = {"comparison_direction": "LT", "compare_type": "SIGNED"}
    writer.insert("stablehlo.compare", step, (0, last), test, elementwise=True, **order)
    return replace(writer.plan, outputs=(test,), iterates=False)


def _iteration(body: Plan[Step], step: Step, types: Sequence[Type], captures: int, count: int) -> Plan[Step]:
    """The body on slices of the inputs, which it captures, and the outputs with what it makes."""
    writer, axis = _empty(body, types, captures), step.keywords["dimension"]
    place, following = 0, writer.slot(_INDEX)
    writer.insert("stablehlo.add", step, (0, writer.constant(1, I32)), following, elementwise=True)
    if step.keywords["is_reverse"]:
        place = writer.slot(_INDEX)
        last = writer.constant(count - 1, I32)
        writer.insert("stablehlo.subtract", step, (last, 0), place, elementwise=True)
    inits = body.arity - captures
    slices = [_slice(writer, step, slot, place, axis) for slot in range(len(types) - captures, len(types))]
    slots = _inlined(writer, body, [*slices, *range(1, 1 + inits)])
    made = len(slots) - inits
    written = []
    for number, slot in enumerate(slots[:made]):
        output = 1 + inits + number
        update = writer.slot(_one(writer.plan.tensor(output), axis))
        writer.insert("stablehlo.reshape", step, (slot,), update)
        written.append(writer.slot(types[output]))
        starts = _starts(writer, output, place, axis)
        writer.insert("stablehlo.dynamic_update_slice", step, (output, update, *starts), written[-1])
    return replace(writer.plan, outputs=(following, *slots[made:], *written))


def _slice(writer: PlanWriter, step: Step, slot: int, place: int, axis: int) -> int:
    """The slot of a slice of an input, without the scanned dimension."""
    one = _one(writer.plan.tensor(slot), axis)
    sliced, found = writer.slot(one), writer.slot(_without(one, axis))
    starts = _starts(writer, slot, place, axis)
    writer.insert("stablehlo.dynamic_slice", step, (slot, *starts), sliced, slice_sizes=one.shape)
    writer.insert("stablehlo.reshape", step, (sliced,), found)
    return found


def _one(type: TensorType, axis: int) -> TensorType:
    return TensorType((*type.shape[:axis], 1, *type.shape[axis + 1 :]), type.element_type)


def _starts(writer: PlanWriter, slot: int, place: int, axis: int) -> Ints:
    rank, zero = writer.plan.tensor(slot).rank, writer.constant(0, I32)
    return tuple([place if d == axis else zero for d in range(rank)])


def _inlined(writer: PlanWriter, body: Plan[Step], inputs: Sequence[int]) -> list[int]:
    """Add the steps of a plan on given slots, and return the slots of its outputs."""
    slots = list(inputs) + [writer.slot(type) for type in body.types[len(inputs) :]]
    for slot, array in body.constants.items():
        writer.plan.constants[slots[slot]] = array
    for step in body.steps:
        ins, outs = (tuple([slots[slot] for slot in each]) for each in (step.ins, step.outs))
        writer.change(step, ins=ins, outs=outs)
    return [slots[slot] for slot in body.outputs]
