"""Navigation: definition, references, highlights and rename of values, blocks, symbols and aliases."""

from __future__ import annotations

import re

from lsprotocol import types
from pygls.exceptions import JsonRpcInvalidParams

from stablehlo_py.lsp.document import Document
from stablehlo_py.lsp.feature import Feature, Session
from stablehlo_py.lsp.names import Name

_VALID = {
    "%": re.compile(r"\d+|[A-Za-z_$.\-][\w$.\-]*"),
    "^": re.compile(r"\d+|[A-Za-z_$.\-][\w$.\-]*"),
    "@": re.compile(r"[A-Za-z_][\w$.]*"),
    "#": re.compile(r"[A-Za-z_][\w$\-]*"),
    "!": re.compile(r"[A-Za-z_][\w$\-]*"),
}


def definition(
    session: Session, document: Document, params: types.DefinitionParams
) -> list[types.Location] | None:
    """Return where the name at a position is defined."""
    name = document.name_at(document.offset(params.position))
    found = document.definition(name) if name is not None else None
    uri = params.text_document.uri
    return [types.Location(uri, document.range(found.start, found.end))] if found is not None else None


def references(session: Session, document: Document, params: types.ReferenceParams) -> list[types.Location]:
    """Return the uses of the name at a position, and its definition if asked for."""
    uri = params.text_document.uri
    names = _occurrences(document, params.position)
    defined = document.definition(names[0]) if names else None
    shown = [name for name in names if params.context.include_declaration or name != defined]
    return [types.Location(uri, document.range(name.start, name.end)) for name in shown]


def highlights(
    session: Session, document: Document, params: types.DocumentHighlightParams
) -> list[types.DocumentHighlight]:
    """Return the occurrences of the name at a position."""
    kinds = types.DocumentHighlightKind
    names = _occurrences(document, params.position)
    defined = document.definition(names[0]) if names else None
    return [
        types.DocumentHighlight(
            document.range(name.start, name.end), kinds.Write if name == defined else kinds.Read
        )
        for name in names
    ]


def _occurrences(document: Document, position: types.Position) -> list[Name]:
    name = document.name_at(document.offset(position))
    return document.occurrences(name) if name is not None else []


def prepare_rename(
    session: Session, document: Document, params: types.PrepareRenameParams
) -> types.Range | None:
    """Return the range of the name at a position, without its sigil; None if it cannot be renamed."""
    names = _occurrences(document, params.position)
    name = document.name_at(document.offset(params.position))
    if name is None or not names or any(each.start == each.end for each in names):
        return None
    return document.range(name.start + 1, name.end)


def rename(session: Session, document: Document, params: types.RenameParams) -> types.WorkspaceEdit:
    """Rename the name at a position, everywhere."""
    name = document.name_at(document.offset(params.position))
    names = _occurrences(document, params.position)
    if name is None or not names or any(each.start == each.end for each in names):
        raise JsonRpcInvalidParams("there is no name here that can be changed")
    sigil = name.text[0]
    new = params.new_name.removeprefix(sigil)
    if not _VALID[sigil].fullmatch(new):
        raise JsonRpcInvalidParams(f"{sigil}{new} is not a valid name")
    found = document.first_definition(sigil + new, names) if new != name.text[1:] else None
    if found is not None:
        line = document.position(found.start).line + 1
        raise JsonRpcInvalidParams(f"{sigil}{new} is already defined in line {line}")
    edits = [types.TextEdit(document.range(each.start + 1, each.end), new) for each in names]
    return types.WorkspaceEdit(changes={params.text_document.uri: edits})


FEATURES = (
    Feature(types.TEXT_DOCUMENT_DEFINITION, definition),
    Feature(types.TEXT_DOCUMENT_REFERENCES, references),
    Feature(types.TEXT_DOCUMENT_DOCUMENT_HIGHLIGHT, highlights),
    Feature(types.TEXT_DOCUMENT_PREPARE_RENAME, prepare_rename),
    Feature(types.TEXT_DOCUMENT_RENAME, rename, types.RenameOptions(prepare_provider=True)),
)
