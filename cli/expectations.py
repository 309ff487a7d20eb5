"""What a program says is to be found in it: `// expected-error@+1 {{text}}`, as upstream's tests do.

    // expected-error {{..}}          an error on this line; also warning, note and remark
    // expected-error@+1 {{..}}       on the next line; @-2, @above and @below (past other such comments)
    // expected-error-re {{a {{.*}}}} the text holds regular expressions in {{ }}
    // expected-error 2 {{..}}        twice

`line` asks for a finding of that severity on that line, whatever its words: ours are not upstream's, and we
tell all that is wrong where upstream tells the first. Upstream's notes and remarks are then not asked for.
`text` asks for the words too, in the code, message or notes of as many findings as are stated. Errors that
are not expected are wrong in both; warnings need no expectation.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Literal, NamedTuple

from stablehlo_py.cli.sources import Text

from stablehlo_py import Diagnostic

Match = Literal["line", "text"]
MATCHES = ("line", "text")

_COMMENT = re.compile(
    r"//.*?\b(?P<all>expected-(?P<severity>error|warning|note|remark)(?P<re>-re)?"
    r"[ \t]*(?:@(?P<at>[+-]\d+|above|below))?[ \t]*(?P<count>\d+)?[ \t]*\{\{(?P<text>.*)\}\})"
)
_HOLE = re.compile(r"\{\{(.*?)\}\}")


class Expectation(NamedTuple):
    """Findings that are to be on a line, stated by a comment at `line` and `column`."""

    severity: str
    target: int
    text: re.Pattern[str]
    times: int
    line: int
    column: int
    words: str


class _NoExpression(Exception):
    """What is stated as a regular expression is none."""

    def __init__(self, diagnostic: Diagnostic) -> None:
        super().__init__(diagnostic.message)
        self.diagnostic = diagnostic


def check_expectations(text: Text, diagnostics: Sequence[Diagnostic], match: Match) -> list[Diagnostic]:
    """What is found and not expected, and what is expected and not found; [] if all is as stated."""
    try:
        expectations = list(_expectations(text))
    except _NoExpression as error:
        return [error.diagnostic]
    return _by_line(expectations, diagnostics) if match == "line" else _by_text(expectations, diagnostics)


def _expectations(text: Text) -> Iterator[Expectation]:
    """What the comments of a program state. Raises _NoExpression."""
    rows = [_COMMENT.search(line) for line in text.text.split("\n")]
    for row, found in enumerate(rows):
        if found is None:
            continue
        line, column = text.first_line + row, found.start("all") + 1
        try:
            pattern = _pattern(found["text"], is_pattern=bool(found["re"]))
        except re.error as error:
            message = f"this is no regular expression: {error}"
            raise _NoExpression(Diagnostic("error", "expected", message, line, column)) from None
        target = text.first_line + _target(row, found["at"] or "+0", rows)
        times = int(found["count"] or 1)
        yield Expectation(found["severity"], target, pattern, times, line, column, found["text"])


def _target(row: int, at: str, rows: Sequence[object]) -> int:
    """The row that an expectation in a row is about."""
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
    parts = _HOLE.split(text)  # every other one is an expression
    pattern = "".join(f"(?:{part})" if i % 2 else re.escape(part) for i, part in enumerate(parts))
    return re.compile(pattern, re.MULTILINE)


def _by_line(expectations: Sequence[Expectation], diagnostics: Sequence[Diagnostic]) -> list[Diagnostic]:
    asked = [e for e in expectations if e.severity in ("error", "warning")]
    there = {(d.severity, d.line) for d in diagnostics}
    stated = {(e.severity, e.target) for e in asked}
    unexpected = [d for d in diagnostics if d.severity == "error" and ("error", d.line) not in stated]
    missing = [_missing(e) for e in asked if (e.severity, e.target) not in there]
    return sorted([*unexpected, *missing], key=lambda d: (d.line, d.column))


def _by_text(expectations: Sequence[Expectation], diagnostics: Sequence[Diagnostic]) -> list[Diagnostic]:
    left = list(diagnostics)
    missing = []
    for expectation in expectations:
        is_note = expectation.severity in ("note", "remark")  # they are those of an error or warning
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
    message = f"this {expectation.severity} is expected{where}, and not found: {expectation.words}"
    end = expectation.column + len("expected-") + len(expectation.severity)
    return Diagnostic("error", "expected", message, expectation.line, expectation.column, (), end)
