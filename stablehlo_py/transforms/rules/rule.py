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
        pattern: The matched ops, a line each, after the definitions of their operands. The last op is
            replaced. See `rules.pattern` for the notation.
        replacement: The ops that replace the last op, and a last line with its values; or code.
        condition: A further condition, as a formula of the names in the pattern; "" without.
        example: The body of a function that the rule matches, for tests and the documentation: ops in their
            pretty form, in which the values that no op defines are arguments.
        doc: Remarks for readers; for a rule with code, its description.
        inexact: Why, and by how much, results may change; "" if they are equal bit for bit.
        benefit: Added to the number of ops in the pattern; rules with a higher sum are tried first.
        merge: Whether discardable attributes of the replaced op are added to its replacement.
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
