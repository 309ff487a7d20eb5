"""Sharding rules of custom calls, by target."""

from __future__ import annotations

from collections.abc import Callable

from stablehlo_py.ir.core import Operation
from stablehlo_py.ir.types import TensorType
from stablehlo_py.sharding.rules import Rule, RuleBuilder
from stablehlo_py.sharding.values import shape_of

POINTWISE = frozenset(
    {
        "annotate_device_placement",
        "Cholesky",
        "CompactWyHelper",
        "InspectSharding",
        "InvertDiagBlocksLowerTriangular",
        "InvertDiagBlocksUpperTriangular",
        "LayoutConstraint",
        "mhlo.erf",
        "MoveToDevice",
        "MoveToHost",
        "X64Combine",
        "X64SplitHigh",
        "X64SplitLow",
        "xla.megascale.provide_metadata",
        "_SPMDInternalOp_MultiPad",
        "_SPMDInternalOp_RotateRight",
        "_SPMDInternalOp_MultiRotate",
        "_SPMDInternalOp_MultiSlice",
        "_SPMDInternalOp_Wrap",
    }
)
OFFLOADS = frozenset({"MoveToDevice", "MoveToHost"})


def target_of(op: Operation) -> str:
    """Return the name that a custom call calls."""
    return str(op.python_value("call_target_name") or "")


def _builder(op: Operation) -> RuleBuilder:
    return RuleBuilder([len(shape_of(v)) for v in op.operands], [len(shape_of(r)) for r in op.results])


def custom_call_rule(op: Operation) -> Rule | None:
    """Return the sharding rule of a custom call; None for a target without one."""
    target = target_of(op)
    if target in POINTWISE:
        return _pointwise(op)
    found = _RULES.get(target)
    return found(op) if found is not None else None


def _pointwise(op: Operation) -> Rule | None:
    if not op.results or not isinstance(op.results[0].type, TensorType):
        return None
    builder = _builder(op)
    for dim, size in enumerate(shape_of(op.results[0])):
        builder.add_to_all(dim, size)
    return builder.build()


def _batched(op: Operation) -> tuple[RuleBuilder, tuple[int, ...]]:
    """Return a builder with the batch dimensions, all but the last two of the first operand."""
    builder, shape = _builder(op), shape_of(op.operands[0])
    for dim, size in enumerate(shape[:-2]):
        builder.add_to_all(dim, size)
    return builder, shape


def _eigh(op: Operation) -> Rule:
    builder, shape = _batched(op)
    row, column = len(shape) - 2, len(shape) - 1
    builder.add((row, row, -1), shape[row])
    builder.add((column, column, row), shape[column])
    return builder.build()


def _qr(op: Operation) -> Rule:
    builder, shape = _batched(op)
    row, column = len(shape) - 2, len(shape) - 1
    builder.add((row, row, -1), shape[row], "need_replication")
    builder.add((column, column, -1), shape[column], "need_replication")
    builder.add((-1, -1, row), shape_of(op.results[1])[row], "need_replication")
    return builder.build()


def _householder(op: Operation) -> Rule:
    builder, shape = _batched(op)
    row, column = len(shape) - 2, len(shape) - 1
    builder.add((row, -1, row), shape[row], "need_replication")
    builder.add((column, -1, column), shape[column], "need_replication")
    builder.add((-1, row, -1), shape_of(op.operands[1])[row], "need_replication")
    return builder.build()


def _top_k(op: Operation) -> Rule:
    builder = _builder(op)
    sizes = zip(shape_of(op.operands[0]), shape_of(op.results[0]), strict=True)
    for dim, (size, kept) in enumerate(sizes):
        builder.add_to_all(
            dim, size, "pass_through" if size == kept else "need_replication", blocked=size != kept
        )
    return builder.build()


def _approximate_top_k(op: Operation) -> Rule:
    builder = _builder(op)
    sizes = zip(shape_of(op.operands[0]), shape_of(op.results[0]), strict=True)
    for dim, (size, kept) in enumerate(sizes):
        if size == kept:
            builder.add_to_all(dim, size)
        else:
            builder.add((dim, dim, -1, -1, -1, -1), size)
            builder.add((-1, -1, -1, -1, dim, dim), kept, "need_replication", blocked=True)
    return builder.build()


_RULES: dict[str, Callable[[Operation], Rule]] = {
    "ApproxTopK": _approximate_top_k,
    "Eigh": _eigh,
    "PartialReduce": _approximate_top_k,
    "ProductOfElementaryHouseholderReflectors": _householder,
    "Qr": _qr,
    "QrDecompositionBlock": _qr,
    "mhlo.topk": _top_k,
}
