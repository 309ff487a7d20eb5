"""The passes about shapes: what they make of a program is valid, and gives the same results."""

from __future__ import annotations

import numpy as np

import stablehlo_py as shlo

PASSES = (
    "stablehlo-refine-shapes{separate-calls}",
    "stablehlo-canonicalize-dynamism",
    "stablehlo-check-shape-assertions",
    "shape-legalize-to-stablehlo",
    "reconcile-unrealized-casts",
)


REFUSALS = (
    "must have no more than one function",
    "must have exactly one block",
    "failed to legalize",
    "is refined recursively",
    "indices_of_shape_operands: must have rank = 1",
)


def transformed(module: shlo.Module, passes: str) -> shlo.Module | None:
    """The module after a pass; None if the pass does not apply to such a program."""
    try:
        return shlo.opt(module, [passes])  # which verifies
    except shlo.TransformError as error:
        message = error.diagnostics[0].message
        assert any(reason in message for reason in REFUSALS), message
        return None


def results(module: shlo.Module) -> list[object]:
    """The results of a program without inputs as bits, or why there are none."""
    try:
        found = shlo.run(module)
    except shlo.RunError as error:
        return [type(error)]
    return [x.tobytes() if isinstance(x, np.ndarray) else x for x in found]


def differing(module: shlo.Module, is_run: bool) -> list[str]:
    """The passes after which a program gives other results; its results matter only if it is run."""
    before = results(module) if is_run else []
    changed = {passes: transformed(module, passes) for passes in PASSES}
    return [
        passes
        for passes, after in changed.items()
        if after is not None and is_run and results(after) != before
    ]
