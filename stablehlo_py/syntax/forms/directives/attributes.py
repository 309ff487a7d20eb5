"""Directives for attributes with a spelling of their own."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from stablehlo_py.ir.attributes import (
    ArrayAttr,
    Attribute,
    DenseArrayAttr,
    IntegerAttr,
    OpaqueAttr,
    StringAttr,
    StructAttr,
    UnitAttr,
)
from stablehlo_py.ir.core import Operation
from stablehlo_py.ir.types import I32, I64, Type
from stablehlo_py.opset.ops.arith import FLOAT_PREDICATES, PREDICATES, ROUNDING_MODES
from stablehlo_py.opset.structures import FASTMATH, OVERFLOW, FlagSet
from stablehlo_py.syntax.forms.directive import DirectiveDef, register
from stablehlo_py.syntax.read.attributes import dims_of, integers_of
from stablehlo_py.syntax.read.context import ReadContext
from stablehlo_py.syntax.read.operation_state import OperationState
from stablehlo_py.syntax.read.shardings import sharding_struct
from stablehlo_py.syntax.read.strings import symbol_name
from stablehlo_py.syntax.read.structs import enum_value, struct_of
from stablehlo_py.syntax.write.attributes import convolution_text, stripped_text, symbol
from stablehlo_py.syntax.write.types import dims_text

if TYPE_CHECKING:
    from stablehlo_py.syntax.printer import Printer


# `@name`, for a string.


def _read_custom_call_target(context: ReadContext, child: Any, state: OperationState, name: str) -> None:
    state.properties[name] = StringAttr(symbol_name(context, child))


def _write_custom_call_target(p: Printer, op: Operation, target: StringAttr) -> None:
    p.write(symbol(target.value))


register(DirectiveDef("custom_call_target", _read_custom_call_target, _write_custom_call_target))


# `e5m10`.

_EXPONENT_MANTISSA = re.compile(r"e(\d{1,10})m(\d{1,10})", re.ASCII)
_MAX_BITS = (1 << 31) - 1


def _read_exponent_mantissa(
    context: ReadContext, child: Any, state: OperationState, exponent: str, mantissa: str
) -> None:
    text = context.text(child)
    match = _EXPONENT_MANTISSA.fullmatch(text)
    if match is None or int(match[1]) > _MAX_BITS or int(match[2]) > _MAX_BITS:
        raise context.error(child, f"expected exponent mantissa in format e#m#, saw {text}")
    state.properties[exponent] = IntegerAttr(int(match[1]), I32)
    state.properties[mantissa] = IntegerAttr(int(match[2]), I32)


def _write_exponent_mantissa(p: Printer, op: Operation, exponent: IntegerAttr, mantissa: IntegerAttr) -> None:
    p.write(f"e{exponent.value}m{mantissa.value}")


def _are_bit_counts(op: Operation, *counts: Attribute | None) -> bool:
    return all(isinstance(count, IntegerAttr) and count.value >= 0 for count in counts)


register(
    DirectiveDef("exponent_mantissa", _read_exponent_mantissa, _write_exponent_mantissa, fits=_are_bit_counts)
)


# `[start:limit, start:limit:stride]`.


def _read_slice_ranges(
    context: ReadContext, child: Any, state: OperationState, starts: str, limits: str, strides: str
) -> None:
    is_empty = child[0] == "no_slice_ranges"
    if is_empty and integers_of(context, child[1]):
        raise context.error(child, "expected ranges such as [0:2, 1:8:3]")
    rows = [
        [1 if token is None else context.integer(token) for token in slice_range[1:]]
        for slice_range in ([] if is_empty else child[1:])
    ]
    for column, name in enumerate((starts, limits, strides)):
        state.properties[name] = DenseArrayAttr(I64, tuple(row[column] for row in rows))


def _write_slice_ranges(p: Printer, op: Operation, *bounds: DenseArrayAttr) -> None:
    ranges = [
        f"{start}:{limit}" if stride == 1 else f"{start}:{limit}:{stride}"
        for start, limit, stride in zip(*[b.value for b in bounds], strict=True)
    ]
    p.write(f"[{', '.join(ranges)}]")


def _are_ranges(op: Operation, *bounds: Attribute | None) -> bool:
    return len({len(b.value) for b in bounds if isinstance(b, DenseArrayAttr)}) == 1


register(DirectiveDef("slice_ranges", _read_slice_ranges, _write_slice_ranges, fits=_are_ranges))


# `batching_dims = [0] x [0], contracting_dims = [2] x [1]`, the former optional.

_DOT_DIMENSIONS = (
    "lhs_batching_dimensions",
    "rhs_batching_dimensions",
    "lhs_contracting_dimensions",
    "rhs_contracting_dimensions",
)


def _read_dot_dimension_numbers(context: ReadContext, child: Any, state: OperationState, name: str) -> None:
    dims = [() if c is None else dims_of(context, c) for c in child[1:]]
    state.properties[name] = StructAttr("stablehlo.dot", tuple(zip(_DOT_DIMENSIONS, dims, strict=True)))


def _write_dot_dimension_numbers(p: Printer, op: Operation, numbers: StructAttr) -> None:
    lhs_batching, rhs_batching, lhs, rhs = (numbers[name] for name in _DOT_DIMENSIONS)
    if lhs_batching or rhs_batching:
        p.write(f"batching_dims = {dims_text(lhs_batching)} x {dims_text(rhs_batching)}, ")
    p.write(f"contracting_dims = {dims_text(lhs)} x {dims_text(rhs)}")


register(DirectiveDef("dot_dimension_numbers", _read_dot_dimension_numbers, _write_dot_dimension_numbers))


# `, precision = [DEFAULT, HIGH]` and `, algorithm = <...>`, both optional.


def _precision(context: ReadContext, child: Any) -> Attribute:
    if isinstance(child, int):
        if integers_of(context, child):
            raise context.error(child, "expected precisions such as [DEFAULT, HIGHEST]")
        return ArrayAttr(())
    return ArrayAttr(tuple(enum_value(context, "stablehlo.precision", token) for token in child[1:]))


def _read_precision(context: ReadContext, child: Any, state: OperationState, name: str) -> None:
    if child[1] is not None:
        state.properties[name] = _precision(context, child[1])


def _write_precision(p: Printer, op: Operation, precision: ArrayAttr | None) -> None:
    if precision is not None:
        p.write(f", precision = [{', '.join([stripped_text(value) for value in precision.value])}]")


def _read_precision_and_algorithm(
    context: ReadContext, child: Any, state: OperationState, precision: str, algorithm: str
) -> None:
    _read_precision(context, child, state, precision)
    if child[2] is not None:
        state.properties[algorithm] = struct_of(context, "stablehlo.dot_algorithm", child[2])


def _write_precision_and_algorithm(
    p: Printer, op: Operation, precision: ArrayAttr | None, algorithm: Attribute | None
) -> None:
    _write_precision(p, op, precision)
    if algorithm is not None:
        p.write(", algorithm = " + stripped_text(algorithm))


register(DirectiveDef("precision_config", _read_precision, _write_precision))
register(
    DirectiveDef(
        "precision_config_and_algorithm", _read_precision_and_algorithm, _write_precision_and_algorithm
    )
)


# `[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]`.


def _read_convolution_dimensions(context: ReadContext, child: Any, state: OperationState, name: str) -> None:
    state.properties[name] = struct_of(context, "stablehlo.conv", ("struct_body", child))


def _write_convolution_dimensions(p: Printer, op: Operation, numbers: StructAttr) -> None:
    p.write(convolution_text(numbers))


def _have_labels(op: Operation, numbers: StructAttr) -> bool:
    """Test whether each dimension has one label: the raw numbers of an invalid op have no pretty form."""
    return convolution_text(numbers).startswith("[")


register(
    DirectiveDef(
        "convolution_dimensions",
        _read_convolution_dimensions,
        _write_convolution_dimensions,
        fits=_have_labels,
    )
)


# `overflow<nsw, nuw>` and `fastmath<nnan,ninf>` of `arith`, optional.


def _flags(keyword: str, of: FlagSet, name: str = "", hides_none: bool = True) -> DirectiveDef:
    hidden = OpaqueAttr(of.text(())) if hides_none else None

    def read(context: ReadContext, child: Any, state: OperationState, name: str) -> None:
        words = [context.text(token) for token in child[1:] if token is not None]
        for word, token in zip(words, child[1:], strict=False):
            if word not in of.words:
                raise context.error(token, f"expected one of {', '.join(of.words)}, found '{word}'")
        if words:
            state.properties[name] = OpaqueAttr(of.text(words))

    def write(p: Printer, op: Operation, flags: OpaqueAttr | None) -> None:
        if flags is not None and flags != hidden:
            p.write(f" {keyword}{flags.text[flags.text.index('<') :]}")

    return DirectiveDef(name or keyword, read, write, own_spacing=True)


register(_flags("overflow", OVERFLOW))
register(_flags("fastmath", FASTMATH))
register(_flags("fastmath", FASTMATH, "stated_fastmath", hides_none=False))


# `exact` and `nneg` of `arith`, optional: keywords that stand for unit attributes.


def _read_flag(context: ReadContext, child: Any, state: OperationState, name: str) -> None:
    if any(token is not None for token in child[1:]):
        state.properties[name] = UnitAttr()


def _flag(keyword: str) -> DirectiveDef:
    def write(p: Printer, op: Operation, flag: Attribute | None) -> None:
        if flag is not None:
            p.write(f" {keyword}")

    return DirectiveDef(keyword, _read_flag, write, own_spacing=True)


register(_flag("exact"))
register(_flag("nneg"))


# `slt`: a comparison of `arith.cmpi` or `arith.cmpf`, stored as its position.


def _position(context: ReadContext, token: int, words: Sequence[str], type: Type) -> IntegerAttr:
    word = context.text(token).strip('"')
    if word not in words:
        raise context.error(token, f"expected one of {', '.join(words)}, found '{word}'")
    return IntegerAttr(words.index(word), type)


def _is_position(value: Attribute | None, words: Sequence[str]) -> bool:
    return isinstance(value, IntegerAttr) and 0 <= value.value < len(words)


def _predicate(directive: str, words: Sequence[str]) -> DirectiveDef:
    def read(context: ReadContext, child: Any, state: OperationState, name: str) -> None:
        state.properties[name] = _position(context, child, words, I64)

    def write(p: Printer, op: Operation, position: IntegerAttr) -> None:
        p.write(words[position.value])

    def fits(op: Operation, position: Attribute | None) -> bool:
        return _is_position(position, words)

    return DirectiveDef(directive, read, write, fits=fits)


register(_predicate("predicate", PREDICATES))
register(_predicate("float_predicate", FLOAT_PREDICATES))


# `to_nearest_even`: a rounding mode of `arith`, optional, stored as its position.


def _read_rounding_mode(context: ReadContext, child: Any, state: OperationState, name: str) -> None:
    if child[1] is not None:
        state.properties[name] = _position(context, child[1], ROUNDING_MODES, I32)


def _write_rounding_mode(p: Printer, op: Operation, mode: IntegerAttr | None) -> None:
    if mode is not None:
        p.write(f" {ROUNDING_MODES[mode.value]}")


def _is_rounding_mode(op: Operation, mode: Attribute | None) -> bool:
    return mode is None or _is_position(mode, ROUNDING_MODES)


register(
    DirectiveDef(
        "rounding_mode", _read_rounding_mode, _write_rounding_mode, fits=_is_rounding_mode, own_spacing=True
    )
)


# `[<@mesh, [{"x"}]>]`: a sharding for each value.


def _read_shardings(context: ReadContext, child: Any, state: OperationState, name: str) -> None:
    if child is not None:
        state.properties[name] = sharding_struct(context, "sdy.sharding_per_value", child)


def _write_shardings(p: Printer, op: Operation, shardings: StructAttr) -> None:
    p.write(stripped_text(shardings)[1:-1])


register(DirectiveDef("shardings", _read_shardings, _write_shardings))
