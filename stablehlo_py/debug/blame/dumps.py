"""Dumps: the files of a folder that hold a module of HLO, in the order of the passes that wrote them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from stablehlo_py.diagnostics.diagnostic import RunError
from stablehlo_py.storage.files import small_text

_NAME = re.compile(
    r"(?P<module>(?:\d+\.)?module_\d+\..+?)\."
    r"(?:(?P<first>before_optimizations)|(?P<number>\d{4,})\.(?P<step>.+)|[\w.]*after_optimizations)\.(?:txt|hlo)"
)
_LARGEST = 1 << 30  # bytes of a dump
_STEP = re.compile(r"(?P<pipeline>.+?)\.after_(?:pipeline-start|(?P<name>.+?))(?:\.before_.+)?")
_HINT = 'dump with XLA_FLAGS="--xla_dump_to=FOLDER --xla_dump_hlo_pass_re=.* --xla_dump_large_constants=true"'


@dataclass(frozen=True, slots=True)
class Dump:
    """A file.

    Attributes:
        path: Its path.
        module: The part of its name that all dumps of a module have: `module_0000.jit_f`.
        order: Its place among them.
        pass_name: The pass that wrote it; "" before the first pass of a pipeline, and after the last of all.
        pipeline: The pipeline of this pass.
    """

    path: Path
    module: str
    order: tuple[int, int]
    pass_name: str = ""
    pipeline: str = ""

    def text(self) -> str:
        """Read the file."""
        return read_dump(self.path)


def read_dump(path: Path) -> str:
    """Read the text of a dump."""
    return small_text(path, "surrogateescape", _LARGEST)


def dumps_in(folder: Path, module: str | None = None) -> list[list[Dump]]:
    """Find the dumps of each module of a folder, the largest module first.

    Args:
        folder: The folder.
        module: A part of the name of the module, if others are left out.

    Returns:
        For each module its dumps, in order.

    Raises:
        RunError: If there are none.
    """
    found: dict[str, list[Dump]] = {}
    for path in folder.iterdir():
        if (match := _NAME.fullmatch(path.name)) is not None and path.is_file():
            found.setdefault(match["module"], []).append(_dump(path, match))
    if not found:
        raise RunError(f"{folder} has no file such as module_0000.NAME.before_optimizations.txt ({_HINT})")
    chosen = [dumps for name, dumps in found.items() if module is None or module in name]
    if not chosen:
        raise RunError(f"{folder} has no dumps of a module {module}; there are {', '.join(sorted(found))}")
    for dumps in chosen:
        dumps.sort(key=lambda dump: dump.order)
    return sorted(chosen, key=lambda dumps: (-dumps[0].path.stat().st_size, dumps[0].module))


def _dump(path: Path, match: re.Match[str]) -> Dump:
    if match["number"] is None:
        return Dump(path, match["module"], (0 if match["first"] else 2, 0))
    step = _STEP.fullmatch(match["step"])
    names = (step["name"] or "", step["pipeline"]) if step is not None else (match["step"], "")
    return Dump(path, match["module"], (1, int(match["number"])), *names)


def distinct(dumps: Sequence[Dump]) -> tuple[list[Dump], int]:
    """Leave out dumps that repeat the text before them; return the others, and the size of their texts."""
    found: list[Dump] = []
    before, size = None, 0
    for dump in dumps:
        text = dump.text()
        if text != before:
            found.append(dump)
            size += len(text)
        before = text
    return found, size
