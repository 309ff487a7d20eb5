"""Rewrite rules: rows of pattern, condition and replacement; see `docs/writing-a-rule.md`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from stablehlo_py.ir.core import Operation, Value
    from stablehlo_py.notation.environment import Environment
    from stablehlo_py.transforms.rewriter import Rewriter

# The replacement of a rule as code: given the matched op (the last one of the pattern) and what the names of
# the pattern stand for, returns the values that replace its results (None for a result without uses), True if
# it changed the program in place, or None if the rule does not apply.
Rewrite = Callable[["Rewriter", "Operation", "Environment"], "Sequence[Value | None] | bool | None"]


@dataclass(frozen=True, slots=True)
class Rule:
    """A rewrite rule.

    Attributes:
        name: The name, in the form `family-what`.
        pattern: The ops that it matches, one a line, each after those that define its operands; the last one
            is replaced. See `rules.pattern` for the notation.
        replacement: The ops that replace the last one, and a last line with its values; or code.
        condition: What else must hold, as a formula of the names in the pattern; "" for nothing.
        example: The body of a function that the rule matches, for tests and the documentation: ops in their
            pretty form, in which the values that no op defines are arguments.
        doc: What a reader should know besides; of a rule with code, what it does.
        inexact: Why results may differ from those before, and by how much; "" if they are bit for bit the
            same.
        benefit: Added to the number of ops in the pattern; rules for which this is higher are tried first.
        merge: Whether discardable attributes of the replaced op are added to the op that replaces it.
    """

    name: str
    pattern: str
    replacement: str | Rewrite
    condition: str = ""
    example: str = ""
    doc: str = ""
    inexact: str = ""
    benefit: int = 0
    merge: bool = True
