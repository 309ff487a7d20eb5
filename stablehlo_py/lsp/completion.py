"""Completion of ops, attributes, enumerators, values with their types, symbols, aliases and types."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from functools import cache

from lsprotocol import types

from stablehlo_py.ir.element_types import ELEMENT_TYPES
from stablehlo_py.lsp.document import Document
from stablehlo_py.lsp.feature import Feature, Session
from stablehlo_py.lsp.names import Name
from stablehlo_py.opset.definition import Attr, OpDef, all_definitions, lookup

_WORD = re.compile(r"[%@#!^]?[\w.$\-]*\Z")
_OP = re.compile(r'(?:^|=)[ \t]*"?([A-Za-z_][\w.$]*)"?')
_OWN = re.compile(r"[ \t]*(?::\d+)?[ \t]*(?:,[^(\n]*)?=[^\n]*\Z")  # a result of the statement itself
_TENSORS = 20  # types of the document that are offered
_KINDS = types.CompletionItemKind


def complete(session: Session, document: Document, params: types.CompletionParams) -> types.CompletionList:
    """Return what can stand at a position."""
    offset = document.offset(params.position)
    before = document.text[document.line_start(offset) : offset]
    word = _WORD.search(before)
    typed = word[0] if word is not None else ""
    edit = document.range(offset - len(typed), offset)
    items = list(_items(document, offset - len(typed), before[: len(before) - len(typed)], typed))
    for item in items:
        item.text_edit = types.TextEdit(edit, item.insert_text or item.label)
        item.insert_text = None
    return types.CompletionList(is_incomplete=False, items=items)


def _items(document: Document, offset: int, before: str, typed: str) -> Iterable[types.CompletionItem]:
    if typed[:1] in ("%", "^", "#", "!", "@"):
        return _names(document, offset, typed[0])
    op = statement_op(before)
    if op is None:
        return _ops(before.rstrip().endswith('"'))
    if re.search(r"(?::|->|,|\()\s*\Z", before) and re.search(
        r"(?<!:):(?!:)", before[before.index(op.name.split(".")[-1]) :]
    ):
        return _types(document)
    return [*_attributes(op), *_names(document, offset, "%")]


def statement_op(before: str) -> OpDef | None:
    """Return the op of a statement, given its text before a position."""
    found = _OP.search(before)
    if found is None:
        return None
    name = found[1]
    return lookup(name) or lookup(f"func.{name}") or lookup(f"builtin.{name}")


@cache
def _op_rows() -> tuple[tuple[str, str, str, bool], ...]:
    """Return name, result pattern, documentation and deprecation of every op."""
    return tuple([(d.name, d.doc, d.deprecated, d.form is not None) for d in all_definitions()])


def _ops(is_quoted: bool) -> Iterator[types.CompletionItem]:
    for name, doc, deprecated, has_form in _op_rows():
        if is_quoted or has_form:
            yield types.CompletionItem(
                label=name,
                kind=_KINDS.Function,
                detail=f"use {deprecated}" if deprecated else None,
                documentation=doc,
                tags=[types.CompletionItemTag.Deprecated] if deprecated else None,
            )


def _attributes(op: OpDef) -> Iterator[types.CompletionItem]:
    """Yield the attributes of an op and the values of its enumerations."""
    seen = set()
    for part in op.inputs:
        if not isinstance(part, Attr):
            continue
        if part.kind.enum is not None:
            for value in part.kind.enum.values:
                yield types.CompletionItem(label=value, kind=_KINDS.EnumMember, detail=part.name)
        if part.property not in seen:
            seen.add(part.property)
            insert = f"{part.property} = "
            yield types.CompletionItem(
                label=part.property, kind=_KINDS.Property, detail=part.kind.phrase, insert_text=insert
            )


def _names(document: Document, offset: int, sigil: str) -> Iterator[types.CompletionItem]:
    """Yield the names that are visible at an offset, those defined last first."""
    part = document.part_at(offset)

    def is_inside(start: int, end: int) -> bool:  # what is not closed goes on at the end of the text
        return start < offset < end or offset == end == part.end

    around = [start for start, end in part.scan.braces if is_inside(start, end)]
    own = {result for start in around for result in part.scan.owners[start]}
    found: dict[str, Name] = {}
    for name in part.scan.names:
        if name.text[0] != sigil or name.start == offset:
            continue
        if sigil == "@":
            is_visible = document.symbol(name) == name
        elif sigil == "%":
            is_around = is_inside(name.start, name.scope[1])
            is_own = name.start in own or _OWN.match(document.text, name.end, offset) is not None
            is_visible = name.is_definition and is_around and not is_own
        else:
            is_visible = name.is_definition
        if is_visible:
            found[name.text] = name
    kinds = {"%": _KINDS.Variable, "@": _KINDS.Function, "^": _KINDS.Reference}
    for rank, (text, name) in enumerate(reversed(found.items())):
        values = document.values(name) if sigil == "%" else []
        yield types.CompletionItem(
            label=text,
            kind=kinds.get(sigil, _KINDS.Constant),
            detail=", ".join(dict.fromkeys(str(value.type) for value in values)) or None,
            sort_text=f"{rank:06}",
            filter_text=text,
        )


def _types(document: Document) -> Iterator[types.CompletionItem]:
    """Yield the most frequent types of the document, and the element types."""
    counts: Counter[str] = Counter()
    for op in document.ops:
        arguments = (argument for block in op.blocks for argument in block.arguments)
        counts.update(str(value.type) for value in (*op.results, *arguments))
    common = [text for text, _ in counts.most_common(_TENSORS)]
    for rank, text in enumerate([*common, *map(str, ELEMENT_TYPES)]):
        yield types.CompletionItem(label=text, kind=_KINDS.TypeParameter, sort_text=f"{rank:06}")


FEATURES = (
    Feature(
        types.TEXT_DOCUMENT_COMPLETION,
        complete,
        types.CompletionOptions(trigger_characters=["%", "@", "#", "!", "^", ".", '"']),
    ),
)
