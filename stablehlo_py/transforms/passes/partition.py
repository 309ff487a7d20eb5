"""The pass `partition`: a program with shardings becomes the program of one device."""

from __future__ import annotations

from collections.abc import Sequence

from stablehlo_py.diagnostics.diagnostic import Diagnostic
from stablehlo_py.ir.core import Module, Operation
from stablehlo_py.sharding.division.divide import Division, divide
from stablehlo_py.sharding.errors import ShardingError
from stablehlo_py.sharding.tiles import import_tiles
from stablehlo_py.transforms.pass_definition import Options, Pass, failure
from stablehlo_py.transforms.pass_manager import run_passes

PROPAGATION = "sdy-propagation-pipeline"


def partitioned(module: Module) -> tuple[Module, Division]:
    """Propagate the shardings of a module and divide it.

    Args:
        module: A valid module, which is not changed.

    Returns:
        The program of one device, and how arguments and results are divided.

    Raises:
        TransformError: If the shardings do not fit.
    """
    made = propagated(module)
    return made, divided(made)


def propagated(module: Module) -> Module:
    """Return a module with the shardings of all values; raise TransformError if those stated do not fit."""
    made = module.clone()
    try:
        import_tiles(made)
    except ShardingError as error:
        raise failure(made, error.op, error.message) from None
    return run_passes(made, [PROPAGATION], verify_each=False)


def divided(module: Module) -> Division:
    """Divide a module whose shardings are propagated, in place; raise TransformError if that fails."""
    try:
        return divide(module)
    except ShardingError as error:
        raise failure(module, error.op, error.message) from None


def _run(module: Module, options: Options) -> Sequence[Diagnostic]:
    made, division = partitioned(module)
    remarks = [_remark(made, op, why) for op, why in division.remarks]
    module.op = made.op
    return remarks


def _remark(module: Module, op: Operation, why: str) -> Diagnostic:
    line, column = module.position(op)
    return Diagnostic("note", "remark", f"{op.name} {why}", line, column)


PASS = Pass(
    "partition",
    "Propagates shardings and divides the program over its mesh: what one device runs, with collectives.",
    _run,
)
