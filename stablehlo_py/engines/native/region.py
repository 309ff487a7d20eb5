"""Regions: steps of a plan that become one native function.

A region whose code is in the disk cache needs only this module and its imports.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from stablehlo_py.interpreter.plan import Plan, Step
from stablehlo_py.ir.records import dataclass

WHILE, IF, CASE = "stablehlo.while", "stablehlo.if", "stablehlo.case"
CONTROL = frozenset({WHILE, IF, CASE})
LONG = 1 << 26  # instructions, some hundredths of a second: the longest that an interrupt waits for


@dataclass(frozen=True, slots=True)
class Region:
    """Steps that run as one function, with their input and output slots."""

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
        """Its plan, then the plans of its bodies."""
        found = [self.plan]
        for step in self.steps:
            for body in step.plans:
                found += Region(body, tuple(body.steps), (), ()).plans
        return found


class Function(NamedTuple):
    """The function of a region.

    Attributes:
        name: Its name. The function takes an array of NumPy arrays (inputs, outputs, constants) as Python
            objects, the array of scratch memory, the number of this thread, the number of threads, and their
            shared state. A plain function takes the addresses of scratch memory and of the arrays, the shared
            state, and both numbers.
        scratch: The bytes of scratch memory.
        work: The estimated instructions that threads share between control flow.
        offered: The estimated instructions of nests in control flow, which waiting threads may compute.
        instructions: The estimated instructions of loop nests, each counted once.
        tasks: The number of tasks that threads share.
        constants: The constants that follow the outputs: the number of the plan in `Region.plans`, and the
            slot; for the region's own plan, the place in `Region.slots`.
        called: The steps that it calls as Python functions: the number of the plan, and the place in it.
    """

    name: str
    scratch: int
    work: int
    offered: int
    instructions: int
    tasks: int
    constants: tuple[tuple[int, int], ...] = ()
    called: tuple[tuple[int, int], ...] = ()

    def arrays(self, region: Region) -> list[Any]:
        """The constants of a region with this function."""
        plans, slots = region.plans, region.slots
        return [plans[plan].constants[slot if plan else slots[slot]] for plan, slot in self.constants]

    def steps(self, region: Region) -> list[tuple[Plan[Step], Step]]:
        """The steps that a region with this function calls, with their plans."""
        plans = region.plans
        return [(plans[plan], plans[plan].steps[place]) for plan, place in self.called]


def make_region(plan: Plan[Step], steps: Sequence[Step]) -> Region:
    """The region of some steps of a plan."""
    made = {slot for step in steps for slot in step.outs}
    inside = {id(step) for step in steps}
    used = {slot for step in plan.steps if id(step) not in inside for slot in step.ins} | set(plan.outputs)
    inputs = dict.fromkeys(s for step in steps for s in step.ins if s not in made and s not in plan.constants)
    return Region(plan, tuple(steps), tuple(inputs), tuple(sorted(made & used)))


def has_loop(steps: Sequence[Step]) -> bool:
    """Test whether some steps are or contain a `while`."""
    return any(step.name == WHILE or any(has_loop(body.steps) for body in step.plans) for step in steps)
