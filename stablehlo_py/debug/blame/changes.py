"""What a pass changed in the text of a module, cut to the lines around an instruction."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from typing import NamedTuple

from stablehlo_py.diagnostics.alignment import align
from stablehlo_py.hlo.module import HloModule, Instruction

_AROUND = 3  # lines before and after one that matters
_METADATA = re.compile(r', metadata=\{(?:[^{}"]|"(?:[^"\\]|\\.)*")*\}')
_NUMBERS = re.compile(r"(%?\b[A-Za-z_][\w\-]*?)(?:\.(?:\d+|clone|remat))+\b")  # what passes add to names


class Changes(NamedTuple):
    """What a pass changed.

    Attributes:
        rows: Lines of both texts, each with its sign (`-`, `+` or a space) and number.
        others: The number of places that are left out.
    """

    rows: list[tuple[str, int, str]]
    others: int


def changes(before: HloModule, after: HloModule, lines: Collection[int], others: Collection[int]) -> Changes:
    """Align the texts of two modules, apart from metadata and the numbers of names.

    Args:
        before: The module before a pass.
        after: The module after it.
        lines: The lines of `after` that matter.
        others: The lines of `before` that matter.
    """
    left, right = [_lines(each) for each in (before, after)]
    wanted, wanted_before = [_with_called(*each) for each in ((after, lines), (before, others))]
    found: list[tuple[str, int, str]] = []
    hidden = 0
    for equal, i, j, k, m in align([_key(each) for each in left], [_key(each) for each in right]):
        if equal:
            continue
        rows = [*_rows("-", left, i, j, wanted_before), *_rows("+", right, k, m, wanted)]
        found += rows
        hidden += not rows
    return Changes(found, hidden)


def _lines(module: HloModule) -> list[str]:
    return [_METADATA.sub("", line).strip() for line in module.source.text.split("\n")]


def _key(line: str) -> str:
    return _NUMBERS.sub(r"\1", line)


def _rows(
    sign: str, lines: Sequence[str], start: int, end: int, wanted: Collection[int]
) -> Iterator[tuple[str, int, str]]:
    """Yield the changed lines that are near to one that matters."""
    for at in range(start, end):
        if lines[at] and any(abs(at + 1 - line) <= _AROUND for line in wanted):
            yield sign, at + 1, lines[at]


def _with_called(module: HloModule, lines: Collection[int]) -> set[int]:
    """Return lines, and those of the computations that the instructions at them call."""
    found = set(lines)
    pending = [each for each in module.instructions() if module.position(each)[0] in found]
    seen: set[Instruction] = set()
    while pending:
        current = pending.pop()
        if current not in seen:
            seen.add(current)
            found.add(module.position(current)[0])
            pending += [each for _, callee in current.called for each in callee.instructions]
    return found
