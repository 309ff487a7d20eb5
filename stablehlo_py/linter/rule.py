"""Lint rules and findings."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from stablehlo_py.diagnostics.diagnostic import Severity
from stablehlo_py.ir.core import BlockArgument, Operation
from stablehlo_py.ir.records import dataclass
from stablehlo_py.linter.context import LintContext
from stablehlo_py.linter.settings import Settings

Place = Operation | BlockArgument | int
Fix = Callable[[], Sequence[Operation]]


@dataclass(frozen=True, slots=True)
class Finding:
    """A finding of a rule.

    Attributes:
        place: The op, block argument or character offset that it refers to.
        message: The message of the diagnostic.
        notes: Notes of the diagnostic.
        fix: Changes the module and returns the ops that may now be unused, which are erased if they are;
            None if there is no automatic fix.
    """

    place: Place
    message: str
    notes: tuple[str, ...] = ()
    fix: Fix | None = None


Check = Callable[[LintContext, Settings], Iterator[Finding]]


@dataclass(frozen=True, eq=False)
class Rule:
    """A lint rule.

    Attributes:
        code: A letter for the family and a number, stable.
        name: The name, stable.
        summary: A noun phrase that describes the finding.
        why: Why the finding is a problem.
        remedy: How to fix it.
        bad: A program with a finding.
        good: The program without it.
        check: Yields the findings in a module.
        severity: The default severity.
        default: Whether the rule is on by default.
        fixable: Whether findings have an automatic fix.
        options: The names of its settings.
        example_settings: Settings under which `bad` has a finding.
    """

    code: str
    name: str
    summary: str
    why: str
    remedy: str
    bad: str
    good: str
    check: Check
    severity: Severity = "warning"
    default: bool = True
    fixable: bool = False
    options: tuple[str, ...] = ()
    example_settings: tuple[tuple[str, object], ...] = ()
