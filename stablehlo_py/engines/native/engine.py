"""The native engine: regions of a plan run as machine code, the steps between them as NumPy calls."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from importlib.util import find_spec
from typing import Any, Literal

import numpy as np

from stablehlo_py.engines.engine import Executable, Options
from stablehlo_py.engines.native.partition import partition
from stablehlo_py.engines.native.region import Region, emit_region
from stablehlo_py.engines.numpy.prepare import Preparation
from stablehlo_py.engines.numpy.steps import BoundStep
from stablehlo_py.interpreter.plan import Plan, Step
from stablehlo_py.ir.element_types import numpy_dtype


class NativePreparation(Preparation):
    """Prepares plans whose regions are compiled."""

    def _bind_all(self, plan: Plan[Step]) -> list[BoundStep]:
        if plan.on_elements:
            return super()._bind_all(plan)
        found = []
        for part in partition(plan):
            found.append(region_step(part) if isinstance(part, Region) else self._bind(part))
        return found


def region_step(region: Region) -> BoundStep:
    """One step that runs a region."""
    members = tuple([step.op for step in region.steps if step.op is not None])
    return BoundStep(
        "native", members[0], region.inputs, region.outputs, returns_tuple=True, members=members,
        note=f"{len(region.steps)} steps", call=region_call(region),
    )  # fmt: skip


def region_call(region: Region) -> Callable[..., tuple[Any, ...]]:
    """The compiled function of a region, on arrays."""
    from stablehlo_py.engines.native.jit import compile_module

    code = emit_region(region)
    compiled = compile_module(code.text)
    types: list[Any] = [region.plan.types[slot] for slot in region.outputs]
    results = [(tuple(t.shape), numpy_dtype(t.element_type)) for t in types]
    inputs = [numpy_dtype(region.plan.types[slot].element_type) for slot in region.inputs]  # type: ignore[attr-defined]
    constants = [array.ctypes.data for array in code.constants]
    addresses = ctypes.c_void_p * (len(inputs) + len(results) + len(constants))
    sync = np.zeros(32, np.int64)

    def call(*arrays: Any) -> tuple[Any, ...]:
        given = [np.ascontiguousarray(a, d) for a, d in zip(arrays, inputs, strict=True)]
        made = [np.empty(shape, dtype) for shape, dtype in results]
        scratch = np.empty(code.scratch + 64, np.uint8)
        pointers = addresses(*[a.ctypes.data for a in given], *[a.ctypes.data for a in made], *constants)
        compiled.call(pointers, scratch.ctypes.data, 0, 1, sync.ctypes.data)
        return tuple(made)

    call.keep = (compiled, code)  # type: ignore[attr-defined]
    return call


class NativeEngine:
    """Compiles what it has emitters for, and runs the rest as the NumPy engine does."""

    name = "native"
    takes: Literal["plan"] = "plan"

    def is_available(self) -> bool:
        return find_spec("llvmlite") is not None

    def prepare(self, plan: Plan[Step], options: Options) -> Executable:
        return NativePreparation(plan.module, plan.functions, options).entry(plan)


ENGINE = NativeEngine()
