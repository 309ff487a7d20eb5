"""Process grids as replicas: a grid of R replicas by P partitions becomes R * P replicas of one partition.

XLA partitions programs for several partitions by their shardings. A program that is written for each process
of a grid, as in the specification, has none: its collectives name the processes.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from stablehlo_py.interpreter.keywords import Keywords
from stablehlo_py.ir.attributes import DenseElementsAttr
from stablehlo_py.ir.core import Module, Operation
from stablehlo_py.ir.op_builder import OpBuilder
from stablehlo_py.ir.types import I64, TensorType
from stablehlo_py.kernels.grid.groups import GridSize, Groups, process_groups, process_pairs
from stablehlo_py.opset.definition import has_trait, lookup

REPLICA, PARTITION = "stablehlo.replica_id", "stablehlo.partition_id"
FORMER = ("channel_handle", "use_global_device_ids")  # attributes that choose how groups are formed


def flatten_grid(module: Module, replicas: int, partitions: int) -> None:
    """Rewrite the ops of a module that name processes for a grid of one partition.

    Args:
        module: The module, which is modified.
        replicas: The number of replicas.
        partitions: The number of partitions.
    """
    size = GridSize(replicas, partitions)
    for op in list(module.walk()):
        if op.name in (REPLICA, PARTITION):
            _number(op, partitions)
        elif has_trait(op.name, "communicates"):
            _name_replicas(op, module, size)


def _number(op: Operation, partitions: int) -> None:
    """Compute the replica or partition of a process from its number."""
    type = op.result.type
    assert isinstance(type, TensorType) and op.parent is not None
    builder = OpBuilder(op.parent, op.parent.ops.index(op) + 1)
    number = builder.insert(Operation(REPLICA, (), [type]))
    size = builder.constant(partitions, type)
    rule = "stablehlo.divide" if op.name == REPLICA else "stablehlo.remainder"
    op.result.replace_all_uses(builder.create(rule, [number.result, size], [type]).result)
    op.erase()


def _name_replicas(op: Operation, module: Module, size: GridSize) -> None:
    definition = lookup(op.name)
    assert definition is not None
    keywords = Keywords(op, definition, module)
    if "source_target_pairs" in keywords:
        pairs = process_pairs(keywords, size)
        op.properties["source_target_pairs"] = _numbers([list(map(size.number, pair)) for pair in pairs])
    elif "replica_groups" in keywords:
        op.properties["replica_groups"] = _numbers(_rows(process_groups(keywords, size), size))
    else:
        return
    for name in FORMER:
        op.properties.pop(name, None)


def _rows(groups: Groups, size: GridSize) -> list[list[int]]:
    width = max(map(len, groups))
    return [[*map(size.number, group), *[-1] * (width - len(group))] for group in groups]


def _numbers(rows: Sequence[Sequence[int]]) -> DenseElementsAttr:
    data: np.ndarray[Any, Any] = np.array(rows, np.int64).reshape(len(rows), -1)
    data.setflags(write=False)
    return DenseElementsAttr(TensorType(data.shape, I64), data.reshape(-1))
