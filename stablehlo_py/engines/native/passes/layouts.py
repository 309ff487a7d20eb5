"""Layout assignment: convolutions with features first are computed with features last.

Tiles of products read neighbouring features as vectors (`schedule/tile.py`). So a convolution with many
features in another order gets transposed operands, and its result is transposed back. Convolutions with few
features are computed in tiles of neighbouring positions. A transposition between two convolutions costs
nothing if it is inlined into the loops that pack the operands of the second convolution.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import prod
from typing import Any, NamedTuple

import numpy as np

from stablehlo_py.engines.native import cost
from stablehlo_py.engines.native.lower.contraction import CONVOLUTION
from stablehlo_py.engines.native.lower.registry import is_lowered
from stablehlo_py.engines.native.passes.plan_writer import BROADCAST, TRANSPOSE, PlanWriter
from stablehlo_py.interpreter.passes.dead_code import eliminate_dead_code
from stablehlo_py.interpreter.plan import Plan, Step
from stablehlo_py.ir.types import TensorType

Order = tuple[int, ...]  # the dimensions of an array in the order that they have in memory
Keywords = Mapping[str, Any]


def assign_layouts(plan: Plan[Step]) -> Plan[Step]:
    """Return a plan whose convolutions have features last, where that pays."""
    if not any(step.name == CONVOLUTION for step in plan.steps):
        return plan
    assignment = _Assignment(plan)
    for step in plan.steps:
        assignment.visit(step)
    if not assignment.changed:
        return plan
    eliminate_dead_code(assignment.plan)
    return assignment.plan


class _Assignment(PlanWriter):
    """The plan with assigned layouts, while it is written."""

    def __init__(self, plan: Plan[Step]) -> None:
        super().__init__(plan)
        self._transposed: dict[tuple[int, Order], int] = {}

    def visit(self, step: Step) -> None:
        """Add a step; a convolution with features last where that pays."""
        if step.name != CONVOLUTION or not is_lowered(self.plan, step) or not _pays(self.plan, step):
            self.add(step)
            return
        (out,) = step.outs
        orders = _features_last(step.keywords, len(self.plan.shape_of(out)))
        if _is_in_place(orders.image) and _is_in_place(orders.result):
            self.add(step)
            return
        pairs = zip(step.ins, (orders.image, orders.kernel), strict=True)
        ins = tuple([self._in_order(slot, order, step) for slot, order in pairs])
        keywords = _convolution_keywords(step.keywords, orders)
        if _is_in_place(orders.result):
            self.change(step, ins=ins, keywords=keywords)
            return
        made = self.slot(_permuted_type(self.plan.tensor(out), orders.result))
        self.change(step, ins=ins, outs=(made,), keywords=keywords)
        back = tuple(np.argsort(orders.result).tolist())
        self.insert(TRANSPOSE, step, (made,), out, permutation=back)
        self._transposed[out, orders.result] = made

    def _in_order(self, slot: int, order: Order, user: Step) -> int:
        """The slot that has the array of a slot in an order."""
        if _is_in_place(order):
            return slot
        if (slot, order) not in self._transposed:
            self._transposed[slot, order] = self._transpose(slot, order, user)
        return self._transposed[slot, order]

    def _transpose(self, slot: int, order: Order, user: Step) -> int:
        made = self.slot(_permuted_type(self.plan.tensor(slot), order))
        producer = self.producers.get(slot)
        if slot in self.plan.constants:
            turned = np.asarray(self.plan.constants[slot]).transpose(order)
            is_spread = all(stride == 0 for stride in turned.strides)
            self.plan.constants[made] = turned if is_spread else np.ascontiguousarray(turned)
        elif producer is not None and producer.name == BROADCAST:
            dims = tuple([order.index(d) for d in producer.keywords["broadcast_dimensions"]])
            self.insert(BROADCAST, user, producer.ins, made, broadcast_dimensions=dims)
        else:
            self.insert(TRANSPOSE, user, (slot,), made, permutation=order)
        return made


def _is_in_place(order: Order) -> bool:
    return order == tuple(range(len(order)))


def _permuted_type(type: TensorType, order: Order) -> TensorType:
    return TensorType(tuple([type.shape[d] for d in order]), type.element_type)


# Orders of convolutions


class _Orders(NamedTuple):
    """The orders of a convolution's arrays."""

    image: Order
    kernel: Order
    result: Order


def _features_last(keywords: Keywords, rank: int) -> _Orders:
    """The orders with features last; images may have their batch last, as in a kernel's gradient."""
    every = tuple(range(rank))
    image = sorted([keywords["input_batch_dimension"], keywords["input_feature_dimension"]])
    outputs = keywords["kernel_output_feature_dimension"]
    features = keywords["output_feature_dimension"]
    spatial = tuple([d for d in every if d not in image])
    batch = keywords["output_batch_dimension"]
    positions = tuple([d for d in every if d not in (batch, features)])
    return _Orders(
        every if rank - 1 in image else (image[0], *spatial, image[1]),
        every if outputs == rank - 1 else (*[d for d in every if d != outputs], outputs),
        every if features == rank - 1 else (batch, *positions, features),
    )


def _pays(plan: Plan[Step], step: Step) -> bool:
    """Test whether features fill the columns of tiles, and products cost more than transposing arrays."""
    keywords, kernel, result = step.keywords, plan.shape_of(step.ins[1]), plan.shape_of(step.outs[0])
    if keywords["feature_group_count"] > 1 or keywords["batch_group_count"] > 1:
        return False
    if result[keywords["output_feature_dimension"]] < cost.FEATURES:
        return False
    terms = prod(kernel) // kernel[keywords["kernel_output_feature_dimension"]]
    elements = sum([prod(plan.shape_of(slot)) for slot in (*step.ins, *step.outs)])
    return bool(prod(result) * terms >= cost.TRANSPOSED * elements)


_SIDES = {  # for each array, the keywords that number its dimensions
    "image": ("input_batch_dimension", "input_feature_dimension", "input_spatial_dimensions"),
    "kernel": (
        "kernel_input_feature_dimension",
        "kernel_output_feature_dimension",
        "kernel_spatial_dimensions",
    ),
    "result": ("output_batch_dimension", "output_feature_dimension", "output_spatial_dimensions"),
}


def _convolution_keywords(keywords: Keywords, orders: _Orders) -> Keywords:
    """The keywords of a convolution of arrays in other orders."""
    found = dict(keywords)
    for side, names in _SIDES.items():
        order: Order = getattr(orders, side)
        for name in names:
            found[name] = _moved(found[name], order)
    return found


def _moved(dimensions: Any, order: Order) -> Any:
    if isinstance(dimensions, tuple):
        return tuple([order.index(d) for d in dimensions])
    return order.index(dimensions)
