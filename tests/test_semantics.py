"""Results that the specification and XLA define differently: `semantics.csv` has each, with a program."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any, cast

import numpy as np
import pytest

import stablehlo_py as shlo

TABLE = Path(__file__).with_name("semantics.csv")
PROGRAMS = Path(__file__).parent.parent / "testdata" / "semantics"
ROWS = list(csv.DictReader(TABLE.read_text().splitlines()))


def numbers(text: str) -> list[float]:
    return [float(each) for each in text.strip("[]").split(",")]


@pytest.mark.parametrize("semantics", ["specification", "xla"])
@pytest.mark.parametrize("row", ROWS, ids=[row["program"] for row in ROWS])
def test_each_program_has_two_results(row: dict[str, str], semantics: Any) -> None:
    module = shlo.load(PROGRAMS / f"{row['program']}.mlir")
    (found,) = shlo.run(module, semantics=semantics)
    np.testing.assert_array_equal(found, numbers(row[semantics]))


@pytest.mark.oracle
@pytest.mark.parametrize("row", ROWS, ids=[row["program"] for row in ROWS])
def test_xla_gives_what_the_table_says(row: dict[str, str]) -> None:
    pytest.importorskip("jaxlib")
    from tests.helpers.xla import run_xla

    (found,) = run_xla((PROGRAMS / f"{row['program']}.mlir").read_text())
    np.testing.assert_array_equal(found, numbers(row["xla"]))


def test_each_program_has_a_row() -> None:
    assert {path.stem for path in PROGRAMS.glob("*.mlir")} == {row["program"] for row in ROWS}


def test_inputs_are_taken_as_well_as_constants() -> None:
    """The scatter is not folded: a window that begins before the first element is skipped as a whole."""
    text = (PROGRAMS / "scatter.mlir").read_text()
    text = text.replace("@main()", "@main(%indices: tensor<2x1xi32>)")
    lines = [line for line in text.splitlines() if not line.strip().startswith("%indices =")]
    module = shlo.parse("\n".join(lines))
    indices = np.int32([[-1], [1]])
    assert shlo.run(module, [indices])[0].tolist() == [21, 32, 43, 4]
    assert shlo.run(module, [indices], semantics="xla")[0].tolist() == [1, 32, 43, 4]


def test_semantics_that_there_are_not() -> None:
    module = shlo.load(PROGRAMS / "scatter.mlir")
    with pytest.raises(ValueError, match="it is one of: specification, xla"):
        shlo.compile(module, semantics=cast("Any", "tpu"))
