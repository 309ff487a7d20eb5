"""Steps that are bound to NumPy functions."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from stablehlo_py.interpreter.plan import Step


@dataclass(slots=True)
class BoundStep(Step):
    """A step and what it calls with the values of `ins`.

    Attributes:
        call: gives the value of the slot in `outs`, or a tuple of several.
        in_place: `call` as it is where the operands at `overwrites` are written into.
        rows: the same as `call` on a matrix, giving a column, where it reduces an array's last dimension.
    """

    call: Callable[..., Any] = field(kw_only=True)
    in_place: Callable[..., Any] | None = None
    rows: Callable[..., Any] | None = None

    @classmethod
    def of(cls, step: Step, call: Callable[..., Any]) -> BoundStep:
        """A step of a plan, bound to a call."""
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
