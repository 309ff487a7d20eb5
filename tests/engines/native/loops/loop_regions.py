"""Regions of programs as loops, and their machine code, for tests."""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np

import stablehlo_py as shlo
from stablehlo_py.engines.engine import Options
from stablehlo_py.engines.native import jit
from stablehlo_py.engines.native.llvm.module import MAIN, module_text
from stablehlo_py.engines.native.loop_ir.statements import Program
from stablehlo_py.engines.native.lower.records import is_supported
from stablehlo_py.engines.native.partition import has_native_arrays
from stablehlo_py.engines.native.patterns import fill
from stablehlo_py.engines.native.region import Region, make_region
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
    library = jit.link([jit.object_code(module_text(program))])
    given, memory = iter(arrays), []
    for buffer in program.buffers:
        dtype = numpy_dtype(buffer.element)
        if buffer.space in ("input", "constant"):
            memory.append((buffer, np.ascontiguousarray(next(given), dtype)))
        elif buffer.space != "frame":
            array = np.empty(buffer.shape, dtype)
            fill([array])
            memory.append((buffer, array))
    addresses = np.array([array.ctypes.data for _, array in memory], np.int64)
    ctypes.CFUNCTYPE(None, ctypes.c_void_p)(library.address(MAIN))(addresses.ctypes.data)
    return [array for buffer, array in memory if buffer.space == "output"]
