"""Programs are printed and refused as the C++ parser, verifier and printer do, recorded from jaxlib."""

from __future__ import annotations

import json
from functools import cache
from typing import Any

import pytest

from tests.helpers import recorded_texts as recorded
from tests.helpers.changed_words import changed


@cache
def rows() -> dict[str, dict[str, Any]]:
    found: dict[str, dict[str, Any]] = json.loads(recorded.FILE.read_text())
    return found


def files(part: str) -> list[str]:
    """The names of files with programs that have rows in a part."""
    return sorted({name.rpartition("-")[0] for name in rows()[part]})


def of(part: str, file: str) -> dict[str, Any]:
    return {name: row for name, row in rows()[part].items() if name.rpartition("-")[0] == file}


@pytest.mark.parametrize("file", files("printed"))
def test_texts(file: str) -> None:
    found = {name: recorded.texts(recorded.programs()[name]) for name in of("printed", file)}
    assert found == of("printed", file)


@pytest.mark.parametrize("file", files("refused"))
def test_lines_of_errors(file: str) -> None:
    found = {}
    for name in of("refused", file):
        program, _, number = name.partition("/")
        text = changed(program, recorded.programs()[program])[int(number)]
        found[name] = recorded.line_of_error(text)
    assert found == of("refused", file)
