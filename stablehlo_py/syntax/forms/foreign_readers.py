"""Directives of the pretty forms of other dialects: `arith`, `tensor`, `shape` and `sdy`."""

from __future__ import annotations

from typing import Any

import numpy as np

from stablehlo_py.ir import attributes as A
from stablehlo_py.ir.types import I1, I64, INDEX, TensorType, Type, UnrankedTensorType
from stablehlo_py.opset.definition import OpDef
from stablehlo_py.opset.ops.arith import PREDICATES
from stablehlo_py.syntax.forms.assembly_format import Element, TypeOf
from stablehlo_py.syntax.forms.readers import Reader, dims_of, named, read_attributes
from stablehlo_py.syntax.read.context import ReadContext
from stablehlo_py.syntax.read.literals import collapsed
from stablehlo_py.syntax.read.operation_state import OperationState
from stablehlo_py.syntax.read.shardings import sharding_struct
from stablehlo_py.syntax.read.types import results_of, type_of, types_of

OVERFLOW = ("none", "nsw", "nuw")


def overflow(definition: OpDef, arguments: tuple[Element, ...]) -> Reader:
    """` overflow<nsw, nuw>`, optional."""
    (name,) = named(arguments)

    def read(context: ReadContext, child: Any, state: OperationState) -> None:
        words = [context.text(token) for token in child[1:] if token is not None]
        for word, token in zip(words, child[1:], strict=False):
            if word not in OVERFLOW:
                raise context.error(token, f"expected one of {', '.join(OVERFLOW)}, found '{word}'")
        if words:
            flags = ", ".join([flag for flag in OVERFLOW[1:] if flag in words]) or "none"
            state.properties[name] = A.OpaqueAttr(f"#arith.overflow<{flags}>")

    return read


def predicate(definition: OpDef, arguments: tuple[Element, ...]) -> Reader:
    """`slt`: a comparison, stored as its position."""
    (name,) = named(arguments)

    def read(context: ReadContext, child: Any, state: OperationState) -> None:
        word = context.text(child).strip('"')
        if word not in PREDICATES:
            raise context.error(child, f"expected one of {', '.join(PREDICATES)}, found '{word}'")
        state.properties[name] = A.IntegerAttr(PREDICATES.index(word), I64)

    return read


def compared_type(definition: OpDef, arguments: tuple[Element, ...]) -> Reader:
    """The type of both operands; the result is a boolean, or a tensor of them."""

    def read(context: ReadContext, child: Any, state: OperationState) -> None:
        found = type_of(context, child)
        state.operand_types, state.result_types = [found, found], [with_element_type(found, I1)]

    return read


def with_element_type(type: Type, element_type: Type) -> Type:
    """A tensor of another element type; for a scalar that type itself."""
    match type:
        case TensorType(shape=shape, encoding=encoding):
            return TensorType(shape, element_type, encoding)
        case UnrankedTensorType():
            return UnrankedTensorType(element_type)
    return element_type


def selected_type(definition: OpDef, arguments: tuple[Element, ...]) -> Reader:
    """The type of both values and the result, after that of the condition if it is not one boolean."""

    def read(context: ReadContext, child: Any, state: OperationState) -> None:
        found = types_of(context, child)
        condition = I1 if len(found) == 1 else found[0]
        state.operand_types, state.result_types = [condition, found[-1], found[-1]], [found[-1]]

    return read


def tensor_and_elements(definition: OpDef, arguments: tuple[Element, ...]) -> Reader:
    """The type of a tensor; the other argument stands for elements of it."""
    tensor, elements = [argument.name for argument in arguments if isinstance(argument, TypeOf)]

    def read(context: ReadContext, child: Any, state: OperationState) -> None:
        found = type_of(context, child)
        if not isinstance(found, TensorType | UnrankedTensorType):
            raise context.error(child, f"expected a tensor type, found '{found}'")
        state.types[tensor] = [found]
        if elements not in state.groups:
            state.types[elements] = [found.element_type]
            return
        count = len(state.groups[elements])
        if isinstance(found, TensorType) and found.size is not None and found.size != count:
            raise context.error(child, f"{count} elements do not make a '{found}'")
        state.types[elements] = [found.element_type] * count

    return read


def indices(definition: OpDef, arguments: tuple[Element, ...]) -> Reader:
    """`[%i, %j]`, `[]` for none."""
    (name,) = named(arguments)

    def read(context: ReadContext, child: Any, state: OperationState) -> None:
        if child[0] == "no_indices" and dims_of(context, child[1]):
            raise context.error(child, "expected indices such as [%0, %1]")
        state.groups[name] = [] if child[0] == "no_indices" else list(child[1][1:])

    return read


def extents(definition: OpDef, arguments: tuple[Element, ...]) -> Reader:
    """`{...} [2, 8]`: attributes, then a list of sizes for a constant of indices."""
    (name,) = named(arguments)

    def read(context: ReadContext, child: Any, state: OperationState) -> None:
        _, attributes, dims = child
        read_attributes(context, attributes, state)
        sizes = dims_of(context, dims)
        data = collapsed(np.array(sizes, np.int64))
        data.flags.writeable = False
        state.properties[name] = A.DenseElementsAttr(TensorType((len(sizes),), INDEX), data)

    return read


def assuming(definition: OpDef, arguments: tuple[Element, ...]) -> Reader:
    """`%witness -> (types) {...}`."""
    witness, body = named(arguments)
    (operand,) = definition.operands

    def read(context: ReadContext, child: Any, state: OperationState) -> None:
        _, value, results, region, attributes = child
        state.groups[witness] = [value]
        assert operand.type.only is not None
        state.operand_types = [operand.type.only]
        state.result_types = [] if results is None else results_of(context, results)
        state.regions[body] = [(region, [])]
        read_attributes(context, attributes, state)

    return read


def shardings(definition: OpDef, arguments: tuple[Element, ...]) -> Reader:
    """`[<@mesh, [{"x"}]>]`: a sharding for each value."""
    (name,) = named(arguments)

    def read(context: ReadContext, child: Any, state: OperationState) -> None:
        if child is not None:
            state.properties[name] = sharding_struct(context, "sdy.sharding_per_value", child)

    return read
