"""The native engine: regions of a plan run as machine code, the steps between them as NumPy calls.

An observer that is to see every op gets the NumPy engine. Under limits of steps or time, iterations of loops
are steps as there; what is straight-line code in them is native.
"""

from __future__ import annotations

import ctypes
from collections import Counter
from collections.abc import Callable
from importlib.util import find_spec
from typing import Any, Literal

import numpy as np

from stablehlo_py.engines.engine import Executable, Options
from stablehlo_py.engines.native.partition import Partition
from stablehlo_py.engines.native.region import Region, emit_region
from stablehlo_py.engines.native.runtime import STOPPED
from stablehlo_py.engines.native.threads import pool, processors
from stablehlo_py.engines.numpy.prepare import Preparation
from stablehlo_py.engines.numpy.steps import BoundStep
from stablehlo_py.interpreter.plan import Plan, Step
from stablehlo_py.ir.element_types import numpy_dtype

SHARED_WORK = 1 << 19  # elements in shared loops, from which waking threads up pays
_NAMED = 8  # ops that a plan names of a region


class NativePreparation(Preparation):
    """Prepares plans whose regions are compiled."""

    def _bind_all(self, plan: Plan[Step]) -> list[BoundStep]:
        if plan.on_elements:
            return super()._bind_all(plan)
        parts = Partition(loops=self._options.limits is None).parts(plan)
        return [region_step(part) if isinstance(part, Region) else self._bind(part) for part in parts]


def region_step(region: Region) -> BoundStep:
    """One step that runs a region."""
    members = tuple([step.op for step in region.steps if step.op is not None])
    return BoundStep(
        "native",
        members[0],
        region.inputs,
        region.outputs,
        returns_tuple=True,
        members=members,
        note=_summary(region),
        call=region_call(region),
    )


def _summary(region: Region) -> str:
    """How many steps a region has, and of which ops."""
    counts = Counter(step.name.partition(".")[2] for step in region.steps)
    parts = [name if count == 1 else f"{count} {name}" for name, count in counts.most_common()]
    named = ", ".join(parts[:_NAMED]) + (", ..." if len(parts) > _NAMED else "")
    return f"{len(region.steps)} steps: {named}"


def region_call(region: Region) -> Callable[..., tuple[Any, ...]]:
    """The compiled function of a region, on arrays."""
    from stablehlo_py.engines.native.jit import compile_module, new_sync

    code = emit_region(region)
    compiled = compile_module(code.text)
    plan = region.plan
    results = [(plan.shape_of(slot), _dtype(plan, slot)) for slot in region.outputs]
    inputs = [_dtype(plan, slot) for slot in region.inputs]
    constants = [array.ctypes.data for array in code.constants]
    addresses = ctypes.c_void_p * (len(inputs) + len(results) + len(constants))

    def call(*arrays: Any) -> tuple[Any, ...]:
        given = [np.ascontiguousarray(array, dtype) for array, dtype in zip(arrays, inputs, strict=True)]
        made = [np.empty(shape, dtype) for shape, dtype in results]
        scratch = np.empty(code.scratch + 64, np.uint8)
        start = -(-scratch.ctypes.data // 64) * 64
        pointers = addresses(*[a.ctypes.data for a in given], *[a.ctypes.data for a in made], *constants)
        run(pointers, start)
        return tuple(made)

    def run(pointers: Any, scratch: int) -> None:
        sync = new_sync()
        if code.work >= SHARED_WORK and processors() > 1 and share(pointers, scratch, sync):
            return
        compiled.call(pointers, scratch, sync.ctypes.data)

    def share(pointers: Any, scratch: int, sync: Any) -> bool:
        """Runs the region on the threads of the pool. False if they are busy."""
        threads, place = pool(), sync.ctypes.data

        def job(number: int) -> None:
            compiled.share(pointers, scratch, number, threads.count, place)

        def stop() -> None:
            sync[STOPPED] = 1

        return threads.run(job, stop)

    return call


def _dtype(plan: Plan[Step], slot: int) -> Any:
    return numpy_dtype(plan.tensor(slot).element_type)


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
