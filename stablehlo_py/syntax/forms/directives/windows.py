"""The directive for windows: `stride = [2, 1], pad = [[0, 1]], reverse = [false, true]`, each optional."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from stablehlo_py.ir.attributes import Attribute, DenseArrayAttr, DenseElementsAttr
from stablehlo_py.ir.core import Operation
from stablehlo_py.ir.types import I1, I64, TensorType
from stablehlo_py.syntax.forms.directive import DirectiveDef, register
from stablehlo_py.syntax.read.attributes import dims_of
from stablehlo_py.syntax.read.context import ReadContext
from stablehlo_py.syntax.read.literals import detect_splat
from stablehlo_py.syntax.read.operation_state import OperationState
from stablehlo_py.syntax.write.attributes import stripped_text
from stablehlo_py.syntax.write.types import dims_text

if TYPE_CHECKING:
    from stablehlo_py.syntax.printer import Printer

_KEYWORDS = ("stride", "pad", "lhs_dilate", "rhs_dilate", "reverse")
_MAX_PADDING = 1 << 16  # numbers of a splat that are written out


def _read_window(context: ReadContext, child: Any, state: OperationState, *names: str) -> None:
    properties = dict(zip(_KEYWORDS, names, strict=True))
    for entry in child[1:]:
        if entry is None:
            continue
        _, token, value = entry
        keyword = context.text(token)
        if keyword not in properties or properties[keyword] in state.properties:
            raise context.error(token, f"Unexpected keyword {keyword}")
        state.properties[properties[keyword]] = _window_value(context, keyword, value)


def _window_value(context: ReadContext, keyword: str, child: Any) -> Attribute:
    if keyword == "pad":
        return _padding(context, child)
    kind = child[0] if isinstance(child, tuple) else "token"
    if kind == "lists_of_dims":
        raise context.error(child, "expected a list of integers such as [1, 2]")
    values = [int(c[0] == "true") for c in child[1:]] if kind == "booleans" else dims_of(context, child)
    if keyword == "reverse":
        if kind != "booleans" and values:
            note = "old spelling reverse = [0, 1]; use [false, true]"
            context.parser_state.old_spellings.append((context.start(child), note))
        return DenseArrayAttr(I1, tuple(v != 0 for v in values))
    return DenseArrayAttr(I64, tuple(values))


def _padding(context: ReadContext, child: Any) -> Attribute:
    """Pairs of low and high padding, as a constant."""
    if isinstance(child, tuple) and child[0] == "lists_of_dims":
        rows = [dims_of(context, row) for row in child[1:]]
    elif isinstance(child, int) and not dims_of(context, child):
        rows = []
    else:
        raise context.error(child, "expected pairs such as [[0, 1], [2, 3]]")
    for row, node in zip(rows, child[1:] if rows else (), strict=True):
        if len(row) != 2:
            raise context.error(node, f"Expected array with 2 elements, got {len(row)} elements instead")
    data = detect_splat(np.array(rows, np.int64).reshape(-1))
    data.flags.writeable = False
    return DenseElementsAttr(TensorType((len(rows), 2), I64), data)


def _write_window(p: Printer, op: Operation, *attributes: Attribute | None) -> None:
    texts = [
        f"{keyword} = {_window_text(attribute)}"
        for keyword, attribute in zip(_KEYWORDS, attributes, strict=True)
        if attribute is not None
    ]
    p.write(", ".join(texts))


def _window_text(attribute: Attribute) -> str:
    size = attribute.type.size or 0 if isinstance(attribute, DenseElementsAttr) else 0
    if isinstance(attribute, DenseElementsAttr) and size <= _MAX_PADDING and size % 2 == 0:
        pairs = attribute.value.reshape(-1, 2).tolist()
        return f"[{', '.join([dims_text(pair) for pair in pairs])}]"
    return stripped_text(attribute)


register(DirectiveDef("window_attributes", _read_window, _write_window))
