"""What a pass changed in the text of a module, cut to the lines around an instruction."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection
from typing import NamedTuple

from stablehlo_py.diagnostics.alignment import align
from stablehlo_py.hlo.module import HloModule, Instruction
from stablehlo_py.hlo.texts import without_metadata

_AROUND = 3  # lines before and after one that matters
_NAME = re.compile(r"(%[A-Za-z_][\w\-]*?)((?:\.(?:\d+|clone|remat))*)(?![\w\-.])")  # with what passes add


Row = tuple[str, int, str]


class Changes(NamedTuple):
    """What a pass changed.

    Attributes:
        rows: Lines of both texts, each with its sign (`-`, `+` or a space) and number.
        others: The number of places that are left out.
    """

    rows: list[Row]
    others: int


def changes(
    before: HloModule, after: HloModule, lines: Collection[int], lines_before: Collection[int]
) -> Changes:
    """Align the texts of two modules, apart from metadata and the numbers of names; leave out what has moved.

    Args:
        before: The module before a pass.
        after: The module after it.
        lines: The lines of `after` that matter.
        lines_before: The lines of `before` that matter.
    """
    left, right = [_lines(each) for each in (before, after)]
    wanted, wanted_before = [_with_called(*each) for each in ((after, lines), (before, lines_before))]
    keys, keys_before = [[_key(line) for line in each] for each in (right, left)]
    gaps = [run for run in align(keys_before, keys) if not run.is_equal]
    moved = Counter(key for run in gaps for key in keys_before[run.start : run.end])
    moved &= Counter(key for run in gaps for key in keys[run.other_start : run.other_end])
    found: list[Row] = []
    hidden = 0
    for run in gaps:
        rows = [("-", at + 1, left[at]) for at in range(run.start, run.end) if _is_near(at, wanted_before)]
        others = range(run.other_start, run.other_end)
        rows += [("+", at + 1, right[at]) for at in others if _is_near(at, wanted)]
        rows = [
            (sign, at, line)
            for sign, at, line in rows
            if " = " in line and (at in (lines if sign == "+" else lines_before) or _key(line) not in moved)
        ]
        found += rows
        hidden += not rows
    return Changes(found, hidden)


def _lines(module: HloModule) -> list[str]:
    return [without_metadata(line) for line in module.source.text.split("\n")]


def _key(line: str) -> str:
    """Return a line without the numbers of names; operands whose names differ in them keep their order."""
    own, equals, rest = line.partition(" = ")
    ranks: dict[str, str] = {}
    stems = Counter[str]()
    for _, end, stem in sorted({(len(m[2]), m[2], m[1]) for m in _NAME.finditer(rest)}):
        ranks[stem + end] = f"{stem}.{stems[stem]}"
        stems[stem] += 1
    return _NAME.sub(r"\1", own) + equals + _NAME.sub(lambda m: ranks[m[0]], rest)


def _is_near(at: int, lines: Collection[int]) -> bool:
    """Test whether the line at an index is near a relevant line."""
    return any(abs(at + 1 - line) <= _AROUND for line in lines)


def _with_called(module: HloModule, lines: Collection[int]) -> set[int]:
    """Return lines, and the lines of the computations that their instructions call."""
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
