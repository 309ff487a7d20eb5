"""Diagnostics of verify and lint, while a text changes."""

from __future__ import annotations

from lsprotocol import types

from stablehlo_py.diagnostics.diagnostic import Diagnostic
from stablehlo_py.diagnostics.render import underlined
from stablehlo_py.linter.catalogue import named
from stablehlo_py.linter.engine import lint_module
from stablehlo_py.linter.options import PREFIX
from stablehlo_py.linter.settings import Settings
from stablehlo_py.lsp.document import Document, Part
from stablehlo_py.lsp.feature import Session
from stablehlo_py.lsp.hlo import find_hlo_diagnostics
from stablehlo_py.verifier.verifier import verify_module

SOURCE = "shlo"
_SEVERITIES = {
    "error": types.DiagnosticSeverity.Error,
    "warning": types.DiagnosticSeverity.Warning,
    "note": types.DiagnosticSeverity.Information,
}
_TAGS = {"D": types.DiagnosticTag.Unnecessary, "P105": types.DiagnosticTag.Deprecated}
# What is undefined or missing in a program of which parts do not parse may stand in those parts.
_NEEDS_ALL = ("symbol", "structure", "ssa")


def find_diagnostics(session: Session, document: Document) -> list[Diagnostic]:
    """Return what verify and lint report about a document, as its project configures them."""
    project = session.project(document)
    if document.diagnosed is None or document.diagnosed[0] != project:
        if document.is_hlo:
            found = find_hlo_diagnostics(document)
        else:
            parts = document.parts
            found = [d for part in parts for d in _of_part(part, project.verify.strict, project.lint)]
        document.diagnosed = (project, found)
    return document.diagnosed[1]


def _of_part(part: Part, strict: bool, settings: Settings) -> list[Diagnostic]:
    recovered = part.recovered
    found = list(recovered.diagnostics)
    verified = verify_module(recovered.module, strict)
    if not recovered.is_complete:
        return [*found, *(d for d in verified if d.code not in _NEEDS_ALL)]
    found += verified
    if all(d.severity != "error" or d.code == "elided" for d in found):
        found += lint_module(recovered.module, settings=settings)
    return found


def to_protocol(document: Document, diagnostic: Diagnostic) -> types.Diagnostic:
    """Convert a diagnostic to one of the protocol."""
    start = end = 0
    if diagnostic.line:
        first = document.line_starts[diagnostic.line - 1]
        start, end = first + diagnostic.column - 1, first + underlined(document.line(first), diagnostic) - 1
    code = diagnostic.code
    tag = _tag(code)
    return types.Diagnostic(
        range=document.range(start, max(start, end)),
        message="\n".join([diagnostic.message, *diagnostic.notes]),
        severity=_SEVERITIES[diagnostic.severity],
        code=code.removeprefix(PREFIX),
        source=SOURCE,
        tags=[tag] if tag else None,
        data={"code": code, "notes": list(diagnostic.notes)},
    )


def _tag(code: str) -> types.DiagnosticTag | None:
    if not code.startswith(PREFIX):
        return None
    (rule,) = named(code)
    return _TAGS.get(rule.code) or _TAGS.get(rule.code[0])
