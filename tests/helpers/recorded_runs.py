"""Programs with arguments and the results that XLA has of them, in a zip file of one JSON text."""

from __future__ import annotations

import json
from base64 import b64decode, b64encode
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

import ml_dtypes  # noqa: F401  (gives NumPy the names of narrow types)
import numpy as np

import stablehlo_py as shlo
from tests.helpers.agreement import bound, distance, least_size

Array = np.ndarray[Any, np.dtype[Any]]
_NAME = "runs.json"


@dataclass(frozen=True, eq=False)
class Run:
    """A program; the op that it is about, with the element types of an operand and the result."""

    op: str
    elements: tuple[str, ...]
    text: str
    arguments: list[Array]
    results: list[Array]


def write(file: Path, runs: list[Run]) -> None:
    rows = [
        [run.op, run.elements, run.text, *[list(map(_packed, each)) for each in (run.arguments, run.results)]]
        for run in runs
    ]
    with ZipFile(file, "w", ZIP_DEFLATED, compresslevel=9) as archive:
        entry = ZipInfo(_NAME)  # of a fixed time
        entry.compress_type = ZIP_DEFLATED
        archive.writestr(entry, json.dumps(rows, separators=(",", ":")))


def read(file: Path) -> list[Run]:
    with ZipFile(file) as archive:
        rows = json.loads(archive.read(_NAME))
    return [
        Run(op, tuple(elements), text, list(map(_unpacked, arguments)), list(map(_unpacked, results)))
        for op, elements, text, arguments, results in rows
    ]


def is_near(run: Run) -> bool:
    """Whether our results of a program of one op are as near to XLA's as they have to be."""
    ours = shlo.run(shlo.parse(run.text), run.arguments, engine="numpy")
    least = least_size(run.op, run.results)
    apart = [distance(*pair, least) for pair in zip(ours, run.results, strict=True)]
    return max(apart, default=0.0) <= bound(run.op, run.elements)


def _packed(array: Array) -> list[Any]:
    return [array.dtype.name, array.shape, b64encode(np.ascontiguousarray(array).tobytes()).decode()]


def _unpacked(row: list[Any]) -> Array:
    name, shape, data = row
    return np.frombuffer(b64decode(data), np.dtype(name)).reshape(shape)
