"""Layout assignment: convolutions whose arrays have features first are computed with features last.

Tiles of products read features that are neighbours in memory as vectors (`schedule/tile.py`). So the operands
of a convolution of another order that has many features are transposed before it, and its result behind it;
others are tiles of neighbouring positions. Ops between two convolutions that work in any order of dimensions
(elementwise ops, windows, padding) are computed in the order of the convolution: an array is transposed where
it enters and leaves a chain of them only.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import prod
from typing import Any, NamedTuple

import numpy as np

from stablehlo_py.engines.native import cost
from stablehlo_py.engines.native.lower.contraction import CONVOLUTION
from stablehlo_py.engines.native.lower.registry import is_lowered
from stablehlo_py.engines.native.passes.plan_writer import PlanWriter, is_native_with
from stablehlo_py.interpreter.passes.dead_code import eliminate_dead_code
from stablehlo_py.interpreter.plan import Plan, Step
from stablehlo_py.ir.types import TensorType, Type

Order = tuple[int, ...]  # the dimensions of an array in the order that they have in memory
Keywords = Mapping[str, Any]

TRANSPOSE, BROADCAST = "stablehlo.transpose", "stablehlo.broadcast_in_dim"


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
        self._orders: dict[int, Order] = {}  # of the slots that are computed in another order

    def visit(self, step: Step) -> None:
        """Add a step, in another order of dimensions where that pays."""
        orders = self._orders_of(step)
        if orders is not None:
            self._add_in_order(step, *orders)
        else:
            self.add(step)

    def _orders_of(self, step: Step) -> tuple[list[Order | None], Order, Keywords] | None:
        """The orders of the operands and of the result, and the keywords of the step in it."""
        if len(step.outs) != 1:
            return None
        if step.name == CONVOLUTION:
            return self._convolution(step)
        order = self._common_order(step)
        if order is None:
            return None
        change = _elementwise if step.elementwise and not step.bodies else _CHANGES.get(step.name)
        keywords = change(step.keywords, order) if change is not None else None
        if keywords is None:
            return None
        rank = len(order)
        return [order if self._rank(slot) == rank else None for slot in step.ins], order, keywords

    def _convolution(self, step: Step) -> tuple[list[Order | None], Order, Keywords] | None:
        if not is_lowered(self.plan, step) or not _pays(self.plan, step):
            return None
        orders = _features_last(step.keywords, self._rank(step.outs[0]))
        if _is_in_place(orders.image) and _is_in_place(orders.result):
            return None
        keywords = _convolution_keywords(step.keywords, orders)
        return [orders.image, orders.kernel], orders.result, keywords

    def _common_order(self, step: Step) -> Order | None:
        """The order in which an operand is computed, if few others would have to be transposed."""
        orders = [self._orders[slot] for slot in step.ins if slot in self._orders]
        if not orders:
            return None
        order = orders[0]
        arrays = [slot for slot in dict.fromkeys(step.ins) if self._rank(slot) == len(order)]
        costly = [slot for slot in arrays if not self._is_cheap(slot, order)]
        in_order = [slot for slot in arrays if self._orders.get(slot) == order]
        return order if len(costly) <= len(in_order) else None

    def _is_cheap(self, slot: int, order: Order) -> bool:
        """Test whether a slot needs no transposition of an array."""
        known = (slot, order) in self._transposed or slot in self.plan.constants
        return known or (slot in self.producers and self.producers[slot].name == BROADCAST)

    def _rank(self, slot: int) -> int:
        type = self.plan.types[slot]
        return type.rank if isinstance(type, TensorType) else -1

    def _types(self, step: Step, operands: Sequence[Order | None], result: Order) -> list[Type]:
        """The types of a step's operands and result in other orders."""
        slots = (*step.ins, *step.outs)
        return [
            self.plan.types[slot] if order is None else _permuted_type(self.plan.tensor(slot), order)
            for slot, order in zip(slots, (*operands, result), strict=True)
        ]

    def _add_in_order(
        self, step: Step, operands: list[Order | None], result: Order, keywords: Keywords
    ) -> None:
        """Add a step in other orders, and the transposition of its result, where it is native."""
        if not is_native_with(self.plan, step, self._types(step, operands, result), keywords):
            self.add(step)
            return
        ins = [
            slot if order is None else self._in_order(slot, order, step)
            for slot, order in zip(step.ins, operands, strict=True)
        ]
        (out,) = step.outs
        if _is_in_place(result):
            self.change(step, ins=tuple(ins), keywords=keywords)
            return
        made = self.slot(_permuted_type(self.plan.tensor(out), result))
        self.change(step, ins=tuple(ins), outs=(made,), keywords=keywords)
        back = tuple(np.argsort(result).tolist())
        self.insert(TRANSPOSE, step, (made,), out, permutation=back)
        self._transposed[out, result] = made
        if step.name != CONVOLUTION or _is_of_images(self.plan, step):
            self._orders[out] = result

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
    """The orders with features last; images may have their batch last, as those of a kernel's gradient do."""
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
    """Test whether features fill the columns of tiles, and products take longer than transposing arrays."""
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


def _is_of_images(plan: Plan[Step], step: Step) -> bool:
    """Test whether the result is an image: it has more positions than the kernel; else it is a gradient."""
    keywords = step.keywords
    result, kernel = plan.shape_of(step.outs[0]), plan.shape_of(step.ins[1])
    positions = prod([result[d] for d in keywords["output_spatial_dimensions"]])
    taps = prod([kernel[d] for d in keywords["kernel_spatial_dimensions"]])
    return bool(positions >= taps)


# Ops that work in any order of dimensions


def _elementwise(keywords: Keywords, order: Order) -> Keywords:
    return keywords


def _per_dimension(*names: str) -> Callable[[Keywords, Order], Keywords]:
    """A change of attributes that have a value for each dimension."""

    def change(keywords: Keywords, order: Order) -> Keywords:
        return {**keywords, **{name: _arranged(keywords[name], order) for name in names}}

    return change


def _arranged(values: Any, order: Order) -> Any:
    if isinstance(values, tuple):
        return tuple([values[d] for d in order])
    return np.asarray(values)[list(order)]


def _reverse(keywords: Keywords, order: Order) -> Keywords:
    return {**keywords, "dimensions": _moved(keywords["dimensions"], order)}


def _concatenate(keywords: Keywords, order: Order) -> Keywords:
    return {**keywords, "dimension": _moved(keywords["dimension"], order)}


_CHANGES: dict[str, Callable[[Keywords, Order], Keywords]] = {
    "stablehlo.concatenate": _concatenate,
    "stablehlo.pad": _per_dimension("edge_padding_low", "edge_padding_high", "interior_padding"),
    "stablehlo.reduce_window": _per_dimension(
        "window_dimensions", "window_strides", "base_dilations", "window_dilations", "padding"
    ),
    "stablehlo.reverse": _reverse,
    "stablehlo.select_and_scatter": _per_dimension("window_dimensions", "window_strides", "padding"),
    "stablehlo.slice": _per_dimension("start_indices", "limit_indices", "strides"),
}
