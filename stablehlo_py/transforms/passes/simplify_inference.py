"""The pass `simplify-inference`: what is computed of constant weights, see `simplification/inference.py`."""

from __future__ import annotations

from stablehlo_py.ir.core import Module
from stablehlo_py.transforms.greedy_driver import apply_rules
from stablehlo_py.transforms.pass_definition import Options, Pass
from stablehlo_py.transforms.passes.aggressive_folder import ASSUME_PURE, FLOATS, LIMIT
from stablehlo_py.transforms.simplification import FOLDS_FIRST, SIMPLIFICATIONS, inference

_RULES = (*FOLDS_FIRST, *inference.RULES, *SIMPLIFICATIONS)


def _run(module: Module, options: Options) -> None:
    for function in module.functions.values():
        # Rules look at constants behind broadcasts. The driver does not come back to an op when such a
        # constant appears, since it comes back to direct users alone.
        while apply_rules(module, function, _RULES, options):
            pass


PASS = Pass(
    "simplify-inference",
    "Makes batch norms and other constant factors part of constant weights, and folds masks and windows.",
    _run,
    (ASSUME_PURE, LIMIT, FLOATS),
    """\
For programs with their weights, such as those of the pass `bind`. It also does what
`stablehlo-target-independent-optimization` does. Results are not bit for bit those before: `--exact` leaves
out what rounds in other places. Weights may be larger than `fold-op-element-limit`.""",
    rules=_RULES,
)
