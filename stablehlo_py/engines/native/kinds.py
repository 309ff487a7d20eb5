"""Kinds of loop nests: those of one kind have the same code, for other memory, which is written once."""

from __future__ import annotations

from collections.abc import Hashable
from typing import NamedTuple

from stablehlo_py.engines.native.fingerprint import slot_words, step_words
from stablehlo_py.engines.native.fusion import Nest
from stablehlo_py.engines.native.scope import Scope


class Kind(NamedTuple):
    """What the code of a nest depends on.

    Attributes:
        description: the loops, and the steps, types and strides of what they compute and read.
        memory: the names of the memory that they use, in order.
    """

    description: tuple[Hashable, ...]
    memory: tuple[str, ...]


def kind_of(scope: Scope, nest: Nest) -> Kind:
    """Describe a nest before its code is written; slots are numbered in order of their use.

    Args:
        scope: The slots that it computes and reads.
        nest: The nest.
    """
    plan, producers, buffers = scope.plan, scope.producers, scope.buffers
    numbers: dict[int, int] = {}
    memory: dict[str, int] = {}
    found: list[Hashable] = []
    pending = [item.step for item in nest.items]
    visited = set()
    while pending:
        step = pending.pop()
        if id(step) in visited:
            continue
        visited.add(id(step))
        for slot in (*step.ins, *step.outs):
            if slot in numbers:
                continue
            numbers[slot] = len(numbers)
            found += slot_words(plan, [slot])
            if slot in buffers:
                buffer = buffers[slot]
                place = memory.setdefault(buffer.name, len(memory))
                found.append((place, buffer.element, buffer.strides, buffer.is_row))
            elif slot not in plan.constants and slot in producers:
                pending.append(producers[slot])
        found += step_words(step, numbers)
    for item in nest.items:
        own = tuple([numbers[slot] for slot in item.slots])
        found.append((own, item.rows, item.columns, item.order, item.lead, item.joins))
    found.append((nest.shape, nest.outer, nest.lead, frozenset([numbers[slot] for slot in nest.unstored])))
    return Kind(tuple(found), tuple(memory))
