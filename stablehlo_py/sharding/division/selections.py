"""Reductions that select an element, such as argmax: devices select of their shards, then of these."""

from __future__ import annotations

from collections.abc import Sequence

from stablehlo_py.ir.core import Operation, OpResult, Value
from stablehlo_py.ir.types import TensorType
from stablehlo_py.opset.definition import has_trait
from stablehlo_py.sharding.axes import Axes
from stablehlo_py.sharding.division.emitter import Emitter, body_of, dims

_RESHAPE = "stablehlo.reshape"


def selects(op: Operation) -> bool:
    """Test whether each value that the function of a reduction returns is one of its two operands."""
    block, count = op.regions[0].block, len(op.results)
    pairs = [set(block.arguments[index::count]) for index in range(count)]
    returned = [value.op if isinstance(value, OpResult) else None for value in block.ops[-1].operands]
    return all(
        found is not None and has_trait(found.name, "choice") and set(found.operands[1:]) == pair
        for found, pair in zip(returned, pairs, strict=True)
    )


def selected(emitter: Emitter, op: Operation, initial: Sequence[Value], axes: Axes) -> list[Value]:
    """Append what selects from the results of all devices along axes.

    Args:
        emitter: Appends ops.
        op: The reduction of the shards.
        initial: Its initial values, which are neutral.
        axes: The axes.
    """
    rows = []
    for part in op.results:
        type = part.type
        assert isinstance(type, TensorType)
        row = emitter.op(_RESHAPE, (part,), TensorType((1, *type.shape), type.element_type))
        rows.append(emitter.all_gather(row, 0, axes))
    properties = op.properties | {"dimensions": dims([0])}
    types = [part.type for part in op.results]
    made = Operation(op.name, (*rows, *initial), types, properties, regions=[body_of(op)])
    return list(emitter.append(made).results)
