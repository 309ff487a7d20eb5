"""The module of LLVM IR of the regions of a plan.

A function takes its arrays, one scratch area, the number of its thread and the number of threads. Threads
share large loop nests; one thread does everything else. Equal regions and equal loop nests share a function.
"""

from __future__ import annotations

from collections.abc import Sequence

from stablehlo_py.engines.native.estimate import seconds
from stablehlo_py.engines.native.fingerprint import region_fingerprint
from stablehlo_py.engines.native.library import Source
from stablehlo_py.engines.native.llvm import module
from stablehlo_py.engines.native.lower.region import lower
from stablehlo_py.engines.native.partition import Partition
from stablehlo_py.engines.native.region import Function, Region
from stablehlo_py.engines.native.schedule.pipeline import schedule
from stablehlo_py.interpreter.plan import Plan, Step

INSTRUCTIONS = 1e9  # that code runs a second, if it is not optimized
COLD = 1e-3  # the share of a plan's time that a loop nest takes which is not worth optimizing


def plan_source(plan: Plan[Step], least_steps: int, counted: bool, whole_windows: bool) -> Source:
    """Write the module of the regions of a plan.

    Args:
        plan: The plan.
        least_steps: The least number of steps of a region.
        counted: Whether loops count their steps, for a limit.
        whole_windows: Whether windows of scatters are written as a whole or not at all.

    Returns:
        The source; its rows are the parts of the plan and the functions. A part is the number of a function
        (None: none) and the places of steps in the plan.
    """
    places = {id(step): place for place, step in enumerate(plan.steps)}
    different: dict[str, tuple[int, Region]] = {}
    parts: list[tuple[int | None, list[int]]] = []
    found = Partition(least_steps).parts(plan)
    several = sum(isinstance(part, Region) for part in found) > 1
    for part in found:
        if isinstance(part, Region):
            key = region_fingerprint(part) if several else ""
            number, _ = different.setdefault(key, (len(different), part))
            parts.append((number, [places[id(step)] for step in part.steps]))
        else:
            parts.append((None, [places[id(part)]]))
    if not different:
        return Source("", "", [parts, []])
    least = least_optimized(plan)
    regions = [region for _, region in different.values()]
    texts, functions = emit_module(regions, least, counted, whole_windows)
    return Source(*texts, [parts, [tuple(function) for function in functions]])


def least_optimized(plan: Plan[Step]) -> float:
    """The least number of instructions for which a loop nest of a plan is optimized."""
    return seconds(plan) * COLD * INSTRUCTIONS


def emit_module(
    regions: Sequence[Region], least: float, counted: bool, whole_windows: bool
) -> tuple[tuple[str, str], list[Function]]:
    """Write the module of some regions.

    Args:
        regions: The regions.
        least: In instructions; loop nests that execute fewer are not optimized.
        counted: Whether loops count their steps, for a limit.
        whole_windows: Whether windows of scatters are written as a whole or not at all.

    Returns:
        The optimized and the unoptimized LLVM IR, and the function of each region.
    """
    writer = module.ModuleWriter(least, counted)
    functions = []
    for number, region in enumerate(regions):
        lowered = lower(region, whole_windows)
        function = writer.program(schedule(lowered.program), f"main{number}")
        numbers = {id(plan): place for place, plan in enumerate(region.plans)}
        slots = {slot: place for place, slot in enumerate(region.slots)}
        constants = [(numbers[id(plan)], slot) for plan, slot in lowered.slots]
        found = tuple([(plan, slot if plan else slots[slot]) for plan, slot in constants])
        called = [(numbers[id(plan)], _place(plan, step)) for plan, step in lowered.called]
        functions.append(function._replace(constants=found, called=tuple(called)))
    return writer.texts(), functions


def _place(plan: Plan[Step], step: Step) -> int:
    return next(place for place, each in enumerate(plan.steps) if each is step)
