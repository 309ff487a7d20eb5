"""Blanks and comments between tokens of programs: what C++ accepts is accepted, and comments are kept."""

from __future__ import annotations

import random
import re
from pathlib import Path

import pytest
from conftest import ROOT
from test_printing import Oracle, oracle

import stablehlo_py as shlo

__all__ = ["oracle"]

FILES = [*(ROOT / "tests" / "oracle" / "language").glob("*.mlir"), *(ROOT / "testdata").rglob("*.mlir")]
PLACES = 4  # of a program, drawn
INSERTED = (" // c!x\n", ' // c>"\n', "\n", "  ")
TOKEN = re.compile(
    r'(?P<kept>"(?:[^"\\\n]|\\.)*"|//[^\n]*|\s+)|%[\w$.-]+(?:#\d+)?|[#!@^][\w$.-]+|->|::|[<>=]=|\{-#|#-\}|'
    r"-?0x[0-9a-fA-F]+\b|-?\d+(?=x)|(?<=[\d?*])x(?=[\d?*a-z!])|-?\d+\.\d*(?:[eE][-+]?\d+)?|-?\d+|[A-Za-z_][\w$.]*|."
)
CHECK = re.compile(r"^ *check\..*(?:\n.*->.*)?$", re.MULTILINE)  # ops that the oracle does not know


def places(text: str) -> list[int]:
    """Where tokens begin."""
    return [match.start() for match in TOKEN.finditer(text) if not match["kept"] and match.start()]


def programs(path: Path) -> list[str]:
    return [CHECK.sub("", text) for text in re.split(r"^// -----.*$", path.read_text(), flags=re.MULTILINE)]


def assert_spaced(text: str) -> None:
    """The program parses, and formatting keeps its comments at once."""
    module = shlo.parse(text, allow_unregistered=True)
    authored = shlo.format(module, canonical=False)
    again = shlo.parse(authored, allow_unregistered=True)
    assert sorted(comment for _, comment in again.comments) == sorted(c.rstrip() for _, c in module.comments)
    assert shlo.format(again, canonical=False) == authored


@pytest.mark.parametrize("path", sorted(FILES), ids=lambda path: path.stem)
def test_inserted_blanks_and_comments(path: Path, oracle: Oracle) -> None:
    draw = random.Random(path.stem)
    for program in programs(path):
        theirs = oracle.texts(program)
        found = places(program)
        if theirs is None or "dialect_resources" in program:  # C++ renames resources that it has seen
            continue
        for place in draw.sample(found, min(PLACES, len(found))):
            text = program[:place] + draw.choice(INSERTED) + program[place:]
            if (spaced := oracle.texts(text)) is not None:
                assert_spaced(text)
                assert spaced[1] == theirs[1]
