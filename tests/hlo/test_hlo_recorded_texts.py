"""HLO texts are read, printed and refused as XLA's parser and printer do, recorded from jaxlib; and programs
of one op have XLA's recorded results after a way to HLO and back."""

from __future__ import annotations

import json
from collections import defaultdict
from functools import cache
from typing import Any

import pytest

import stablehlo_py as shlo
from tests.helpers import recorded_hlo as recorded
from tests.helpers.agreement import bound, distance, least_size


@cache
def rows() -> dict[str, Any]:
    found: dict[str, Any] = json.loads(recorded.FILE.read_text())
    return found


def grouped(names: list[str]) -> dict[str, list[str]]:
    """Names by what precedes the number in them."""
    found = defaultdict(list)
    for name in names:
        found[name.partition("/")[0]].append(name)
    return found


TEXTS = grouped([name for name in rows() if name in recorded.files()])
OPS = grouped([name for name in rows() if name in recorded.runs()])


@pytest.mark.parametrize("name", TEXTS)
def test_texts(name: str) -> None:
    found = {each: recorded.printed(recorded.files()[each]) for each in TEXTS[name]}
    assert found == {each: rows()[each] for each in TEXTS[name]}


PROTOS = grouped(list(recorded.protos()))


@pytest.mark.parametrize("name", PROTOS)
def test_protobufs(name: str) -> None:
    rows = {each: recorded.protos()[each] for each in PROTOS[name]}
    assert [each for each, (data, text) in rows.items() if recorded.printed_proto(data) != text] == []


@pytest.mark.parametrize("op", OPS)
def test_programs_of_one_op(op: str) -> None:
    for name in OPS[op]:
        run = recorded.runs()[name]
        text = recorded.text_of(run)
        assert text is not None and recorded.printed(text) == rows()[name], name
        ours = shlo.run(shlo.parse(text), run.arguments, engine="numpy")
        least = least_size(run.op, run.results)
        apart = [distance(*pair, least) for pair in zip(ours, run.results, strict=True)]
        assert max(apart, default=0.0) <= bound(run.op, run.elements), name
