"""Regions of programs as loops, and their machine code, for tests."""

from __future__ import annotations

from typing import Any

import numpy as np

import stablehlo_py as shlo
from stablehlo_py.engines.engine import Options
from stablehlo_py.engines.native import jit
from stablehlo_py.engines.native.library import Library, new_sync
from stablehlo_py.engines.native.llvm.module import ModuleWriter
from stablehlo_py.engines.native.loop_ir.statements import Program
from stablehlo_py.engines.native.lower.records import is_supported
from stablehlo_py.engines.native.partition import has_native_arrays
from stablehlo_py.engines.native.patterns import fill
from stablehlo_py.engines.native.products.shared import RUNTIME_MODULE
from stablehlo_py.engines.native.region import Region, make_region
from stablehlo_py.engines.native.runtime import ALIGNMENT
from stablehlo_py.engines.program import constant_folder
from stablehlo_py.interpreter.lower import ModuleLowering
from stablehlo_py.interpreter.plan import Plan, Step
from stablehlo_py.ir.core import Module
from stablehlo_py.ir.element_types import numpy_dtype


def plan_of(module: Module, name: str = "main") -> Plan[Step]:
    """The plan of a function, with its constants folded."""
    return ModuleLowering(module, constant_folder(Options()))[name]


def region_of(text: str) -> Region:
    """All steps of the function `@main` of a program."""
    plan = plan_of(shlo.parse(text))
    return make_region(plan, plan.steps)


def largest_region(plan: Plan[Step]) -> Region | None:
    """The steps that have loops and depend on no others."""
    known, taken = {*range(plan.arity), *plan.constants}, []
    for step in plan.steps:
        is_array = not (step.effect or step.deferred or step.callee) and has_native_arrays(plan, step)
        if is_array and is_supported(plan, step) and known.issuperset(step.ins):
            taken.append(step)
            known.update(step.outs)
    return make_region(plan, taken) if taken else None


def run_code(program: Program, arrays: list[Any]) -> list[Any]:
    """The outputs of a program as machine code, in memory that is filled with a pattern."""
    writer = ModuleWriter()
    function = writer.program(program, "main")
    texts = [jit.object_code(text) for text in filter(None, writer.texts())]
    library = Library(texts, shared=[RUNTIME_MODULE])
    made = [np.empty(buffer.shape, numpy_dtype(buffer.element)) for buffer in program.in_space("output")]
    taken = [*program.in_space("input"), *program.in_space("constant")]
    dtypes = [numpy_dtype(buffer.element) for buffer in taken]
    inputs = [np.ascontiguousarray(array, dtype) for array, dtype in zip(arrays, dtypes, strict=True)]
    count = len(program.in_space("input"))
    objects, scratch = (
        (*inputs[:count], *made, *inputs[count:]),
        np.empty(function.scratch + ALIGNMENT, np.uint8),
    )
    fill([*made, scratch])
    sync = new_sync(function.tasks)
    first = id(objects) + tuple.__basicsize__
    library.enter()(library.address(function.name), first, id(scratch), id(sync), 1)
    return made
