"""Passes on shardings make the programs that Shardy makes in jaxlib 0.10.2.

`recorded_shardings.json` has digests of jaxlib's programs, as this package prints them; it is made by
`tests/make_recorded_shardings.py`.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from make_recorded_passes import digest
from make_recorded_shardings import programs, with_shardings

import stablehlo_py as shlo
from tests.helpers.each import check_each

RECORDED = json.loads(Path(__file__).with_name("recorded_shardings.json").read_text())
PROGRAMS = {name: rest for name, *rest in programs() if name in RECORDED}


@pytest.mark.parametrize("name", PROGRAMS)
def test_programs_are_those_of_jaxlib(name: str) -> None:
    """Programs between the passes are not verified: the result is one that jaxlib has verified."""
    program = with_shardings(*PROGRAMS[name])

    def check(pipeline: str) -> None:
        found = shlo.opt(shlo.parse(program, "-"), pipeline, verify_each=False)
        assert digest(shlo.format(found)) == RECORDED[name][pipeline]

    check_each(check, list(RECORDED[name]))
