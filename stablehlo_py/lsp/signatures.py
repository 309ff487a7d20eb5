"""Signature help for pretty and generic forms, and inlay hints with the types of operands."""

from __future__ import annotations

import re

from lsprotocol import types

from stablehlo_py.analysis.op_reference import explain
from stablehlo_py.ir.core import Operation
from stablehlo_py.lsp.completion import statement_op
from stablehlo_py.lsp.document import Document
from stablehlo_py.lsp.feature import Feature, Session


def signature_help(
    session: Session, document: Document, params: types.SignatureHelpParams
) -> types.SignatureHelp | None:
    """Return the form of the op whose statement is being written, with its inputs."""
    offset = document.offset(params.position)
    before = document.text[document.line_start(offset) : offset]
    op = statement_op(before)
    data = explain(op.name) if op is not None else None
    if op is None or data is None:
        return None
    is_generic = f'"{op.name}"' in before
    label = data["generic_form"] if is_generic or not data["form"] else data["form"]
    inputs = [_parameter(label, row) for row in data["inputs"]]
    shown = [found for found in inputs if found is not None]
    written = before.rpartition(op.name.rpartition(".")[2])[2]
    active = min(written.count(","), len(shown) - 1) if shown else None
    signature = types.SignatureInformation(label, data["doc"], shown, active)
    return types.SignatureHelp([signature], 0, active)


def _parameter(label: str, row: dict[str, object]) -> types.ParameterInformation | None:
    """Return an input of an op, with its place in the form."""
    found = re.search(rf"[%<]?\b{re.escape(str(row['name']))}\b[.>]*", label)
    if found is None:
        return None
    return types.ParameterInformation((found.start(), found.end()), str(row["type"]))


def inlay_hints(session: Session, document: Document, params: types.InlayHintParams) -> list[types.InlayHint]:
    """Return the types of operands that the statement does not spell out."""
    start, end = document.offset(params.range.start), document.offset(params.range.end)
    hints = []
    spelled: dict[tuple[Operation, str], bool] = {}  # whether the statement of an op spells out a type
    for name in document.names_in(start, end):
        op = document.op_at(name.start)
        values = document.values(name) if name.text[0] == "%" and not name.is_definition else []
        if op is None or op.regions or len(values) != 1:
            continue
        type = str(values[0].type)
        if (op, type) not in spelled:
            spelled[op, type] = document.text.find(type, op.offset, op.end) >= 0
        if not spelled[op, type]:
            position = document.position(name.end)
            hints.append(types.InlayHint(position, f": {type}", types.InlayHintKind.Type))
    return hints


FEATURES = (
    Feature(
        types.TEXT_DOCUMENT_SIGNATURE_HELP,
        signature_help,
        types.SignatureHelpOptions(trigger_characters=[" ", ",", "("]),
    ),
    Feature(types.TEXT_DOCUMENT_INLAY_HINT, inlay_hints),
)
