"""Type legalization: products of i16 take two terms at a time, as a word of 32 bits (`products/pairs.py`).

The operands of a product of i16 with sums of i32 become arrays of words, half as long along a dimension that
is contracted. Where its extent is odd, the last word has a zero.
"""

from __future__ import annotations

import numpy as np

from stablehlo_py.engines.native.lower.contraction import CONVOLUTION, DOT, ORDERED_DOT
from stablehlo_py.engines.native.passes.plan_writer import PlanWriter
from stablehlo_py.engines.native.products.contractions import contraction_of, has_pairs
from stablehlo_py.engines.native.products.pairs import PAIR_CONVOLUTION, PAIR_DOT, SUM, TERM, WORDS
from stablehlo_py.interpreter.plan import Plan, Step
from stablehlo_py.ir.element_types import numpy_dtype
from stablehlo_py.ir.types import TensorType

_NAMES = {DOT: PAIR_DOT, ORDERED_DOT: PAIR_DOT, CONVOLUTION: PAIR_CONVOLUTION}


def pair_terms(plan: Plan[Step]) -> Plan[Step]:
    """Return a plan whose products of i16 are products of words."""
    writer = PlanWriter(plan)
    for step in plan.steps:
        if step.name in _NAMES and has_pairs(plan, step) and contraction_of(plan, step) is not None:
            sides = zip(step.ins, _paired_dimensions(plan, step), strict=True)
            words = tuple([_words(writer, step, slot, d) for slot, d in sides])
            writer.change(step, name=_NAMES[step.name], ins=words, definition=None)
        else:
            writer.add_with_bodies(step, pair_terms)
    return writer.plan if writer.changed else plan


def _paired_dimensions(plan: Plan[Step], step: Step) -> tuple[int, int]:
    """A contracted dimension of each operand: an even one, if there is one, along memory on the left."""
    keywords = step.keywords
    if step.name == CONVOLUTION:
        return keywords["input_feature_dimension"], keywords["kernel_input_feature_dimension"]
    names = ("lhs_contracting_dimensions", "rhs_contracting_dimensions")
    shape = plan.shape_of(step.ins[0])
    pairs = zip(*(keywords[name] for name in names), strict=True)
    return max(pairs, key=lambda pair: (shape[pair[0]] % 2 == 0, pair[0]))


def _words(writer: PlanWriter, user: Step, slot: int, dimension: int) -> int:
    """The slot of the words of an array."""
    shape = list(writer.plan.shape_of(slot))
    if shape[dimension] % 2:
        shape[dimension] += 1
        slot = _padded(writer, user, slot, shape)
    shape[dimension] //= 2
    made = writer.slot(TensorType(tuple(shape), SUM))
    writer.insert(WORDS, user, (slot,), made, dimension=dimension)
    return made


def _padded(writer: PlanWriter, user: Step, slot: int, shape: list[int]) -> int:
    """The slot of an array with zeros behind it."""
    zero, made = writer.slot(TensorType((), TERM)), writer.slot(TensorType(tuple(shape), TERM))
    writer.plan.constants[zero] = np.zeros((), numpy_dtype(TERM))
    none = (0,) * len(shape)
    high = tuple(np.subtract(shape, writer.plan.shape_of(slot)).tolist())
    writer.insert(
        "stablehlo.pad",
        user,
        (slot, zero),
        made,
        edge_padding_low=none,
        edge_padding_high=high,
        interior_padding=none,
    )
    return made
