"""LLVM: from IR text to object code."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import llvmlite.binding as llvm

from stablehlo_py.engines.native import machine
from stablehlo_py.engines.native.exclusive import LLVM
from stablehlo_py.engines.native.linking import links_here
from stablehlo_py.engines.native.resident import release_library_pages
from stablehlo_py.engines.native.runtime_code import runtime_module


@lru_cache
def _host() -> tuple[Any, str, str]:
    """LLVM's target of this machine, the name of its CPU and the features that it has."""
    release_library_pages()  # of loading it
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    return (
        llvm.Target.from_default_triple(),
        llvm.get_host_cpu_name(),
        llvm.get_host_cpu_features().flatten(),
    )


def host_triple() -> str:
    """This machine's family of processors, its system and conventions, as LLVM names them."""
    return str(_host()[0].triple)


def host_cpu() -> tuple[str, str]:
    """The CPU of this machine, and its features, as LLVM names them."""
    return _host()[1:]


def target_machine(effort: int = 2) -> Any:
    """A description of the machine that code is made for; the execution engine that is made with it owns it.

    `effort` is LLVM's level of optimization of code generation, 0 for the fastest compilation.
    """
    wanted = machine.target()
    is_host = wanted.triple == host_triple()
    found = _host()[0] if is_host else _other(wanted.triple)
    kind = {"reloc": "pic", "codemodel": "small"} if links_here() or not is_host else {"jit": True}
    return found.create_target_machine(cpu=wanted.cpu, features=wanted.features, opt=effort, **kind)


@lru_cache
def _other(triple: str) -> Any:
    """LLVM's target of another family of processors, for which object files are made."""
    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()
    return llvm.Target.from_triple(triple)


class _Linked:
    """Object files that LLVM links; the engine keeps the code."""

    def __init__(self, objects: Sequence[bytes]) -> None:
        self._engine = llvm.create_mcjit_compiler(llvm.parse_assembly(""), target_machine())
        for code in filter(None, objects):
            self._engine.add_object_file(llvm.ObjectFileRef.from_data(code))
        self._engine.finalize_object()
        release_library_pages()

    def address(self, name: str) -> int:
        """The address of a function."""
        return int(self._engine.get_function_address(name))


def link(objects: Sequence[bytes]) -> _Linked:
    """Link object files."""
    with LLVM:
        return _Linked(objects)


def runtime_code() -> bytes:
    """Compile the run-time part, which all programs share."""
    return object_code(runtime_module())


def object_code(text: str) -> bytes:
    """Machine code for the text of a module."""
    if not machine.optimizes():
        return translated(text)
    with LLVM:
        compiler = target_machine()
        module = llvm.parse_assembly(text)
    with LLVM:
        _optimize(module, compiler)
    with LLVM:
        code: bytes = compiler.emit_object(module)
        del compiler, module
    return code


def translated(text: str) -> bytes:
    """Machine code for the text of a module whose functions take no time: instruction by instruction."""
    with LLVM:
        code: bytes = target_machine(effort=0).emit_object(llvm.parse_assembly(text))
    return code


def _optimize(module: Any, machine: Any) -> None:
    """Run LLVM's passes.

    Loops are unrolled and interleaved only where the text asks for it. Otherwise code and compile time grow
    several times.
    """
    options = llvm.create_pipeline_tuning_options(speed_level=1)
    options.loop_vectorization = True
    options.slp_vectorization = False
    options.loop_unrolling = False
    options.loop_interleaving = False
    builder = llvm.create_pass_builder(machine, options)
    builder.getModulePassManager().run(module, builder)
    release_library_pages()  # what optimizes does not emit code
