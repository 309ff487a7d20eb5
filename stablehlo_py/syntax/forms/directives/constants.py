"""Directives for constants that determine the types of an op."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from stablehlo_py.ir.attributes import Attribute, BoolAttr, DenseElementsAttr
from stablehlo_py.ir.core import Operation, Value
from stablehlo_py.ir.types import I1, INDEX, TensorType, Type
from stablehlo_py.syntax.forms.directive import DirectiveDef, register
from stablehlo_py.syntax.forms.elements import read_attributes, read_signature
from stablehlo_py.syntax.read.attributes import attribute_of, dictionary, dims_of
from stablehlo_py.syntax.read.context import ReadContext
from stablehlo_py.syntax.read.literals import detect_splat
from stablehlo_py.syntax.read.operation_state import OperationState
from stablehlo_py.syntax.write.fragments import join
from stablehlo_py.syntax.write.types import dims_text

if TYPE_CHECKING:
    from stablehlo_py.syntax.printer import Printer


def _typed(context: ReadContext, child: Any) -> tuple[Attribute, Type]:
    """A constant and its type."""
    value = attribute_of(context, child)
    type = I1 if isinstance(value, BoolAttr) else getattr(value, "type", None)
    if not isinstance(type, Type):
        raise context.error(child, "expected a constant with a type, such as dense<0> : tensor<i32>")
    return value, type


# A constant, whose type is the result's, or the rest of the op in generic form.


def _read_constant(context: ReadContext, child: Any, state: OperationState, name: str, *types: str) -> None:
    if isinstance(child, tuple) and child[0] == "constant_in_generic_form":
        _, properties, attributes, signature = child
        if properties is not None:
            state.properties = dictionary(context, properties[1])
        read_attributes(context, attributes, state)
        read_signature(context, signature, state)
        return
    state.properties[name], type = _typed(context, child)
    state.result_types = (type,)


def _write_constant(p: Printer, op: Operation, value: Attribute, *types: list[Type]) -> None:
    p.write(join(value))


def _has_type_of_value(op: Operation, value: Attribute | None, types: list[Type]) -> bool:
    return getattr(value, "type", None) is types[0]


register(
    DirectiveDef("constant", _read_constant, _write_constant, fits=_has_type_of_value, keeps_name_bare=True)
)
register(DirectiveDef("typed_value", _read_constant, _write_constant))


# An operand and a constant of its type.


def _read_expect_const(
    context: ReadContext, child: Any, state: OperationState, operand: str, constant: str
) -> None:
    _, token, value = child
    state.properties[constant], type = _typed(context, value)
    state.groups[operand] = [token]
    state.operand_types, state.result_types = (type,), ()


def _write_expect_const(p: Printer, op: Operation, operand: Sequence[Value], constant: Attribute) -> None:
    p.operands(operand)
    p.write(", " + join(constant))


def _is_of_type_of_constant(op: Operation, operand: Sequence[Value], constant: Attribute | None) -> bool:
    return len(operand) == 1 and getattr(constant, "type", None) is operand[0].type


register(DirectiveDef("expect_const", _read_expect_const, _write_expect_const, fits=_is_of_type_of_constant))


# `shape.const_shape {...} [2, 8]`: attributes, then a list of sizes for a constant of indices.


def _read_const_shape(context: ReadContext, child: Any, state: OperationState, name: str) -> None:
    _, attributes, dims = child
    read_attributes(context, attributes, state)
    sizes = dims_of(context, dims)
    data = detect_splat(np.array(sizes, np.int64))
    data.flags.writeable = False
    state.properties[name] = DenseElementsAttr(TensorType((len(sizes),), INDEX), data)


def _write_const_shape(p: Printer, op: Operation, shape: DenseElementsAttr) -> None:
    p.write(" ")
    p.attr_dict(op, {"shape"})
    p.write(dims_text(shape.value.tolist()))


def _is_list(op: Operation, shape: Attribute | None) -> bool:
    return isinstance(shape, DenseElementsAttr) and shape.type.rank == 1


register(DirectiveDef("const_shape", _read_const_shape, _write_const_shape, fits=_is_list, own_spacing=True))
