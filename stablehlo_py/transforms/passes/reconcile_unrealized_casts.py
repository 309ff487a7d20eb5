"""The pass `reconcile-unrealized-casts`: erases casts that undo each other."""

from __future__ import annotations

from stablehlo_py.ir.core import Module, Operation, OpResult, Value, erase_all
from stablehlo_py.transforms.pass_definition import Options, Pass

_CAST = "builtin.unrealized_conversion_cast"


def _run(module: Module, options: Options) -> None:
    casts = [op for op in module.walk() if op.name == _CAST]
    for op in casts:
        for result, value in zip(op.results, before_casts(op), strict=False):
            result.replace_all_uses(value)
    unused: list[Operation] = []
    for op in reversed(casts):
        if all(use.op in unused for result in op.results for use in result.uses):
            unused.append(op)
    erase_all(unused)


def before_casts(op: Operation) -> tuple[Value, ...]:
    """Return what a chain of casts up to `op` starts with, if it has the types of the results; or ()."""
    wanted = [result.type for result in op.results]
    around: Operation | None = op
    while around is not None:
        if [value.type for value in around.operands] == wanted:
            return around.operands
        around = _cast_before(around)
    return ()


def _cast_before(op: Operation) -> Operation | None:
    """Return the cast that computes the operands of a cast, if any."""
    first = op.operands[0] if op.operands else None
    if not isinstance(first, OpResult) or first.op.name != _CAST or op.operands != first.op.results:
        return None
    return first.op


PASS = Pass(
    "reconcile-unrealized-casts",
    "Replaces chains of casts that end in the types they start with by their operands.",
    _run,
)
