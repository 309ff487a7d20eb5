"""Function merging: functions that differ in constants only become one that takes them as parameters.

Loop nests of a network differ in extents, strides, and the numbers of elements in means. A constant that an
integer is divided by stays a constant, since dividing by others is slow; in the epilogues of products it does
not, since these divide once for a row of a tile. Powers of two that floats are computed with stay, too.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

_NAME = r"(@nest\d+|@epilogue\.\w+\.body)"
_FUNCTION = re.compile(rf"define internal \w+ {_NAME}\(")
_CALL = re.compile(rf"call (\w+) {_NAME}\(([^\n]*)\)")
_SIZES = r"(?:add|sub|mul)(?: \w+)* i64|icmp \w+ i64|getelementptr \w+, ptr %\w+, i64|select i1 %\w+, i64"
_IN_NESTS = re.compile(rf"  %\w+ = (?:{_SIZES}) ")
_IN_EPILOGUES = re.compile(rf"  %\w+ = (?:{_SIZES}|u(?:div|rem) i64) ")
_INTEGER = re.compile(r"(?<= )-?\d+(?=,|$)")
_OF_FLOATS = re.compile(r"  %\w+ = f(?:add|sub|mul|div)(?: \w+)* (float|double) ")
_FLOAT = re.compile(r"(?<= )0x[0-9A-F]{3}(?!0{13})[0-9A-F]{13}(?=,|$)")  # but powers of two


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


def _constants_of(text: str) -> Callable[[str], re.Pattern[str] | None]:
    """For a line of a function, the pattern of the constants that may be parameters; None without any."""
    arithmetic = _IN_NESTS if text.startswith("define internal i8") else _IN_EPILOGUES

    def pattern(line: str) -> re.Pattern[str] | None:
        return _INTEGER if arithmetic.match(line) else _FLOAT if _OF_FLOATS.match(line) else None

    return pattern


def _pattern(text: str) -> str:
    """A function without its name and the constants that may be parameters."""
    head, _, body = text.partition("\n")
    of = _constants_of(text)
    lines = [pattern.sub("#", line) if (pattern := of(line)) else line for line in body.split("\n")]
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
        calls[name] = names[0], tuple([str(int(column[place], 0)) for column in numbers])
    places = iter(columns)
    conversions: dict[str, str] = {}  # of parameters, by the floats that they give

    def value(constant: re.Match[str]) -> str:
        column = next(places)
        if column not in numbers:
            return constant[0]
        parameter = f"%c{numbers[column]}"
        floats = _OF_FLOATS.match(constant.string)
        if floats is None:
            return parameter
        converted = f"{parameter}.{floats[1]}"
        conversions[converted] = _conversion(parameter, converted, floats[1])
        return converted

    head, entry, *lines = group[0].split("\n")
    parameters = "".join([f", i64 %c{number}" for number in numbers.values()])
    first, last = head.rsplit(")", 1)
    of = _constants_of(head)
    body = [pattern.sub(value, line) if (pattern := of(line)) else line for line in lines]
    return "\n".join([f"{first}{parameters}){last}", entry, *conversions.values(), *body])


def _conversion(parameter: str, value: str, type: str) -> str:
    """The instructions that make a float from the bits by which it is written, those of a double."""
    if type == "double":
        return f"  {value} = bitcast i64 {parameter} to double"
    return f"  {value}d = bitcast i64 {parameter} to double\n  {value} = fptrunc double {value}d to float"


def _constants(text: str) -> list[str]:
    of = _constants_of(text)
    lines = [(line, pattern) for line in text.split("\n") if (pattern := of(line))]
    return [constant for line, pattern in lines for constant in pattern.findall(line)]
