"""Run-time errors with the location of the op that raised them."""

from __future__ import annotations

from typing import TypeVar

from stablehlo_py.diagnostics.diagnostic import Diagnostic, RunError
from stablehlo_py.diagnostics.origin import origin
from stablehlo_py.ir.core import Module, Operation

E = TypeVar("E", bound=RunError)


def located(error: E, module: Module, op: Operation | None) -> E:
    """Attach a diagnostic with the name and location of an op to an error.

    Args:
        error: The error; one that has a diagnostic is returned unchanged.
        module: The module that contains the op.
        op: The op, or None.

    Returns:
        The error.
    """
    if op is not None and error.diagnostic is None:
        line, column = module.position(op)
        notes = tuple(origin(op.location))
        short = op.name.partition(".")[2]
        error.diagnostic = Diagnostic("error", short, f"{op.name}: {error}", line, column, notes)
        error.args = (f"{module.name}:{line}:{column}: {op.name}: {error}",)
    return error
