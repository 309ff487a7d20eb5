"""Code actions: fixes of lint, suggested names, suppression comments, explanations; code lenses."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from lsprotocol import types

from stablehlo_py.linter.catalogue import is_rule, named
from stablehlo_py.linter.fixes import fix
from stablehlo_py.linter.options import PREFIX
from stablehlo_py.linter.settings import Settings
from stablehlo_py.linter.suppressions import CANNOT_SUPPRESS, with_ignore
from stablehlo_py.lsp.diagnostics import SOURCE
from stablehlo_py.lsp.document import Document
from stablehlo_py.lsp.feature import Feature, Session
from stablehlo_py.lsp.formatting import edits

RUN, EXPLAIN = "shlo.run", "shlo.explain"
_FIX_ALL = f"{types.CodeActionKind.SourceFixAll.value}.shlo"
_SUGGESTION = re.compile(r"did you mean (\S+)\?")


def code_actions(
    session: Session, document: Document, params: types.CodeActionParams
) -> list[types.CodeAction]:
    """Return the actions for the diagnostics at a place."""
    found: list[types.CodeAction] = []
    uri = params.text_document.uri
    for diagnostic in params.context.diagnostics:
        if diagnostic.source == SOURCE:
            found += _for_diagnostic(session, document, uri, diagnostic)
    wanted = params.context.only
    if wanted is None or any(_FIX_ALL.startswith(getattr(kind, "value", kind)) for kind in wanted):
        found += _fix(session, document, uri, None, None)
    if wanted is None:
        return found
    prefixes = tuple([str(getattr(kind, "value", kind)) for kind in wanted])
    return [a for a in found if str(getattr(a.kind, "value", a.kind)).startswith(prefixes)]


def _for_diagnostic(
    session: Session, document: Document, uri: str, diagnostic: types.Diagnostic
) -> Iterator[types.CodeAction]:
    quick = types.CodeActionKind.QuickFix
    place = diagnostic.range
    suggestion = _SUGGESTION.search(diagnostic.message)
    if suggestion is not None:
        old = document.text[document.offset(place.start) : document.offset(place.end)]
        new = f'"{suggestion[1]}"' if old.startswith('"') else suggestion[1]
        change = types.WorkspaceEdit(changes={uri: [types.TextEdit(place, new)]})
        title = f"Change to {suggestion[1]}"
        yield types.CodeAction(title, quick, [diagnostic], is_preferred=True, edit=change)
    data = diagnostic.data if isinstance(diagnostic.data, dict) else {}
    code = str(data.get("code", diagnostic.code))
    rule = code.removeprefix(PREFIX)
    if code.startswith(PREFIX) and is_rule(rule) and rule not in CANNOT_SUPPRESS:
        yield from _fix(session, document, uri, rule, diagnostic)
        start = document.line_start(document.offset(place.start))
        old = document.line(start)
        edit = types.TextEdit(document.range(start, start + len(old)), with_ignore(old, [rule]))
        change = types.WorkspaceEdit(changes={uri: [edit]})
        yield types.CodeAction(f"Suppress {rule} here", quick, [diagnostic], edit=change)
    if "." in code:
        command = types.Command(f"Explain {rule}", EXPLAIN, arguments=[code])
        yield types.CodeAction(f"Explain {rule}", quick, [diagnostic], command=command)


def _fix(
    session: Session, document: Document, uri: str, rule: str | None, diagnostic: types.Diagnostic | None
) -> Iterator[types.CodeAction]:
    """Yield the action that applies the fixes of a rule, or of all rules, to a document of one module."""
    if len(document.parts) != 1 or document.parts[0].recovered.diagnostics:
        return
    if rule is not None and not named(rule)[0].fixable:
        return
    settings: Settings = replace(session.project(document).lint, allow_newer=document.allow_newer)
    chosen = settings if rule is None else replace(settings, select=(rule,))
    fixed = fix(document.text, chosen, document.name, allow_unregistered=True)
    if not fixed.counts:
        return
    change = types.WorkspaceEdit(changes={uri: list(edits(document, fixed.text))})
    kind = types.CodeActionKind.QuickFix if rule else _FIX_ALL
    about = [diagnostic] if diagnostic is not None else None
    title = f"Fix all {rule or 'problems'}"
    yield types.CodeAction(title, kind, about, is_preferred=True if rule else None, edit=change)


def code_lenses(session: Session, document: Document, params: types.CodeLensParams) -> list[types.CodeLens]:
    """Return a lens above every public function that runs it on random inputs."""
    found = []
    for op in document.ops:
        if op.is_function and op.regions and op.regions[0].blocks and not op.attribute("sym_visibility"):
            arguments: list[Any] = [params.text_document.uri, str(op.python_value("sym_name"))]
            command = types.Command("Run on random inputs", RUN, arguments=arguments)
            found.append(types.CodeLens(document.range(op.offset, op.offset), command))
    return found


FEATURES = (
    Feature(
        types.TEXT_DOCUMENT_CODE_ACTION,
        code_actions,
        types.CodeActionOptions([types.CodeActionKind.QuickFix, _FIX_ALL]),
    ),
    Feature(types.TEXT_DOCUMENT_CODE_LENS, code_lenses),
)
