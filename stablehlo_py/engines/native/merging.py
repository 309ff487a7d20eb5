"""Function merging: functions that differ in integer constants only become one that takes them as parameters.

Loop nests of a network differ in extents and strides. A constant that something is divided by stays a
constant, since dividing by others is slow; in the epilogues of products it does not, since these divide
once for a row of a tile.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

_NAME = r"(@nest\d+|@epilogue\.\w+\.body)"
_FUNCTION = re.compile(rf"define internal \w+ {_NAME}\(")
_CALL = re.compile(rf"call (\w+) {_NAME}\(([^\n]*)\)")
_SIZES = r"(?:add|sub|mul)(?: \w+)* i64|icmp \w+ i64|getelementptr \w+, ptr %\w+, i64|select i1 %\w+, i64"
_IN_NESTS = re.compile(rf"  %\w+ = (?:{_SIZES}) ")
_IN_EPILOGUES = re.compile(rf"  %\w+ = (?:{_SIZES}|u(?:div|rem) i64) ")
_CONSTANT = re.compile(r"(?<= )-?\d+(?=,|$)")


def merge_functions(functions: Sequence[str]) -> tuple[list[str], dict[str, tuple[str, tuple[str, ...]]]]:
    """Merge functions of loop nests.

    Args:
        functions: The definitions of functions; those of nests and epilogues are called by the others only.

    Returns:
        The definitions, with calls of the merged ones; and for the name of each of these that of the function
        which it is, and the constants that calls pass on besides.
    """
    groups: dict[str, list[str]] = {}
    others: list[str] = []
    for text in functions:
        if _FUNCTION.match(text):
            groups.setdefault(_pattern(text), []).append(text)
        else:
            others.append(text)
    found: list[str] = []
    calls: dict[str, tuple[str, tuple[str, ...]]] = {}
    for group in groups.values():
        found.append(_merged(group, calls) if len(group) > 1 else group[0])

    def call(match: re.Match[str]) -> str:
        type, name, arguments = match.groups()
        merged, constants = calls.get(name, (name, ()))
        return (
            f"call {type} {merged}({', '.join([arguments, *(f'i64 {constant}' for constant in constants)])})"
        )

    return [*found, *(_CALL.sub(call, text) for text in others)], calls


def _arithmetic(text: str) -> re.Pattern[str]:
    """The lines of a function whose constants may be parameters."""
    return _IN_NESTS if text.startswith("define internal i8") else _IN_EPILOGUES


def _pattern(text: str) -> str:
    """A function without its name and the constants of arithmetic."""
    head, _, body = text.partition("\n")
    arithmetic = _arithmetic(text)
    lines = [_CONSTANT.sub("#", line) if arithmetic.match(line) else line for line in body.split("\n")]
    return "\n".join([head.partition("(")[2], *lines])


def _merged(group: Sequence[str], calls: dict[str, tuple[str, tuple[str, ...]]]) -> str:
    """The function that several are; adds what calls of each pass on besides."""
    columns = list(zip(*map(_constants, group), strict=True))
    numbers: dict[tuple[str, ...], int] = {}  # parameters, by the constants that they are
    for column in columns:
        if len(set(column)) > 1:
            numbers.setdefault(column, len(numbers))
    names = [found[1] for text in group if (found := _FUNCTION.match(text))]
    for place, name in enumerate(names):
        calls[name] = names[0], tuple([column[place] for column in numbers])
    values = iter([f"%c{numbers[column]}" if column in numbers else column[0] for column in columns])
    head, *lines = group[0].split("\n")
    parameters = "".join([f", i64 %c{number}" for number in numbers.values()])
    first, last = head.rsplit(")", 1)
    arithmetic = _arithmetic(head)
    body = [_CONSTANT.sub(lambda _: next(values), line) if arithmetic.match(line) else line for line in lines]
    return "\n".join([f"{first}{parameters}){last}", *body])


def _constants(text: str) -> list[str]:
    arithmetic = _arithmetic(text)
    lines = [line for line in text.split("\n") if arithmetic.match(line)]
    return [constant for line in lines for constant in _CONSTANT.findall(line)]
