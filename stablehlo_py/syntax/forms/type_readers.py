"""Directives of pretty forms that give operands and types."""

from __future__ import annotations

from typing import Any

from stablehlo_py.ir.attributes import Attribute, BoolAttr
from stablehlo_py.ir.types import I1, ComplexType, FunctionType, TensorType, TupleType, Type
from stablehlo_py.opset.definition import OpDef
from stablehlo_py.syntax.forms.assembly_format import Element
from stablehlo_py.syntax.forms.readers import Reader, named, operands_reader, read_attributes, read_signature
from stablehlo_py.syntax.read.attributes import attribute_of, dictionary
from stablehlo_py.syntax.read.context import ReadContext
from stablehlo_py.syntax.read.operation_state import OperationState
from stablehlo_py.syntax.read.types import type_of, types_of


def same_operands_and_result_type(definition: OpDef, arguments: tuple[Element, ...]) -> Reader:
    """One type for all operands and the result, or the whole signature."""
    has_result = bool(definition.outputs)

    def read(context: ReadContext, child: Any, state: OperationState) -> None:
        found = type_of(context, child)
        count = state.count
        if isinstance(found, FunctionType):
            _assign(context, child, found, count, state)
        else:
            state.operand_types, state.result_types = [found] * count, (found,) if has_result else ()

    return read


def _assign(
    context: ReadContext, child: Any, signature: FunctionType, count: int, state: OperationState
) -> None:
    if len(signature.inputs) != count:
        raise context.error(child, f"{count} operands present, but expected {len(signature.inputs)}")
    if len(signature.results) != 1:
        raise context.error(child, "expected single output")
    state.operand_types, state.result_types = signature.inputs, signature.results


def complex_op_type(definition: OpDef, arguments: tuple[Element, ...]) -> Reader:
    """A complex type, whose parts are the types of the operands, or the whole signature."""

    def read(context: ReadContext, child: Any, state: OperationState) -> None:
        found = type_of(context, child)
        if isinstance(found, FunctionType):
            _assign(context, child, found, state.count, state)
            return
        if not isinstance(found, TensorType) or not isinstance(found.element_type, ComplexType):
            raise context.error(child, "expected tensor with complex element type")
        part = TensorType(found.shape, found.element_type.element_type, found.encoding)
        state.operand_types, state.result_types = [part] * state.count, [found]

    return read


def select_op_type(definition: OpDef, arguments: tuple[Element, ...]) -> Reader:
    """The types of `pred` and of everything else, or the whole signature."""

    def read(context: ReadContext, child: Any, state: OperationState) -> None:
        found = types_of(context, child)
        if len(found) == 1 and isinstance(found[0], FunctionType):
            _assign(context, child, found[0], state.count, state)
        elif len(found) == 2:
            state.operand_types = [found[0], found[1], found[1]]
            state.result_types = [found[1]]
        else:
            raise context.error(child, "expected functional type or list of two types")

    return read


def tuple_op_type(definition: OpDef, arguments: tuple[Element, ...]) -> Reader:
    """A tuple type, whose elements' types are those of the operands."""

    def read(context: ReadContext, child: Any, state: OperationState) -> None:
        found = type_of(context, child)
        if not isinstance(found, TupleType):
            raise context.error(child, "expected tuple type")
        state.operand_types, state.result_types = found.types, [found]

    return read


def pairwise_operands(definition: OpDef, arguments: tuple[Element, ...]) -> Reader:
    """Operands and their types, which are also those of the results; `()` for none."""

    def read(context: ReadContext, child: Any, state: OperationState) -> None:
        if child[0] == "no_operands":
            state.operands, state.operand_types, state.result_types = [], [], []
            return
        state.operands = list(child[1][1:])
        state.operand_types = state.result_types = types_of(context, child[2])

    return read


def variadic_operand_with_attribute(definition: OpDef, arguments: tuple[Element, ...]) -> Reader:
    """Operands, each with a comma behind it."""
    (operand,) = named(arguments)
    return operands_reader(operand)


def value(definition: OpDef, arguments: tuple[Element, ...]) -> Reader:
    """A constant, whose type is the result's, or the rest of the op in generic form."""
    (name,) = named(arguments)

    def read(context: ReadContext, child: Any, state: OperationState) -> None:
        if isinstance(child, tuple) and child[0] == "constant_in_generic_form":
            _, properties, attributes, signature = child
            if properties is not None:
                state.properties = dictionary(context, properties[1])
            read_attributes(context, attributes, state)
            read_signature(context, signature, state)
            return
        value, type = _typed(context, child)
        state.properties[name] = value
        state.result_types = (type,)

    return read


def _typed(context: ReadContext, child: Any) -> tuple[Attribute, Type]:
    value = attribute_of(context, child)
    type = I1 if isinstance(value, BoolAttr) else getattr(value, "type", None)
    if not isinstance(type, Type):
        raise context.error(child, "expected a constant with a type, such as dense<0> : tensor<i32>")
    return value, type


def expect_const(definition: OpDef, arguments: tuple[Element, ...]) -> Reader:
    """An operand and a constant of its type."""
    operand, target = named(arguments)

    def read(context: ReadContext, child: Any, state: OperationState) -> None:
        _, token, value = child
        state.properties[target], type = _typed(context, value)
        state.groups[operand] = [token]
        state.operand_types, state.result_types = (type,), ()

    return read
