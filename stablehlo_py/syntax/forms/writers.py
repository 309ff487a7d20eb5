"""What the writer of a `custom<...>` directive is."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from stablehlo_py.ir.core import Operation


@dataclass(frozen=True, slots=True)
class Custom:
    """The writer of a directive.

    `write` takes the printer, the op, and what each argument of the directive refers to: an operand's values,
    an attribute or None, a body's regions, a list of types. `own_spacing`: it also writes the space before
    itself, if any. `fits` says whether an op can be written this way, beyond what its definition says;
    `keeps_name_bare` that it goes without quotes even where it is written generically.
    """

    write: Callable[..., None]
    own_spacing: bool = False
    fits: Callable[[Operation], bool] | None = None
    keeps_name_bare: bool = False
