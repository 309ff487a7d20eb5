"""The cost model is the place of the numbers that stages, emitters and the writer compare sizes with."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from conftest import ROOT

NATIVE = ROOT / "stablehlo_py" / "engines" / "native"
FILES = sorted(path for folder in ("lower", "schedule", "llvm") for path in (NATIVE / folder).glob("*.py"))
OTHERS = {
    *("_LIMB", "_PLACE", "_PARITY"),  # of algorithms, whose results depend on them
    *("_DEEPEST", "_FRAME", "_MOST_MEMORY"),  # limits of stacks and of memory
    *("LONGEST", "MOST", "MOST_BYTES", "MOST_ELEMENTS", "MOST_MERGED"),  # limits that the table of ops states
    "_NAMED",  # of notes
}


def numbers(path: Path) -> Iterator[str]:
    """The names of a module's constants that are one number."""
    for node in ast.parse(path.read_text()).body:
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            names = [
                each for each in ast.walk(node.value) if not isinstance(each, ast.operator | ast.unaryop)
            ]
            if all(isinstance(each, ast.Constant | ast.BinOp | ast.UnaryOp) for each in names):
                values = [each.value for each in names if isinstance(each, ast.Constant)]
                if all(isinstance(value, int | float) for value in values):
                    yield node.targets[0].id


@pytest.mark.parametrize("path", FILES, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_numbers_are_in_the_cost_model(path: Path) -> None:
    assert set(numbers(path)) <= OTHERS


def test_every_number_has_a_unit_and_a_reader() -> None:
    text = (NATIVE / "cost.py").read_text()
    rows = dict(re.findall(r"^([A-Z_]+) = [^#\n]+(#.*)?$", text, re.MULTILINE))
    assert set(rows) == set(numbers(NATIVE / "cost.py"))
    assert not [name for name, comment in rows.items() if not comment]
    readers = [*FILES, *(NATIVE / "passes").glob("*.py"), *(NATIVE / "loop_ir").glob("*.py")]
    used = {name for path in readers for name in re.findall(r"\bcost\.([A-Z_]+)", path.read_text())}
    assert set(rows) == used
