"""The worked examples of the specification: testdata/spec has one for each op with values."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

import stablehlo_py as shlo

EXAMPLES = sorted((Path(__file__).parent.parent / "testdata" / "spec").glob("*.mlir"))


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_example(path: Path) -> None:
    module = shlo.load(path)
    names = [op.name for op in module.op.walk()]
    assert f"stablehlo.{path.stem}" in names
    assert any(name.startswith("check.expect_") for name in names)
    assert [str(finding) for finding in shlo.verify(module)] == []
    assert shlo.run(module) == []


def test_every_op_whose_example_has_values_is_here(testdata: Path) -> None:
    with (testdata / "spec_tables" / "ops.csv").open(newline="") as rows:
        complete = {row["op"] for row in csv.DictReader(rows) if row["worked_example"] == "y"}
    assert len(complete) == 90
    assert complete - {path.stem for path in EXAMPLES} == set()


@pytest.mark.parametrize(
    ("name", "right", "printed"),
    [
        ("divide", "5.7, -5.7, -5.7, 5.7", "5.66666651, -5.66666651, -5.66666651, 5.66666651"),
        ("power", "1.0e+40", "0x7FF0000000000000"),
        ("while", "dense<9>", "dense<10>"),
    ],
)
def test_values_that_the_document_gets_wrong_are_not_ours(name: str, right: str, printed: str) -> None:
    path = next(path for path in EXAMPLES if path.stem == name)
    text = path.read_text()
    assert right in text
    with pytest.raises(shlo.RunError):
        shlo.run(shlo.parse(text.replace(right, printed)))
