"""Transposes folded into products: a dot writes its result in any order of dimensions.

The gradient of a dense layer is the transpose of a product. The product with exchanged factors needs no copy,
and later elementwise ops can be fused with it.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from math import prod

from stablehlo_py.engines.native import cost
from stablehlo_py.engines.native.lower.contraction import DOT, ORDERED_DOT, contracted_extents
from stablehlo_py.engines.native.lower.registry import is_lowered
from stablehlo_py.engines.native.passes.plan_writer import TRANSPOSE, PlanWriter
from stablehlo_py.interpreter.plan import Plan, Step

_SIDES = ("lhs", "rhs")


def order_products(plan: Plan[Step]) -> Plan[Step]:
    """Return a plan whose products in tiles make the transposes of their results."""
    products = {step.outs[0]: step for step in plan.steps if step.name == DOT}
    uses = Counter([*(slot for step in plan.steps for slot in step.ins), *plan.outputs])
    folded: dict[int, Step] = {}  # by the slot of the transposed result
    dropped: set[int] = set()  # slots of results that nothing else reads
    for step in plan.steps:
        if step.name == TRANSPOSE and step.ins[0] in products and uses[step.ins[0]] == 1:
            product = _transposed(plan, products[step.ins[0]], step)
            if product is not None:
                folded[step.outs[0]] = product
                dropped.add(step.ins[0])
    writer = PlanWriter(plan)
    for step in plan.steps:
        if step.name == TRANSPOSE and step.outs[0] in folded:
            writer.changed = True
            writer.add(folded[step.outs[0]])
        elif step.name != DOT or step.outs[0] not in dropped:
            writer.add_with_bodies(step, order_products)
    return writer.plan if writer.changed else plan


def _transposed(plan: Plan[Step], product: Step, transpose: Step) -> Step | None:
    """Return the product that makes a transposed result, None if it is small or its columns are elsewhere."""
    order: tuple[int, ...] = tuple(map(int, transpose.keywords["permutation"]))
    if not order:
        return None
    keywords = dict(product.keywords)
    batch, rows, columns = _counts(plan, product)
    if batch <= order[-1] < batch + rows:  # the columns are the last dimension of the left factor
        keywords.update(
            {f"{side}_{kind}": product.keywords[f"{other}_{kind}"] for side, other, kind in _SWAPS}
        )
        order = tuple([_swapped(d, batch, rows, columns) for d in order])
        product = replace(product, ins=product.ins[::-1])
    keywords["result"] = plan.types[transpose.outs[0]]
    found = [op for op in (product.op, transpose.op) if op is not None]
    made = replace(product, outs=transpose.outs, keywords=keywords, members=tuple(found))
    if order != tuple(range(len(order))):
        made = replace(made, name=ORDERED_DOT, keywords={**keywords, "permutation": order})
    if not (batch <= order[-1] == len(order) - 1 and is_lowered(plan, made)):
        return None
    products = prod(plan.shape_of(transpose.outs[0])) * prod(contracted_extents(plan, made))
    return made if products >= cost.ALONE else None


_SWAPS = [
    (side, other, f"{kind}_dimensions")
    for side, other in (_SIDES, _SIDES[::-1])
    for kind in ("batching", "contracting")
]


def _counts(plan: Plan[Step], product: Step) -> tuple[int, int, int]:
    """The numbers of batch dimensions, of rows and of columns of a result."""
    batch = len(product.keywords["lhs_batching_dimensions"])
    bound = batch + len(product.keywords["lhs_contracting_dimensions"])
    rows, columns = (len(plan.shape_of(slot)) - bound for slot in product.ins)
    return batch, rows, columns


def _swapped(d: int, batch: int, rows: int, columns: int) -> int:
    """The number of a dimension of a result when rows and columns change places."""
    if d < batch:
        return d
    return d + columns if d < batch + rows else d - rows
