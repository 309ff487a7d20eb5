"""Names: unique in a module, as XLA makes them."""

from __future__ import annotations

import re

from stablehlo_py.hlo.module import HloModule

_NUMBER = re.compile(r"0|[1-9][0-9]{0,17}")  # of fewer than 64 bits


class UniqueNames:
    """Names that were given; a name given twice gets a number."""

    def __init__(self) -> None:
        self.used: dict[str, set[int]] = {}
        self.next: dict[str, int] = {}

    def unique(self, name: str) -> str:
        """Return a name, with another number after the point if it was given before."""
        root, _, suffix = name.rpartition(".")
        has_number = bool(root) and _NUMBER.fullmatch(suffix) is not None
        root, number = (root, int(suffix)) if has_number else (name, 0)
        used = self.used.setdefault(root, set())
        if number in used:
            number = self.next.get(root, 0)
            while number in used:
                number += 1
            self.next[root] = number + 1
        used.add(number)
        if number:
            return f"{root}.{number}"
        return f"{root}.0" if has_number else root


def make_names_unique(module: HloModule) -> None:
    """Rename computations and instructions whose names others have, in the order of the module."""
    computations, instructions = UniqueNames(), UniqueNames()
    for computation in module.computations:
        computation.name = computations.unique(computation.name)
        for instruction in computation.instructions:
            instruction.name = instructions.unique(instruction.name)
