"""Passes that jaxlib 0.10.2 has make the program that jaxlib makes, constants and order of ops included.

`recorded_passes.json` has digests of jaxlib's programs, as this package prints them; it is made by
`tests/make_recorded_passes.py`.
"""

from __future__ import annotations

import json
from collections import defaultdict
from pathlib import Path

import pytest
from make_recorded_passes import digest, ours, programs

RECORDED = json.loads(Path(__file__).with_name("recorded_passes.json").read_text())
PROGRAMS = dict(programs())
BY_PASS = defaultdict(list)
for _name, _row in RECORDED.items():
    for _pipeline in _row:
        BY_PASS[_pipeline].append(_name)


@pytest.mark.parametrize("pipeline", BY_PASS)
def test_programs_are_those_of_jaxlib(pipeline: str) -> None:
    made = {name: digest(ours(PROGRAMS[name], pipeline) or "") for name in BY_PASS[pipeline]}
    assert made == {name: RECORDED[name][pipeline] for name in BY_PASS[pipeline]}
