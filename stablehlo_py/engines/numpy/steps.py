"""Steps that are bound to NumPy functions."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import field
from typing import Any

from stablehlo_py.interpreter.plan import Step
from stablehlo_py.ir.records import dataclass


@dataclass(slots=True)
class BoundStep(Step):
    """A step with the function that it calls on the values of `ins`.

    Attributes:
        call: Returns the value of the slot in `outs`, or a tuple of several.
        in_place: The call that overwrites the operands at `overwrites`.
        rows: The equivalent of `call` on a matrix, returning a column, for reductions of the last dimension.
    """

    call: Callable[..., Any] = field(kw_only=True)
    in_place: Callable[..., Any] | None = None
    rows: Callable[..., Any] | None = None

    @classmethod
    def of(cls, step: Step, call: Callable[..., Any]) -> BoundStep:
        """Bind a step of a plan to a call."""
        return cls(
            step.name,
            step.op,
            step.ins,
            step.outs,
            step.definition,
            step.keywords,
            callee=step.callee,
            deferred=step.deferred,
            returns_tuple=step.returns_tuple,
            effect=step.effect,
            varying=step.varying,
            aliases=step.aliases,
            call=call,
        )
