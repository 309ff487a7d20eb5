"""The pass `stablehlo-legalize-quant-to-math`: quantized programs become integer and float math."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from stablehlo_py.diagnostics.diagnostic import TransformError
from stablehlo_py.ir.attributes import TypeAttr
from stablehlo_py.ir.core import Module, Operation, Value
from stablehlo_py.ir.types import QuantizedType, Type
from stablehlo_py.kernels.quantized import is_quantized, quantized_element
from stablehlo_py.transforms.pass_definition import Options, Pass, failure
from stablehlo_py.transforms.quantization.arithmetic import (
    F32,
    I32,
    broadcast,
    clamp_to_storage,
    dequantize,
    per_slice,
    quantize,
    requantize,
    storage,
    with_element,
)
from stablehlo_py.transforms.quantization.dots import (
    convolution_dimensions,
    dot_dimensions,
    hybrid_dot,
    integer_dot,
)
from stablehlo_py.transforms.quantization.qdq import DOTS, ELEMENTWISE, dequantize_op_quantize, stablehlo_ops
from stablehlo_py.transforms.rewriter import Rewriter

_ILLEGAL = "failed to legalize operation '{}' that was explicitly marked illegal"
# Ops whose results are elements of the operands, which they do not compute on.
_MOVES = {"func.call", "func.return"} | stablehlo_ops(
    """
    bitcast_convert broadcast_in_dim composite concatenate constant dynamic_broadcast_in_dim dynamic_reshape
    dynamic_slice gather get_dimension_size maximum minimum pad reduce_window reshape return select slice
    transpose
    """
)
_COMPARED = stablehlo_ops("maximum minimum")  # for equal scales


@dataclass(frozen=True, slots=True)
class _Quantized:
    """An op that has quantized operands or results, with the types it had in the program."""

    op: Operation
    operands: tuple[Type, ...]
    results: tuple[Type, ...]

    def elements(self) -> list[QuantizedType | None]:
        """Return the quantized element types of operands and results."""
        return [quantized_element(type) for type in (*self.operands, *self.results)]


def _run(module: Module, options: Options) -> None:
    found = [each for each in map(_read, module.walk()) if each is not None]
    for op in module.walk():
        for block in op.blocks:
            for argument in block.arguments:
                argument.type = storage(argument.type)
        type = op.properties.get("function_type")
        if isinstance(type, TypeAttr):
            op.properties["function_type"] = TypeAttr(storage(type.value))
    rewriter = Rewriter(module, options)
    for each in found:
        _Lowering(module, rewriter, each).lower()
    rewriter.flush()


def _read(op: Operation) -> _Quantized | None:
    """Return the types of an op with quantized types, None for another op."""
    operands = tuple([value.type for value in op.operands])
    results = tuple([value.type for value in op.results])
    is_quantized = any(map(_holds_quantized, (*operands, *results)))
    return _Quantized(op, operands, results) if is_quantized else None


def _holds_quantized(type: Type) -> bool:
    """Test whether a type is quantized, also inside of a tuple."""
    parts = getattr(type, "types", ())
    return is_quantized(type) or any(map(_holds_quantized, parts))


class _Lowering:
    """The lowering of one op."""

    def __init__(self, module: Module, rewriter: Rewriter, found: _Quantized) -> None:
        self.module = module
        self.rewriter = rewriter.at(found.op)
        self.found = found
        self.op = found.op

    def lower(self) -> None:
        """Replace the op; raise TransformError if there is no way to."""
        values = self._lowered()
        if values is not None:
            self.rewriter.replace(self.op, values, merge=False)
        elif self._is_move():
            for result in self.op.results:
                result.type = storage(result.type)
        elif self.op.name in ELEMENTWISE | DOTS and self._has_f32():
            self.rewriter.replace(self.op, self._on_floats(), merge=False)
        else:
            raise self._failure(_ILLEGAL.format(self.op.name))

    def _lowered(self) -> Sequence[Value] | None:
        if self.op.name == "stablehlo.uniform_quantize":
            return [self._quantize()]
        if self.op.name == "stablehlo.uniform_dequantize":
            return self._dequantize()
        if self.op.name == "stablehlo.add":
            return self._add()
        if self.op.name in DOTS:
            return self._dot()
        return None

    def _quantize(self) -> Value:
        (source,) = self.found.operands
        before, after = quantized_element(source), quantized_element(self.found.results[0])
        assert after is not None
        (operand,) = self.op.operands
        if before is not None:
            if None not in (before.dimension, after.dimension) and before.dimension != after.dimension:
                raise self._failure("Cannot requantize while changing quantization_axis")
            return requantize(self.rewriter, operand, before, after, after.storage_type)
        if with_element(source, F32) != source:
            raise self._failure("Unsupported input element type.")
        return quantize(self.rewriter, operand, after)

    def _dequantize(self) -> Sequence[Value] | None:
        q = quantized_element(self.found.operands[0])
        if q is None or q.block_sizes is not None:
            return None
        return [dequantize(self.rewriter, self.op.operands[0], q)]

    def _add(self) -> Sequence[Value] | None:
        """Add in i32, where the scales are one per tensor, or all types are equal and stored as i32."""
        types = self.found.elements()
        lhs, rhs, result = types
        if lhs is None or rhs is None or result is None:
            return None
        if any(q.dimension is not None for q in (lhs, rhs, result)):
            is_plain = lhs is rhs and lhs is result and lhs.storage_type == I32
            return [self._add_per_axis(result)] if is_plain else None
        rewriter = self.rewriter
        left, right = (
            requantize(rewriter, value, q, result, I32)
            for value, q in zip(self.op.operands, (lhs, rhs), strict=True)
        )
        zero_point = per_slice(rewriter, result, result.zero_points, I32)
        total = broadcast(rewriter, "add", left, right)
        total = broadcast(rewriter, "subtract", total, zero_point)
        return [clamp_to_storage(rewriter, total, result)]

    def _add_per_axis(self, q: QuantizedType) -> Value:
        total = self.rewriter.value("stablehlo.add", self.op.operands, type=storage(self.found.results[0]))
        if not any(q.zero_points):
            return total
        zero_points = per_slice(self.rewriter, q, q.zero_points, I32)
        return broadcast(self.rewriter, "subtract", total, zero_points, q.dimension)

    def _dot(self) -> Sequence[Value] | None:
        lhs, rhs, result = self.found.elements()
        if rhs is not None and lhs is None and result is None:
            return hybrid_dot(self.rewriter, self.op, rhs)
        if lhs is None or rhs is None or result is None or lhs.dimension is not None:
            return None
        if (rhs.dimension is None) != (result.dimension is None):
            return None
        dimensions = (
            convolution_dimensions(self.op, rhs, result)
            if self.op.name == "stablehlo.convolution"
            else dot_dimensions(self.op)
        )
        if dimensions is None:
            return None
        product = integer_dot(self.rewriter, self.op, dimensions, (lhs, rhs, result))
        return [clamp_to_storage(self.rewriter, product, result)]

    def _is_move(self) -> bool:
        """Test whether the op can move storage elements."""
        types = self.found.elements()
        is_compared = self.op.name in _COMPARED
        if is_compared and any(q is None or q is not types[0] or q.dimension is not None for q in types):
            return False
        return self.op.name in _MOVES

    def _has_f32(self) -> bool:
        return all(q is None or q.expressed_type == F32 for q in self.found.elements())

    def _on_floats(self) -> list[Value]:
        rewriter = self.rewriter
        return dequantize_op_quantize(
            rewriter,
            self.op,
            self.found.operands,
            self.found.results,
            lambda value, q: dequantize(rewriter, value, q),
            lambda value, q: quantize(rewriter, value, q),
        )

    def _failure(self, message: str) -> TransformError:
        return failure(self.module, self.op, message)


PASS = Pass(
    "stablehlo-legalize-quant-to-math",
    "Makes quantized programs compute on integers and floating-point numbers.",
    _run,
    description="Values have their storage type afterwards. Sums, `dot`, `dot_general` and `convolution` "
    "compute on integers where that is possible, other ops on f32.",
)
