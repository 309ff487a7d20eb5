"""Violations, and the diagnostics made of them."""

from __future__ import annotations

import re
from typing import NamedTuple

from stablehlo_py.diagnostics.diagnostic import Diagnostic, Severity
from stablehlo_py.diagnostics.origin import origin, positions
from stablehlo_py.ir.attributes import StructAttr
from stablehlo_py.ir.core import Block, BlockArgument, Module, Operation

Place = Operation | Block | BlockArgument


class Violation(NamedTuple):
    """What is wrong with an op, a block or an argument, before it has a position.

    `at`: the property of the op that it is wrong with.
    """

    where: Place
    code: str
    message: str
    notes: tuple[str, ...] = ()
    severity: Severity = "error"
    at: str = ""


_PIECES = re.compile(r'"(?:[^"\\]|\\.)*"|//[^\n]*|([{}])|([\w.$]+)\s*=(?!=)\s*')


def property_position(module: Module, op: Operation, name: str) -> tuple[int, int] | None:
    """Line and column of what is wrong with a property, where that is not the op's own position.

    As the C++ verifier has it: a structured attribute's own text; for others, the dictionary behind a
    pretty form. The op's text is searched, so this is for failures only.
    """
    if op.offset < 0:
        return None
    text, end = module.source.text, op.end if op.end >= 0 else len(module.source.text)
    opened: list[int] = []
    for match in _PIECES.finditer(text, op.offset, end):
        if match[1] == "{":
            opened.append(match.start())
        elif match[1] and opened:
            opened.pop()
        elif match[2] == name:
            if isinstance(op.attribute(name), StructAttr):
                return module.source.position(match.end())
            is_pretty = text[op.offset] != '"'
            return module.source.position(opened[-1]) if opened and is_pretty else None
    return None


def line_note(module: Module, where: Place) -> str:
    """` (line 4)` for what has a position, "" otherwise."""
    line = module.line(where)
    return f" (line {line})" if line else ""


def diagnose(module: Module, violation: Violation) -> Diagnostic:
    """The diagnostic for a violation, with the place in the author's program where it is known."""
    line, column = module.position(violation.where)
    if violation.at and isinstance(violation.where, Operation):
        line, column = property_position(module, violation.where, violation.at) or (line, column)
    notes = (*violation.notes, *origin_notes(violation.where))
    made = () if isinstance(violation.where, Block) else positions(violation.where.location)
    return Diagnostic(violation.severity, violation.code, violation.message, line, column, notes, origin=made)


def origin_notes(where: Place) -> list[str]:
    """The file and line that a place's location names: usually the Python that made it."""
    return [] if isinstance(where, Block) else origin(where.location)
