"""Codes, versions, names and enumerators are those of VHLO's definitions: the tables beside this file."""

from __future__ import annotations

import csv
from collections import defaultdict
from itertools import pairwise
from pathlib import Path

import pytest

from stablehlo_py.artifacts.bytecode.emitter import Emitter
from stablehlo_py.artifacts.dialects import vhlo
from stablehlo_py.artifacts.dialects.registry import ATTRIBUTES
from stablehlo_py.artifacts.vhlo.forms import Form, form, forms_of
from stablehlo_py.ir.version import version_of
from stablehlo_py.opset.definition import all_definitions
from stablehlo_py.opset.structures import ENUMS

FOLDER = Path(__file__).parent

NOT_LISTED = "stablehlo.cross-replica-sum"  # the table's names are identifiers


def table(name: str) -> list[dict[str, str]]:
    with (FOLDER / name).open(newline="") as file:
        return list(csv.DictReader(file))


OPS = table("vhlo_ops.csv")


def found_form(row: dict[str, str]) -> Form | None:
    return form(f"vhlo.{row['op']}")


@pytest.mark.parametrize("row", OPS, ids=lambda row: row["op"])
def test_form_of_an_op(row: dict[str, str]) -> None:
    found = found_form(row)
    assert found is not None
    assert found.since == version_of(row["min_version"])
    assert sorted(found.attributes) == sorted(row["attributes"].split())


def test_a_form_is_written_until_the_next_one() -> None:
    ops = defaultdict(list)
    for row in OPS:
        if (found := found_form(row)) is not None:
            ops[found.op].append((found, row["max_version"]))
    for op, rows in ops.items():
        assert [found for found, _ in rows] == list(forms_of(op))
        for (_, last), (newer, _) in pairwise(rows):
            assert version_of(last) < newer.since
        assert rows[-1][1] == "current"
    written = {d.name for d in all_definitions() if forms_of(d.name)}
    assert {"stablehlo.return", NOT_LISTED, *ops} == written


def test_codes_and_versions_of_attributes_and_types() -> None:
    rows = [("attr", row) for row in vhlo.ATTRIBUTES] + [("type", row) for row in vhlo.TYPES]
    found = {(kind, row.code, row.mnemonic, row.since) for kind, row in rows}
    assert found == {
        (r["kind"], int(r["code"]), r["mnemonic"], r["min_version"]) for r in table("vhlo_encoding.csv")
    }


@pytest.mark.parametrize("dialect", ["vhlo", "stablehlo", "chlo"])
def test_numbers_of_enumerators(dialect: str) -> None:
    expected = defaultdict(dict)
    for row in table("enums.csv"):
        if row["dialect"] == dialect:
            expected[row["enum"].removesuffix("V1").lower()][row["name"]] = int(row["value"])
    rows = {row.key: row for row in ATTRIBUTES[dialect].values() if row.key in ENUMS}
    assert rows
    for name, row in rows.items():
        known = expected[name.partition(".")[2].replace("_", "")]
        assert set(ENUMS[name].values) <= set(known)
        for value in ENUMS[name].values:
            out = Emitter()
            row.fields["value"].write(out, value, {})
            assert bytes(out.data) == bytes([known[value] << 1 | 1]), value  # a varint of one byte
