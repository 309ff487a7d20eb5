"""Directives of pretty forms that give attributes."""

from __future__ import annotations

import re
from typing import Any

import numpy as np

from stablehlo_py.ir import attributes as A
from stablehlo_py.ir.attributes import Attribute
from stablehlo_py.ir.types import I1, I32, I64, TensorType
from stablehlo_py.opset.definition import OpDef
from stablehlo_py.syntax.forms.assembly_format import Element
from stablehlo_py.syntax.forms.readers import Reader, dims_of, named
from stablehlo_py.syntax.read.attributes import integers_of
from stablehlo_py.syntax.read.context import ReadContext
from stablehlo_py.syntax.read.literals import collapsed
from stablehlo_py.syntax.read.operation_state import OperationState
from stablehlo_py.syntax.read.strings import symbol_name
from stablehlo_py.syntax.read.structs import enum_value, struct_of

_WINDOW = ("stride", "pad", "lhs_dilate", "rhs_dilate", "reverse")
_EXPONENT_MANTISSA = re.compile(r"e(\d{1,10})m(\d{1,10})", re.ASCII)
_MOST = (1 << 31) - 1


def slice_ranges(definition: OpDef, arguments: tuple[Element, ...]) -> Reader:
    """`[start:limit, start:limit:stride]`."""
    names = named(arguments)

    def read(context: ReadContext, child: Any, state: OperationState) -> None:
        is_empty = child[0] == "no_slice_ranges"
        if is_empty and integers_of(context, child[1]):
            raise context.error(child, "expected ranges such as [0:2, 1:8:3]")
        rows = [
            [1 if token is None else context.integer(token) for token in slice_range[1:]]
            for slice_range in ([] if is_empty else child[1:])
        ]
        for column, name in enumerate(names):
            state.properties[name] = A.DenseArrayAttr(I64, tuple(row[column] for row in rows))

    return read


def dot_dimension_numbers(definition: OpDef, arguments: tuple[Element, ...]) -> Reader:
    """`batching_dims = [0] x [0], contracting_dims = [2] x [1]`, the former optional."""
    (name,) = named(arguments)

    def read(context: ReadContext, child: Any, state: OperationState) -> None:
        lhs_batch, rhs_batch, lhs, rhs = (() if c is None else dims_of(context, c) for c in child[1:])
        state.properties[name] = A.StructAttr(
            "stablehlo.dot",
            (
                ("lhs_batching_dimensions", lhs_batch),
                ("rhs_batching_dimensions", rhs_batch),
                ("lhs_contracting_dimensions", lhs),
                ("rhs_contracting_dimensions", rhs),
            ),
        )

    return read


def _precision(context: ReadContext, child: Any) -> Attribute:
    if isinstance(child, int):
        if integers_of(context, child):
            raise context.error(child, "expected precisions such as [DEFAULT, HIGHEST]")
        return A.ArrayAttr(())
    return A.ArrayAttr(tuple(enum_value(context, "stablehlo.precision", token) for token in child[1:]))


def precision_config(definition: OpDef, arguments: tuple[Element, ...]) -> Reader:
    """`, precision = [DEFAULT, HIGH]` and `, algorithm = <...>`, both optional."""
    names = named(arguments)

    def read(context: ReadContext, child: Any, state: OperationState) -> None:
        if child[1] is not None:
            state.properties[names[0]] = _precision(context, child[1])
        if len(child) > 2 and child[2] is not None:
            state.properties[names[1]] = struct_of(context, "stablehlo.dot_algorithm", child[2])

    return read


def convolution_dimensions(definition: OpDef, arguments: tuple[Element, ...]) -> Reader:
    """`[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]`."""
    (name,) = named(arguments)

    def read(context: ReadContext, child: Any, state: OperationState) -> None:
        state.properties[name] = struct_of(context, "stablehlo.conv", ("struct_body", child))

    return read


def window_attributes(definition: OpDef, arguments: tuple[Element, ...]) -> Reader:
    """`stride = [2, 1], pad = [[0, 1], [2, 0]], reverse = [false, true]`, each optional."""
    names = dict(zip(_WINDOW, named(arguments), strict=True))

    def read(context: ReadContext, child: Any, state: OperationState) -> None:
        for entry in child[1:]:
            if entry is None:
                continue
            _, token, value = entry
            keyword = context.text(token)
            if keyword not in names or names[keyword] in state.properties:
                raise context.error(token, f"Unexpected keyword {keyword}")
            state.properties[names[keyword]] = _window_value(context, keyword, value)

    return read


def _window_value(context: ReadContext, keyword: str, child: Any) -> Attribute:
    if keyword == "pad":
        return _padding(context, child)
    kind = child[0] if isinstance(child, tuple) else "token"
    if kind == "lists_of_dims":
        raise context.error(child, "expected a list of integers such as [1, 2]")
    values = [int(c[0] == "true") for c in child[1:]] if kind == "booleans" else dims_of(context, child)
    if keyword == "reverse":
        if kind != "booleans" and values:
            note = "reverse = [0, 1] is [false, true] today"
            context.parser_state.old_spellings.append((context.start(child), note))
        return A.DenseArrayAttr(I1, tuple(v != 0 for v in values))
    return A.DenseArrayAttr(I64, tuple(values))


def _padding(context: ReadContext, child: Any) -> Attribute:
    if isinstance(child, tuple) and child[0] == "lists_of_dims":
        rows = [dims_of(context, row) for row in child[1:]]
    elif isinstance(child, int) and not dims_of(context, child):
        rows = []
    else:
        raise context.error(child, "expected pairs such as [[0, 1], [2, 3]]")
    for row, node in zip(rows, child[1:] if rows else (), strict=True):
        if len(row) != 2:
            message = f"Expected array with 2 elements, got {len(row)} elements instead"
            raise context.error(node, message)
    return _padding_attribute(rows)


def _padding_attribute(rows: list[tuple[int, ...]]) -> Attribute:
    """Pairs of low and high padding as a constant."""
    data = collapsed(np.array(rows, np.int64).reshape(-1))
    data.flags.writeable = False
    return A.DenseElementsAttr(TensorType((len(rows), 2), I64), data)


def exponent_mantissa(definition: OpDef, arguments: tuple[Element, ...]) -> Reader:
    """`e5m10`."""
    exponent, mantissa = named(arguments)

    def read(context: ReadContext, child: Any, state: OperationState) -> None:
        text = context.text(child)
        match = _EXPONENT_MANTISSA.fullmatch(text)
        if match is None or int(match[1]) > _MOST or int(match[2]) > _MOST:
            raise context.error(child, f"expected exponent mantissa in format e#m#, saw {text}")
        state.properties[exponent] = A.IntegerAttr(int(match[1]), I32)
        state.properties[mantissa] = A.IntegerAttr(int(match[2]), I32)

    return read


def custom_call_target(definition: OpDef, arguments: tuple[Element, ...]) -> Reader:
    """`@name`, for a string."""
    (name,) = named(arguments)

    def read(context: ReadContext, child: Any, state: OperationState) -> None:
        state.properties[name] = A.StringAttr(symbol_name(context, child))

    return read
