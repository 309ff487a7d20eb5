"""Hover: the type of a value, the summary of an op with its errors, the definition of a symbol or alias."""

from __future__ import annotations

from lsprotocol import types

from stablehlo_py.analysis.op_reference import explain
from stablehlo_py.diagnostics.origin import origin
from stablehlo_py.ir.core import BlockArgument, Operation, OpResult, Value
from stablehlo_py.lsp.diagnostics import find_diagnostics
from stablehlo_py.lsp.document import Document
from stablehlo_py.lsp.feature import Feature, Session
from stablehlo_py.lsp.names import Name

_SHOWN = 400  # characters of a definition


def hover(session: Session, document: Document, params: types.HoverParams) -> types.Hover | None:
    """Describe what is at a position."""
    offset = document.offset(params.position)
    name = document.name_at(offset)
    if name is not None:
        return _shown(document, _describe(document, name), name.start, name.end)
    op = document.op_at(offset)
    if op is None:
        return None
    end = name_end(document, op)
    if op.offset <= offset <= end:
        return _shown(document, describe_op(session, document, op), op.offset, end)
    return None


def name_end(document: Document, op: Operation) -> int:
    """Return the offset after the name of an op in the text."""
    quote = document.text[op.offset] == '"'
    if quote:
        return document.text.index('"', op.offset + 1) + 1
    length = len(op.name) if document.text.startswith(op.name, op.offset) else len(op.name.partition(".")[2])
    return op.offset + length


def _shown(document: Document, text: str, start: int, end: int) -> types.Hover | None:
    content = types.MarkupContent(types.MarkupKind.Markdown, text)
    return types.Hover(content, document.range(start, end)) if text else None


def _describe(document: Document, name: Name) -> str:
    match name.text[0]:
        case "%":
            return "\n\n".join(
                dict.fromkeys(_value(document, value, name) for value in document.values(name))
            )
        case "@":
            op = document.symbol_op(name)
            return _code(header(document, op)) if op is not None else ""
        case _:
            definition = document.definition(name)
            if definition is None:
                return ""
            return _code(document.line(definition.start).strip()[:_SHOWN])


def _value(document: Document, value: Value, name: Name) -> str:
    parts = [_code(f"{name.text}: {value.type}")]
    count = len({use.op for use in value.uses})
    uses = f"{count} {'use' if count == 1 else 'uses'}"
    match value:
        case BlockArgument():
            owner = value.block.parent_op
            parts.append(f"argument {value.index} of {f'`{owner.name}`' if owner else 'a block'}, {uses}")
            location = value.location
        case OpResult():
            line = document.position(value.op.offset).line + 1
            parts.append(f"result of `{value.op.name}` in line {line}, {uses}")
            location = value.op.location
        case _:
            return parts[0]
    return "\n\n".join([*parts, *origin(location)])


def describe_op(session: Session, document: Document, op: Operation) -> str:
    """Describe an op: what it does, its form, its errors, and where it was created."""
    data = explain(op.name)
    parts = [f"**{op.name}**"]
    if data is not None:
        link = f" ([specification]({data['specification']}))" if data["specification"] else ""
        parts = [f"**{op.name}**{link}", data["doc"], _code(data["form"] or data["generic_form"])]
        if data["deprecated"]:
            parts.append(f"Deprecated: use {data['deprecated']}.")
    types_of = " ".join(str(value.type) for value in op.results)
    parts += [f"Results: `{types_of}`"] if op.results and not op.regions else []
    place = document.source.position(op.offset)
    errors = [d for d in find_diagnostics(session, document) if (d.line, d.column) == place]
    parts += [_code("\n".join([f"{d.severity}: {d.message}", *d.notes])) for d in errors]
    parts += origin(op.location) if not errors else []
    return "\n\n".join(part for part in parts if part)


def header(document: Document, op: Operation) -> str:
    """Return the text of an op up to its body."""
    text = document.text[op.offset : op.end]
    brace = text.find("{\n")
    return (text[:brace] if brace >= 0 else text)[:_SHOWN].strip()


def _code(text: str) -> str:
    return f"```mlir\n{text}\n```" if text else ""


FEATURES = (Feature(types.TEXT_DOCUMENT_HOVER, hover),)
