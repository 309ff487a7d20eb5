"""Steps that check the rules which an op's dynamic dimensions leave open until it runs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from stablehlo_py.diagnostics.diagnostic import RunError
from stablehlo_py.interpreter.plan import Step
from stablehlo_py.ir.core import Module, Operation
from stablehlo_py.ir.types import TensorType

if TYPE_CHECKING:
    from stablehlo_py.verifier.deferred import Deferred


def deferred_step(module: Module, op: Operation, ins: tuple[int, ...]) -> Step | None:
    """The step that goes before an op to check it with actual shapes; None if its types decide all rules."""
    if not any(isinstance(v.type, TensorType) and None in v.type.shape for v in (*op.operands, *op.results)):
        return None
    from stablehlo_py.verifier.deferred import deferred_checks  # static programs do without the verifier

    checks = deferred_checks(module, op)
    if checks is None:
        return None
    name = f"check {', '.join(sorted(checks.labels))} of {op.name}"
    return Step(name, _Check(checks, module.source.name), ins, (), op, effect=True, packed=True)


class _Check:
    """Raises RunError with the first rule that a call breaks, and the values."""

    def __init__(self, checks: Deferred, source: str) -> None:
        self._checks = checks
        self._source = source

    def __call__(self, *operands: Any) -> tuple[()]:
        violations = self._checks.violations(operands)
        if violations:
            raise RunError(f"{self._source}:{violations[0]}", violations[0])
        return ()
