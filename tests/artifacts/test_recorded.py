"""Ops, attributes and types in all versions: bytes are those that jaxlib 0.10.2 writes, and are read back.

`recorded.json` has digests of jaxlib's files, and of the texts that it reads from them; it is made by
`tests/make_recorded_artifacts.py`.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from make_recorded_artifacts import digest, programs

import stablehlo_py as shlo
from stablehlo_py.opset.definition import all_definitions

RECORDED = json.loads(Path(__file__).with_name("recorded.json").read_text())
PROGRAMS = dict(programs())
# Ops that jaxlib 0.10.2 does not have.
NEWER = {"stablehlo.collective_reduce"}


@pytest.mark.parametrize("name", RECORDED)
def test_bytes_and_what_is_read_from_them(name: str) -> None:
    module = shlo.parse(PROGRAMS[name], "-")
    for target, expected in RECORDED[name].items():
        if expected is None:
            with pytest.raises(shlo.SerializationError, match="needs StableHLO"):
                shlo.serialize(module, "portable", target, lower_chlo=False)
            continue
        kind, target = ("bytecode", None) if target == "plain" else ("portable", target)
        data = shlo.serialize(module, kind, target, lower_chlo=False)
        assert digest(data) == expected[0], f"{target}: other bytes"
        again = shlo.parse(data)
        assert digest(shlo.format(again)) == expected[1], f"{target}: another program is read"
        if kind == "bytecode":
            assert shlo.serialize(again, kind) == data, "the order of uses is not as it was read"


def test_every_op_has_a_program() -> None:
    found = {op.name for name in RECORDED for op in shlo.parse(PROGRAMS[name]).walk()}
    ops = {d.name for d in all_definitions() if d.name.startswith("stablehlo.") and d.since}
    assert ops - found == NEWER
