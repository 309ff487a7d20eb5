"""The native engine: regions of a plan run as machine code, the steps between them as NumPy calls.

An observer that is to see every op gets the NumPy engine. Loops keep limits of steps and time.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from importlib.util import find_spec
from typing import Literal

from stablehlo_py.engines.engine import Call, Executable, Options
from stablehlo_py.engines.native.blocks import has_loop
from stablehlo_py.engines.native.estimate import seconds
from stablehlo_py.engines.native.fourier import split_transforms
from stablehlo_py.engines.native.partition import Partition
from stablehlo_py.engines.native.passes.cumulative import name_scans
from stablehlo_py.engines.native.passes.lapack_calls import name_solvers
from stablehlo_py.engines.native.passes.layouts import assign_layouts
from stablehlo_py.engines.native.passes.padding import pad_images
from stablehlo_py.engines.native.passes.product_order import order_products
from stablehlo_py.engines.native.passes.quantization import compute_on_numbers
from stablehlo_py.engines.native.passes.widening import widen_products
from stablehlo_py.engines.native.region import Region
from stablehlo_py.engines.numpy.function import CompiledFunction
from stablehlo_py.engines.numpy.prepare import Preparation
from stablehlo_py.engines.numpy.steps import BoundStep
from stablehlo_py.interpreter.plan import Plan, Step

INSTRUCTIONS = 1e9  # that code runs a second, if it is not optimized
COLD = 1e-3  # the share of a plan's time that a loop nest takes which is not worth optimizing
_NAMED = 8  # ops that a plan names of a region
REWRITES = (  # of plans, in order
    name_scans,
    name_solvers,
    split_transforms,
    compute_on_numbers,
    widen_products,
    order_products,
    assign_layouts,
    pad_images,
)


class NativePreparation(Preparation):
    """Prepares plans whose regions are compiled."""

    def _finish(
        self, function: CompiledFunction, plan: Plan[Step], fresh: bool = False, given: Sequence[int] = ()
    ) -> CompiledFunction:
        written = plan
        for rewrite in () if plan.on_elements else REWRITES:
            written = rewrite(written)
        return super()._finish(function, written, fresh, given)

    def _bind_all(self, plan: Plan[Step]) -> list[BoundStep]:
        if plan.on_elements:
            return super()._bind_all(plan)
        parts = Partition().parts(plan)
        from stablehlo_py.engines.native.regions import compile_regions

        regions = [part for part in parts if isinstance(part, Region)]
        least = seconds(plan) * COLD * INSTRUCTIONS
        rounded = 1 << int(least).bit_length() if least >= 1 else 0
        calls = iter(compile_regions(regions, rounded, self._options.limits, self._options.semantics))
        return [
            region_step(part, next(calls)) if isinstance(part, Region) else self._bind(part) for part in parts
        ]


def region_step(region: Region, call: Call) -> BoundStep:
    """One step that runs a region."""
    members = tuple([op for step in region.steps for op in step.members or (step.op,) if op is not None])
    loops = [step.op for step in region.steps if has_loop([step])]  # what exceeds a limit
    return BoundStep(
        "native",
        next(iter(loops), members[0]),
        region.inputs,
        region.outputs,
        returns_tuple=True,
        members=members,
        note=_summary(region),
        call=call,
    )


def _summary(region: Region) -> str:
    """How many steps a region has, and of which ops."""
    counts = Counter(step.name.partition(".")[2] for step in region.steps)
    parts = [name if count == 1 else f"{count} {name}" for name, count in counts.most_common()]
    named = ", ".join(parts[:_NAMED]) + (", ..." if len(parts) > _NAMED else "")
    return f"{len(region.steps)} steps: {named}"


class NativeEngine:
    """Compiles what it has emitters for, and runs the rest as the NumPy engine does."""

    name = "native"
    takes: Literal["plan"] = "plan"

    def is_available(self) -> bool:
        """Test whether llvmlite is installed."""
        return find_spec("llvmlite") is not None

    def prepare(self, plan: Plan[Step], options: Options) -> Executable:
        """Makes a function ready to run, with its regions compiled."""
        kind = Preparation if options.every_op else NativePreparation
        return kind(plan.module, plan.functions, options).entry(plan)


ENGINE = NativeEngine()
