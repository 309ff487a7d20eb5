"""Propagation of drawn shardings, compared with Shardy's in jaxlib: the texts after it are the same."""

from __future__ import annotations

import json
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest
from test_passes_mlir import TRANSFORM

import stablehlo_py as shlo
from stablehlo_py.debug.generate.shardings import KINDS
from tests.helpers.drawn_shardings import draw_shardings

ROOT = Path(__file__).parent.parent
pytest.importorskip("jaxlib")

PIPELINE = "sdy-propagation-pipeline"
PROGRAMS = [
    *[path for path in sorted((ROOT / "sharding" / "programs").glob("*.mlir")) if ".prop" not in path.name],
    *sorted((ROOT.parent / "testdata" / "programs").glob("*.mlir")),
]
SEEDS = 2


def propagated(texts: list[str]) -> list[str | None]:
    """What jaxlib makes of programs; None where it refuses one."""
    done = subprocess.run(
        [sys.executable, "-c", TRANSFORM],
        input="\n".join(json.dumps((text, PIPELINE)) for text in texts),
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    return [json.loads(line) for line in done.stdout.splitlines()]


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind != "group"])
def test_drawn_shardings(kind: str) -> None:
    """All but 5 in 100 programs have the same text."""
    texts = [draw_shardings(path.read_text(), kind, seed) for path in PROGRAMS for seed in range(SEEDS)]
    outcomes: Counter[bool] = Counter()
    for text, expected in zip(texts, propagated(texts), strict=True):
        if expected is not None:
            found = shlo.format(shlo.opt(shlo.parse(text), [PIPELINE]))
            outcomes[found.strip() == expected.strip()] += 1
    assert outcomes.total() > len(texts) // 2
    assert outcomes[True] >= 0.95 * outcomes.total(), outcomes
