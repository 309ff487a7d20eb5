"""The pass `stablehlo-aggressive-simplification`: algebraic simplification, see `simplification/`."""

from __future__ import annotations

from stablehlo_py.ir.core import Module
from stablehlo_py.transforms.greedy_driver import apply_rules
from stablehlo_py.transforms.pass_definition import Option, Options, Pass
from stablehlo_py.transforms.simplification import SIMPLIFICATIONS


def _run(module: Module, options: Options) -> None:
    for function in module.functions.values():
        apply_rules(module, function, SIMPLIFICATIONS, options)


PASS = Pass(
    "stablehlo-aggressive-simplification",
    "Simplifies ops: identities, compositions of ops that move data, dynamic ops of static shapes.",
    _run,
    (Option("fold-op-element-limit", 65536, "The maximum number of elements of a folded constant."),),
    rules=SIMPLIFICATIONS,
)
