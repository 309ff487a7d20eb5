"""The native engine: regions of a plan run as machine code, the steps between them as NumPy calls.

An observer that is to see every op gets the NumPy engine. Loops keep limits of steps and time.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from importlib.util import find_spec
from typing import Any, ClassVar, Literal

from stablehlo_py.engines.engine import Executable, Options
from stablehlo_py.engines.native.linking import MissingFunction
from stablehlo_py.engines.native.passes.pipeline import rewritten
from stablehlo_py.engines.native.region import Region, has_loop
from stablehlo_py.engines.native.regions import RegionCall, compile_plan
from stablehlo_py.engines.numpy.function import CompiledFunction
from stablehlo_py.engines.numpy.prepare import Preparation
from stablehlo_py.engines.numpy.steps import BoundStep
from stablehlo_py.interpreter.plan import Plan, Step
from stablehlo_py.ir.core import Module
from stablehlo_py.ir.records import dataclass

_RUNS_HERE = os.name == "posix"  # its run-time part calls functions of POSIX
_NAMED = 8  # ops that a plan names of a region


class NativePreparation(Preparation):
    """Prepares plans whose regions are compiled.

    Args:
        module: The module.
        functions: The plans of its functions by name.
        options: The options of execution.
        verify_loops: Whether the loops of regions are verified after each stage.

    Attributes:
        regions: The regions so far, each with the name of its plan.
    """

    def __init__(
        self,
        module: Module,
        functions: Mapping[str, Plan[Any]],
        options: Options,
        verify_loops: bool,
    ) -> None:
        super().__init__(module, functions, options)
        self.regions: list[tuple[str, Region]] = []
        self._verify_loops = verify_loops

    def entry(self, plan: Plan[Step]) -> CompiledFunction:
        """Return the function of a plan, with the regions of the plan and of the functions that it calls."""
        function = super().entry(plan)
        function.regions = self.regions
        return function

    def _finish(
        self, function: CompiledFunction, plan: Plan[Step], fresh: bool = False, given: Sequence[int] = ()
    ) -> CompiledFunction:
        return super()._finish(function, plan if plan.on_elements else rewritten(plan), fresh, given)

    def _bind_all(self, plan: Plan[Step]) -> list[BoundStep]:
        if plan.on_elements:
            return super()._bind_all(plan)
        parts = compile_plan(plan, self.function_of, self._options.limits, self._options.semantics)
        found = [part.region for part in parts if isinstance(part, RegionCall)]
        self.regions += [(plan.name, region) for region in found]
        if self._verify_loops:
            from stablehlo_py.engines.native.explain import verify_stages

            for region in found:
                verify_stages(region, self._options.semantics)
        return [_region_step(part) if isinstance(part, RegionCall) else self._bind(part) for part in parts]


def _region_step(call: RegionCall) -> BoundStep:
    """Create the step that runs a region."""
    region = call.region
    members = tuple([op for step in region.steps for op in step.members or (step.op,) if op is not None])
    loops = [step.op for step in region.steps if has_loop([step])]  # what exceeds a limit
    return BoundStep(
        "native",
        next(iter(loops), members[0]),
        region.inputs,
        region.outputs,
        returns_tuple=True,
        members=members,
        effect=any(step.effect for step in region.steps),
        note=_summary(region),
        call=call,
    )


def _summary(region: Region) -> str:
    """How many steps a region has, and of which ops."""
    counts = Counter(step.name.partition(".")[2] for step in region.steps)
    parts = [name if count == 1 else f"{count} {name}" for name, count in counts.most_common()]
    named = ", ".join(parts[:_NAMED]) + (", ..." if len(parts) > _NAMED else "")
    return f"{len(region.steps)} steps: {named}"


@dataclass(frozen=True)
class NativeEngine:
    """Compiles what it has emitters for, and runs the rest as the NumPy engine does.

    Attributes:
        verify_loops: Whether to verify the loops of regions after each stage; a finding is an InternalError.
    """

    name: ClassVar[str] = "native"
    takes: ClassVar[Literal["plan"]] = "plan"
    verify_loops: bool = False

    @property
    def stages(self) -> tuple[str, ...]:
        """The names of the stages, after which `print_after` prints loops."""
        from stablehlo_py.engines.native.explain import stage_names

        return stage_names()

    def is_available(self) -> bool:
        """Test whether this is a POSIX system, and llvmlite is installed."""
        return _RUNS_HERE and find_spec("llvmlite") is not None

    def prepare(self, plan: Plan[Step], options: Options) -> Executable:
        """Makes a function ready to run, with its regions compiled, if this processor can run their code."""
        if options.every_op:
            return Preparation(plan.module, plan.functions, options).entry(plan)
        try:
            return NativePreparation(plan.module, plan.functions, options, self.verify_loops).entry(plan)
        except MissingFunction:
            return Preparation(plan.module, plan.functions, options).entry(plan)

    def print_after(self, function: Executable, stages: Collection[str], options: Options) -> Iterator[str]:
        """Print the loops of the regions of a function after stages; see `engines.engine.StagedEngine`."""
        from stablehlo_py.engines.native.explain import loops_of

        for name, region in getattr(function, "regions", ()):
            yield from loops_of(name, region, stages, options.semantics)


ENGINE = NativeEngine()
