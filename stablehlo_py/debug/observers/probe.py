"""Probes: write intermediate values to files."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from fnmatch import fnmatchcase
from os import PathLike
from pathlib import Path
from typing import IO, Any

import numpy as np

from stablehlo_py.diagnostics.origin import names_of
from stablehlo_py.interpreter.arrays import storable, write_archive, write_array
from stablehlo_py.interpreter.observer import Moment, Observer
from stablehlo_py.ir.core import Operation, Value
from stablehlo_py.opset.definition import has_trait
from stablehlo_py.storage.files import OutputFiles

_ODD = re.compile(r"[^\w.#-]+")


@dataclass(slots=True)
class Probed:
    """A probed value: its file, name, op and line, and the number of arrays in the file."""

    file: str
    value: str
    op: str
    line: int
    arrays: int = 0

    def to_dict(self) -> dict[str, Any]:
        """Convert to plain data."""
        return asdict(self)


class Probe(Observer):
    """Writes intermediate values to `.npz` files in a folder, one file per value.

    Arrays in a file are named `value`, or `iteration_2_0` in loops, the outermost first; if a value is
    computed again in the same iteration, `.1`, `.2`, ... is appended. The operands of `interpreter.probe` ops
    are always written, under the names of their probes.

    Args:
        folder: The folder, which is created if necessary.
        patterns: Patterns (`*`, `?`, `[..]`) of the values to write, matched against their name (`%3`), op
            (`add`), location name (`jit(f)/layer_0/dot`) and Python line (`train.py:40`).
        outputs: Opens the files, which are written at the end of a run, also if the run fails.
    """

    def __init__(
        self,
        folder: str | PathLike[str],
        patterns: Sequence[str] = (),
        outputs: OutputFiles | None = None,
    ) -> None:
        self._folder = Path(folder)
        self._outputs = outputs or OutputFiles()
        self._spool: IO[bytes] | None = None
        self._places: dict[str, list[tuple[str, int]]] = {}  # of a file's arrays in the spool
        self._patterns = patterns
        self._wanted: dict[Value, bool] = {}
        self._found: dict[str, Probed] = {}
        self._labels: dict[Value, str] = {}
        self._names: dict[str, set[str]] = {}

    @property
    def found(self) -> list[Probed]:
        """The values written in the last run."""
        return list(self._found.values())

    def start(self) -> None:
        """Create the folder, and forget the previous run."""
        self._folder.mkdir(parents=True, exist_ok=True)
        self._found.clear()
        self._labels.clear()
        self._names.clear()
        self._places.clear()
        self._spool = tempfile.TemporaryFile(dir=self._folder)  # noqa: SIM115 (closed in `end`)

    def end(self) -> None:
        """Write the files."""
        if self._spool is None:
            return
        with self._spool as spool:
            self._outputs.check(*[probed.file for probed in self.found])
            for label, places in self._places.items():
                with self._outputs.open(self._found[label].file) as stream:
                    write_archive(stream, _spooled(spool, places))
        self._spool = None

    def after(self, moment: Moment, operands: tuple[Any, ...], results: tuple[Any, ...]) -> None:
        """Write the results of an op that match a pattern."""
        op = moment.op
        if has_trait(op.name, "probe"):
            self._keep(str(op.python_value("probe_id")), op.operands[0], moment, operands[0])
        for value, result in zip(op.results, results, strict=True):
            if self._is_wanted(op, value) and isinstance(result, np.ndarray | np.generic):
                self._keep(f"{_function_name(op)}.{str(value)[1:]}", value, moment, result)

    def _is_wanted(self, op: Operation, value: Value) -> bool:
        if value not in self._wanted:
            names = names_of(op, [value])
            self._wanted[value] = any(fnmatchcase(name, p) for p in self._patterns for name in names)
        return self._wanted[value]

    def _keep(self, label: str, value: Value, moment: Moment, array: Any) -> None:
        op = moment.op
        line = moment.module.line(op)
        label = self._labels.setdefault(value, self._free_label(_ODD.sub("_", label), line))
        if moment.process != (0, 0):
            label += "@{}_{}".format(*moment.process)
        if label not in self._found:
            path = self._folder / f"{label}.npz"
            self._found[label] = Probed(str(path), str(value), op.name, line)
        assert self._spool is not None
        place = self._spool.tell()
        write_array(self._spool, storable(np.asarray(array)))
        self._places.setdefault(label, []).append((self._free_name(label, moment.iterations), place))
        self._found[label].arrays += 1

    def _free_label(self, label: str, line: int) -> str:
        """Make a label unique, since regions may reuse names."""
        return f"{label}.line_{line}" if label in self._labels.values() else label

    def _free_name(self, label: str, iterations: tuple[int, ...]) -> str:
        """Return an array name that is unused in its file."""
        taken = self._names.setdefault(label, set())
        base = "_".join(["iteration", *map(str, iterations)]) if iterations else "value"
        name, again = base, 0
        while name in taken:
            again += 1
            name = f"{base}.{again}"
        taken.add(name)
        return name


def _function_name(op: Operation) -> str:
    return str(op.function.python_value("sym_name")) if op.function is not None else ""


def _spooled(spool: IO[bytes], places: Sequence[tuple[str, int]]) -> Iterator[tuple[str, Any]]:
    """Read arrays back, one at a time."""
    for name, place in places:
        spool.seek(place)
        yield name, np.lib.format.read_array(spool, allow_pickle=False)
