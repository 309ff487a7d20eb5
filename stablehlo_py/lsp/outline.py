"""The outline: document symbols, folding ranges and the call hierarchy."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from lsprotocol import types

from stablehlo_py.ir.core import Operation
from stablehlo_py.lsp.document import Document
from stablehlo_py.lsp.feature import Feature, Session
from stablehlo_py.lsp.hover import name_end
from stablehlo_py.lsp.names import Name

_RUN = re.compile(r"(?:^[ \t]*(//|#|!).*(?:\n|\Z)){2,}", re.MULTILINE)


def symbols(
    session: Session, document: Document, params: types.DocumentSymbolParams
) -> list[types.DocumentSymbol]:
    """Return the functions, and the ops in them that have regions."""
    found = []
    for part in document.parts:
        top = [part.module.op] if part.module.op.offset >= 0 else part.module.body.ops
        found += list(_symbols(document, top))
    return found


def _symbols(document: Document, ops: Iterable[Operation]) -> Iterator[types.DocumentSymbol]:
    for op in ops:
        if op.offset < 0 or not (op.regions or "sym_name" in op.properties) or op.end <= op.offset:
            continue
        start = document.start(op)
        kinds = types.SymbolKind
        kind = kinds.Module if op.is_module else kinds.Function if op.is_function else kinds.Operator
        symbol = op.python_value("sym_name")
        results = ", ".join(f"%{result.name}" for result in op.results if result.name)
        inner = (inner for block in op.blocks for inner in block.ops)
        yield types.DocumentSymbol(
            name=f"@{symbol}" if symbol else results or op.name,
            detail=op.name,
            kind=kind,
            range=document.range(start, op.end),
            selection_range=document.range(op.offset, name_end(document, op)),
            children=list(_symbols(document, inner)),
        )


def folding(
    session: Session, document: Document, params: types.FoldingRangeParams
) -> list[types.FoldingRange]:
    """Return the braces that span lines, and runs of comments and aliases."""
    found = []
    for part in document.parts:
        for start, end in part.scan.braces:
            first, last = document.position(start).line, document.position(end - 1).line - 1
            if last > first:
                found.append(types.FoldingRange(first, last, kind=types.FoldingRangeKind.Region))
    for run in _RUN.finditer(document.text):
        kinds = types.FoldingRangeKind
        first, last = document.position(run.start()).line, document.position(run.end() - 1).line
        found.append(types.FoldingRange(first, last, kind=kinds.Comment if run[1] == "//" else kinds.Region))
    return found


# Calls


def prepare_calls(
    session: Session, document: Document, params: types.CallHierarchyPrepareParams
) -> list[types.CallHierarchyItem] | None:
    """Return the function that the symbol at a position names, or that is around it."""
    offset = document.offset(params.position)
    name = document.name_at(offset)
    around = document.op_at(offset)
    op = document.symbol_op(name) if name is not None and name.text[0] == "@" else around and around.function
    return [_item(document, op, params.text_document.uri)] if op is not None and op.is_function else None


def _item(document: Document, op: Operation, uri: str) -> types.CallHierarchyItem:
    symbol = str(op.python_value("sym_name"))
    name = document.name_of(op, f"@{symbol}")
    place = (name.start, name.end) if name.start < name.end else (op.offset, name_end(document, op))
    return types.CallHierarchyItem(
        name=f"@{symbol}",
        kind=types.SymbolKind.Function,
        uri=uri,
        range=document.range(op.offset, op.end),
        selection_range=document.range(*place),
    )


def _function(document: Document, item: types.CallHierarchyItem) -> Operation | None:
    op = document.op_at(document.offset(item.selection_range.start))
    return op.function if op is not None else None


def _calls(document: Document, function: Operation) -> Iterator[tuple[Name, Operation]]:
    """Yield the symbols in a function that name others, and the functions they name."""
    for name in document.names_in(function.offset, function.end):
        if name.text[0] == "@":
            op = document.symbol_op(name)
            if op is not None and op.is_function and not _defines(document, name, op):
                yield name, op


def _defines(document: Document, name: Name, op: Operation) -> bool:
    """Test whether a symbol is the name in the op that defines it."""
    found = document.symbol(name)
    return found is not None and found.start == name.start


def incoming_calls(
    session: Session, document: Document, params: types.CallHierarchyIncomingCallsParams
) -> list[types.CallHierarchyIncomingCall]:
    """Return the functions that call a function, with the places."""
    called = _function(document, params.item)
    found: dict[Operation, list[types.Range]] = {}
    for op in document.ops:
        if op.is_function:
            ranges = [
                document.range(n.start, n.end) for n, callee in _calls(document, op) if callee is called
            ]
            found |= {op: ranges} if ranges else {}
    uri = params.item.uri
    return [types.CallHierarchyIncomingCall(_item(document, op, uri), found[op]) for op in found]


def outgoing_calls(
    session: Session, document: Document, params: types.CallHierarchyOutgoingCallsParams
) -> list[types.CallHierarchyOutgoingCall]:
    """Return the functions that a function calls, with the places."""
    function = _function(document, params.item)
    found: dict[Operation, list[types.Range]] = {}
    for name, callee in _calls(document, function) if function is not None else ():
        found.setdefault(callee, []).append(document.range(name.start, name.end))
    uri = params.item.uri
    return [types.CallHierarchyOutgoingCall(_item(document, op, uri), found[op]) for op in found]


FEATURES = (
    Feature(types.TEXT_DOCUMENT_DOCUMENT_SYMBOL, symbols),
    Feature(types.TEXT_DOCUMENT_FOLDING_RANGE, folding),
    Feature(types.TEXT_DOCUMENT_PREPARE_CALL_HIERARCHY, prepare_calls),
    Feature(types.CALL_HIERARCHY_INCOMING_CALLS, incoming_calls),
    Feature(types.CALL_HIERARCHY_OUTGOING_CALLS, outgoing_calls),
)
