"""The pass `stablehlo-aggressive-folder`: constant folding, see `simplification/folding.py`."""

from __future__ import annotations

from stablehlo_py.ir.core import Module
from stablehlo_py.transforms.greedy_driver import apply_rules
from stablehlo_py.transforms.pass_definition import Option, Options, Pass
from stablehlo_py.transforms.simplification import FOLDS

ASSUME_PURE = Option(
    "assume-no-undeclared-side-effects", False, "Take calls to have no side effects in loops that never run."
)
LIMIT = Option(
    "fold-op-element-limit", 65536, "The maximum number of elements of a folded constant that is no splat."
)
FLOATS = Option("optimize-float", True, "Fold ops on floating-point numbers as well.")


def _run(module: Module, options: Options) -> None:
    for function in module.functions.values():
        apply_rules(module, function, FOLDS, options)


PASS = Pass(
    "stablehlo-aggressive-folder",
    "Folds ops on constants, and loops, branches and reductions that are decided by constants.",
    _run,
    (ASSUME_PURE, LIMIT, FLOATS),
    rules=FOLDS,
)
