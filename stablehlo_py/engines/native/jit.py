"""LLVM: from IR text to a function that can be called."""

from __future__ import annotations

import ctypes
from dataclasses import dataclass
from functools import cache
from typing import Any

import llvmlite.binding as llvm


@dataclass(frozen=True, slots=True)
class Compiled:
    """Machine code, kept alive by its engine."""

    engine: Any
    call: Any


@cache
def target_machine() -> Any:
    """The machine that this process runs on."""
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    target = llvm.Target.from_default_triple()
    features = llvm.get_host_cpu_features().flatten()
    return target.create_target_machine(cpu=llvm.get_host_cpu_name(), features=features, opt=3, jit=True)


def compile_module(text: str, level: int = 3) -> Compiled:
    """Compiles a module, whose function `main` is called as `Code` says."""
    machine = target_machine()
    module = llvm.parse_assembly(text)
    options = llvm.create_pipeline_tuning_options(speed_level=level)
    options.loop_vectorization = True
    options.slp_vectorization = True
    options.loop_unrolling = True
    builder = llvm.create_pass_builder(machine, options)
    builder.getModulePassManager().run(module, builder)
    engine = llvm.create_mcjit_compiler(module, machine)
    engine.finalize_object()
    address = engine.get_function_address("main")
    return Compiled(
        engine,
        ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * 2, *[ctypes.c_int64] * 2, ctypes.c_void_p)(address),
    )
