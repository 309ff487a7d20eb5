"""The options of `shlo run` that explain how a program runs: its plan, and the loops of the native engine."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from functools import wraps
from typing import Any, NamedTuple

import click
from stablehlo_py.cli import common

_WORDS = re.compile(
    r"(?P<comment>//.*)"
    r"|(?P<keyword>\b(?:for|parallel|vectorized|unrolled|while|where|if|else|in|reduce|fold|and)\b)"
    r"|(?P<memory>\b(?:load|store|let|input|output|constant|scratch|frame)\b)"
)
_COLOURS = {"comment": "bright_black", "keyword": "magenta", "memory": "cyan"}


class Explanation(NamedTuple):
    """What is printed instead of running a program: its plan, or its loops after a stage."""

    stage: str | None

    def text(self, program: Any) -> str:
        """Return the text, loops with colours if a terminal shows them."""
        text: str = program.explain(self.stage)
        if self.stage is None:
            return text
        paint = common.paint(sys.stdout)
        return _WORDS.sub(lambda match: paint(match[0], fg=_COLOURS[match.lastgroup or ""]), text)


_OPTIONS = [
    click.option("--explain", is_flag=True, help="Print the plan instead of running it."),
    click.option(
        "--print-after",
        metavar="STAGE",
        help="With --explain and --engine native: print the loops that are compiled as they are after STAGE, "
        "or after all.",
    ),
]


def explain_options(command: Callable[..., int]) -> Callable[..., int]:
    """Add the options to a command, passed to it as `explain`, an Explanation or None."""

    @wraps(command)
    def with_explanation(explain: bool, print_after: str | None, engine: Any, **given: Any) -> int:
        if print_after is not None:
            _check_stage(print_after, explain, engine)
        return command(explain=Explanation(print_after) if explain else None, engine=engine, **given)

    decorated: Callable[..., int] = with_explanation
    for option in reversed(_OPTIONS):
        decorated = option(decorated)
    return decorated


def _check_stage(stage: str, explain: bool, engine: Any) -> None:
    """Raise UsageError for a stage that the engine does not have, or that is given without --explain."""
    from stablehlo_py.engines.program import staged  # imports what runs programs

    if not explain or engine.name != "native":
        raise click.UsageError("--print-after requires --explain and --engine native")
    try:
        staged(engine, stage)
    except ValueError as error:
        raise click.BadParameter(str(error), param_hint="'--print-after'") from None
