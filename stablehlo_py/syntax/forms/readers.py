"""Readers that pretty forms share.

A reader takes the child of an op's tree that an element of the form is, and adds to the op's state.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from stablehlo_py.ir.types import FunctionType
from stablehlo_py.syntax.forms.assembly_format import Element, Ref
from stablehlo_py.syntax.lalr.parse_loop import first_token
from stablehlo_py.syntax.read.attributes import dictionary, integers_of
from stablehlo_py.syntax.read.context import ReadContext
from stablehlo_py.syntax.read.operation_state import OperationState
from stablehlo_py.syntax.read.types import type_of

Reader = Callable[[ReadContext, Any, OperationState], None]


def named(arguments: tuple[Element, ...]) -> list[str]:
    """The names that a directive's arguments refer to (`$name`), without those of types."""
    return [argument.name for argument in arguments if isinstance(argument, Ref)]


def read_operands(context: ReadContext, child: Any, state: OperationState) -> None:
    """`operands`."""
    state.operands = [token for token in child[1:] if token is not None]


def read_attributes(context: ReadContext, child: Any, state: OperationState) -> None:
    """`attr-dict`."""
    if child is not None:
        state.attributes = dictionary(context, child)
        state.attributes_at = first_token(child, 1) - 1


def read_signature(context: ReadContext, child: Any, state: OperationState) -> None:
    """`functional-type(operands, results)`."""
    found = type_of(context, child)
    assert isinstance(found, FunctionType)
    state.operand_types, state.result_types = found.inputs, found.results


def operands_reader(name: str) -> Reader:
    """`$name` of a variadic operand."""

    def read(context: ReadContext, child: Any, state: OperationState) -> None:
        state.groups[name] = [] if child is None else [token for token in child[1:] if token is not None]

    return read


def dims_of(context: ReadContext, child: Any) -> tuple[int, ...]:
    """A list of integers, in any spelling. Raises SourceError."""
    values = integers_of(context, child)
    if None in values:
        raise context.error(child, "expected integers, found ?")
    return values  # type: ignore[return-value]
