"""Data movement: an element is that of an operand at another index (`kernels/shape.py`)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from stablehlo_py.engines.native.loop_ir.expressions import Expression, apply, choose, position
from stablehlo_py.engines.native.loop_ir.index import ZERO, Index, Indices, Number, of_atom, reshape
from stablehlo_py.engines.native.lower.records import by_element
from stablehlo_py.interpreter.plan import Plan, Step

if TYPE_CHECKING:
    from stablehlo_py.engines.native.lower.region import Lowering


@by_element("stablehlo.broadcast_in_dim")
def _broadcast_in_dim(lowering: Lowering, step: Step, indices: Indices) -> Expression:
    (operand,) = step.ins
    dims = zip(lowering.shape(operand), step.keywords["broadcast_dimensions"], strict=True)
    return lowering.at(operand, tuple([ZERO if size == 1 else indices[d] for size, d in dims]))


@by_element("stablehlo.reshape")
def _reshape(lowering: Lowering, step: Step, indices: Indices) -> Expression:
    (operand,), (result,) = step.ins, step.outs
    return lowering.at(operand, reshape(indices, lowering.shape(result), lowering.shape(operand)))


@by_element("stablehlo.transpose")
def _transpose(lowering: Lowering, step: Step, indices: Indices) -> Expression:
    source = [ZERO] * len(indices)
    for index, dimension in zip(indices, step.keywords["permutation"], strict=True):
        source[dimension] = index
    return lowering.at(step.ins[0], tuple(source))


@by_element("stablehlo.slice")
def _slice(lowering: Lowering, step: Step, indices: Indices) -> Expression:
    places = zip(indices, step.keywords["start_indices"], step.keywords["strides"], strict=True)
    return lowering.at(step.ins[0], tuple([index * stride + start for index, start, stride in places]))


@by_element("stablehlo.reverse")
def _reverse(lowering: Lowering, step: Step, indices: Indices) -> Expression:
    (operand,) = step.ins
    at = list(indices)
    for d in step.keywords["dimensions"]:
        at[d] = indices[d] * -1 + (lowering.shape(operand)[d] - 1)
    return lowering.at(operand, tuple(at))


@by_element("stablehlo.dynamic_slice")
def _dynamic_slice(lowering: Lowering, step: Step, indices: Indices) -> Expression:
    operand, *starts = step.ins
    rows = zip(indices, starts, lowering.shape(operand), lowering.shape(step.outs[0]), strict=True)
    at = [index + start(lowering, slot, (), extent - size) for index, slot, extent, size in rows]
    return lowering.at(operand, tuple(at))


def start(lowering: Lowering, slot: int, at: Indices, last: int) -> Index:
    """An element of a slot as an index, brought into `0 .. last`."""
    return of_atom(Number(lowering.at(slot, at), last + 1))


@by_element("stablehlo.concatenate")
def _concatenate(lowering: Lowering, step: Step, indices: Indices) -> Expression:
    d, first = step.keywords["dimension"], 0
    found: Expression | None = None
    for slot in step.ins:
        size = lowering.shape(slot)[d]
        if size:
            at = (*indices[:d], indices[d] + -first, *indices[d + 1 :])
            element = lowering.at(slot, at)
            found = element if found is None else choose(((indices[d], first),), element, found)
        first += size
    assert found is not None
    return found


def _has_no_interior(plan: Plan[Step], step: Step) -> bool:
    return not any(step.keywords["interior_padding"])


@by_element("stablehlo.pad", supports=_has_no_interior)
def _pad(lowering: Lowering, step: Step, indices: Indices) -> Expression:
    operand, value = step.ins
    inside: list[tuple[Index, int]] = []
    at: list[Index] = []
    rows = zip(indices, step.keywords["edge_padding_low"], lowering.shape(operand), strict=True)
    for index, low, size in rows:
        inside += [(index, low), (index * -1, -(low + size - 1))]
        at.append(index + -low)
    return choose(tuple(inside), lowering.at(operand, tuple(at)), lowering.at(value, ()))


@by_element("stablehlo.iota")
def _iota(lowering: Lowering, step: Step, indices: Indices) -> Expression:
    place = position(indices[step.keywords["iota_dimension"]])
    return apply("stablehlo.convert", lowering.type(step.outs[0]), (place,))
