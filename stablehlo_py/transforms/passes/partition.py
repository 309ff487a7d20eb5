"""The pass `partition`: a program with shardings becomes the program of one device."""

from __future__ import annotations

from collections.abc import Sequence

from stablehlo_py.diagnostics.diagnostic import Diagnostic
from stablehlo_py.ir.core import BlockArgument, Module, Operation
from stablehlo_py.sharding.division.divide import Division, divide
from stablehlo_py.sharding.errors import ShardingError
from stablehlo_py.sharding.tiles import import_tiles
from stablehlo_py.sharding.uneven import uneven
from stablehlo_py.transforms.pass_definition import Options, Pass, failure
from stablehlo_py.transforms.pass_manager import run_passes
from stablehlo_py.transforms.pipeline import schedule

PROPAGATION = "sdy-propagation-pipeline"
_EVEN_BOUNDARIES = "sdy-update-non-divisible-input-output-shardings"


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
    division = divided(made)
    division.shortened += [each for each in uneven(module) if each.is_boundary]
    return made, division


def propagated(module: Module) -> Module:
    """Return a module with the shardings of all values; raise TransformError if those stated do not fit.

    As by XLA, arguments and results with `mhlo.sharding` are padded; those with shardings of Shardy are
    divided as far as their axes do so evenly.
    """
    made = module.clone()
    try:
        is_padded = import_tiles(made)
    except ShardingError as error:
        raise failure(made, error.op, error.message) from None
    stages = [str(each) for each in schedule(PROPAGATION)]
    passes = [each for each in stages if not is_padded or each != _EVEN_BOUNDARIES]
    return run_passes(made, passes, verify_each=False)


def divided(module: Module) -> Division:
    """Divide a module whose shardings are propagated, in place; raise TransformError if that fails."""
    try:
        return divide(module)
    except ShardingError as error:
        raise failure(module, error.op, error.message) from None


def _run(module: Module, options: Options) -> Sequence[Diagnostic]:
    made, division = partitioned(module)
    remarks = [_remark(module, each.where, each.remark) for each in division.shortened]
    remarks += [_remark(made, op, f"{op.name} {why}") for op, why in division.remarks]
    module.op = made.op
    return remarks


def _remark(module: Module, where: Operation | BlockArgument, message: str) -> Diagnostic:
    return Diagnostic("note", "remark", message, *module.position(where))


PASS = Pass(
    "partition",
    "Propagates shardings and divides the program over its mesh: what one device runs, with collectives.",
    _run,
)
