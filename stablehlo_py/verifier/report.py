"""Violations, and their conversion to diagnostics."""

from __future__ import annotations

import re
from typing import NamedTuple

from stablehlo_py.diagnostics.diagnostic import Diagnostic, Severity
from stablehlo_py.diagnostics.origin import origin, positions
from stablehlo_py.ir.attributes import StructAttr
from stablehlo_py.ir.core import Block, BlockArgument, Module, Operation

Place = Operation | Block | BlockArgument


class Violation(NamedTuple):
    """A violation of a rule by an op, a block or a block argument, without a position.

    Attributes:
        where: The op, block or argument.
        code: The code of the diagnostic.
        message: The message.
        notes: Further lines.
        severity: The severity.
        at: The property of the op that violates the rule, or "".
        spec_only: Whether the specification's text alone demands the rule; the violation is a warning.
    """

    where: Place
    code: str
    message: str
    notes: tuple[str, ...] = ()
    severity: Severity = "error"
    at: str = ""
    spec_only: bool = False


_PIECES = re.compile(r'"(?:[^"\\]|\\.)*"|//[^\n]*|([{}])|([\w.$]+)\s*=(?!=)\s*')


def property_position(module: Module, op: Operation, name: str) -> tuple[int, int] | None:
    """Find the position of an error in a property, if it differs from that of the op.

    As in the C++ verifier, it is that of the text of a structured attribute, and for other attributes that of
    the attribute dictionary of the custom assembly form. This searches the op's text, so it is slow.

    Returns:
        The line and column, from 1, or None for the position of the op.
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
    """Format a line number as ` (line 4)`, or return "" if there is none."""
    line = module.line(where)
    return f" (line {line})" if line else ""


def diagnose(module: Module, violation: Violation) -> Diagnostic:
    """Convert a violation to a diagnostic with its position and Python source location."""
    line, column = module.position(violation.where)
    if violation.at and isinstance(violation.where, Operation):
        line, column = property_position(module, violation.where, violation.at) or (line, column)
    notes = (*violation.notes, *origin_notes(violation.where))
    made = () if isinstance(violation.where, Block) else positions(violation.where.location)
    severity: Severity = "warning" if violation.spec_only else violation.severity
    return Diagnostic(
        severity, violation.code, violation.message, line, column, notes, 0, made, violation.spec_only
    )


def origin_notes(where: Place) -> list[str]:
    """Return notes with the source location of an op or argument, usually in Python."""
    return [] if isinstance(where, Block) else origin(where.location)
