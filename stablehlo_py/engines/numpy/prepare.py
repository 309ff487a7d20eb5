"""Preparation: from plans to functions that call NumPy, including their bodies and callees."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from stablehlo_py.diagnostics.diagnostic import RunError, Unsupported
from stablehlo_py.engines.engine import Options
from stablehlo_py.engines.numpy.bind import bind, copy_step
from stablehlo_py.engines.numpy.function import CompiledFunction, InstrumentedFunction
from stablehlo_py.engines.numpy.fusion import fuse
from stablehlo_py.engines.numpy.in_place import run_in_place
from stablehlo_py.engines.numpy.steps import BoundStep
from stablehlo_py.interpreter.errors import located
from stablehlo_py.interpreter.passes.alias_analysis import output_aliases
from stablehlo_py.interpreter.passes.buffer_reuse import copy_shared_outputs
from stablehlo_py.interpreter.passes.liveness import drop_dead_arrays
from stablehlo_py.interpreter.plan import Plan, Step
from stablehlo_py.ir.core import Module


class Preparation:
    """Preparation of the plans of a module, and of the functions that they call, once each.

    Args:
        module: The module.
        functions: The plans of its functions by name.
        options: The options of execution.
    """

    def __init__(self, module: Module, functions: Mapping[str, Plan[Any]], options: Options) -> None:
        self._module = module
        self._plans = functions
        self._options = options
        self._prepared: dict[str, CompiledFunction] = {}

    @property
    def semantics(self) -> str:
        """The semantics, "specification" or "xla", where the specification and XLA differ."""
        return self._options.semantics

    def entry(self, plan: Plan[Step]) -> CompiledFunction:
        """Return the function of a plan; its results share no memory with inputs, constants or each other."""
        return self._finish(self._empty(), plan, fresh=True)

    def function(self, name: str) -> CompiledFunction:
        """Return the function of a name, which may be recursive; raise RunError if it has no body."""
        if name not in self._prepared:
            stated = self._module.functions.get(name)
            if stated is None or not stated.regions[0].blocks:
                raise RunError(f"there is no function @{name} with a body")
            self._prepared[name] = self._empty()
            self._finish(self._prepared[name], self._plans[name])
        return self._prepared[name]

    def body(self, plan: Plan[Step], owned: bool) -> CompiledFunction:
        """Return the function of a region; `owned`: its caller can give up the arrays it passes."""
        given = range(plan.arity - plan.captures) if owned else ()
        return self._finish(self._empty(), plan, given=given)

    def function_of(self, plan: Plan[Step], step: Step) -> CompiledFunction:
        """Return the function of a step alone, which takes the values of its operands."""
        count, slots = len(step.ins), tuple(range(len(step.ins) + len(step.outs)))
        alone = replace(step, ins=slots[:count], outs=slots[count:])
        types = [plan.types[slot] for slot in (*step.ins, *step.outs)]
        name = f"{plan.name} {step.name}"
        of_step = Plan(name, plan.module, plan.functions, count, types, {}, [alone], alone.outs)
        return self.body(of_step, owned=False)

    def _bind(self, step: Step) -> BoundStep:
        """Bind a step; raise Unsupported, with its location, if that is impossible."""
        try:
            return bind(step, self._module, self)
        except RunError as error:
            raise located(error, self._module, step.op) from error
        except (TypeError, ValueError, KeyError) as error:
            raise located(Unsupported(f"compilation failed: {error}"), self._module, step.op) from error

    def _bind_all(self, plan: Plan[Step]) -> list[BoundStep]:
        """The steps of a plan with what they call."""
        return [self._bind(step) for step in plan.steps]

    def _empty(self) -> CompiledFunction:
        instruments = self._options.instruments
        return InstrumentedFunction(instruments) if instruments else CompiledFunction()

    def _finish(
        self, function: CompiledFunction, plan: Plan[Step], fresh: bool = False, given: Sequence[int] = ()
    ) -> CompiledFunction:
        bound: Plan[BoundStep] = Plan(
            plan.name,
            plan.module,
            plan.functions,
            plan.arity,
            list(plan.types),
            dict(plan.constants),
            self._bind_all(plan),
            plan.outputs,
            plan.captures,
            plan.on_elements,
            plan.iterates,
        )
        apart = self._options.every_op and not plan.on_elements  # observed operands must not be overwritten
        if not apart and not plan.on_elements:
            fuse(bound)
        if fresh:
            copy_shared_outputs(bound, copy_step)
        if not apart:
            bound.writes = run_in_place(bound, frozenset(given))
        drop_dead_arrays(bound)
        bound.aliases = output_aliases(bound)
        function.finish(bound)
        return function
