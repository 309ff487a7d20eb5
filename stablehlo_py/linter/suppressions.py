"""Family S, and suppression comments: `// shlo: ignore[dead-op]`, `// shlo: ignore-file[...]`.

A comment that trails an op applies to its line; one on a line of its own applies to the next line that is not
a comment; `ignore-file` applies to the whole file. Without brackets, a comment applies to all rules.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import field

from stablehlo_py.ir.core import Module
from stablehlo_py.ir.locations import Source
from stablehlo_py.ir.records import dataclass
from stablehlo_py.linter.context import LintContext
from stablehlo_py.linter.rule import Finding, Rule
from stablehlo_py.linter.settings import Settings

_LISTED = re.compile(r"(//\s*shlo:\s*ignore\[)([^\]]*)\]")
_COMMENT = re.compile(r"//\s*shlo:\s*ignore(?P<file>-file)?(?:\[(?P<rules>[^\]]*)\])?")


@dataclass(slots=True)
class Suppression:
    """A suppression comment: its offset, the line it applies to (0 for all), and its selectors."""

    offset: int
    line: int
    words: tuple[str, ...]
    used: set[str] = field(default_factory=set)  # selectors that suppressed a finding


def suppressions(module: Module) -> list[Suppression]:
    """Return the suppression comments of a module."""
    found = []
    lines = _Lines(module.source)
    for offset, text in module.comments:
        match = _COMMENT.match(text)
        if match is not None:
            listed = match["rules"]
            words = ("all",) if listed is None else tuple([w.strip() for w in listed.split(",") if w.strip()])
            found.append(Suppression(offset, 0 if match["file"] else lines.applies_to(offset), words))
    return found


class _Lines:
    """The lines that comments apply to, asked for in order."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self._last = source.position(len(source.text))[0]
        self._next = 0  # the line after the comments that were searched last

    def applies_to(self, offset: int) -> int:
        """Return the line that a comment applies to."""
        line, column = self._source.position(offset)
        if self._source.line(line)[: column - 1].strip():
            return line
        self._next = max(self._next, line)
        while self._next < self._last and self._source.line(self._next).lstrip().startswith("//"):
            self._next += 1
        return self._next


def _found_by_the_engine(context: LintContext, settings: Settings) -> Iterator[Finding]:
    yield from ()


def unused(comments: Iterable[Suppression], applied: set[str]) -> Iterator[Finding]:
    """Find selectors that suppressed nothing, among those whose rules were applied (`applied`)."""
    for comment in comments:
        idle = [word for word in comment.words if word not in comment.used and word in applied]
        if idle:
            yield Finding(comment.offset, f"unused suppression of {', '.join(idle)}")


def with_ignores(text: str, rules: Mapping[int, Iterable[str]]) -> str:
    """Add suppression comments to a program.

    Args:
        text: The text of the program.
        rules: The names of the rules to suppress, by line number from 1.

    Returns:
        The text with the comments: at the end of a line, or above a line that continues or has a comment.
    """
    lines = text.split("\n")
    for number in rules:
        lines[number - 1] = with_ignore(lines[number - 1], rules[number])
    return "\n".join(lines)


def with_ignore(line: str, rules: Iterable[str]) -> str:
    """Return a line of a program with a comment that suppresses rules, or the comment and the line."""
    code, end = (line[:-1], "\r") if line.endswith("\r") else (line, "")
    present = _LISTED.search(code)
    if present is not None:
        words = dict.fromkeys([*filter(None, map(str.strip, present[2].split(","))), *sorted(rules)])
        return f"{code[: present.start(2)]}{', '.join(words)}{code[present.end(2) :]}{end}"
    comment = f"// shlo: ignore[{', '.join(sorted(rules))}]"
    nesting = sum(map(code.count, "<[(")) - sum(map(code.replace("->", "").count, ">])"))
    if "//" in code or nesting:
        indent = code[: len(code) - len(code.lstrip())]
        return f"{indent}{comment}{end}\n{line}"
    return f"{code.rstrip()}  {comment}{end}"


_GOOD = """func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %unused = stablehlo.exponential %x : tensor<4xf32>  // shlo: ignore[dead-op]
  return %x : tensor<4xf32>
}"""

UNUSED = Rule(
    code="S101",
    name="unused-suppression",
    summary="Suppression comment without a finding",
    why="It hides findings that later changes introduce.",
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
    summary="Suppression comment with an unknown rule",
    why="It suppresses nothing.",
    remedy="Correct the name: shlo lint --explain lists the rules.",
    bad="""func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  return %x : tensor<4xf32>  // shlo: ignore[ded-op]
}""",
    good=_GOOD,
    check=_found_by_the_engine,
)
RULES = (UNUSED, UNKNOWN)
CANNOT_SUPPRESS = frozenset(rule.name for rule in RULES)
