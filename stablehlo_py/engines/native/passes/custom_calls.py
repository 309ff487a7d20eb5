"""Custom calls that have a native form: routines of LAPACK, and the largest elements of rows."""

from __future__ import annotations

from types import ModuleType
from typing import Any

from stablehlo_py.diagnostics.diagnostic import Unsupported
from stablehlo_py.engines.native.lower.householder import GEQRF, ORGQR, ORMQR
from stablehlo_py.engines.native.lower.linalg import LU, POTRF, SOLVE
from stablehlo_py.engines.native.lower.sort import TOP_K
from stablehlo_py.engines.native.passes.plan_writer import PlanWriter
from stablehlo_py.interpreter.plan import Plan, Step
from stablehlo_py.ir.attributes import BoolAttr, DictAttr, IntegerAttr
from stablehlo_py.kernels.targets import jax, lapack
from stablehlo_py.kernels.targets.calls import check_call
from stablehlo_py.kernels.targets.registry import TYPED_CONFIG, find_target

_NAMES = ("trsm", "getrf", "potrf", "geqrf", "orgqr", "ormqr")
_ROUTINES = {f"lapack_{letter}{name}_ffi": name for letter in "sd" for name in _NAMES}
_SELECTIONS = ("TopK", "topk", "mhlo.topk")


def built_in(writer: PlanWriter, step: Step) -> bool:
    """Return the step for a call of a built-in target; None for a target that a user has registered."""
    target = step.keywords["call_target_name"]
    new: Step | None = None
    if target in _ROUTINES and is_built_in(step, lapack):
        new = _routine(step, _ROUTINES[target])
    elif target in _SELECTIONS and (len(step.ins), len(step.outs)) == (1, 2) and is_built_in(step, jax):
        new = _selection(writer.plan, step)
    if new is not None:
        writer.put(new)
    return new is not None


def is_built_in(step: Step, module: ModuleType) -> bool:
    """Test whether a call runs a function of a module, with attributes that the target has."""
    if step.op is None or step.keywords["has_side_effect"]:
        return False
    if find_target(step.keywords["call_target_name"]).__module__ != module.__name__:
        return False
    try:
        check_call(step.op)
    except Unsupported:
        return False
    return True


def _attributes(step: Step) -> Any:
    return step.op.attributes if step.op is not None else {}


def _routine(step: Step, name: str) -> Step | None:
    """The step of a routine of LAPACK."""
    plain = {"getrf": LU, "geqrf": GEQRF}.get(name)
    if plain is not None:
        return Step(plain, step.op, step.ins, step.outs, returns_tuple=True)
    if name == "orgqr":
        return Step(ORGQR, step.op, step.ins, step.outs)
    options = _options(_attributes(step).get(TYPED_CONFIG))
    if name == "ormqr":
        is_left = options.get("left") == 1 and "transpose" in options
        return Step(ORMQR, step.op, step.ins, step.outs, keywords=options) if is_left else None
    if name == "potrf" and "uplo" in options:
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


def _selection(plan: Plan[Step], step: Step) -> Step | None:
    """The selection of the largest elements; none of the smallest ones."""
    options = _attributes(step).get("mhlo.attributes")
    named = dict(options.items) if isinstance(options, DictAttr) else _attributes(step)
    if named.get("largest", BoolAttr(True)) != BoolAttr(True):
        return None
    k = plan.shape_of(step.outs[0])[-1]
    stated = named.get("k")
    if isinstance(stated, IntegerAttr) and stated.value != k:
        return None  # the kernel has an error for it
    return Step(TOP_K, step.op, step.ins, step.outs, keywords={"k": k}, returns_tuple=True)
