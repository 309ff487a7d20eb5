"""Regions: steps of a plan that become one native function, written as LLVM IR.

The function has the addresses of its arrays, one scratch area, and its place among the threads that run it
together: large loop nests are shared out, everything else is done by the first thread.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from stablehlo_py.engines.native.blocks import BlockEmitter
from stablehlo_py.engines.native.llvm_ir import Builder
from stablehlo_py.engines.native.memory import Memory, ModuleWriter
from stablehlo_py.engines.native.runtime import RUNTIME
from stablehlo_py.interpreter.plan import Plan, Step


@dataclass(frozen=True, slots=True)
class Region:
    """Steps that run as one function, with the slots that they take and give."""

    plan: Plan[Step]
    steps: tuple[Step, ...]
    inputs: tuple[int, ...]
    outputs: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Code:
    """The module of a region.

    Attributes:
        text: LLVM IR. Its `main` takes an array of addresses (inputs, outputs, constants), the scratch area,
            the number of this thread, the number of threads, and what they synchronize by. `enter` calls it.
        scratch: bytes of scratch memory.
        constants: the arrays whose addresses follow the outputs'.
        work: about how many element operations are shared out among threads.
    """

    text: str
    scratch: int
    constants: tuple[Any, ...]
    work: int


def emit_region(region: Region) -> Code:
    """The IR of a region."""
    writer = ModuleWriter()
    b = Builder(writer.declarations)
    memory = Memory(writer, b)
    places = dict.fromkeys((*region.inputs, *region.outputs))
    bound = {slot: memory.argument(region.plan, slot) for slot in places}
    inputs = {slot: bound[slot] for slot in region.inputs}
    outputs = {slot: bound[slot] for slot in region.outputs}
    BlockEmitter(memory, parallel=True).emit(region.plan, region.steps, inputs, outputs)
    parameters = "ptr noalias %args, ptr noalias %scratch, i64 %thread, i64 %threads, ptr %sync"
    lines = [
        RUNTIME,
        *writer.declarations.values(),
        *writer.functions,
        f"define void @main({parameters}) nounwind {{",
        "entry:",
        *b.allocas,
        *memory.addresses,
        *b.lines,
        "  ret void",
        "}",
    ]
    return Code("\n".join(lines), writer.scratch, tuple(writer.constants), writer.work)
