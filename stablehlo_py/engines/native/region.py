"""Regions: steps of a plan that become one native function, and the module of LLVM IR of several regions.

A function has its arrays, one scratch area, and its place among the threads that run it
together: large loop nests are shared out, everything else is done by one thread. Regions and loop nests
that are equal are one function.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from stablehlo_py.engines.native.arithmetic.llvm_ir import UNOPTIMIZED, Builder
from stablehlo_py.engines.native.blocks import CONTROL, BlockEmitter
from stablehlo_py.engines.native.memory import Memory, ModuleWriter
from stablehlo_py.engines.native.merging import merge_functions
from stablehlo_py.engines.native.products.shared import is_shared
from stablehlo_py.engines.native.runtime import METADATA, RUNTIME
from stablehlo_py.interpreter.plan import Plan, Step
from stablehlo_py.ir.records import dataclass


@dataclass(frozen=True, slots=True)
class Region:
    """Steps that run as one function, with the slots that they take and give."""

    plan: Plan[Step]
    steps: tuple[Step, ...]
    inputs: tuple[int, ...]
    outputs: tuple[int, ...]

    @property
    def slots(self) -> tuple[int, ...]:
        """The slots of its steps in order of their use."""
        return tuple(dict.fromkeys(slot for step in self.steps for slot in (*step.ins, *step.outs)))

    @property
    def plans(self) -> list[Plan[Step]]:
        """Its plan, then those of its bodies."""
        found = [self.plan]
        for step in self.steps:
            for body in step.plans:
                found += Region(body, tuple(body.steps), (), ()).plans
        return found


class Function(NamedTuple):
    """The function of a region.

    Attributes:
        name: its name. It takes an array of NumPy arrays (inputs, outputs, constants), as objects of Python,
            one for scratch memory, the number of this thread, that of threads, and what they share.
        scratch: bytes of scratch memory.
        work: about how many element operations are shared out among threads.
        tasks: the number of tasks that threads share.
        constants: the constants that follow the outputs: the number of the plan in
            `Region.plans`, and the slot, for the region's own plan its place in `Region.slots`.
    """

    name: str
    scratch: int
    work: int
    tasks: int
    constants: tuple[tuple[int, int], ...]

    def arrays(self, region: Region) -> list[Any]:
        """The constants of a region that this is the function of."""
        plans, slots = region.plans, region.slots
        return [plans[plan].constants[slot if plan else slots[slot]] for plan, slot in self.constants]


def emit_module(
    regions: Sequence[Region], least: float = 0, counted: bool = False, whole_windows: bool = False
) -> tuple[str, list[Function], list[str]]:
    """Write the module of some regions.

    Args:
        regions: The regions.
        least: In instructions; loop nests that execute fewer are not optimized.
        counted: Whether loops count their steps, for a limit.
        whole_windows: Whether windows of scatters are written as a whole or not at all.

    Returns:
        LLVM IR, the function of each region, and the names of shared functions.
    """
    writer = ModuleWriter(least, counted, whole_windows)
    functions = [_emit(region, writer, f"main{number}") for number, region in enumerate(regions)]
    text = "\n".join([RUNTIME, *writer.declarations.values(), *merge_functions(writer.functions), METADATA])
    return text, functions, [name for name in writer.declarations if is_shared(name)]


def _emit(region: Region, writer: ModuleWriter, name: str) -> Function:
    """Write the function of a region."""
    b = Builder(writer.declarations)
    memory = Memory(writer, b)
    places = dict.fromkeys((*region.inputs, *region.outputs))
    bound = {slot: memory.argument(region.plan, slot) for slot in places}
    inputs = {slot: bound[slot] for slot in region.inputs}
    outputs = {slot: bound[slot] for slot in region.outputs}
    BlockEmitter(memory, parallel=True).emit(region.plan, region.steps, inputs, outputs)
    parameters = "ptr noalias %args, ptr %area, i64 %thread, i64 %threads, ptr %shared"
    only_calls = not any(step.name in CONTROL for step in region.steps)
    lines = [
        f"define void @{name}({parameters}) nounwind {UNOPTIMIZED if only_calls else ''} {{",
        "entry:",
        *b.allocas,
        *memory.addresses,
        *b.lines,
        "  ret void",
        "}",
    ]
    writer.functions.append("\n".join(lines))
    numbers = {id(plan): number for number, plan in enumerate(region.plans)}
    slots = {slot: place for place, slot in enumerate(region.slots)}
    constants = [(numbers[id(plan)], slot) for plan, slot in memory.constants]
    return Function(
        name,
        memory.scratch,
        memory.work,
        memory.tasks,
        tuple([(plan, slot if plan else slots[slot]) for plan, slot in constants]),
    )
