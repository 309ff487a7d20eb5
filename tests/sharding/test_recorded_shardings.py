"""Passes on shardings make the programs that Shardy makes in jaxlib 0.10.2.

`recorded_shardings.json` has digests of jaxlib's programs, as this package prints them; it is made by
`tests/make_recorded_shardings.py`.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from make_recorded_passes import digest, ours
from make_recorded_shardings import programs, with_shardings

RECORDED = json.loads(Path(__file__).with_name("recorded_shardings.json").read_text())


PROGRAMS = [each for each in programs() if each[0] in RECORDED]


@pytest.mark.parametrize(("name", "text", "kind", "seed"), PROGRAMS, ids=[each[0] for each in PROGRAMS])
def test_programs_are_those_of_jaxlib(name: str, text: str, kind: str, seed: int) -> None:
    program = with_shardings(text, kind, seed)
    found = {pipeline: digest(ours(program, pipeline) or "") for pipeline in RECORDED[name]}
    assert found == RECORDED[name]
