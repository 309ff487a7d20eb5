"""What a rule of `shlo lint` is: its names, its documentation, and the function that applies it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from stablehlo_py.diagnostics.diagnostic import Severity
from stablehlo_py.ir.core import BlockArgument, Operation
from stablehlo_py.linter.context import LintContext
from stablehlo_py.linter.settings import Settings

Place = Operation | BlockArgument | int
Fix = Callable[[], Sequence[Operation]]


@dataclass(frozen=True, slots=True)
class Finding:
    """What a rule found: the op, argument or character that it is about, and what to say.

    `fix` puts it right by a change to the module that holds the op, and gives the ops which that leaves over.
    Those are then erased, unless an op that stays uses them.
    """

    place: Place
    message: str
    notes: tuple[str, ...] = ()
    fix: Fix | None = None


Check = Callable[[LintContext, Settings], Iterator[Finding]]


@dataclass(frozen=True, eq=False)
class Rule:
    """A rule. `code` is a letter for its family and a number, `name` what people write; both are stable.

    `summary` is one line, `why` says what the finding costs, `remedy` what to do about it; `bad` is a program
    that the rule finds something in, `good` one in which it does not. `options` are its settings, and
    `example_settings` those under which it speaks of `bad`. A rule that is not `default` is to be selected.
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
