"""Descriptions of the rules that diagnostics refer to, for reports that include help."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from stablehlo_py.diagnostics.diagnostic import Severity

if TYPE_CHECKING:
    from stablehlo_py.analysis.op_reference import Data


_PAGE = "https://github.com/openxla/stablehlo/blob/main/docs/spec.md"
_KINDS = {
    "parse": "Syntax error: unexpected token, or invalid name or literal.",
    "spelling": "A spelling of the specification's EBNF that upstream's parser refuses.",
    "ssa": "Use of an undefined value, or of a value with a different type.",
    "type": "Invalid type.",
    "structure": "The operands, results, attributes or regions of an op do not match its definition.",
    "symbol": "Undefined or redefined symbol.",
    "file": "The file cannot be read as a program.",
    "internal": "Internal error of shlo: please report it with the program.",
    "run": "The run failed.",
    "check": "A result is out of tolerance of the expected one.",
    "compare": "The results of an op differ from those of the other run, on equal operands.",
    "expected": "An expected diagnostic was not produced.",
}


class Rule(NamedTuple):
    """A rule that diagnostics refer to.

    Attributes:
        code: The code of its diagnostics.
        summary: One line.
        help: The full description: text, or Markdown if `is_markdown`.
        uri: Where it is documented, or "".
        severity: The severity of its diagnostics.
        is_markdown: Whether `help` is Markdown.
    """

    code: str
    summary: str
    help: str
    uri: str = ""
    severity: Severity = "error"
    is_markdown: bool = False


def describe(code: str) -> Rule:
    """Describe the rule of a diagnostic code of the parser, the verifier or the linter."""
    from stablehlo_py.analysis.op_reference import explain, select
    from stablehlo_py.linter.options import PREFIX

    if code.startswith(PREFIX):
        return _of_linter(code)

    op, _, label = code.rpartition(".")
    data = explain(op) if op else None
    rows = select(data, label) if data else []
    if data is None or not rows:
        words = _KINDS.get(code, f"Violation of {code}.")
        return Rule(code, words, words, _PAGE)
    return _of_definition(code, data, rows)


def _of_linter(code: str) -> Rule:
    from stablehlo_py.linter.catalogue import explanation, named

    (rule,) = named(code)
    return Rule(code, rule.summary, explanation(rule), severity=rule.severity, is_markdown=True)


def _of_definition(code: str, data: Data, rows: list[Data]) -> Rule:
    from stablehlo_py.analysis.op_reference import excerpt

    first = rows[0]
    words = f"{data['name']} ({first['label']}): {first.get('formula') or first['type']}"
    severity: Severity = "warning" if first.get("verdict") == "spec-only" else "error"
    return Rule(code, words, excerpt(data, rows, 100), data["specification"], severity)
