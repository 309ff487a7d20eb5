"""Readers that pretty forms share.

A reader takes the child of an op's tree that an element of the form is, and adds to the op's parts.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from stablehlo_py.ir.types import FunctionType
from stablehlo_py.syntax.forms.assembly_format import Element, Ref
from stablehlo_py.syntax.lalr.parse_loop import first_token
from stablehlo_py.syntax.read.attributes import dictionary, integers_of
from stablehlo_py.syntax.read.context import Context
from stablehlo_py.syntax.read.errors import Fault
from stablehlo_py.syntax.read.op_parts import Parts
from stablehlo_py.syntax.read.types import type_of

Reader = Callable[[Context, Any, Parts], None]


def named(arguments: tuple[Element, ...]) -> list[str]:
    """The names that a directive's arguments refer to (`$name`), without those of types."""
    return [argument.name for argument in arguments if isinstance(argument, Ref)]


def read_operands(context: Context, child: Any, parts: Parts) -> None:
    """`operands`."""
    parts.operands = [token for token in child[1:] if token is not None]


def read_attributes(context: Context, child: Any, parts: Parts) -> None:
    """`attr-dict`."""
    if child is not None:
        parts.attributes = dictionary(context, child)
        parts.attributes_at = first_token(child, 1) - 1


def read_signature(context: Context, child: Any, parts: Parts) -> None:
    """`functional-type(operands, results)`."""
    found = type_of(context, child)
    assert isinstance(found, FunctionType)
    parts.operand_types, parts.result_types = found.inputs, found.results


def operands_reader(name: str) -> Reader:
    """`$name` of a variadic operand."""

    def read(context: Context, child: Any, parts: Parts) -> None:
        parts.groups[name] = [] if child is None else [token for token in child[1:] if token is not None]

    return read


def dims_of(context: Context, child: Any) -> tuple[int, ...]:
    """A list of integers, in any spelling. Raises Fault."""
    values = integers_of(context, child)
    if None in values:
        raise Fault(context.start(child), "expected integers, found ?")
    return values  # type: ignore[return-value]
