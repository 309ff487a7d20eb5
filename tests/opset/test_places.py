"""Findings about a value of an attribute point to this value."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import stablehlo_py as shlo

FOLDER = Path(__file__).parents[2] / "testdata" / "constraints"
# What stands before the place, with the ops and the labels of what they break.
PLACES = {
    "result_accuracy = ": (r"\w+", ("U1", "U2")),
    "algorithm = ": ("dot_general", ("C22", "C23", "C24", "U2")),
    "} ": ("convolution", ("C21", "C22")),  # the dictionary that has the attribute
}


@pytest.mark.parametrize("before", PLACES)
def test_places_in_attributes(before: str) -> None:
    op, labels = PLACES[before]
    seen = set()
    for path in sorted(FOLDER.glob("*.mlir")):
        for text in path.read_text().split("// -----\n") if re.fullmatch(op, path.stem) else ():
            label = re.match(r"// breaks: (\w+)", text.lstrip())
            if label is None or label[1] not in labels or before not in text:
                continue
            rule = f"{path.stem}.{label[1]}"
            (finding,) = [d for d in shlo.verify(shlo.parse(text)) if d.code == rule]
            line = text.split("\n")[finding.line - 1]
            assert line[: finding.column - 1].endswith(before), rule
            seen.add(label[1])
    assert seen == set(labels)
