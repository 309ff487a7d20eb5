"""Lookups in divided dimensions: each device looks up its own elements, and the results are summed."""

from __future__ import annotations

from collections.abc import Sequence

from stablehlo_py.ir.attributes import DenseArrayAttr
from stablehlo_py.ir.core import Operation, Value
from stablehlo_py.ir.types import I1, QuantizedType, TensorType
from stablehlo_py.sharding.axes import Axes
from stablehlo_py.sharding.division.emitter import Emitter
from stablehlo_py.sharding.division.places import found, index_vectors
from stablehlo_py.sharding.rules import Rule
from stablehlo_py.sharding.values import inputs_of, shape_of, tensor_of

_RESHAPE = "stablehlo.reshape"


def window_factors(op: Operation, rule: Rule) -> set[int]:
    """Return the factors of the dimensions of which a gather takes several elements at each index."""
    found = looked_up_factors(op, rule) if "slice_sizes" in op.properties else {}
    return {factor for factor in found.values() if rule.kinds[factor] == "need_replication"}


def looked_up_factors(op: Operation, rule: Rule) -> dict[int, int]:
    """Return the dimensions of which a gather takes a part at each index, with their factors."""
    vectors, sizes = index_vectors(op), op.attribute("slice_sizes")
    if vectors is None or not isinstance(sizes, DenseArrayAttr):
        return {}
    if isinstance(tensor_of(op.results[0]).element_type, QuantizedType):
        return {}
    return {
        dim: rule.operands[0][dim][0]
        for dim in vectors.dims
        if sizes.value[dim] in range(1, max(2, shape_of(op.operands[0])[dim]))
        and len(rule.operands[0][dim]) == 1
    }


def looked_up(
    emitter: Emitter, op: Operation, rule: Rule, axes: Sequence[Axes], operands: list[Value]
) -> Value | None:
    """Let a gather look up what a device has, with zeros around it; return whether it has some at each index.

    Args:
        emitter: Appends ops.
        op: The gather.
        rule: Its sharding rule.
        axes: The axes that divide each factor.
        operands: Its operands, which are changed.
    """
    divided = {dim: axes[factor] for dim, factor in looked_up_factors(op, rule).items() if axes[factor]}
    if not divided:
        return None
    widths = inputs_of(op)["slice_sizes"]
    zero = emitter.zero_of(operands[0])
    for dim in [dim for dim in divided if widths[dim] > 1]:
        operands[0] = emitter.pad(operands[0], zero, dim, widths[dim] - 1, widths[dim] - 1)
    operands[1], inside = found(emitter, op, operands[1], divided)
    return inside


def masked(emitter: Emitter, op: Operation, rows: Value, inside: Value) -> Value:
    """Append what replaces what a device does not have by zeros."""
    whole, type = inputs_of(op)["offset_dims"], tensor_of(rows)
    batch = [dim for dim in range(len(type.shape)) if dim not in whole]
    flat = emitter.op(_RESHAPE, (inside,), TensorType(tuple([type.shape[dim] for dim in batch]), I1))
    return emitter.select(flat, batch, rows, emitter.zero_of(rows))
