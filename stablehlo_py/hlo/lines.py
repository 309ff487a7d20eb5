"""Fusions and live memory by the lines of a module's text, which are those of the converted ops, too."""

from __future__ import annotations

from collections.abc import Iterator

from stablehlo_py.hlo.memory import memory_use, origin_of
from stablehlo_py.hlo.module import HloModule, Instruction


def fusion_scopes(module: HloModule) -> dict[int, str]:
    """Return the scope of each line in a fused computation: that of what the fusion makes, and its name."""
    fusions = [each for each in module.instructions() if each.opcode == "fusion"]
    inside = {id(each) for fusion in fusions for each in fusion.attributes["calls"].instructions}
    seen = set[int]()
    scopes: dict[int, str] = {}
    for fusion in fusions:
        if id(fusion) in inside:
            continue
        scope = origin_of(fusion).metadata.get("op_name", "").rpartition("/")[0]
        for instruction in _fused(fusion, seen):
            scopes[module.position(instruction)[0]] = f"{scope}/%{fusion.name}".removeprefix("/")
    return scopes


def live_by_line(module: HloModule) -> dict[int, int]:
    """Return the bytes that are live at each line of a scheduled module; empty without a schedule.

    What is in a fused computation has the bytes of the fusion, the most of several that call it.
    """
    use = memory_use(module)
    seen = set[int]()
    live: dict[int, int] = {}
    for step in sorted(use.steps if use is not None else (), key=lambda step: -step.size):
        for instruction in (step.instruction, *_fused(step.instruction, seen)):
            live.setdefault(module.position(instruction)[0], step.size)
    return live


def _fused(fusion: Instruction, seen: set[int]) -> Iterator[Instruction]:
    """Yield what a fusion computes, fusions in it included, without computations that were seen."""
    open = [fusion]
    while open:
        instruction = open.pop()
        if instruction.opcode != "fusion" or id(instruction.attributes["calls"]) in seen:
            continue
        seen.add(id(instruction.attributes["calls"]))
        yield from instruction.attributes["calls"].instructions
        open += instruction.attributes["calls"].instructions
