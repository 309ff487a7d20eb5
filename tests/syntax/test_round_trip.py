"""What is printed is parsed to the same program, in both forms."""

from __future__ import annotations

import pytest
from conftest import ROOT

import stablehlo_py as shlo
from tests.helpers.lark_trees import SPLIT


@pytest.mark.parametrize("folder", ["constraints", "programs", "spec"])
def test_round_trip(folder: str) -> None:
    paths = sorted((ROOT / "testdata" / folder).rglob("*.mlir"))[::3]
    texts = [text for path in paths for text in SPLIT.split(path.read_text(encoding="utf-8"))]
    changed, seen = [], 0
    for text in texts:
        try:
            module = shlo.parse(text, allow_unregistered=True)
        except shlo.ParseError:
            continue
        if any(found.severity == "error" for found in shlo.verify(module)):
            continue
        seen += 1
        pretty, generic = shlo.format(module), shlo.format(module, generic=True)
        for printed in (pretty, generic):
            again = shlo.parse(printed, allow_unregistered=True)
            if (shlo.format(again), shlo.format(again, generic=True)) != (pretty, generic):
                changed.append(text)
    assert not changed and seen >= len(paths) / 2
