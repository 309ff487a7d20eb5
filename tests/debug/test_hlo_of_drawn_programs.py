"""Modules of HLO, of drawn programs: equal under other names, and with one edit different in one place."""

from __future__ import annotations

import re
from functools import cache

import pytest

import stablehlo_py as shlo
from stablehlo_py.debug.blame.changes import changes
from stablehlo_py.debug.compare_hlo import compare_hlo
from stablehlo_py.debug.generate.programs import Request, generate
from stablehlo_py.hlo.from_stablehlo import from_stablehlo
from stablehlo_py.hlo.parser import parse_hlo

COUNT = 8
EDITS = {
    " add(": " subtract(",
    " maximum(": " minimum(",
    " and(": " or(",
    " negate(": " abs(",
    " xor(": " and(",
}


@cache
def text_of(number: int) -> str:
    """A module as text; "" of a program that has no form in HLO."""
    try:
        return from_stablehlo(generate(51, number, Request(ops=22)).module).to_string()
    except shlo.ParseError:
        return ""


def renamed(text: str) -> str:
    """Give each instruction and computation another name, and names that others had before."""
    names = sorted(set(re.findall(r"%([\w.\-]+)", text)))
    new = dict(zip(names, [*names[3:], *names[:3]], strict=True))
    return re.sub(r"%([\w.\-]+)", lambda match: f"%{new[match[1]]}", text)


@pytest.mark.parametrize("number", range(COUNT))
def test_names_make_no_difference(number: int) -> None:
    text = text_of(number)
    if text:
        first, second = parse_hlo(text), parse_hlo(renamed(text))
        assert renamed(text) != text and compare_hlo(first, second) == compare_hlo(second, first) == []


@pytest.mark.parametrize("number", range(COUNT))
def test_an_edit_is_a_difference_in_one_line(number: int) -> None:
    """Another instruction is removed and added, at its line; others take it as another operand."""
    lines = text_of(number).splitlines()
    places = [
        (i, op) for i, line in enumerate(lines) for op in EDITS if op in line and "metadata" not in line
    ]
    if not places:
        return
    at, op = places[number % len(places)]
    edited = [*lines[:at], lines[at].replace(op, EDITS[op]), *lines[at + 1 :]]
    first, second = (parse_hlo("\n".join(each) + "\n") for each in (lines, edited))
    found = compare_hlo(first, second)
    gone, new, other = (
        [each for each in found if each.kind == kind] for kind in ("removed", "added", "changed")
    )
    if gone or new:
        assert [each.line_before for each in gone] == [each.line_after for each in new] == [at + 1]
        assert op in gone[0].before and EDITS[op] in new[0].after
    for each in other:
        assert all(
            d.startswith(("operand ", "to_apply", "calls", "body", "condition", "branch_"))
            for d in each.details
        )
    assert gone or new or other
    rows, others = changes(first, second, [at + 1], [at + 1])
    assert [(sign, line) for sign, line, _ in rows] == [("-", at + 1), ("+", at + 1)] and others == 0
