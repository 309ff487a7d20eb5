"""A sample of the conformance cases, all of which `.ci/run` runs."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

import pytest

import stablehlo_py as shlo

CASES = Path(__file__).parent.parent.parent / "shared" / "conformance"
EVERY = 40


@cache
def labels() -> dict[str, dict[str, Any]]:
    file = CASES / "cases.json"
    return json.loads(file.read_text()) if file.exists() else {}


def sample(folder: str) -> list[str]:
    """Every fortieth valid case of a folder."""
    return [name for name, label in labels().items() if name.startswith(folder) and not label["errors"]][
        ::EVERY
    ]


needs_cases = pytest.mark.skipif(not labels(), reason="needs the cases in ../shared/conformance")


@needs_cases
@pytest.mark.parametrize("name", sample("interpret/") + sample("testdata/"))
def test_is_valid_and_runs(name: str) -> None:
    """A case states its own expectations in `check` ops; one whose function takes inputs is only verified."""
    module = shlo.load(CASES / name)
    assert [d for d in shlo.verify(module) if d.severity == "error"] == []
    entry = module.functions.get("main") or next(iter(module.functions.values()), None)
    if entry and not entry.regions[0].blocks[0].arguments:
        shlo.run(module)


@needs_cases
@pytest.mark.parametrize("name", sample("verify/"))
def test_round_trip(name: str) -> None:
    module = shlo.load(CASES / name, allow_unregistered=True)
    pretty, generic = shlo.format(module), shlo.format(module, generic=True)
    for text in (pretty, generic):
        again = shlo.parse(text, allow_unregistered=True)
        assert shlo.format(again) == pretty
        assert shlo.format(again, generic=True) == generic
