"""Expected diagnostics in comments: `// expected-error@+1 {{text}}`, as in upstream's tests.

    // expected-error {{..}}          an error on this line; also warning, note and remark
    // expected-error@+1 {{..}}       on the next line; @-2, @above and @below (past other such comments)
    // expected-error-re {{a {{.*}}}} with regular expressions in {{ }}
    // expected-error 2 {{..}}        twice

`line` requires a diagnostic of that severity on that line, with any text, since messages differ from
upstream's. Upstream stops at the first error of the syntax, and at the first of each function: what follows a
stated error there is not unexpected. Notes and remarks are ignored. `text` also requires the text to occur in
the code, message or notes of as many diagnostics as stated, and all errors to be stated. In both, unexpected
errors are reported; unexpected warnings are not.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Literal, NamedTuple

from stablehlo_py.cli.sources import Text

from stablehlo_py.diagnostics.diagnostic import Diagnostic

if TYPE_CHECKING:
    from stablehlo_py import Module


Match = Literal["line", "text"]
MATCHES = ("line", "text")

_COMMENT = re.compile(
    r"//.*?\b(?P<all>expected-(?P<severity>error|warning|note|remark)(?P<re>-re)?"
    r"[ \t]*(?:@(?P<at>[+-]\d+|above|below))?[ \t]*(?P<count>\d+)?[ \t]*\{\{(?P<text>.*)\}\})"
)
_HOLE = re.compile(r"\{\{(.*?)\}\}")


class Expectation(NamedTuple):
    """Expected diagnostics on the line `target`, stated by a comment at `line` and `column`."""

    severity: str
    target: int
    text: re.Pattern[str]
    times: int
    line: int
    column: int
    words: str


class _InvalidPattern(Exception):
    """An invalid regular expression; its argument is the diagnostic."""


def check_expectations(
    text: Text, diagnostics: Sequence[Diagnostic], match: Match, module: Module | None
) -> list[Diagnostic]:
    """Compare diagnostics with the expectations in the comments of a text.

    Args:
        text: The text of the module.
        diagnostics: Its diagnostics.
        match: How to match them.
        module: The module; None if it cannot be built.

    Returns:
        The unexpected errors, and an error for each unmatched expectation.
    """
    try:
        expectations = list(_expectations(text))
    except _InvalidPattern as error:
        return [*error.args]
    if match == "text":
        return _by_text(expectations, diagnostics)
    is_syntax = any(d.code == "parse" for d in diagnostics)
    functions = [module.line(op) for op in module.body.ops] if module and not is_syntax else []
    return _by_line(expectations, diagnostics, sorted(functions))


def _expectations(text: Text) -> Iterator[Expectation]:
    """Parse the expectations in the comments of a text; raise _InvalidPattern for a bad expression."""
    rows = [_COMMENT.search(line) for line in text.text.split("\n")]
    for row, found in enumerate(rows):
        if found is None:
            continue
        line, column = text.first_line + row, found.start("all") + 1
        try:
            pattern = _pattern(found["text"], is_pattern=bool(found["re"]))
        except re.error as error:
            message = f"invalid regular expression: {error}"
            raise _InvalidPattern(Diagnostic("error", "expected", message, line, column)) from None
        target = text.first_line + _target(row, found["at"] or "+0", rows)
        times = int(found["count"] or 1)
        yield Expectation(found["severity"], target, pattern, times, line, column, found["text"])


def _target(row: int, at: str, rows: Sequence[object]) -> int:
    """Return the row that an expectation refers to."""
    if at not in ("above", "below"):
        return row + int(at)
    step = 1 if at == "below" else -1
    row += step
    while 0 <= row < len(rows) and rows[row]:
        row += step
    return row


def _pattern(text: str, is_pattern: bool) -> re.Pattern[str]:
    if not is_pattern:
        return re.compile(re.escape(text))
    parts = _HOLE.split(text)  # every other part is a regular expression
    pattern = "".join(f"(?:{part})" if i % 2 else re.escape(part) for i, part in enumerate(parts))
    return re.compile(pattern, re.MULTILINE)


def _by_line(
    expectations: Sequence[Expectation], diagnostics: Sequence[Diagnostic], functions: Sequence[int]
) -> list[Diagnostic]:
    asked = [e for e in expectations if e.severity in ("error", "warning")]
    there = {(d.severity, d.line) for d in diagnostics}
    stated = {(e.severity, e.target) for e in asked}
    errors = [d for d in diagnostics if d.severity == "error"]
    last: dict[int, int] = {}  # where upstream stops: the first stated error, by function
    for line in sorted(d.line for d in errors if ("error", d.line) in stated):
        last.setdefault(bisect_right(functions, line), line)
    unexpected = [d for d in errors if d.line < last.get(bisect_right(functions, d.line), d.line + 1)]
    missing = [_missing(e) for e in asked if (e.severity, e.target) not in there]
    return sorted([*unexpected, *missing], key=lambda d: (d.line, d.column))


def _by_text(expectations: Sequence[Expectation], diagnostics: Sequence[Diagnostic]) -> list[Diagnostic]:
    left = list(diagnostics)
    missing = []
    for expectation in expectations:
        is_note = expectation.severity in ("note", "remark")  # attached to an error or warning
        answers = [d for d in (diagnostics if is_note else left) if _answers(d, expectation)]
        if len(answers) < expectation.times:
            missing.append(_missing(expectation))
        if not is_note:
            taken = answers[: expectation.times]
            left = [d for d in left if not any(d is one for one in taken)]
    unexpected = [d for d in left if d.severity == "error"]
    return sorted([*unexpected, *missing], key=lambda d: (d.line, d.column))


def _answers(diagnostic: Diagnostic, expectation: Expectation) -> bool:
    if diagnostic.line != expectation.target:
        return False
    if expectation.severity in ("note", "remark"):
        return any(map(expectation.text.search, diagnostic.notes))
    words = "\n".join((diagnostic.code, diagnostic.message, *diagnostic.notes))
    return diagnostic.severity == expectation.severity and bool(expectation.text.search(words))


def _missing(expectation: Expectation) -> Diagnostic:
    where = f" on line {expectation.target}" if expectation.target != expectation.line else ""
    message = f"expected {expectation.severity}{where} was not produced: {expectation.words}"
    end = expectation.column + len("expected-") + len(expectation.severity)
    return Diagnostic("error", "expected", message, expectation.line, expectation.column, (), end)
