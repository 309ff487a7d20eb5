"""What the codes of findings mean, for reports that carry their own help."""

from __future__ import annotations

from typing import NamedTuple

from stablehlo_py.analysis.op_reference import Data, excerpt, explain, select
from stablehlo_py.diagnostics.diagnostic import Severity

_PAGE = "https://github.com/openxla/stablehlo/blob/main/docs/spec.md"
_KINDS = {
    "parse": "The text is not a program: a token, name or number stands where it cannot.",
    "ssa": "A value is used that is not defined there, or as of another type than it has.",
    "type": "A type is not one that the specification has.",
    "structure": "An op has not the operands, results, attributes or regions that its definition states.",
    "symbol": "A function or symbol is used that is not there, or is there twice.",
    "file": "There is no reading the file as a program.",
    "internal": "A bug of shlo: please report it with the program.",
    "expected": "The program states that a finding is to be expected, and there is none.",
}


class Rule(NamedTuple):
    """A rule that findings break: its code, one sentence, all there is to say, where to read on.

    `help` is text, or Markdown if `is_markdown`.
    """

    code: str
    summary: str
    help: str
    uri: str = ""
    severity: Severity = "error"
    is_markdown: bool = False


def describe(code: str) -> Rule:
    """The rule behind the code of a diagnostic of parser and verifier."""
    op, _, label = code.rpartition(".")
    data = explain(op) if op else None
    rows = select(data, label) if data else []
    if data is None or not rows:
        words = _KINDS.get(code, f"{code} is not as the specification has it.")
        return Rule(code, words, words, _PAGE)
    return _of_definition(code, data, rows)


def _of_definition(code: str, data: Data, rows: list[Data]) -> Rule:
    first = rows[0]
    words = f"{data['name']} ({first['label']}): {first.get('formula') or first['type']}"
    severity: Severity = "warning" if first.get("verdict") == "spec-only" else "error"
    return Rule(code, words, excerpt(data, rows, 100), data["specification"], severity)
