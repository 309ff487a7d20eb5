"""Directives for operands."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from stablehlo_py.ir.core import Operation, Value
from stablehlo_py.ir.types import Type
from stablehlo_py.syntax.forms.directive import DirectiveDef, register
from stablehlo_py.syntax.forms.elements import tokens_of
from stablehlo_py.syntax.read.attributes import dims_of
from stablehlo_py.syntax.read.context import ReadContext
from stablehlo_py.syntax.read.operation_state import OperationState
from stablehlo_py.syntax.read.types import types_of

if TYPE_CHECKING:
    from stablehlo_py.syntax.printer import Printer


# Operands and their types, which are also those of the results; `()` for none.


def _read_pairwise_operands(context: ReadContext, child: Any, state: OperationState, *names: str) -> None:
    if child[0] == "no_operands":
        state.operands, state.operand_types, state.result_types = [], [], []
        return
    state.operands = tokens_of(child[1])
    state.operand_types = state.result_types = types_of(context, child[2])


def _write_pairwise_operands(
    p: Printer, op: Operation, operands: Sequence[Value], types: list[Type], results: list[Type]
) -> None:
    if not operands:
        p.write("()")
        return
    p.write(" ")
    p.operands(operands)
    p.write(" : ")
    p.types(types)


def _are_types_repeated(
    op: Operation, operands: Sequence[Value], types: list[Type], results: list[Type]
) -> bool:
    return types == results


register(
    DirectiveDef(
        "pairwise_operands",
        _read_pairwise_operands,
        _write_pairwise_operands,
        fits=_are_types_repeated,
        own_spacing=True,
    )
)


# Operands, each followed by a comma.


def _read_operands_with_comma(context: ReadContext, child: Any, state: OperationState, name: str) -> None:
    state.groups[name] = tokens_of(child)


def _write_operands_with_comma(p: Printer, op: Operation, operands: Sequence[Value]) -> None:
    p.operands(operands)
    p.write(",")


register(
    DirectiveDef("variadic_operand_with_attribute", _read_operands_with_comma, _write_operands_with_comma)
)


# `[%i, %j]`, `[]` for none.


def _read_indices(context: ReadContext, child: Any, state: OperationState, name: str) -> None:
    is_empty = child[0] == "no_indices"
    if is_empty and dims_of(context, child[1]):
        raise context.error(child, "expected indices such as [%0, %1]")
    state.groups[name] = [] if is_empty else tokens_of(child[1])


def _write_indices(p: Printer, op: Operation, values: Sequence[Value]) -> None:
    p.write("[")
    p.operands(values)
    p.write("]")


register(DirectiveDef("indices", _read_indices, _write_indices, own_spacing=True))
