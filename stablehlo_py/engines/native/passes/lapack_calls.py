"""Calls of LAPACK that have a native form: the custom calls that JAX makes become steps with loops."""

from __future__ import annotations

from typing import Any

from stablehlo_py.engines.native.lower.householder import GEQRF, ORGQR, ORMQR
from stablehlo_py.engines.native.lower.linalg import LU, POTRF, SOLVE
from stablehlo_py.engines.native.passes.custom_calls import is_built_in
from stablehlo_py.engines.native.passes.plan_writer import with_other_steps
from stablehlo_py.interpreter.plan import Plan, Step
from stablehlo_py.ir.attributes import BoolAttr, DictAttr, IntegerAttr
from stablehlo_py.kernels.targets import lapack
from stablehlo_py.kernels.targets.registry import TYPED_CONFIG

_NAMES = ("trsm", "getrf", "potrf", "geqrf", "orgqr", "ormqr")
_ROUTINES = {f"lapack_{letter}{name}_ffi": name for letter in "sd" for name in _NAMES}


def name_solvers(plan: Plan[Step]) -> Plan[Step]:
    """Return a plan whose calls of LAPACK routines with loops are steps of these names."""
    return with_other_steps(plan, _named)


def _named(plan: Plan[Step], step: Step) -> Step | None:
    """The step of a routine, None for other calls and for routines that a user replaces."""
    target = step.keywords.get("call_target_name")
    if target not in _ROUTINES or step.op is None or not is_built_in(step, lapack):
        return None
    plain = {"getrf": LU, "geqrf": GEQRF}.get(_ROUTINES[target])
    if plain is not None:
        return Step(plain, step.op, step.ins, step.outs, returns_tuple=True)
    if _ROUTINES[target] == "orgqr":
        return Step(ORGQR, step.op, step.ins, step.outs)
    options = _options(step.op.attributes.get(TYPED_CONFIG))
    if _ROUTINES[target] == "ormqr":
        is_left = options.get("left") == 1 and "transpose" in options
        return Step(ORMQR, step.op, step.ins, step.outs, keywords=options) if is_left else None
    if _ROUTINES[target] == "potrf" and "uplo" in options:
        lower = {"lower": chr(options["uplo"]).upper() == "L"}
        return Step(POTRF, step.op, step.ins, step.outs, keywords=lower, returns_tuple=True)
    if options.keys() != {"diag", "side", "trans_x", "uplo"}:
        return None
    letters = {name: chr(code).upper() for name, code in options.items()}
    keywords = {
        "left_side": letters["side"] == "L",
        "lower": letters["uplo"] == "L",
        "unit_diagonal": letters["diag"] == "U",
        "transpose_a": lapack.TRANSPOSES.get(letters["trans_x"], ""),
    }
    return Step(SOLVE, step.op, step.ins, step.outs, keywords=keywords)


def _options(config: Any) -> dict[str, int]:
    items = config.items if isinstance(config, DictAttr) else ()
    return {
        name: attribute.value for name, attribute in items if isinstance(attribute, IntegerAttr | BoolAttr)
    }
