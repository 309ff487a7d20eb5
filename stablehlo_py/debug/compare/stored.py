"""Intermediates of another backend, from files: upstream's probes, or arrays by name."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from stablehlo_py.debug.compare.sources import Event, Results
from stablehlo_py.diagnostics.diagnostic import RunError, StablehloError
from stablehlo_py.diagnostics.origin import scope_name
from stablehlo_py.interpreter.array_files import load_arrays
from stablehlo_py.interpreter.inputs import array_dtype
from stablehlo_py.ir.core import Module, Operation, OpResult, Value
from stablehlo_py.ir.types import TensorType
from stablehlo_py.opset.definition import has_trait
from stablehlo_py.storage.files import small_text

INDEX = "index.csv"
_NUMBERED = re.compile(r"(?:probe|.*\.)(\d+)")
Array = np.ndarray[Any, np.dtype[Any]]


class Stored:
    """Arrays from files as the values of a run.

    Args:
        values: The files of each value, in the order in which it was computed, or by iteration.
        unknown: The names of arrays that are not named after a value.
    """

    error: StablehloError | None = None

    def __init__(self, values: dict[Value, _Arrays], unknown: Sequence[str] = ()) -> None:
        self.unknown = unknown
        self._values = values
        self.ops = {value.op: value.op for value in values if isinstance(value, OpResult)}

    def take(self, event: Event) -> Results | None:
        """Return the results of an execution of an op; None if one of them is not stored."""
        found = [self._take(result, event) for result in event.op.results]
        return tuple(found) if all(array is not None for array in found) else None

    def _take(self, value: Value, event: Event) -> Array | None:
        arrays = self._values.get(value)
        return None if arrays is None else arrays.take(value, event)

    def start(self) -> None:
        """Do nothing: the values are there."""

    def finished(self) -> None:
        """Return None: the results of the program are values like others."""

    def close(self) -> None:
        """Do nothing."""


class _Arrays:
    """The arrays of a value: files in the order of execution, or arrays by iteration."""

    def __init__(self) -> None:
        self.files: list[Path] = []
        self.named: dict[str, Array] = {}
        self._taken = 0

    def take(self, value: Value, event: Event) -> Array | None:
        if self.named:
            array = self._by_iteration(event.iterations)
        elif self._taken < len(self.files):
            array = _loaded(self.files[self._taken])
            self._taken += 1
        else:
            array = None
        return None if array is None else _typed(array, value)

    def _by_iteration(self, iterations: tuple[int, ...]) -> Array | None:
        if not iterations:
            return self.named.get("value", next(iter(self.named.values())) if len(self.named) == 1 else None)
        return self.named.get("_".join(["iteration", *map(str, iterations)]))


def stored(path: Path, module: Module, entry: Operation) -> Stored:
    """Read intermediates.

    Args:
        path: A folder with `index.csv` as upstream's interpreter writes it (rows of probe id, type and file;
            an id is `probeN` or `NAME.N` for the N-th result of the program, or a name); a folder of `.npy`,
            `.npz` and safetensors files; or one of these files. Other files and arrays are named after values
            (`3`, `%3`, `main.3`) or locations (`jit(f)/dot`), in the file of one value `iteration_2`.
        module: The program.
        entry: The function.

    Raises:
        RunError: There are no such files, or none of them matches a value.
    """
    values: dict[Value, _Arrays] = {}
    names = _Names(module, entry)
    unknown = []
    for name, type, found in _files(path):
        value = names.find(name, type)
        if value is None:
            unknown.append(name)
            continue
        arrays = values.setdefault(value, _Arrays())
        if isinstance(found, Path):
            arrays.files.append(found)
        else:
            arrays.named.update(found)
    if not values:
        listed = ", ".join(unknown[:5]) or "no arrays"
        raise RunError(f"{path} has no array that is named after a value of the program; it has {listed}")
    return Stored(values, unknown)


class _Names:
    """The values of a program by the names that files use."""

    def __init__(self, module: Module, entry: Operation) -> None:
        function = str(entry.python_value("sym_name"))
        self._values: dict[str, Value] = {}
        self._numbered = list(_probed(module.op))
        for op in entry.walk():
            for result in op.results:
                name = str(result)[1:]
                for each in (name, name.replace("#", "_"), f"{function}.{name}"):
                    self._values.setdefault(each, result)
        scopes = [(scope_name(op.location), op) for op in entry.walk() if op.results]
        for scope, op in scopes:
            self._values.setdefault(scope, op.results[0])

    def find(self, name: str, type: str) -> Value | None:
        """Return the value of a name; with a type, only of that type."""
        found = self._values.get(name.removeprefix("%"))
        match = _NUMBERED.fullmatch(name)
        if match is not None and (found is None or type):
            at = int(match[1]) - 1
            if 0 <= at < len(self._numbered) and type in ("", str(self._numbered[at].type)):
                return self._numbered[at]
        return found if found is None or type in ("", str(found.type)) else None


def _probed(op: Operation) -> Iterator[Value]:
    """Yield the values that upstream's instrumentation probes, in its order: inner ops before outer ones."""
    for block in op.blocks:
        for inner in block.ops:
            yield from _probed(inner)
    if not has_trait(op.name, "constant"):
        yield from (result for result in op.results if _is_probed(result))


def _is_probed(value: Value) -> bool:
    return isinstance(value.type, TensorType) and value.type.is_static


def _files(path: Path) -> Iterator[tuple[str, str, Path | dict[str, Array]]]:
    """Yield the name, type and arrays of each value."""
    if not path.is_dir():
        arrays = _archive(path)
        yield from ((name, "", {"value": array}) for name, array in arrays.items())
        return
    index = path / INDEX
    if index.exists():
        for row in small_text(index, "replace").splitlines():
            if row.strip():
                name, type, file = _row(row, index)
                yield name, type, path / Path(file).name
        return
    for each in sorted(path.iterdir()):
        if each.suffix == ".npy":
            yield each.stem, "", each
        elif each.suffix in (".npz", ".safetensors"):
            yield each.stem, "", _archive(each)


def _row(row: str, index: Path) -> tuple[str, str, str]:
    """Split a row of an index: names and types may contain commas."""
    head, _, file = row.rpartition(",")
    name, separator, type = head.partition(",tensor<")
    if not file or not separator:
        raise RunError(f"{index}: expected rows of a probe's id, type and file, found: {row[:80]}")
    return name, f"tensor<{type}", file


def _archive(path: Path) -> dict[str, Array]:
    found = _read(path)
    return found if isinstance(found, dict) else {path.stem: found}


def _loaded(path: Path) -> Array:
    found = _read(path)
    if isinstance(found, dict):
        raise RunError(f"{path} holds several arrays; expected one")
    return found


def _read(path: Path) -> Array | dict[str, Array]:
    try:
        return load_arrays(path)
    except OSError as error:
        raise RunError(f"{path}: {error.strerror or error}") from None
    except ValueError as error:
        raise RunError(f"{path}: {error}") from None


def _typed(array: Array, value: Value) -> Array:
    """Return an array of narrow elements, which files store as raw bytes, in its type."""
    if isinstance(value.type, TensorType) and array.dtype.kind == "V":
        dtype = array_dtype(value.type, str(value))
        if dtype.itemsize == array.dtype.itemsize:
            return array.view(dtype)
    return array
