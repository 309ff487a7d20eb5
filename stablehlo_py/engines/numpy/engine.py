"""The NumPy engine."""

from __future__ import annotations

from typing import Literal

from stablehlo_py.engines.engine import Executable, Options
from stablehlo_py.engines.numpy.prepare import Preparation
from stablehlo_py.interpreter.plan import Plan, Step


class NumpyEngine:
    """Runs each step as a call of a NumPy function, chains of elementwise steps block by block."""

    name = "numpy"
    takes: Literal["plan"] = "plan"

    def is_available(self) -> bool:
        return True

    def prepare(self, plan: Plan[Step], options: Options) -> Executable:
        return Preparation(plan.module, plan.functions, options).entry(plan)


ENGINE = NumpyEngine()
