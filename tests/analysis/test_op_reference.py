"""Descriptions of ops: whole pages, which were read beside the definitions, and parts of them."""

from __future__ import annotations

from pathlib import Path

import pytest

from stablehlo_py.analysis.op_reference import excerpt, explain, names, page, select
from stablehlo_py.opset.definition import all_definitions

PAGES = sorted(Path(__file__).with_name("pages").glob("*.txt"))
EXCERPT = """stablehlo.all_gather
  C2   is_unique(ids)
         specification: is_unique(replica_groups)
         note: replica_groups may be mesh axes, without
           explicit ids
  I1   operands...: tensor or per-tensor quantized tensor
  U8   has_mesh(replica_groups)   [upstream]
  ids = flatten(replica_groups)
[upstream]: required by upstream's verifier, but not by the specification"""


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.stem)
def test_pages(path: Path) -> None:
    data = explain(path.stem)
    assert data is not None and page(data, 70) + "\n" == path.read_text(encoding="utf-8")


def test_an_excerpt_has_the_names_that_its_formulas_use() -> None:
    data = explain("all_gather")
    assert data is not None
    rows = [row for label in ("c2", "I1", "U8") for row in select(data, label)]
    assert excerpt(data, rows, 60) == EXCERPT
    assert len(select(data, "C5")) == 2 and select(data, "C") == []


def test_every_op_has_a_family() -> None:
    found = names()
    assert sorted(name for members in found.values() for name in members) == sorted(
        definition.name for definition in all_definitions()
    )
    assert "stablehlo.sort" in found["sort"] and "stablehlo.map" in found["reduction"]
    assert explain("no_op") is None
