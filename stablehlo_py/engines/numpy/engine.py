"""The NumPy engine."""

from __future__ import annotations

from typing import Literal

from stablehlo_py.engines.engine import Executable, Options
from stablehlo_py.engines.numpy.prepare import Preparation
from stablehlo_py.interpreter.plan import Plan, Step


class NumpyEngine:
    """The NumPy engine: each step calls a NumPy function; chains of elementwise steps run by blocks."""

    name = "numpy"
    takes: Literal["plan"] = "plan"

    def is_available(self) -> bool:
        """Return True."""
        return True

    def prepare(self, plan: Plan[Step], options: Options) -> Executable:
        """Prepare a function for execution; see `engines.engine.PlanEngine`."""
        return Preparation(plan.module, plan.functions, options).entry(plan)


ENGINE = NumpyEngine()
