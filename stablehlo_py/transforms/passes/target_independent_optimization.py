"""The pass `stablehlo-target-independent-optimization`: folding and simplification together."""

from __future__ import annotations

from stablehlo_py.ir.core import Module
from stablehlo_py.transforms.greedy_driver import apply_rules
from stablehlo_py.transforms.pass_definition import Options, Pass
from stablehlo_py.transforms.passes.aggressive_folder import ASSUME_PURE, FLOATS, LIMIT
from stablehlo_py.transforms.simplification import FOLDS_FIRST, SIMPLIFICATIONS


def _run(module: Module, options: Options) -> None:
    for function in module.functions.values():
        apply_rules(module, function, (*FOLDS_FIRST, *SIMPLIFICATIONS), options)


PASS = Pass(
    "stablehlo-target-independent-optimization",
    "Folds and simplifies until nothing changes.",
    _run,
    (ASSUME_PURE, LIMIT, FLOATS),
    rules=(*FOLDS_FIRST, *SIMPLIFICATIONS),
)
