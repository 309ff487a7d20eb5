"""Every pass on every valid program: no exception but a refusal, a valid program, the same results."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from each_pass import check  # beside this file

import stablehlo_py as shlo
from stablehlo_py.debug.generate.programs import Request, generate


def valid(text: str) -> shlo.Module | None:
    """The module of a text, if it is valid."""
    try:
        module = shlo.parse(text, allow_unregistered=True)
    except shlo.ParseError:
        return None
    return None if any(d.severity == "error" for d in shlo.verify(module)) else module


@pytest.mark.parametrize("dynamic", [False, True], ids=["static", "dynamic"])
@pytest.mark.parametrize("number", range(3))
def test_drawn_programs(number: int, dynamic: bool) -> None:
    drawn = generate(21, number, Request(ops=8, dynamic=dynamic))
    check(shlo.parse(str(drawn.module)), drawn.arguments)


@pytest.mark.slow
@pytest.mark.parametrize("dynamic", [False, True], ids=["static", "dynamic"])
def test_many_drawn_programs(dynamic: bool) -> None:
    for number in range(16):
        drawn = generate(22, number, Request(ops=15, dynamic=dynamic))
        check(shlo.parse(str(drawn.module)), drawn.arguments)


_EVERY = 40  # program of the samples: all of them take hours


@pytest.mark.slow
def test_valid_programs_of_the_samples(shared: Path) -> None:
    labels = json.loads((shared / "conformance" / "cases.json").read_text())
    paths = [shared / "conformance" / name for name, label in labels.items() if not label["errors"]]
    for folder in ("transforms", "sharding", "programs"):
        paths += sorted((shared / folder).rglob("*.mlir"))
    tried = 0
    for path in paths[::_EVERY]:
        module = valid(path.read_text())
        if module is not None:
            tried += 1
            check(module)
    assert tried > 1000 // _EVERY
