"""Data movement: an element is the element of an operand at another index (`kernels/shape.py`)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from stablehlo_py.engines.native.loop_ir.expressions import Expression, apply, choose, position
from stablehlo_py.engines.native.loop_ir.index import ZERO, Index, Indices, Number, divide, of_atom, reshape
from stablehlo_py.engines.native.lower.records import by_element
from stablehlo_py.engines.native.lower.values import (
    convert,
    joined,
    of_bits,
    op,
    parts,
    place_inside,
    to_bits,
    word,
)
from stablehlo_py.interpreter.plan import Plan, Step
from stablehlo_py.ir.element_types import bit_width
from stablehlo_py.ir.types import ComplexType

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


@by_element("stablehlo.pad")
def _pad(lowering: Lowering, step: Step, indices: Indices) -> Expression:
    operand, value = step.ins
    inside: list[tuple[Index, int]] = []
    at: list[Index] = []
    lows, interior = step.keywords["edge_padding_low"], step.keywords["interior_padding"]
    for index, low, size, holes in zip(indices, lows, lowering.shape(operand), interior, strict=True):
        place, conditions = place_inside(index + -low, size, holes + 1)
        inside += conditions
        at.append(place)
    return choose(tuple(inside), lowering.at(operand, tuple(at)), lowering.at(value, ()))


@by_element("stablehlo.iota")
def _iota(lowering: Lowering, step: Step, indices: Indices) -> Expression:
    place = position(indices[step.keywords["iota_dimension"]])
    return apply("stablehlo.convert", lowering.type(step.outs[0]), (place,))


def _has_whole_elements(plan: Plan[Step], step: Step) -> bool:
    """Test whether each element is made of whole other ones."""
    narrow, wide = sorted([bit_width(plan.tensor(slot).element_type) for slot in (*step.ins, *step.outs)])
    return wide % narrow == 0


@by_element("stablehlo.bitcast_convert", supports=_has_whole_elements)
def _bitcast_convert(lowering: Lowering, step: Step, indices: Indices) -> Expression:
    """The bits of an element, a part of them, or the bits of the elements of a row, the lowest first."""
    (operand,), result = step.ins, lowering.type(step.outs[0])
    source, target = bit_width(lowering.type(operand)), bit_width(result)
    if lowering.type(operand) == result:
        return lowering.at(operand, indices)
    if source == target:
        return of_bits(to_bits(lowering.at(operand, indices)), result)
    if source < target:
        row = [to_bits(lowering.at(operand, (*indices, Index((), k)))) for k in range(target // source)]
        if not isinstance(result, ComplexType):
            return of_bits(joined(row), result)
        halves = [of_bits(each, result.element_type) for each in row]  # no word has as many bits
        return apply("stablehlo.complex", result, tuple(halves))
    bits = [to_bits(part) for part in parts(lowering.at(operand, indices[:-1]))]
    width = source // len(bits)
    number, place = divide(indices[-1], width // target)  # of the part, and in the part
    chosen = choose(((number, 1),), bits[-1], bits[0])
    by = convert(position(place * target), word(width))
    return of_bits(op("shift_right_logical", chosen, by), result)
