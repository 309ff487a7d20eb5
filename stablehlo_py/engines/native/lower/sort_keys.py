"""Sort keys: functions of an element whose lexicographic order is the order of the comparator.

Such a comparator tests `f(lhs) < f(rhs)` for the first key `f`, and the next key if the first is equal.
So each key is computed once for an element, as an unsigned integer, instead of once for each comparison.
"""

from __future__ import annotations

from collections.abc import Hashable
from itertools import permutations
from typing import NamedTuple

import numpy as np

from stablehlo_py.interpreter.plan import Plan, Step

_LHS, _RHS = 1, 2


class Key(NamedTuple):
    """What is compared of two elements.

    Attributes:
        slot: The value of the comparator that is computed from the left element only.
        descending: Whether the largest one is first.
        total: Whether floats are in total order; otherwise zeros are equal, and NaNs the last.
    """

    slot: int
    descending: bool
    total: bool


class _Form(NamedTuple):
    """How a value is computed.

    Attributes:
        number: That of the expression; equal ones have the same.
        mirrored: That of the expression with both elements exchanged.
        sides: The elements that it depends on.
    """

    number: int
    mirrored: int
    sides: int


def sort_keys(body: Plan[Step]) -> list[Key]:
    """Find the keys by which a comparator orders, the most significant first; none if it has no such form."""
    (less,) = body.outputs
    return _Comparator(body).keys(less)


class _Comparator:
    """The expressions of a comparator."""

    def __init__(self, body: Plan[Step]) -> None:
        self.producers = {slot: step for step in body.steps for slot in step.outs}
        self._numbers: dict[Hashable, int] = {}
        self.forms: dict[int, _Form] = {}
        elements = body.arity - body.captures  # of the left and the right element by turns
        for slot in range(body.arity):
            other, side = (slot ^ 1, 1 << slot % 2) if slot < elements else (slot, 0)
            self.forms[slot] = _Form(self._number(slot), self._number(other), side)
        for slot, constant in body.constants.items():
            number = self._number((str(body.types[slot]), np.asarray(constant).tobytes()))
            self.forms[slot] = _Form(number, number, 0)
        for step in body.steps:
            self._add(body, step)

    def _number(self, expression: Hashable) -> int:
        return self._numbers.setdefault(expression, len(self._numbers))

    def _add(self, body: Plan[Step], step: Step) -> None:
        read = [self.forms[slot] for slot in step.ins]
        sides = 0
        for form in read:
            sides |= form.sides
        for place, slot in enumerate(step.outs):
            keywords = str(sorted(step.keywords.items(), key=lambda item: item[0]))
            op = (step.name, keywords, str(body.types[slot]), place)
            number = self._number((op, tuple([form.number for form in read])))
            mirrored = self._number((op, tuple([form.mirrored for form in read])))
            self.forms[slot] = _Form(number, mirrored, sides)

    def keys(self, slot: int) -> list[Key]:
        """Find the keys by which a value orders."""
        step = self.producers.get(slot)
        if step is None:
            return []
        if step.name == "stablehlo.compare":
            key = self._key(slot, ("LT", "GT"))
            return [key] if key is not None else []
        if step.name == "stablehlo.select":
            equal, later, first = step.ins
            return self._lexicographic(first, equal, later)
        if step.name == "stablehlo.or":
            for first, both in permutations(step.ins):
                second = self.producers.get(both)
                if second is None or second.name != "stablehlo.and":
                    continue
                for equal, later in permutations(second.ins):
                    found = self._lexicographic(first, equal, later)
                    if found:
                        return found
        return []

    def _lexicographic(self, first: int, equal: int, later: int) -> list[Key]:
        """Find the keys of `first or (equal and later)`: less by the first key, else by later ones."""
        key, same = self._key(first, ("LT", "GT")), self._key(equal, ("EQ",))
        if key is None or same is None or key.total != same.total:
            return []
        rest = self.keys(later) if self.forms[key.slot].number == self.forms[same.slot].number else []
        return [key, *rest] if rest else []

    def _key(self, slot: int, directions: tuple[str, ...]) -> Key | None:
        """Return the key of a comparison, if it compares the same function of both elements."""
        step = self.producers.get(slot)
        if step is None or step.name != "stablehlo.compare":
            return None
        direction: str = step.keywords["comparison_direction"]
        if direction not in directions:
            return None
        lhs, rhs = step.ins
        exchanged = self.forms[lhs].sides == _RHS
        if exchanged:
            lhs, rhs = rhs, lhs
        if self.forms[lhs].sides != _LHS or self.forms[lhs].mirrored != self.forms[rhs].number:
            return None
        is_total = step.keywords["compare_type"] == "TOTALORDER"
        return Key(lhs, (direction == "GT") != exchanged, is_total)
