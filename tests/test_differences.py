"""Differences from the C++ verifier's verdicts, listed in `differences.csv` with reasons."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from conftest import SHARED

import stablehlo_py as shlo

CASES = SHARED / "conformance"

needs_cases = pytest.mark.skipif(not CASES.is_dir(), reason="needs the folder ../shared/conformance")


@cache
def differences() -> list[dict[str, str]]:
    text = Path(__file__).with_name("differences.csv").read_text()
    return list(csv.DictReader(text.splitlines()))


def known(where: str) -> set[tuple[str, str]]:
    return {(row["program"], row["ours"]) for row in differences() if row["where"] == where}


def error_lines(text: str) -> set[int]:
    """The lines on which we find errors; empty if there are none."""
    try:
        module = shlo.parse(text, allow_unregistered=True)
    except shlo.ParseError as error:
        return {d.line for d in error.diagnostics}
    return {d.line for d in shlo.verify(module) if d.severity == "error"}


def difference(text: str, wanted: set[int], valid: bool) -> str:
    """How our verdict on a program differs from a label: the lines of errors, or that there are none."""
    lines = error_lines(text)
    if valid:
        return "rejected" if lines else ""
    if not lines:
        return "accepted"
    return "" if wanted <= lines else "rejected on an earlier line"


def labelled() -> Iterator[tuple[str, str, list[int]]]:
    for name, label in json.loads((CASES / "cases.json").read_text()).items():
        yield name, (CASES / name).read_bytes().decode("utf-8", "surrogateescape"), label["errors"]


def mutants() -> list[dict[str, Any]]:
    rows = [json.loads(line) for line in (CASES / "mutants.jsonl").read_text().splitlines()]
    return [row for row in rows if row["ok"] is not None]


def test_each_difference_has_a_reason() -> None:
    assert all(row["reason"] and row["ours"] != row["upstream"] for row in differences())


@pytest.mark.slow
@needs_cases
def test_cases() -> None:
    found = set()
    for name, text, lines in labelled():
        how = difference(text, set(lines), valid=not lines)
        if how:
            found.add((name, how))
    assert found == known("cases")


@pytest.mark.slow
@needs_cases
def test_mutants() -> None:
    found = set()
    for row in mutants():
        how = difference(row["text"], {row["line"]} - {None}, row["ok"])
        if how:
            found.add((row["id"], how))
    assert found == known("mutants")
