"""XLA's errors as errors of the program, with the positions that they name."""

from __future__ import annotations

import re
from typing import TypeVar

from stablehlo_py.diagnostics.diagnostic import RunError
from stablehlo_py.interpreter.errors import located
from stablehlo_py.ir.core import Module, Operation

E = TypeVar("E", bound=RunError)
_FRAME = re.compile(r"\s*(Python Code Location:|File: )")  # the same position again
MOST_LINES = 12  # of a message of XLA


def xla_error(kind: type[E], error: Exception, module: Module) -> E:
    """Return an error of the program for an error of XLA.

    Args:
        kind: The type of the error.
        error: The error of XLA.
        module: The module of the program, whose positions in the text XLA was given as locations.

    Returns:
        The error, with the op that the message names, if any.
    """
    text = str(error).strip()
    words = re.sub(rf"{re.escape(module.name)}:\d+:\d+: (error: |(?=note: ))", "", text)
    lines = [line for line in words.splitlines() if line.strip() and not _FRAME.match(line)][:MOST_LINES]
    found = kind("XLA: " + "\n  ".join(lines))
    return located(found, module, _named_op(text, module))


def _named_op(text: str, module: Module) -> Operation | None:
    """Return the op at a position in a message: of the text, or in the metadata of an instruction."""
    name = re.escape(module.name)
    match = re.search(rf"{name}:(\d+):(\d+)", text)
    if match:
        return op_at(module, int(match[1]), int(match[2]))
    match = re.search(rf'source_file="{name}" source_line=(\d+)', text)
    return op_at(module, int(match[1]), 0) if match else None


def op_at(module: Module, line: int, column: int) -> Operation | None:
    """Return the op that starts at a position of the text; at column 0, the first of the line."""
    places = ((op, module.position(op)) for op in module.walk())
    return next((op for op, at in places if at[0] == line and column in (0, at[1])), None)
