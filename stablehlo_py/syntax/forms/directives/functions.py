"""Directives for modules and functions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from stablehlo_py.ir.attributes import ArrayAttr, Attribute, DictAttr, StringAttr, TypeAttr
from stablehlo_py.ir.core import Operation, Region
from stablehlo_py.ir.types import FunctionType, Type
from stablehlo_py.syntax.forms.directive import DirectiveDef, register
from stablehlo_py.syntax.forms.elements import read_attributes
from stablehlo_py.syntax.lalr.parse_loop import Node
from stablehlo_py.syntax.read.attributes import dictionary
from stablehlo_py.syntax.read.context import ReadContext
from stablehlo_py.syntax.read.operation_state import Argument, OperationState
from stablehlo_py.syntax.read.strings import symbol_name
from stablehlo_py.syntax.read.types import type_of
from stablehlo_py.syntax.write.attributes import symbol

if TYPE_CHECKING:
    from stablehlo_py.syntax.printer import Printer


# `@name attributes {...} {...}`.


def _read_module(context: ReadContext, child: Any, state: OperationState, name: str, body: str) -> None:
    _, token, attributes, region = child
    if token is not None:
        state.properties[name] = StringAttr(symbol_name(context, token))
    read_attributes(context, attributes, state)
    state.regions[body] = [(region, None)]


def _write_module(p: Printer, op: Operation, name: StringAttr | None, body: Sequence[Region]) -> None:
    if name is not None:
        p.write(f" {symbol(name.value)}")
    p.attr_dict(op, {"sym_name"}, is_keyword=True)
    p.write(" ")
    p.region(body[0])


def _is_plain(op: Operation, *parts: object) -> bool:
    """Return True if a module has one region, without arguments."""
    return len(op.regions) == 1 and not any(block.arguments for block in op.blocks[:1])


register(DirectiveDef("module", _read_module, _write_module, fits=_is_plain, own_spacing=True))


# `private @name(%arg0: type {...}) -> (type {...}) attributes {...} {...}`.


def _read_function(
    context: ReadContext,
    child: Any,
    state: OperationState,
    name: str,
    function_type: str,
    visibility: str,
    arg_attrs: str,
    res_attrs: str,
    body: str,
) -> None:
    _, shown, token, signature, attributes, region = child
    if shown is not None:
        state.properties[visibility] = StringAttr(context.text(shown[1]))
    state.properties[name] = StringAttr(symbol_name(context, token))
    read_attributes(context, attributes, state)
    entry, results, dictionaries = _signature(context, signature)
    inputs = tuple(a.type for a in entry)
    state.properties[function_type] = TypeAttr(FunctionType(inputs, tuple(results)))
    for key, found in zip((arg_attrs, res_attrs), dictionaries, strict=True):
        if any(d.items for d in found):
            state.properties[key] = ArrayAttr(tuple(found))
    if region is not None and any(a.token is None for a in entry):
        raise context.error(signature, "expected a name such as %arg0 for each argument of the function")
    if region == ("op_input_func", ("func_body",)) and not entry and not _is_cut(context, token):
        raise context.error(token, "expected non-empty function body")
    state.regions[body] = [(region, entry)]


def _is_cut(context: ReadContext, token: int) -> bool:
    """Return True if there are syntax errors after a token, so that operations may be missing there."""
    return any(error.offset > context.start(token) for error in context.parser_state.errors)


def _signature(
    context: ReadContext, child: Any
) -> tuple[list[Argument], list[Type], tuple[list[DictAttr], list[DictAttr]]]:
    """Arguments, result types, and the dictionaries of both."""
    if isinstance(child, int):
        found = type_of(context, child)
        assert isinstance(found, FunctionType)
        return [Argument(None, t) for t in found.inputs], list(found.results), ([], [])
    _, inputs, outputs = child
    arguments, argument_attrs = [], []
    for entry in inputs[1:]:
        if entry is None:
            continue
        *_, type_child, attrs, location = entry
        token = entry[1] if entry[0] == "func_input" else None
        arguments.append(Argument(token, type_of(context, type_child), location))
        argument_attrs.append(_dictionary(context, attrs))
    if outputs is None:
        return arguments, [], (argument_attrs, [])
    if outputs[0] == "func_outputs":
        return arguments, [type_of(context, outputs[1])], (argument_attrs, [])
    entries = [entry for entry in outputs[1:] if entry is not None]
    results = [type_of(context, type_child) for _, type_child, _ in entries]
    return arguments, results, (argument_attrs, [_dictionary(context, attrs) for *_, attrs in entries])


def _dictionary(context: ReadContext, node: Node | None) -> DictAttr:
    return DictAttr(()) if node is None else DictAttr.of(dictionary(context, node))


_FUNCTION_ATTRIBUTES = frozenset({"sym_name", "function_type", "sym_visibility", "arg_attrs", "res_attrs"})


def _write_function(
    p: Printer,
    op: Operation,
    name: StringAttr,
    type: TypeAttr,
    visibility: StringAttr | None,
    arg_attrs: ArrayAttr | None,
    res_attrs: ArrayAttr | None,
    body: Sequence[Region],
) -> None:
    p.write(f" {visibility.value} {symbol(name.value)}" if visibility else f" {symbol(name.value)}")
    signature = type.value
    assert isinstance(signature, FunctionType)
    has_body = bool(body) and bool(body[0].blocks)
    p.write("(")
    _write_inputs(p, signature, body[0] if has_body else None, _dictionaries(arg_attrs, signature.inputs))
    p.write(")")
    _write_outputs(p, signature.results, _dictionaries(res_attrs, signature.results))
    p.attr_dict(op, _FUNCTION_ATTRIBUTES, is_keyword=True)
    if has_body:
        p.write(" ")
        p.region(body[0])


def _dictionaries(attrs: ArrayAttr | None, types: Sequence[Type]) -> Sequence[DictAttr]:
    """One dictionary for each of the types."""
    found = [item for item in attrs.value if isinstance(item, DictAttr)] if attrs else []
    return found if len(found) == len(types) else [DictAttr(())] * len(types)


def _write_inputs(
    p: Printer, signature: FunctionType, body: Region | None, dictionaries: Sequence[DictAttr]
) -> None:
    for index, (type, attrs) in enumerate(zip(signature.inputs, dictionaries, strict=True)):
        if index:
            p.write(", ")
        if body is not None:
            p.argument(body.blocks[0].arguments[index], attrs)
        else:
            p.type(type)
            p.dictionary(attrs.items)


def _write_outputs(p: Printer, types: Sequence[Type], dictionaries: Sequence[DictAttr]) -> None:
    if not types:
        return
    bare = len(types) == 1 and not dictionaries[0].items and not isinstance(types[0], FunctionType)
    p.write(" -> " if bare else " -> (")
    for index, (type, attrs) in enumerate(zip(types, dictionaries, strict=True)):
        if index:
            p.write(", ")
        p.type(type)
        p.dictionary(attrs.items)
    if not bare:
        p.write(")")


def _has_signature(
    op: Operation,
    name: Attribute | None,
    type: Attribute | None,
    *others: object,
) -> bool:
    """Return True if a function's type is a signature, and its body's arguments match it."""
    if not isinstance(type, TypeAttr) or not isinstance(type.value, FunctionType):
        return False
    blocks = op.regions[0].blocks if op.regions else ()
    return not blocks or tuple(argument.type for argument in blocks[0].arguments) == type.value.inputs


register(DirectiveDef("function", _read_function, _write_function, fits=_has_signature, own_spacing=True))
