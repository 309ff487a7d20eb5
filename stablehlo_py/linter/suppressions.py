"""Family S, and the comments that it is about: `// shlo: ignore[dead-op]`, `// shlo: ignore-file[...]`.

A comment behind an op is about the findings of its line; one on a line of its own about those of the next
line that is no comment; `ignore-file` about all of the file. Without brackets, all rules are meant.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from stablehlo_py.ir.core import Module
from stablehlo_py.linter.context import LintContext
from stablehlo_py.linter.rule import Finding, Rule
from stablehlo_py.linter.settings import Settings

_COMMENT = re.compile(r"//\s*shlo:\s*ignore(?P<file>-file)?(?:\[(?P<rules>[^\]]*)\])?")


@dataclass(slots=True)
class Suppression:
    """A comment that silences rules: where it is, its line (0 for all), the words for the rules."""

    offset: int
    line: int
    words: tuple[str, ...]
    used: set[str] = field(default_factory=set)  # words that silenced something


def suppressions(module: Module) -> list[Suppression]:
    """The comments of a module that silence rules."""
    found = []
    for offset, text in module.comments:
        match = _COMMENT.match(text)
        if match is not None:
            listed = match["rules"]
            words = ("all",) if listed is None else tuple([w.strip() for w in listed.split(",") if w.strip()])
            found.append(Suppression(offset, 0 if match["file"] else _line(module, offset), words))
    return found


def _line(module: Module, offset: int) -> int:
    """The line that a comment is about."""
    source = module.source
    line, column = source.position(offset)
    if source.line(line)[: column - 1].strip():
        return line
    last = source.position(len(source.text))[0]
    while line < last and source.line(line).lstrip().startswith("//"):
        line += 1
    return line


def _found_by_the_engine(context: LintContext, settings: Settings) -> Iterator[Finding]:
    yield from ()


def unused(comments: Iterable[Suppression], applied: set[str]) -> Iterator[Finding]:
    """Findings for words that silenced nothing, of those whose rules were applied (`applied`)."""
    for comment in comments:
        idle = [word for word in comment.words if word not in comment.used and word in applied]
        if idle:
            yield Finding(comment.offset, f"there is nothing to ignore for {', '.join(idle)}")


_GOOD = """func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %unused = stablehlo.exponential %x : tensor<4xf32>  // shlo: ignore[dead-op]
  return %x : tensor<4xf32>
}"""

UNUSED = Rule(
    code="S101",
    name="unused-suppression",
    summary="A comment that ignores a rule which finds nothing there",
    why="It hides the finding that the next change brings.",
    remedy="Remove the comment.",
    bad="""func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  return %x : tensor<4xf32>  // shlo: ignore[dead-op]
}""",
    good=_GOOD,
    check=_found_by_the_engine,
    severity="note",
)
UNKNOWN = Rule(
    code="S102",
    name="unknown-suppression",
    summary="A comment that ignores a rule which does not exist",
    why="It silences nothing.",
    remedy="Correct the name: shlo lint --explain lists the rules.",
    bad="""func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  return %x : tensor<4xf32>  // shlo: ignore[ded-op]
}""",
    good=_GOOD,
    check=_found_by_the_engine,
)
RULES = (UNUSED, UNKNOWN)
