"""Directives for types: abbreviated signatures."""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING, Any

from stablehlo_py.ir.core import Operation, Value
from stablehlo_py.ir.types import (
    I1,
    ComplexType,
    FunctionType,
    TensorType,
    TupleType,
    Type,
    UnrankedTensorType,
)
from stablehlo_py.syntax.forms.directive import DirectiveDef, register
from stablehlo_py.syntax.forms.elements import read_signature
from stablehlo_py.syntax.read.context import ReadContext
from stablehlo_py.syntax.read.operation_state import OperationState
from stablehlo_py.syntax.read.types import type_of, types_of

if TYPE_CHECKING:
    from stablehlo_py.syntax.printer import Printer

# `shlo explain` shows one word for a type, whatever the directive that abbreviates it.
_TYPE = "type"


def _read_signature(context: ReadContext, child: Any, signature: FunctionType, state: OperationState) -> None:
    """Read a whole signature, where one type does not imply the others."""
    if len(signature.inputs) != state.count:
        message = f"{state.count} operands present, but expected {len(signature.inputs)}"
        raise context.error(child, message)
    if len(signature.results) != len(state.definition.outputs):
        raise context.error(child, f"expected {'single' if state.definition.outputs else 'no'} output")
    state.operand_types, state.result_types = signature.inputs, signature.results


# One type for all operands and the result, or the whole signature.


def _read_same_type(context: ReadContext, child: Any, state: OperationState, *names: str) -> None:
    found = type_of(context, child)
    if isinstance(found, FunctionType):
        _read_signature(context, child, found, state)
        return
    state.operand_types = [found] * state.count
    state.result_types = [found] * len(state.definition.outputs)


def _write_same_type(p: Printer, op: Operation, *types: list[Type]) -> None:
    *others, result = chain(*types)
    if any(type is not result for type in others):
        p.signature(op)
    else:
        p.type(result)


def _write_variadic_same_type(p: Printer, op: Operation, values: list[Value], *types: list[Type]) -> None:
    _write_same_type(p, op, *types)


register(
    DirectiveDef("same_operands_and_result_type", _read_same_type, _write_same_type, synopsis=_TYPE),
)
register(
    DirectiveDef(
        "variadic_same_operands_and_result_type", _read_same_type, _write_variadic_same_type, synopsis=_TYPE
    ),
)


# A complex type, whose parts are the types of the operands, or the whole signature.


def _read_complex_type(context: ReadContext, child: Any, state: OperationState, *names: str) -> None:
    found = type_of(context, child)
    if isinstance(found, FunctionType):
        _read_signature(context, child, found, state)
        return
    if not isinstance(found, TensorType) or not isinstance(found.element_type, ComplexType):
        raise context.error(child, "expected tensor with complex element type")
    part = TensorType(found.shape, found.element_type.element_type, found.encoding)
    state.operand_types, state.result_types = [part] * state.count, [found]


def _write_complex_type(
    p: Printer, op: Operation, lhs: list[Type], rhs: list[Type], result: list[Type]
) -> None:
    part = result[0]
    if isinstance(part, TensorType) and isinstance(part.element_type, ComplexType):
        part = TensorType(part.shape, part.element_type.element_type, part.encoding)
    if lhs[0] is not part or rhs[0] is not part:
        p.signature(op)
    else:
        p.types(result)


register(DirectiveDef("complex_op_type", _read_complex_type, _write_complex_type, synopsis=_TYPE))


# The types of `pred` and of all other values, or the whole signature.


def _read_select_type(context: ReadContext, child: Any, state: OperationState, *names: str) -> None:
    found = types_of(context, child)
    if len(found) == 1 and isinstance(found[0], FunctionType):
        _read_signature(context, child, found[0], state)
    elif len(found) == 2:
        state.operand_types, state.result_types = [found[0], found[1], found[1]], [found[1]]
    else:
        raise context.error(child, "expected functional type or list of two types")


def _write_select_type(p: Printer, op: Operation, pred: list[Type], *others: list[Type]) -> None:
    on_true, on_false, result = chain(*others)
    if on_true is not result or on_false is not result:
        p.signature(op)
    else:
        p.types([*pred, result])


register(DirectiveDef("select_op_type", _read_select_type, _write_select_type, synopsis=_TYPE))


# A tuple type, whose elements' types are those of the operands.


def _read_tuple_type(context: ReadContext, child: Any, state: OperationState, *names: str) -> None:
    found = type_of(context, child)
    if not isinstance(found, TupleType):
        raise context.error(child, "expected tuple type")
    state.operand_types, state.result_types = found.types, [found]


def _write_tuple_type(p: Printer, op: Operation, operands: list[Type], result: list[Type]) -> None:
    p.types(result)


def _is_tuple_of_operands(op: Operation, operands: list[Type], result: list[Type]) -> bool:
    (type,) = result
    return isinstance(type, TupleType) and type.types == tuple(operands)


register(
    DirectiveDef(
        "tuple_op_type", _read_tuple_type, _write_tuple_type, fits=_is_tuple_of_operands, synopsis=_TYPE
    )
)


# `arith.cmpi`: the type of both operands; the result is a boolean, or a tensor of them.


def _read_compared_type(context: ReadContext, child: Any, state: OperationState, *names: str) -> None:
    found = type_of(context, child)
    state.operand_types, state.result_types = [found, found], [_with_element_type(found, I1)]


def _with_element_type(type: Type, element_type: Type) -> Type:
    """A tensor of another element type; for a scalar that type itself."""
    match type:
        case TensorType(shape=shape, encoding=encoding):
            return TensorType(shape, element_type, encoding)
        case UnrankedTensorType():
            return UnrankedTensorType(element_type)
    return element_type


def _write_compared_type(p: Printer, op: Operation, lhs: list[Type], *others: list[Type]) -> None:
    p.types(lhs)


register(DirectiveDef("compared_type", _read_compared_type, _write_compared_type))


# `arith.addui_extended`: the type of both operands and the first result, and that of the second one.


def _read_sum_and_flag_types(context: ReadContext, child: Any, state: OperationState, *names: str) -> None:
    found, flag = (type_of(context, each) for each in child[1:])
    state.operand_types, state.result_types = [found, found], [found, flag]


def _write_sum_and_flag_types(p: Printer, op: Operation, *types: list[Type]) -> None:
    p.types([*types[-2], *types[-1]])


register(DirectiveDef("sum_and_flag_types", _read_sum_and_flag_types, _write_sum_and_flag_types))


# `func.call_indirect`: the type of the called function, which implies the others.


def _read_callee_type(context: ReadContext, child: Any, state: OperationState, *names: str) -> None:
    read_signature(context, child, state)
    callee = FunctionType(tuple(state.operand_types), tuple(state.result_types))
    state.operand_types = [callee, *state.operand_types]


def _write_callee_type(p: Printer, op: Operation, callee: list[Type], *others: list[Type]) -> None:
    p.types(callee)


register(DirectiveDef("callee_type", _read_callee_type, _write_callee_type))


# `arith.select`: the type of both values and the result, after that of a condition that is not `i1`.


def _read_selected_type(context: ReadContext, child: Any, state: OperationState, *names: str) -> None:
    found = types_of(context, child)
    condition = I1 if len(found) == 1 else found[0]
    state.operand_types, state.result_types = [condition, found[-1], found[-1]], [found[-1]]


def _write_selected_type(p: Printer, op: Operation, condition: list[Type], *others: list[Type]) -> None:
    shown = [] if condition[0] is I1 else condition
    p.types([*shown, *others[-1]])


register(DirectiveDef("selected_type", _read_selected_type, _write_selected_type))


# `tensor.extract`, `tensor.from_elements`: the type of a tensor, which implies that of its elements.


def _read_tensor_and_elements(
    context: ReadContext, child: Any, state: OperationState, tensor: str, elements: str
) -> None:
    found = type_of(context, child)
    if not isinstance(found, TensorType | UnrankedTensorType):
        raise context.error(child, f"expected a tensor type, found '{found}'")
    state.types[tensor] = [found]
    if elements not in state.groups:
        state.types[elements] = [found.element_type]
        return
    count = len(state.groups[elements])
    if isinstance(found, TensorType) and found.size is not None and found.size != count:
        raise context.error(child, f"expected {found.size} elements for '{found}', found {count}")
    state.types[elements] = [found.element_type] * count


def _write_tensor_and_elements(p: Printer, op: Operation, tensor: list[Type], elements: list[Type]) -> None:
    p.types(tensor)


register(DirectiveDef("tensor_and_elements", _read_tensor_and_elements, _write_tensor_and_elements))
