"""Assembly formats compiled for reading: from the tree of an op in its pretty form to the state of the op."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cache
from typing import Any

from stablehlo_py.ir import attributes as A
from stablehlo_py.ir.attributes import Attribute
from stablehlo_py.ir.types import I32, I64, UI64
from stablehlo_py.opset.definition import Attr, Body, OpDef, Operand, lookup
from stablehlo_py.syntax.forms.assembly_format import (
    AllOperands,
    AttrDict,
    Directive,
    Element,
    FunctionalType,
    Literal,
    Optional,
    Ref,
    TypeOf,
)
from stablehlo_py.syntax.forms.directives import DIRECTIVES
from stablehlo_py.syntax.forms.elements import (
    Reader,
    read_attributes,
    read_operands,
    read_signature,
    tokens_of,
)
from stablehlo_py.syntax.lalr.tables import is_several, slots
from stablehlo_py.syntax.read.attributes import attribute_of, dims_of
from stablehlo_py.syntax.read.context import ReadContext
from stablehlo_py.syntax.read.operation_state import OperationState
from stablehlo_py.syntax.read.shardings import sharding_struct
from stablehlo_py.syntax.read.strings import string_value, symbol_name
from stablehlo_py.syntax.read.structs import enum_value
from stablehlo_py.syntax.read.types import type_of, types_of


@cache
def form_readers(name: str) -> tuple[Reader, ...]:
    """The readers of an op's pretty form.

    Args:
        name: The name of an op whose definition has a form.

    Returns:
        A reader for each child of the form's tree after the op's name.
    """
    definition = lookup(name)
    assert definition is not None
    assert definition.form is not None
    return tuple(_reader(element, definition) for element in _read(slots(definition.form)))


def _read(elements: Iterable[Element]) -> Iterable[Element]:
    for element in elements:
        if isinstance(element, Optional):
            yield from _read(element.elements)
        elif not isinstance(element, Literal):
            yield element


def _reader(element: Element, definition: OpDef) -> Reader:
    match element:
        case Ref(name):
            return _reference(name, definition)
        case AllOperands():
            return read_operands
        case AttrDict():
            return read_attributes
        case TypeOf(name):
            return _types(name, definition)
        case FunctionalType():
            return read_signature
        case Directive(name, arguments):
            return _directive(name, arguments)
    raise TypeError(element)


def _directive(name: str, arguments: tuple[Element, ...]) -> Reader:
    read, names = DIRECTIVES[name].read, [a.name for a in arguments if isinstance(a, Ref | TypeOf)]
    return lambda context, child, state: read(context, child, state, *names)


def _types(name: str, definition: OpDef) -> Reader:
    several = is_several(name, definition)
    is_operand = any(o.name == name for o in definition.operands)
    is_all = name == "operands" and not is_operand

    def read(context: ReadContext, child: Any, state: OperationState) -> None:
        if child is None:
            return
        found = types_of(context, child) if several else [type_of(context, child)]
        if is_all:
            state.operand_types = found
        elif is_operand or name != "results":
            state.types[name] = found
        else:
            state.result_types = found

    return read


def _reference(name: str, definition: OpDef) -> Reader:
    match next((i for i in definition.inputs if i.name == name), None):
        case Operand(variadic=True):
            return _operands(name)
        case Operand():
            return _operand(name)
        case Body(variadic=variadic):
            return _regions(name) if variadic else _region(name)
        case Attr(kind=kind, property=property):
            return _attribute(property, kind)
    return _attribute(name, definition.property_kinds[name])


def _operands(name: str) -> Reader:
    def read(context: ReadContext, child: Any, state: OperationState) -> None:
        state.groups[name] = tokens_of(child)

    return read


def _operand(name: str) -> Reader:
    def read(context: ReadContext, child: Any, state: OperationState) -> None:
        state.groups[name] = [] if child is None else [child]

    return read


def _region(name: str) -> Reader:
    def read(context: ReadContext, child: Any, state: OperationState) -> None:
        state.regions[name] = [(child, None)]

    return read


def _regions(name: str) -> Reader:
    def read(context: ReadContext, child: Any, state: OperationState) -> None:
        state.regions[name] = [] if child is None else [(region, None) for region in child[1:]]

    return read


def _attribute(name: str, kind: str) -> Reader:
    convert = _constant(kind)

    def read(context: ReadContext, child: Any, state: OperationState) -> None:
        if child is not None:
            state.properties[name] = convert(context, child)

    return read


_INTEGERS = {"i32": I32, "i64": I64, "ui64": UI64}


def _integer(context: ReadContext, child: int) -> int:
    """An integer, which may be in brackets."""
    if context.text(child)[0] != "[":
        return context.integer(child)
    values = dims_of(context, child)
    if len(values) != 1:
        raise context.error(child, "expected one integer")
    return values[0]


def _constant(kind: str) -> Callable[[ReadContext, Any], Attribute]:
    """What reads a constant of a kind, in the spelling that pretty forms have for it."""
    if kind.startswith("enum "):
        name = kind.removeprefix("enum ")
        return lambda context, child: enum_value(context, name, child)
    if kind.startswith("struct sdy."):
        name = kind.removeprefix("struct ")
        return lambda context, child: sharding_struct(context, name, child)
    integer = _INTEGERS.get(kind.split()[0])
    if integer is not None:
        return lambda context, child: A.IntegerAttr(_integer(context, child), integer)
    if kind in ("array<i64>", "array<i32>"):
        element = I64 if kind == "array<i64>" else I32
        return lambda context, child: A.DenseArrayAttr(element, dims_of(context, child))
    if kind == "string":
        return lambda context, child: A.StringAttr(string_value(context, child))
    if kind == "symbol":
        return lambda context, child: A.SymbolRefAttr(symbol_name(context, child))
    return attribute_of
