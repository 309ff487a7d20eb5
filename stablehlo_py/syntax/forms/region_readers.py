"""Directives of pretty forms with regions: functions, modules, loops and reductions."""

from __future__ import annotations

from typing import Any

from stablehlo_py.ir import attributes as A
from stablehlo_py.ir.types import I32, I64, FunctionType, Type
from stablehlo_py.opset.definition import OpDef
from stablehlo_py.syntax.forms.assembly_format import Element
from stablehlo_py.syntax.forms.readers import (
    Reader,
    dims_of,
    named,
    operands_reader,
    read_attributes,
    read_signature,
)
from stablehlo_py.syntax.lalr.parse_loop import Node
from stablehlo_py.syntax.read.attributes import dictionary
from stablehlo_py.syntax.read.context import ReadContext
from stablehlo_py.syntax.read.operation_state import Argument, OperationState
from stablehlo_py.syntax.read.strings import symbol_name
from stablehlo_py.syntax.read.types import type_of, types_of


def while_(definition: OpDef, arguments: tuple[Element, ...]) -> Reader:
    """`(%a = %x) : type cond {...} do {...}`: both regions have the arguments."""
    operand, cond, body = named(arguments)

    def read(context: ReadContext, child: Any, state: OperationState) -> None:
        *inputs, types, attributes, cond_node, body_node = child[1:]
        pairs = [pair for pair in inputs if pair is not None]
        found = [] if types is None else types_of(context, types)
        if len(found) != len(pairs):
            raise context.error(
                child,
                f"custom op 'stablehlo.while' number of operands and types do not match: "
                f"got {len(pairs)} operands and {len(found)} types",
            )
        state.groups[operand] = [value for _, _, value in pairs]
        state.operand_types = state.result_types = found
        read_attributes(context, attributes, state)
        entry = [Argument(token, type) for (_, token, _), type in zip(pairs, found, strict=True)]
        state.regions = {cond: [(cond_node, entry)], body: [(body_node, entry)]}

    return read


def reduce(definition: OpDef, arguments: tuple[Element, ...]) -> Reader:
    """`(%x init: %y) applies op across dimensions = [0] : type`, or `... reducer(%a: t, %b: t) {...}`."""
    inputs, inits, dimensions, body = named(arguments)

    def read(context: ReadContext, child: Any, state: OperationState) -> None:
        kind, pairs, *rest = child
        state.groups[inputs] = [value for _, value, _ in pairs[1:]]
        state.groups[inits] = [value for _, _, value in pairs[1:]]
        if kind == "reduce":
            state.inner, *rest = rest
        dims, attributes, signature, *reducer = rest
        state.properties[dimensions] = A.DenseArrayAttr(I64, dims_of(context, dims))
        read_attributes(context, attributes, state)
        read_signature(context, signature, state)
        if kind == "reduce_with_reducer":
            state.regions[body] = [(reducer[1], _reducer_arguments(context, reducer[0]))]

    return read


def _reducer_arguments(context: ReadContext, node: Node) -> list[Argument]:
    """The arguments of `reducer(%a: t, %x: t) (%b: t, %y: t)`: elements first, then accumulators."""
    pairs = []
    for inputs in node[1:]:
        entries = [entry for entry in inputs[1:] if entry is not None]
        if len(entries) != 2 or any(entry[0] != "func_input" for entry in entries):
            raise context.error(inputs, "expected a pair such as (%a: tensor<f32>, %b: tensor<f32>)")
        pairs.append([Argument(token, type_of(context, t), location) for _, token, t, _, location in entries])
    return [pair[0] for pair in pairs] + [pair[1] for pair in pairs]


def scan(definition: OpDef, arguments: tuple[Element, ...]) -> Reader:
    """`(%inputs) inits (%inits) dimension=0 {...} : signature`."""
    inputs, inits, dimension, body = named(arguments)

    def read(context: ReadContext, child: Any, state: OperationState) -> None:
        _, values, initial, axis, attributes, region, signature = child
        operands_reader(inputs)(context, values, state)
        operands_reader(inits)(context, initial, state)
        read_attributes(context, attributes, state)
        read_signature(context, signature, state)
        results = list(state.result_types or ())
        carried = len(state.groups[inits])
        if len(results) < carried:
            raise context.error(signature, "not enough result types to cover the required carries")
        state.properties[dimension] = A.IntegerAttr(context.integer(axis), I64)
        sizes = (len(state.groups[inputs]), carried), (len(results) - carried, carried)
        state.properties["operandSegmentSizes"] = A.DenseArrayAttr(I32, sizes[0])
        state.properties["resultSegmentSizes"] = A.DenseArrayAttr(I32, sizes[1])
        state.regions[body] = [(region, None)]

    return read


def module(definition: OpDef, arguments: tuple[Element, ...]) -> Reader:
    """`@name attributes {...} {...}`."""
    name, visibility, body = named(arguments)

    def read(context: ReadContext, child: Any, state: OperationState) -> None:
        kind, *rest = child
        if kind == "visible_module":
            shown, *rest = rest
            state.properties[visibility] = A.StringAttr(context.text(shown[1]))
        symbol, attributes, region = rest
        if symbol is not None:
            state.properties[name] = A.StringAttr(symbol_name(context, symbol))
        read_attributes(context, attributes, state)
        state.regions[body] = [(region, None)]

    return read


def function(definition: OpDef, arguments: tuple[Element, ...]) -> Reader:
    """`private @name(%arg0: type {...}) -> (type {...}) attributes {...} {...}`."""
    name, function_type, visibility, arg_attrs, res_attrs, body = named(arguments)

    def read(context: ReadContext, child: Any, state: OperationState) -> None:
        _, shown, symbol, signature, attributes, region = child
        if shown is not None:
            state.properties[visibility] = A.StringAttr(context.text(shown[1]))
        state.properties[name] = A.StringAttr(symbol_name(context, symbol))
        read_attributes(context, attributes, state)
        entry, results, dictionaries = _function_signature(context, signature)
        inputs = tuple(a.type for a in entry)
        state.properties[function_type] = A.TypeAttr(FunctionType(inputs, tuple(results)))
        for key, found in zip((arg_attrs, res_attrs), dictionaries, strict=True):
            if any(d.items for d in found):
                state.properties[key] = A.ArrayAttr(tuple(found))
        if region is not None and any(a.token is None for a in entry):
            message = "expected a name such as %arg0 for each argument of the function"
            raise context.error(signature, message)
        if region == ("op_input_func", ("func_body",)) and not entry and not _is_cut(context, symbol):
            raise context.error(symbol, "expected non-empty function body")
        state.regions[body] = [(region, entry)]

    return read


def _is_cut(context: ReadContext, token: int) -> bool:
    """Whether there are syntax errors behind a token, so that operations may be missing there."""
    return any(error.offset > context.start(token) for error in context.parser_state.errors)


def _function_signature(
    context: ReadContext, child: Any
) -> tuple[list[Argument], list[Type], tuple[list[A.DictAttr], list[A.DictAttr]]]:
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
        argument_attrs.append(_entry_attributes(context, attrs))
    if outputs is None:
        return arguments, [], (argument_attrs, [])
    if outputs[0] == "func_outputs":
        return arguments, [type_of(context, outputs[1])], (argument_attrs, [])
    entries = [entry for entry in outputs[1:] if entry is not None]
    results = [type_of(context, type_child) for _, type_child, _ in entries]
    return arguments, results, (argument_attrs, [_entry_attributes(context, attrs) for *_, attrs in entries])


def _entry_attributes(context: ReadContext, node: Node | None) -> A.DictAttr:
    return A.DictAttr(()) if node is None else A.DictAttr.of(dictionary(context, node))


def sharded_body(definition: OpDef, arguments: tuple[Element, ...]) -> Reader:
    """`(%a: type) {...}`."""
    (body,) = named(arguments)

    def read(context: ReadContext, child: Any, state: OperationState) -> None:
        _, inputs, region = child
        entries = [entry for entry in inputs[1:] if entry is not None]
        if any(entry[0] != "func_input" for entry in entries):
            raise context.error(inputs, "expected arguments such as (%a: tensor<f32>)")
        arguments = [Argument(token, type_of(context, t), location) for _, token, t, _, location in entries]
        state.regions[body] = [(region, arguments)]

    return read
