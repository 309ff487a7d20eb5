"""Errors of a run, with the place of the op that raised them."""

from __future__ import annotations

from typing import TypeVar

from stablehlo_py.diagnostics.diagnostic import Diagnostic, RunError
from stablehlo_py.diagnostics.origin import origin
from stablehlo_py.ir.core import Module, Operation

E = TypeVar("E", bound=RunError)


def located(error: E, module: Module, op: Operation | None) -> E:
    """The same error with a diagnostic that names `op` and where it is, if there is an op and none yet."""
    if op is not None and error.diagnostic is None:
        line, column = module.position(op)
        notes = tuple(origin(op.location))
        short = op.name.partition(".")[2]
        error.diagnostic = Diagnostic("error", short, f"{op.name}: {error}", line, column, notes)
        error.args = (f"{module.name}:{line}:{column}: {op.name}: {error}",)
    return error
