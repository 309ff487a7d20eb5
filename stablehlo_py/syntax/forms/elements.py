"""Readers of the elements that forms share: operands, `attr-dict` and `functional-type`.

A reader takes the child of an op's tree that an element of its form matches, and adds to the op's state.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from stablehlo_py.ir.types import FunctionType
from stablehlo_py.syntax.lalr.parse_loop import first_token
from stablehlo_py.syntax.read.attributes import dictionary
from stablehlo_py.syntax.read.context import ReadContext
from stablehlo_py.syntax.read.operation_state import OperationState
from stablehlo_py.syntax.read.types import type_of

Reader = Callable[[ReadContext, Any, OperationState], None]


def tokens_of(child: Any) -> list[int]:
    """Return the tokens of a list of values, which may be absent."""
    return [] if child is None else [token for token in child[1:] if token is not None]


def read_operands(context: ReadContext, child: Any, state: OperationState) -> None:
    """Read `operands` into the state of an op."""
    state.operands = tokens_of(child)


def read_attributes(context: ReadContext, child: Any, state: OperationState) -> None:
    """Read `attr-dict` into the state of an op."""
    if child is not None:
        state.attributes = dictionary(context, child)
        state.attributes_at = first_token(child, 1) - 1


def read_signature(context: ReadContext, child: Any, state: OperationState) -> None:
    """Read `functional-type(operands, results)` into the state of an op."""
    found = type_of(context, child)
    assert isinstance(found, FunctionType)
    state.operand_types, state.result_types = found.inputs, found.results
