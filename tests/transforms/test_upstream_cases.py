"""Passes on upstream's programs (Apache 2.0): what its tests expect of each, as it was recorded.

`upstream_cases.zip` has the programs without comments, and the digests of the results that the expectations
of FileCheck fit, or the lines of the errors. It is made by `tests/make_upstream_cases.py`.
"""

from __future__ import annotations

import json
import zipfile
from pathlib import Path
from typing import Any

import pytest
from make_recorded_passes import digest

import stablehlo_py as shlo

ARCHIVE = Path(__file__).with_name("upstream_cases.zip")
with zipfile.ZipFile(ARCHIVE) as _archive:
    CASES: dict[str, Any] = json.loads(_archive.read("cases.json"))
    TEXTS = {name: _archive.read(name).decode() for name in CASES}


def run(name: str) -> list[Any]:
    """What each run of a case makes: the digest of the program, or the lines of errors."""
    found: list[Any] = []
    for each in CASES[name]["runs"]:
        module = shlo.parse(TEXTS[name], allow_unregistered=True)
        lines = [d.line for d in shlo.verify(module) if d.severity == "error"]
        try:
            made = shlo.opt(module, each["passes"]) if not lines else module
        except shlo.TransformError as error:
            lines = [d.line for d in error.diagnostics]
        found.append(lines or digest(shlo.format(made, locations=each["locations"])))
    return found


def holds(name: str) -> bool:
    """Whether each run makes what is expected of it, or has errors on the expected lines."""
    pairs = zip(run(name), CASES[name]["runs"], strict=True)
    return all(
        found == each["digest"]
        if "digest" in each
        else isinstance(found, list) and {*each["errors"]} <= {*found}
        for found, each in pairs
    )


def of(family: str) -> Any:
    """The cases of a pass."""
    names = [name for name in CASES if name.rpartition(".")[0] == f"stablehlo_{family}"]
    return pytest.mark.parametrize("name", names)


@of("aggressive_folder")
def test_folding(name: str) -> None:
    assert holds(name)


@of("aggressive_simplification")
def test_simplification(name: str) -> None:
    assert holds(name)


@of("canonicalize_dynamism")
def test_dynamism(name: str) -> None:
    assert holds(name)


@of("legalize_quant_to_int")
def test_quantized_ops_to_integers(name: str) -> None:
    assert holds(name)


@of("legalize_quantized_op_to_qdq")
def test_quantized_ops_to_floats(name: str) -> None:
    assert holds(name)


@of("refine_shapes")
def test_refinement(name: str) -> None:
    assert holds(name)


TESTED = ("aggressive", "canonicalize", "legalize_quant", "refine_shapes")
OTHERS = [name for name in CASES if not name.startswith(tuple(f"stablehlo_{family}" for family in TESTED))]


@pytest.mark.parametrize("name", OTHERS)
def test_other_passes(name: str) -> None:
    assert holds(name)
