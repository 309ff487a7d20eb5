"""What each pass of XLA did: instructions added, removed, changed and moved, from the dumps of a module."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

from stablehlo_py.debug.blame.dumps import Dump, distinct
from stablehlo_py.debug.compare_hlo import compare_hlo
from stablehlo_py.debug.compare_programs import ProgramDifference
from stablehlo_py.hlo.parser import parse_hlo
from stablehlo_py.ir.records import dataclass

MOVED = "moved to computation"  # the beginning of the detail of an instruction in another computation


@dataclass(frozen=True, slots=True)
class PassStats:
    """The changes of a pass.

    Attributes:
        file: The dump after the pass.
        pass_name: The pass; "" before the first pass and after the last.
        pipeline: The pipeline of the pass.
        added: The number of new instructions.
        removed: The number of removed instructions.
        changed: The number of instructions with other attributes, shapes or operands.
        moved: The number of instructions moved to another computation.
        instructions: The number of instructions after the pass.
        seconds: The time since the dump before, by the dates of the files.
    """

    file: str
    pass_name: str
    pipeline: str
    added: int
    removed: int
    changed: int
    moved: int
    instructions: int
    seconds: float

    def to_dict(self) -> dict[str, Any]:
        """Return the fields by name."""
        return {name: getattr(self, name) for name in self.__dataclass_fields__}


def pass_stats(dumps: Sequence[Dump], done: Callable[[int], None] = lambda count: None) -> list[PassStats]:
    """Compare each dump with the one before it.

    Args:
        dumps: The dumps of a module, in order.
        done: Called with the number of compared dumps.

    Returns:
        A row for the first dump, and for each dump whose text differs from the dump before.

    Raises:
        ParseError: If a dump is no HLO text.
    """
    found: list[PassStats] = []
    before = None
    stamp = dumps[0].path.stat().st_mtime
    for dump in distinct(dumps)[0]:
        module = parse_hlo(dump.text(), str(dump.path))
        count = sum(1 for _ in module.instructions())
        counts = Counter(map(_kind, compare_hlo(before, module) if before is not None else []))
        written = dump.path.stat().st_mtime
        kinds = counts["added"], counts["removed"], counts["changed"], counts["moved"]
        found.append(PassStats(dump.path.name, dump.pass_name, dump.pipeline, *kinds, count, written - stamp))
        before, stamp = module, written
        done(len(found))
    return found


def _kind(difference: ProgramDifference) -> str:
    return "moved" if difference.details[:1] and difference.details[0].startswith(MOVED) else difference.kind
