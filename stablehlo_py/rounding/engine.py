"""Shadow execution: the NumPy engine, which runs each op in the wide type as well."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np

from stablehlo_py.diagnostics.diagnostic import RunError, Unsupported
from stablehlo_py.engines.engine import Executable, Options
from stablehlo_py.engines.numpy.folding import constant_folder
from stablehlo_py.engines.numpy.prepare import Preparation
from stablehlo_py.engines.numpy.steps import BoundStep
from stablehlo_py.engines.observation import Observation
from stablehlo_py.interpreter.lower import ModuleLowering
from stablehlo_py.interpreter.observer import Observer
from stablehlo_py.interpreter.plan import Plan, Step
from stablehlo_py.ir.core import Module, Operation
from stablehlo_py.rounding.instrument import Mapped, Shadowing, Weight, WideCalls
from stablehlo_py.rounding.random_rounding import RandomStep
from stablehlo_py.rounding.rows import Shadow
from stablehlo_py.rounding.shadowed import narrow, shadowed
from stablehlo_py.rounding.steps import ShadowedStep
from stablehlo_py.rounding.widening import Widening

WIDE = ("f64", "f32", "random")
"""The types of shadow runs; "random" for runs in f64 with random rounding."""


class ShadowEngine:
    """An engine whose results are those of the NumPy engine, and which measures the rounding errors.

    Args:
        wide: The wide type, "f64" or "f32"; or "random".
        mapped: What makes the map of a row from a result and the wide one, of the execution with the largest
            error.
        weight: The weight of the contributions to a result, from its index and error.

    Attributes:
        shadow: What the last run has found.

    Raises:
        ValueError: For another one.
    """

    name = "shadow"
    takes: Literal["module"] = "module"

    def __init__(
        self, wide: str = "f64", mapped: Mapped | None = None, weight: Weight = lambda index, error: 1.0
    ) -> None:
        if wide not in WIDE:
            raise ValueError(f"wide is {wide!r}; it is one of: {', '.join(WIDE)}")
        self.wide = wide
        self._mapped = mapped
        self._weight = weight
        self.shadow = Shadow(wide)

    def is_available(self) -> bool:
        """Return True."""
        return True

    def prepare(self, module: Module, entry: str, options: Options) -> Executable:
        """Prepare a function for execution; see `engines.engine.ModuleEngine`."""
        if options.grid != (1, 1):
            raise Unsupported("a shadow run is of one process; the program is for a grid of several")
        every_op = replace(options, observation=_EveryOp(Observer()))
        is_random = self.wide == "random"
        widening = Widening("f64" if is_random else self.wide)
        calls = _wide_calls(module, entry, widening, every_op)
        step = RandomStep if is_random else ShadowedStep
        shadowing = Shadowing(module, widening, calls, step, self.wide, self._mapped, self._weight)
        lowering = ModuleLowering(module, constant_folder(every_op), every_op=True)
        plan = lowering[entry]
        run = Preparation(module, lowering, replace(every_op, watch=shadowing)).entry(plan)
        return _Executable(plan, run, shadowing, self)


class _EveryOp(Observation):
    """No observation, but each op is a step of its own."""

    def wrap_step(self, plan: Plan[Any], step: Step, call: Callable[..., Any]) -> Callable[..., Any]:
        """Return the call."""
        return call

    def wrap_function(self, plan: Plan[Any], call: Callable[..., Any]) -> Callable[..., Any]:
        """Return the call."""
        return call


@dataclass(eq=False)
class _Executable:
    """A function that is prepared for shadow execution."""

    plan: Plan[Step]
    run: Callable[..., Any]
    shadowing: Shadowing
    engine: ShadowEngine

    def __call__(self, *inputs: Any) -> Sequence[Any]:
        """Run the function."""
        self.shadowing.start()
        results = shadowed(tuple(self.run(*map(shadowed, inputs))))
        self.engine.shadow = self.shadowing.found(results)
        found: tuple[Any, ...] = narrow(results)
        return found


class _WideCalls(_EveryOp):
    """An instrument that collects the calls of steps.

    Args:
        originals: The op of the original module for each op.
    """

    def __init__(self, originals: dict[Operation, Operation]) -> None:
        super().__init__(Observer())
        self._originals = originals
        self.calls: dict[Operation, tuple[Callable[..., Any], int]] = {}

    def wrap_step(self, plan: Plan[Any], step: Step, call: Callable[..., Any]) -> Callable[..., Any]:
        """Keep the call of a step."""
        if step.op is not None and step.name == step.op.name and not plan.on_elements:
            self.calls[self._originals[step.op]] = call, len(step.ins)
        return call


class _WidePreparation(Preparation):
    """Preparation of a wide module, in which some ops have no kernel."""

    def _bind(self, step: Step) -> BoundStep:
        try:
            return super()._bind(step)
        except RunError:
            return BoundStep.of(replace(step, name="unbound"), np.array)


def _wide_calls(module: Module, entry: str, widening: Widening, options: Options) -> WideCalls:
    """Return the call of each op in the wide type, and the number of its operands and captured values."""
    wide, originals = widening.module(module)
    instrument = _WideCalls(originals)
    lowering = ModuleLowering(wide, constant_folder(options), every_op=True)
    _WidePreparation(wide, lowering, replace(options, observation=instrument)).entry(lowering[entry])
    return instrument.calls
