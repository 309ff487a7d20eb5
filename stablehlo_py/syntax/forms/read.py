"""Assembly formats compiled for reading: from an op's tree in pretty form to its OperationState."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cache
from typing import Any

from stablehlo_py.ir import attributes as A
from stablehlo_py.ir.attributes import Attribute
from stablehlo_py.opset.definition import Attr, Body, OpDef, Operand, lookup
from stablehlo_py.opset.kinds import Kind
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
from stablehlo_py.syntax.lalr.full_grammar import is_several, slots
from stablehlo_py.syntax.read.attributes import attribute_of, dims_of
from stablehlo_py.syntax.read.context import ReadContext
from stablehlo_py.syntax.read.literals import float_value, integer_value
from stablehlo_py.syntax.read.operation_state import OperationState
from stablehlo_py.syntax.read.shardings import sharding_struct
from stablehlo_py.syntax.read.strings import string_value, symbol_name
from stablehlo_py.syntax.read.structs import enum_value
from stablehlo_py.syntax.read.types import type_of, types_of


@cache
def form_readers(name: str) -> tuple[Reader, ...]:
    """Return the readers of an op's pretty form.

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
        case Body():
            return _regions(name)
        case Attr(property=property) as attr:
            return _attribute(property, attr.kind)
    return _successor


def _operands(name: str) -> Reader:
    def read(context: ReadContext, child: Any, state: OperationState) -> None:
        state.groups[name] = tokens_of(child)

    return read


def _operand(name: str) -> Reader:
    def read(context: ReadContext, child: Any, state: OperationState) -> None:
        state.groups[name] = [] if child is None else [child]

    return read


def _regions(name: str) -> Reader:
    def read(context: ReadContext, child: Any, state: OperationState) -> None:
        state.regions[name] = [] if child is None else [(region, None) for region in child[1:]]

    return read


def _successor(context: ReadContext, child: Any, state: OperationState) -> None:
    state.successors = [*state.successors, child]


def _attribute(name: str, kind: Kind) -> Reader:
    constant = _CONSTANTS.get(kind.spelling)

    def read(context: ReadContext, child: Any, state: OperationState) -> None:
        if child is not None:
            found = constant(context, kind, child) if constant else attribute_of(context, child)
            state.properties[name] = found

    return read


def _integer(context: ReadContext, kind: Kind, child: Any) -> Attribute:
    """Read an integer, which may be in brackets."""
    if isinstance(child, int) and context.text(child)[0] != "[":
        zero = kind.from_python(0)
        assert isinstance(zero, A.IntegerAttr)
        offset = context.start(child)
        return kind.from_python(integer_value(context.parser_state, offset, context.text(child), zero.type))
    values = dims_of(context, child)
    if len(values) != 1:
        raise context.error(child, "expected one integer")
    return kind.from_python(values[0])


def _float(context: ReadContext, kind: Kind, child: Any) -> Attribute:
    value, _ = float_value(context.parser_state, context.start(child), context.text(child), None)
    return kind.from_python(value)


def _enum(context: ReadContext, kind: Kind, child: Any) -> Attribute:
    assert kind.enum is not None
    return enum_value(context, kind.enum.name, child)


def _struct(context: ReadContext, kind: Kind, child: Any) -> Attribute:
    assert kind.struct is not None
    is_sharding = kind.struct.spelling == "sharding"
    return sharding_struct(context, kind.struct.name, child) if is_sharding else attribute_of(context, child)


# The readers of constants in pretty forms, by the spelling of the kind; `attribute_of` for other kinds.
_CONSTANTS: dict[str, Callable[[ReadContext, Kind, Any], Attribute]] = {
    "dims": lambda context, kind, child: kind.from_python(dims_of(context, child)),
    "enum": _enum,
    "float": _float,
    "integer": _integer,
    "string": lambda context, kind, child: A.StringAttr(string_value(context, child)),
    "struct": _struct,
    "symbol": lambda context, kind, child: A.SymbolRefAttr(symbol_name(context, child)),
}
