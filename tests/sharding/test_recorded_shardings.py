"""Passes on shardings make the programs that Shardy makes in jaxlib 0.10.2.

`recorded_shardings.json` has digests of jaxlib's programs, as this package prints them; it is made by
`tests/make_recorded_shardings.py`.
"""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path

import pytest
from make_recorded_passes import digest, ours
from make_recorded_shardings import programs, with_shardings

RECORDED = json.loads(Path(__file__).with_name("recorded_shardings.json").read_text())
PROGRAMS = {name: rest for name, *rest in programs() if name in RECORDED}


@cache
def program(name: str) -> str:
    text, kind, seed = PROGRAMS[name]
    return with_shardings(text, kind, seed)


@pytest.mark.parametrize(("name", "pipeline"), [(name, each) for name in PROGRAMS for each in RECORDED[name]])
def test_programs_are_those_of_jaxlib(name: str, pipeline: str) -> None:
    assert digest(ours(program(name), pipeline) or "") == RECORDED[name][pipeline]
