"""Writers of the directives for types, attributes and operands."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from typing import TYPE_CHECKING, Any

from stablehlo_py.ir.attributes import (
    ArrayAttr,
    Attribute,
    DenseArrayAttr,
    DenseElementsAttr,
    IntegerAttr,
    StringAttr,
    StructAttr,
)
from stablehlo_py.ir.core import Operation, Value
from stablehlo_py.ir.types import ComplexType, TensorType, TupleType, Type
from stablehlo_py.syntax.forms.writers import Custom
from stablehlo_py.syntax.write.attributes import convolution_text, stripped_fragments, symbol
from stablehlo_py.syntax.write.fragments import join
from stablehlo_py.syntax.write.types import dims_text

if TYPE_CHECKING:
    from stablehlo_py.syntax.printer import Printer


def _same_operands_and_result_type(p: Printer, op: Operation, *types: list[Type]) -> None:
    *operands, result = chain(*types)
    if any(type is not result for type in operands):
        p.signature(op)
    else:
        p.type(result)


def _variadic_same_type(p: Printer, op: Operation, _: Any, operands: list[Type], result: list[Type]) -> None:
    _same_operands_and_result_type(p, op, operands, result)


def _tuple_op_type(p: Printer, op: Operation, operands: list[Type], result: list[Type]) -> None:
    p.types(result)


def _complex_op_type(p: Printer, op: Operation, lhs: list[Type], rhs: list[Type], result: list[Type]) -> None:
    real = result[0]
    if isinstance(real, TensorType) and isinstance(real.element_type, ComplexType):
        real = TensorType(real.shape, real.element_type.element_type, real.encoding)
    if lhs[0] is not real or rhs[0] is not real:
        p.signature(op)
    else:
        p.types(result)


def _select_op_type(p: Printer, op: Operation, pred: list[Type], *others: list[Type]) -> None:
    on_true, on_false, result = chain(*others)
    if on_true is not result or on_false is not result:
        p.signature(op)
    else:
        p.types([*pred, result])


def _pairwise_operands(
    p: Printer, op: Operation, operands: Sequence[Value], types: list[Type], results: list[Type]
) -> None:
    if not operands:
        p.write("()")
        return
    p.write(" ")
    p.operands(operands)
    p.write(" : ")
    p.types(types)


def _are_types_repeated(op: Operation) -> bool:
    return [value.type for value in op.operands] == [result.type for result in op.results]


def _is_tuple_of_operands(op: Operation) -> bool:
    type = op.results[0].type
    return isinstance(type, TupleType) and type.types == tuple(value.type for value in op.operands)


def _variadic_operand_with_attribute(p: Printer, op: Operation, operands: Sequence[Value]) -> None:
    p.operands(operands)
    p.write(",")


def _typed_value(p: Printer, op: Operation, value: Attribute) -> None:
    p.write(join(value))


def _constant(p: Printer, op: Operation, value: Attribute, types: list[Type]) -> None:
    p.write(join(value))


def _has_type_of_value(op: Operation) -> bool:
    return getattr(op.attribute("value"), "type", None) is op.results[0].type


def _expect_const(p: Printer, op: Operation, values: Sequence[Value], constant: Attribute) -> None:
    p.operands(values)
    p.write(", " + join(constant))


def _custom_call_target(p: Printer, op: Operation, target: StringAttr) -> None:
    p.write(symbol(target.value))


def _exponent_mantissa(p: Printer, op: Operation, exponent: IntegerAttr, mantissa: IntegerAttr) -> None:
    p.write(f"e{exponent.value}m{mantissa.value}")


def _slice_ranges(p: Printer, op: Operation, *bounds: DenseArrayAttr) -> None:
    ranges = [
        f"{start}:{limit}" if stride == 1 else f"{start}:{limit}:{stride}"
        for start, limit, stride in zip(*[b.value for b in bounds], strict=True)
    ]
    p.write(f"[{', '.join(ranges)}]")


def _are_bit_counts(op: Operation) -> bool:
    counts = [op.attribute(name) for name in ("exponent_bits", "mantissa_bits")]
    return all(isinstance(c, IntegerAttr) and c.value >= 0 for c in counts)


def _are_ranges(op: Operation) -> bool:
    bounds = [op.attribute(name) for name in ("start_indices", "limit_indices", "strides")]
    return len({len(b.value) for b in bounds if isinstance(b, DenseArrayAttr)}) == 1


def _dot_dimension_numbers(p: Printer, op: Operation, numbers: StructAttr) -> None:
    batching = numbers["lhs_batching_dimensions"], numbers["rhs_batching_dimensions"]
    if any(batching):
        p.write("batching_dims = {} x {}, ".format(*map(dims_text, batching)))
    contracting = numbers["lhs_contracting_dimensions"], numbers["rhs_contracting_dimensions"]
    p.write("contracting_dims = {} x {}".format(*map(dims_text, contracting)))


def _precision_config(p: Printer, op: Operation, precision: ArrayAttr | None) -> None:
    if precision is not None:
        values = [join(*stripped_fragments(value)) for value in precision.value]
        p.write(f", precision = [{', '.join(values)}]")


def _precision_config_and_algorithm(
    p: Printer, op: Operation, precision: ArrayAttr | None, algorithm: Attribute | None
) -> None:
    _precision_config(p, op, precision)
    if algorithm is not None:
        p.write(", algorithm = " + join(*stripped_fragments(algorithm)))


def _convolution_dimensions(p: Printer, op: Operation, numbers: StructAttr) -> None:
    p.write(convolution_text(numbers))


_WINDOW = ("stride", "pad", "lhs_dilate", "rhs_dilate", "reverse")
_MOST_PADDING = 1 << 16  # numbers of a splat that are written out


def _window_attributes(p: Printer, op: Operation, *attributes: Attribute | None) -> None:
    texts = [
        f"{name} = {_window_text(attribute)}"
        for name, attribute in zip(_WINDOW, attributes, strict=True)
        if attribute is not None
    ]
    p.write(", ".join(texts))


def _window_text(attribute: Attribute) -> str:
    if isinstance(attribute, DenseElementsAttr) and (attribute.type.size or 0) <= _MOST_PADDING:
        pairs = attribute.value.reshape(-1, 2).tolist()
        return f"[{', '.join([dims_text(pair) for pair in pairs])}]"
    return join(*stripped_fragments(attribute))


CLAUSES: dict[str, Custom] = {
    "same_operands_and_result_type": Custom(_same_operands_and_result_type),
    "variadic_same_operands_and_result_type": Custom(_variadic_same_type),
    "tuple_op_type": Custom(_tuple_op_type, fits=_is_tuple_of_operands),
    "complex_op_type": Custom(_complex_op_type),
    "select_op_type": Custom(_select_op_type),
    "pairwise_operands": Custom(_pairwise_operands, own_spacing=True, fits=_are_types_repeated),
    "variadic_operand_with_attribute": Custom(_variadic_operand_with_attribute),
    "typed_value": Custom(_typed_value),
    "constant": Custom(_constant, fits=_has_type_of_value, keeps_name_bare=True),
    "expect_const": Custom(_expect_const),
    "custom_call_target": Custom(_custom_call_target),
    "exponent_mantissa": Custom(_exponent_mantissa, fits=_are_bit_counts),
    "slice_ranges": Custom(_slice_ranges, fits=_are_ranges),
    "dot_dimension_numbers": Custom(_dot_dimension_numbers),
    "precision_config": Custom(_precision_config),
    "precision_config_and_algorithm": Custom(_precision_config_and_algorithm),
    "convolution_dimensions": Custom(_convolution_dimensions),
    "window_attributes": Custom(_window_attributes),
}
