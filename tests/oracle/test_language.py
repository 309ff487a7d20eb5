"""Programs that cover the language: verdicts and texts equal those of the C++ verifier and printer."""

from __future__ import annotations

import csv
from functools import cache
from pathlib import Path

import pytest

from tests.helpers.printed import cpp_texts, texts

pytest.importorskip("jaxlib")

FOLDER = Path(__file__).parent / "language"


@cache
def programs() -> dict[str, str]:
    """The programs by name: the files of the folder, cut at `// -----`."""
    return {
        f"{path.stem}-{number}": text
        for path in sorted(FOLDER.glob("*.mlir"))
        for number, text in enumerate(path.read_text().split("// -----\n"))
    }


@cache
def differing() -> dict[str, str]:
    """The programs of which we say something else, by the name in their first line."""
    texts = Path(__file__).with_name("differences.mlir").read_text().split("// -----\n")
    return {text.splitlines()[0].removeprefix("// "): text for text in texts}


@cache
def answers() -> dict[str, list[str] | None]:
    """What C++ makes of each program."""
    asked = programs() | differing()
    return dict(zip(asked, cpp_texts(list(asked.values())), strict=True))


@pytest.mark.parametrize("name", programs())
def test_program(name: str) -> None:
    found, theirs = texts(programs()[name]), answers()[name]
    assert (found is None) == (theirs is None)
    if found is not None and theirs is not None:
        assert [text.rstrip() for text in found] == [text.rstrip() for text in theirs]
        assert all(again is not None and again[0] == found[0] for again in map(texts, found))


@cache
def reasons() -> dict[str, dict[str, str]]:
    """The rows of `differences.csv` for these programs, by name."""
    rows = csv.DictReader((FOLDER.parents[1] / "differences.csv").read_text().splitlines())
    return {row["program"]: row for row in rows if row["where"] == "language"}


def test_each_difference_has_a_program() -> None:
    assert differing().keys() == reasons().keys()


@pytest.mark.parametrize("name", differing())
def test_difference(name: str) -> None:
    row, found, theirs = reasons()[name], texts(differing()[name]), answers()[name]
    assert (found is None) == (row["ours"] == "rejected")
    assert (theirs is None) == (row["upstream"] == "rejected")
    if found is not None and theirs is not None:
        assert found[0].rstrip() != theirs[0].rstrip()
        assert texts(found[0]) == found
