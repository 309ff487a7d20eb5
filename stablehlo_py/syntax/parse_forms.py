"""Pretty forms: from the tree of an op in its pretty form to the parts of the op.

`reader(definition)` gives one function for each child of the tree, made from the form's elements; a
`custom<name>` directive is read by the function of that name here.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from functools import cache
from typing import Any

import numpy as np

from stablehlo_py.ir import attributes as A
from stablehlo_py.ir.attributes import Attribute
from stablehlo_py.ir.types import I32, I64, ComplexType, FunctionType, TensorType, TupleType, Type
from stablehlo_py.opset.definition import Attr, Body, OpDef, Operand, lookup
from stablehlo_py.syntax.context import Context
from stablehlo_py.syntax.driver import Node
from stablehlo_py.syntax.faults import Fault
from stablehlo_py.syntax.forms import (
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
from stablehlo_py.syntax.parse_attributes import attribute_of, dictionary, integer, integers_of
from stablehlo_py.syntax.parse_structs import enum_value, struct_of
from stablehlo_py.syntax.parse_types import results_of, type_of, types_of
from stablehlo_py.syntax.strings import string_value, symbol_name
from stablehlo_py.syntax.tables import is_several, slots


class Argument:
    """An argument that a region's entry block has by the op's form: a token, a type, a location's token."""

    __slots__ = ("location", "token", "type")

    def __init__(self, token: int | None, type: Type, location: int | None = None) -> None:
        self.token = token
        self.type = type
        self.location = location


class Parts:
    """What an op is made of, as it is read.

    Operands are tokens until their types are known. `groups` and `types` are by the definition's names, where
    the form names operands one by one; `operands` and `operand_types` are complete lists.
    """

    __slots__ = (
        "attributes",
        "groups",
        "inner",
        "operand_types",
        "operands",
        "properties",
        "regions",
        "result_types",
        "signature",
        "successors",
        "types",
    )

    def __init__(self) -> None:
        self.operands: list[int] | None = None
        self.groups: dict[str, list[int]] = {}
        self.operand_types: Iterable[Type] | None = None
        self.types: dict[str, list[Type]] = {}
        self.result_types: Iterable[Type] | None = None
        self.properties: dict[str, Attribute] = {}
        self.attributes: dict[str, Attribute] = {}
        self.regions: dict[str, list[tuple[Node | None, list[Argument] | None]]] = {}
        self.successors: list[int] = []
        self.inner: int | None = None  # the op that a reduction applies, where it has no region
        self.signature = -1  # a token of the types, for errors


Reader = Callable[[Context, Any, Parts], None]


@cache
def form_readers(name: str) -> tuple[Reader, ...]:
    """A reader for each child of the tree of an op's pretty form, after the op's name."""
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
            return _all_operands
        case AttrDict():
            return _attributes
        case TypeOf(name):
            return _types(name, definition)
        case FunctionalType():
            return _signature
        case Directive(name, arguments):
            return DIRECTIVES[name](definition, arguments)
    raise TypeError(element)


def _all_operands(context: Context, child: Any, parts: Parts) -> None:
    parts.operands = [token for token in child[1:] if token is not None]


def _attributes(context: Context, child: Any, parts: Parts) -> None:
    if child is not None:
        parts.attributes = dictionary(context, child)


def _signature(context: Context, child: Any, parts: Parts) -> None:
    found = type_of(context, child)
    assert isinstance(found, FunctionType)
    parts.operand_types, parts.result_types = found.inputs, found.results
    parts.signature = child if isinstance(child, int) else parts.signature


def _types(name: str, definition: OpDef) -> Reader:
    several = is_several(name, definition)
    is_operand = any(o.name == name for o in definition.operands)
    is_all = name == "operands" and not is_operand

    def read(context: Context, child: Any, parts: Parts) -> None:
        if child is None:
            return
        found = types_of(context, child) if several else [type_of(context, child)]
        if is_all:
            parts.operand_types = found
        elif is_operand or name != "results":
            parts.types[name] = found
        else:
            parts.result_types = found

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


def _operand(name: str) -> Reader:
    def read(context: Context, child: Any, parts: Parts) -> None:
        parts.groups[name] = [] if child is None else [child]

    return read


def _operands(name: str) -> Reader:
    def read(context: Context, child: Any, parts: Parts) -> None:
        parts.groups[name] = [] if child is None else [token for token in child[1:] if token is not None]

    return read


def _region(name: str) -> Reader:
    def read(context: Context, child: Any, parts: Parts) -> None:
        parts.regions[name] = [(child, None)]

    return read


def _regions(name: str) -> Reader:
    def read(context: Context, child: Any, parts: Parts) -> None:
        parts.regions[name] = [] if child is None else [(region, None) for region in child[1:]]

    return read


def _attribute(name: str, kind: str) -> Reader:
    convert = _constant(kind)

    def read(context: Context, child: Any, parts: Parts) -> None:
        if child is not None:
            parts.properties[name] = convert(context, child)

    return read


def _constant(kind: str) -> Callable[[Context, Any], Attribute]:
    """What reads a constant of a kind, in the spelling that pretty forms have for it."""
    if kind.startswith("enum "):
        name = kind.removeprefix("enum ")
        return lambda context, child: enum_value(context, name, child)
    if kind.split()[0] in ("i64", "i32"):
        type = I64 if kind.startswith("i64") else I32
        return lambda context, child: A.IntegerAttr(integer(context, child), type)
    if kind in ("array<i64>", "array<i32>"):
        element = I64 if kind == "array<i64>" else I32
        return lambda context, child: A.DenseArrayAttr(element, _dims(context, child))
    if kind == "string":
        return lambda context, child: A.StringAttr(string_value(context, child))
    if kind == "symbol":
        return lambda context, child: A.SymbolRefAttr(symbol_name(context, child))
    return attribute_of


def _dims(context: Context, child: Any) -> tuple[int, ...]:
    values = integers_of(context, child)
    if None in values:
        raise Fault(context.start(child), "expected integers, found ?")
    return values  # type: ignore[return-value]


# Directives. Each function takes the definition and the directive's arguments, and gives a reader.

Directed = Callable[[OpDef, tuple[Element, ...]], Reader]


def _same_operands_and_result_type(definition: OpDef, arguments: tuple[Element, ...]) -> Reader:
    has_result = bool(definition.outputs)

    def read(context: Context, child: Any, parts: Parts) -> None:
        found = type_of(context, child)
        count = sum(map(len, parts.groups.values()))
        if isinstance(found, FunctionType):
            _assign(context, child, found, count, parts)
        else:
            parts.operand_types, parts.result_types = [found] * count, (found,) if has_result else ()

    return read


def _assign(context: Context, child: Any, signature: FunctionType, count: int, parts: Parts) -> None:
    if len(signature.inputs) != count:
        raise Fault(context.start(child), f"{count} operands present, but expected {len(signature.inputs)}")
    if len(signature.results) != 1:
        raise Fault(context.start(child), "expected single output")
    parts.operand_types, parts.result_types = signature.inputs, signature.results


def _count(parts: Parts) -> int:
    return len(parts.operands) if parts.operands is not None else sum(map(len, parts.groups.values()))


def _complex_op_type(definition: OpDef, arguments: tuple[Element, ...]) -> Reader:
    def read(context: Context, child: Any, parts: Parts) -> None:
        found = type_of(context, child)
        if isinstance(found, FunctionType):
            _assign(context, child, found, _count(parts), parts)
            return
        if not isinstance(found, TensorType) or not isinstance(found.element_type, ComplexType):
            raise Fault(context.start(child), "expected tensor with complex element type")
        part = TensorType(found.shape, found.element_type.element_type, found.encoding)
        parts.operand_types, parts.result_types = [part] * _count(parts), [found]

    return read


def _select_op_type(definition: OpDef, arguments: tuple[Element, ...]) -> Reader:
    def read(context: Context, child: Any, parts: Parts) -> None:
        found = types_of(context, child)
        if len(found) == 1 and isinstance(found[0], FunctionType):
            _assign(context, child, found[0], _count(parts), parts)
        elif len(found) == 2:
            parts.operand_types = [found[0], found[1], found[1]]
            parts.result_types = [found[1]]
        else:
            raise Fault(context.start(child), "expected functional type or list of two types")

    return read


def _tuple_op_type(definition: OpDef, arguments: tuple[Element, ...]) -> Reader:
    def read(context: Context, child: Any, parts: Parts) -> None:
        found = type_of(context, child)
        if not isinstance(found, TupleType):
            raise Fault(context.start(child), "expected tuple type")
        parts.operand_types, parts.result_types = found.types, [found]

    return read


def _pairwise_operands(definition: OpDef, arguments: tuple[Element, ...]) -> Reader:
    def read(context: Context, child: Any, parts: Parts) -> None:
        if child[0] == "no_operands":
            parts.operands, parts.operand_types, parts.result_types = [], [], []
            return
        parts.operands = list(child[1][1:])
        parts.operand_types = parts.result_types = types_of(context, child[2])

    return read


def _variadic_operand_with_attribute(definition: OpDef, arguments: tuple[Element, ...]) -> Reader:
    (operand,) = arguments
    assert isinstance(operand, Ref)
    return _operands(operand.name)


def _slice_ranges(definition: OpDef, arguments: tuple[Element, ...]) -> Reader:
    names = [argument.name for argument in arguments if isinstance(argument, Ref)]

    def read(context: Context, child: Any, parts: Parts) -> None:
        ranges = [] if child[0] == "no_slice_ranges" else child[1:]
        if child[0] == "no_slice_ranges" and integers_of(context, child[1]):
            raise Fault(context.start(child), "expected ranges such as [0:2, 1:8:3]")
        numbers = [
            (integer(context, start), integer(context, limit), 1 if stride is None else integer(context, stride))
            for _, start, limit, stride in ranges
        ]
        for name, values in zip(names, zip(*numbers, strict=True) if numbers else ((), (), ()), strict=True):
            parts.properties[name] = A.DenseArrayAttr(I64, values)

    return read


def _dot_dimension_numbers(definition: OpDef, arguments: tuple[Element, ...]) -> Reader:
    (target,) = arguments
    assert isinstance(target, Ref)
    name = target.name

    def read(context: Context, child: Any, parts: Parts) -> None:
        lhs_batch, rhs_batch, lhs, rhs = (() if c is None else _dims(context, c) for c in child[1:])
        parts.properties[name] = A.StructAttr(
            "stablehlo.dot",
            (
                ("lhs_batching_dimensions", lhs_batch),
                ("rhs_batching_dimensions", rhs_batch),
                ("lhs_contracting_dimensions", lhs),
                ("rhs_contracting_dimensions", rhs),
            ),
        )

    return read


def _precision(context: Context, child: Any) -> Attribute:
    if isinstance(child, int):
        if integers_of(context, child):
            raise Fault(context.start(child), "expected precisions such as [DEFAULT, HIGHEST]")
        return A.ArrayAttr(())
    return A.ArrayAttr(tuple(enum_value(context, "stablehlo.precision", token) for token in child[1:]))


def _precision_config(definition: OpDef, arguments: tuple[Element, ...]) -> Reader:
    names = [argument.name for argument in arguments if isinstance(argument, Ref)]

    def read(context: Context, child: Any, parts: Parts) -> None:
        if child[1] is not None:
            parts.properties[names[0]] = _precision(context, child[1])
        if len(child) > 2 and child[2] is not None:
            parts.properties[names[1]] = struct_of(context, "stablehlo.dot_algorithm", child[2])

    return read


def _convolution_dimensions(definition: OpDef, arguments: tuple[Element, ...]) -> Reader:
    (target,) = arguments
    assert isinstance(target, Ref)
    name = target.name

    def read(context: Context, child: Any, parts: Parts) -> None:
        parts.properties[name] = struct_of(context, "stablehlo.conv", ("struct_body", child))

    return read


_WINDOW = ("stride", "pad", "lhs_dilate", "rhs_dilate", "reverse")


def _window_attributes(definition: OpDef, arguments: tuple[Element, ...]) -> Reader:
    names = dict(zip(_WINDOW, (a.name for a in arguments if isinstance(a, Ref)), strict=True))

    def read(context: Context, child: Any, parts: Parts) -> None:
        for entry in child[1:]:
            if entry is None:
                continue
            _, token, value = entry
            keyword = context.text(token)
            if keyword not in names or names[keyword] in parts.properties:
                raise Fault(context.start(token), f"Unexpected keyword {keyword}")
            parts.properties[names[keyword]] = _window_value(context, keyword, value)

    return read


def _window_value(context: Context, keyword: str, child: Any) -> Attribute:
    if keyword == "pad":
        return _padding(context, child)
    if isinstance(child, tuple) and child[0] == "booleans":
        flags = tuple(c[0] == "true" for c in child[1:])
    elif isinstance(child, tuple) and child[0] == "lists_of_dims":
        raise Fault(context.start(child), "expected integer value")
    else:
        values = _dims(context, child)
        if keyword != "reverse":
            return A.DenseArrayAttr(I64, values)
        flags = tuple(v != 0 for v in values)
    if keyword != "reverse":
        return A.DenseArrayAttr(I64, tuple(map(int, flags)))
    from stablehlo_py.ir.types import I1

    return A.DenseArrayAttr(I1, flags)


def _padding(context: Context, child: Any) -> Attribute:
    if isinstance(child, tuple) and child[0] == "lists_of_dims":
        rows = [_dims(context, row) for row in child[1:]]
    elif isinstance(child, int) and not _dims(context, child):
        rows = []
    else:
        raise Fault(context.start(child), "expected pairs such as [[0, 1], [2, 3]]")
    for row, node in zip(rows, child[1:] if rows else (), strict=True):
        if len(row) != 2:
            raise Fault(context.start(node), f"Expected array with 2 elements, got {len(row)} elements instead")
    return padding_attribute(rows)


def padding_attribute(rows: list[tuple[int, ...]]) -> Attribute:
    """Pairs of low and high padding as a constant."""
    from stablehlo_py.syntax.parse_literals import collapsed

    data = collapsed(np.array(rows, np.int64).reshape(-1))
    data.flags.writeable = False
    return A.DenseElementsAttr(TensorType((len(rows), 2), I64), data)


_EXPONENT_MANTISSA = re.compile(r"e(\d{1,9})m(\d{1,9})", re.ASCII)


def _exponent_mantissa(definition: OpDef, arguments: tuple[Element, ...]) -> Reader:
    exponent, mantissa = (argument.name for argument in arguments if isinstance(argument, Ref))

    def read(context: Context, child: Any, parts: Parts) -> None:
        match = _EXPONENT_MANTISSA.fullmatch(context.text(child))
        if match is None:
            raise Fault(
                context.start(child), f"expected exponent mantissa in format e#m#, saw {context.text(child)}"
            )
        parts.properties[exponent] = A.IntegerAttr(int(match[1]), I32)
        parts.properties[mantissa] = A.IntegerAttr(int(match[2]), I32)

    return read


def _custom_call_target(definition: OpDef, arguments: tuple[Element, ...]) -> Reader:
    (target,) = arguments
    assert isinstance(target, Ref)
    name = target.name

    def read(context: Context, child: Any, parts: Parts) -> None:
        parts.properties[name] = A.StringAttr(symbol_name(context, child))

    return read


def _value(definition: OpDef, arguments: tuple[Element, ...]) -> Reader:
    target, *_ = arguments
    assert isinstance(target, Ref)
    name = target.name

    def read(context: Context, child: Any, parts: Parts) -> None:
        if isinstance(child, tuple) and child[0] == "constant_in_generic_form":
            _, properties, attributes, signature = child
            if properties is not None:
                parts.properties = dictionary(context, properties[1])
            _attributes(context, attributes, parts)
            _signature(context, signature, parts)
            parts.operands = []
            return
        value, type = _typed(context, child)
        parts.properties[name] = value
        parts.operands, parts.operand_types, parts.result_types = [], (), (type,)

    return read


def _typed(context: Context, child: Any) -> tuple[Attribute, Type]:
    value = attribute_of(context, child)
    type = getattr(value, "type", None)
    if not isinstance(type, Type):
        raise Fault(context.start(child), "expected a constant with a type, such as dense<0> : tensor<i32>")
    return value, type


def _expect_const(definition: OpDef, arguments: tuple[Element, ...]) -> Reader:
    operand, target = (argument.name for argument in arguments if isinstance(argument, Ref))

    def read(context: Context, child: Any, parts: Parts) -> None:
        _, token, value = child
        parts.properties[target], type = _typed(context, value)
        parts.groups[operand] = [token]
        parts.operand_types, parts.result_types = (type,), ()

    return read


def _while(definition: OpDef, arguments: tuple[Element, ...]) -> Reader:
    operand, cond, body = (argument.name for argument in arguments if isinstance(argument, Ref))

    def read(context: Context, child: Any, parts: Parts) -> None:
        *inputs, types, attributes, cond_node, body_node = child[1:]
        pairs = [pair for pair in inputs if pair is not None]
        found = [] if types is None else types_of(context, types)
        if len(found) != len(pairs):
            raise Fault(
                context.start(child),
                f"custom op 'stablehlo.while' number of operands and types do not match: "
                f"got {len(pairs)} operands and {len(found)} types",
            )
        parts.groups[operand] = [value for _, _, value in pairs]
        parts.operand_types = parts.result_types = found
        _attributes(context, attributes, parts)
        entry = [Argument(token, type) for (_, token, _), type in zip(pairs, found, strict=True)]
        parts.regions = {cond: [(cond_node, entry)], body: [(body_node, entry)]}

    return read


def _reduce(definition: OpDef, arguments: tuple[Element, ...]) -> Reader:
    inputs, inits, dimensions, body = (argument.name for argument in arguments if isinstance(argument, Ref))

    def read(context: Context, child: Any, parts: Parts) -> None:
        kind, pairs, *rest = child
        parts.groups[inputs] = [value for _, value, _ in pairs[1:]]
        parts.groups[inits] = [value for _, _, value in pairs[1:]]
        if kind == "reduce":
            parts.inner, *rest = rest
        dims, attributes, signature, *reducer = rest
        parts.properties[dimensions] = A.DenseArrayAttr(I64, _dims(context, dims))
        _attributes(context, attributes, parts)
        _signature(context, signature, parts)
        if kind == "reduce_with_reducer":
            parts.regions[body] = [(reducer[1], _reducer_arguments(context, reducer[0]))]

    return read


def _reducer_arguments(context: Context, node: Node) -> list[Argument]:
    """The arguments of `reducer(%a: t, %x: t) (%b: t, %y: t)`: elements first, then accumulators."""
    pairs = []
    for inputs in node[1:]:
        entries = [entry for entry in inputs[1:] if entry is not None]
        if len(entries) != 2 or any(entry[0] != "func_input" for entry in entries):
            raise Fault(context.start(inputs), "expected a pair such as (%a: tensor<f32>, %b: tensor<f32>)")
        pairs.append([Argument(token, type_of(context, t), location) for _, token, t, _, location in entries])
    return [pair[0] for pair in pairs] + [pair[1] for pair in pairs]


def _scan(definition: OpDef, arguments: tuple[Element, ...]) -> Reader:
    inputs, inits, dimension, body = (argument.name for argument in arguments if isinstance(argument, Ref))

    def read(context: Context, child: Any, parts: Parts) -> None:
        _, values, initial, axis, attributes, region, signature = child
        _operands(inputs)(context, values, parts)
        _operands(inits)(context, initial, parts)
        _attributes(context, attributes, parts)
        _signature(context, signature, parts)
        results = list(parts.result_types or ())
        carried = len(parts.groups[inits])
        if len(results) < carried:
            raise Fault(context.start(signature), "not enough result types to cover the required carries")
        parts.properties[dimension] = A.IntegerAttr(integer(context, axis), I64)
        sizes = (len(parts.groups[inputs]), carried), (len(results) - carried, carried)
        parts.properties["operandSegmentSizes"] = A.DenseArrayAttr(I32, sizes[0])
        parts.properties["resultSegmentSizes"] = A.DenseArrayAttr(I32, sizes[1])
        parts.regions[body] = [(region, None)]

    return read


def _module(definition: OpDef, arguments: tuple[Element, ...]) -> Reader:
    name, visibility, body = (argument.name for argument in arguments if isinstance(argument, Ref))

    def read(context: Context, child: Any, parts: Parts) -> None:
        kind, *rest = child
        if kind == "visible_module":
            shown, *rest = rest
            parts.properties[visibility] = A.StringAttr(context.text(shown[1]))
        symbol, attributes, region = rest
        if symbol is not None:
            parts.properties[name] = A.StringAttr(symbol_name(context, symbol))
        _attributes(context, attributes, parts)
        parts.regions[body] = [(region, None)]
        parts.operands, parts.operand_types, parts.result_types = [], (), ()

    return read


def _function(definition: OpDef, arguments: tuple[Element, ...]) -> Reader:
    name, function_type, visibility, arg_attrs, res_attrs, body = (a.name for a in arguments if isinstance(a, Ref))

    def read(context: Context, child: Any, parts: Parts) -> None:
        _, shown, symbol, signature, attributes, region = child
        if shown is not None:
            parts.properties[visibility] = A.StringAttr(context.text(shown[1]))
        parts.properties[name] = A.StringAttr(symbol_name(context, symbol))
        _attributes(context, attributes, parts)
        entry, results, dictionaries = _function_signature(context, signature)
        inputs = tuple(a.type for a in entry)
        parts.properties[function_type] = A.TypeAttr(FunctionType(inputs, tuple(results)))
        for key, found in zip((arg_attrs, res_attrs), dictionaries, strict=True):
            if any(d.items for d in found):
                parts.properties[key] = A.ArrayAttr(tuple(found))
        if region is not None and any(a.token is None for a in entry):
            raise Fault(context.start(signature), "expected a name such as %arg0 for each argument of the function")
        parts.regions[body] = [(region, entry)]
        parts.operands, parts.operand_types, parts.result_types = [], (), ()

    return read


def _function_signature(
    context: Context, child: Any
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


def _entry_attributes(context: Context, node: Node | None) -> A.DictAttr:
    return A.DictAttr(()) if node is None else A.DictAttr.of(dictionary(context, node))


DIRECTIVES: dict[str, Directed] = {
    "same_operands_and_result_type": _same_operands_and_result_type,
    "variadic_same_operands_and_result_type": _same_operands_and_result_type,
    "complex_op_type": _complex_op_type,
    "select_op_type": _select_op_type,
    "tuple_op_type": _tuple_op_type,
    "pairwise_operands": _pairwise_operands,
    "variadic_operand_with_attribute": _variadic_operand_with_attribute,
    "slice_ranges": _slice_ranges,
    "dot_dimension_numbers": _dot_dimension_numbers,
    "precision_config": _precision_config,
    "precision_config_and_algorithm": _precision_config,
    "convolution_dimensions": _convolution_dimensions,
    "window_attributes": _window_attributes,
    "exponent_mantissa": _exponent_mantissa,
    "custom_call_target": _custom_call_target,
    "constant": _value,
    "typed_value": _value,
    "expect_const": _expect_const,
    "while": _while,
    "reduce": _reduce,
    "scan": _scan,
    "module": _module,
    "function": _function,
}
__all__ = ["DIRECTIVES", "Argument", "Parts", "form_readers", "results_of"]
