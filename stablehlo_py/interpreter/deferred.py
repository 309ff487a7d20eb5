"""Steps that check the constraints which an op's dynamic dimensions leave open until it runs."""

from __future__ import annotations

from stablehlo_py.interpreter.plan import Step
from stablehlo_py.ir.core import Module, Operation
from stablehlo_py.ir.types import TensorType


def deferred_step(module: Module, op: Operation, ins: tuple[int, ...]) -> Step | None:
    """The step that goes before an op to check it with actual shapes; None if its types decide all rules."""
    if not any(isinstance(v.type, TensorType) and None in v.type.shape for v in (*op.operands, *op.results)):
        return None
    from stablehlo_py.verifier.deferred import deferred_checks  # static programs do without the verifier

    checks = deferred_checks(module, op)
    if checks is None:
        return None
    name = f"check {', '.join(sorted(checks.labels))} of {op.name}"
    return Step(name, op, ins, deferred=checks, returns_tuple=True, effect=True)
