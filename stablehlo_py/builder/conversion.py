"""Conversions of element types, iota, and rounding to narrower formats."""

from __future__ import annotations

from typing import Any, overload

from stablehlo_py.builder.arguments import integer
from stablehlo_py.builder.computation_builder import ComputationBuilder
from stablehlo_py.builder.errors import BuildError
from stablehlo_py.builder.op import Operand, XlaOp
from stablehlo_py.builder.shape import PrimitiveType, ShapeLike, element_type, shape_text, shape_type
from stablehlo_py.ir.element_types import bit_width
from stablehlo_py.ir.types import Shape as Sizes
from stablehlo_py.ir.types import TensorType


class Conversions(ComputationBuilder):
    """ConvertElementType, BitcastConvertType, ReducePrecision and Iota."""

    def ConvertElementType(self, operand: Operand, new_element_type: PrimitiveType) -> XlaOp:
        """Converts each element to another type.

        Args:
            operand: An array.
            new_element_type: XLA's name (`f32`), a NumPy type, or a type.

        Returns:
            An array of the same shape. Integers are rounded to the nearest floating-point number.

        Documents: 000, 001, 003.
        """
        return self._one("convert", [self._operand(operand)], element_type=element_type(new_element_type))

    def BitcastConvertType(self, operand: Operand, new_element_type: PrimitiveType) -> XlaOp:
        """Reinterprets the bits of the elements as another type.

        A type that is B times narrower adds a minor dimension of size B, a wider one removes it: f32[10]
        becomes f16[10,2], and f16[10,2] becomes f32[10].

        Raises:
            BuildError: If the minor dimension does not have that size.

        Documents: 001, 003. In 003 both types must have the same width.
        """
        op, new = self._operand(operand), element_type(new_element_type)
        result = TensorType(_bitcast_sizes(op, bit_width(op.element_type), bit_width(new)), new)
        return self._one("bitcast_convert", [op], types=[result])

    def ReducePrecision(self, operand: Operand, mantissa_bits: int, exponent_bits: int) -> XlaOp:
        """Rounds each element to a narrower floating-point format and back.

        Args:
            operand: A floating-point array.
            mantissa_bits: The bits of the mantissa, at least 0; ties round to even.
            exponent_bits: The bits of the exponent, at least 1; overflows become infinite. (The documents'
                signature has this order, their table the other one.)

        Documents: 001, 003.
        """
        attributes = {"exponent_bits": exponent_bits, "mantissa_bits": mantissa_bits}
        return self._one("reduce_precision", [self._operand(operand)], attributes)

    @overload
    def Iota(self, type: PrimitiveType, size: int) -> XlaOp: ...
    @overload
    def Iota(self, shape: ShapeLike, iota_dimension: int) -> XlaOp: ...
    def Iota(self, *arguments: Any, **named: Any) -> XlaOp:
        """Counts from 0: `Iota(type, size)` in a vector, `Iota(shape, iota_dimension)` along a dimension.

        Args:
            *arguments: Element type and size of a vector; or a shape, and the dimension along which elements
                increase.
            **named: The same, by name.

        Documents: 003 (the first form), 001 (the second).
        """
        first, second = _iota_arguments(arguments, named)
        is_vector = _is_element_type(first)
        number = integer(second, "size" if is_vector else "iota_dimension")
        shape = TensorType((number,), element_type(first)) if is_vector else shape_type(first)
        if not isinstance(shape, TensorType):
            raise BuildError(f"Iota: expected an array shape, got {shape_text(shape)}")
        return self._one("iota", [], {"iota_dimension": 0 if is_vector else number}, types=[shape])


def _iota_arguments(arguments: tuple[Any, ...], named: dict[str, Any]) -> tuple[Any, Any]:
    for names in (("type", "size"), ("shape", "iota_dimension")):
        given = [*arguments, *(named[name] for name in names[len(arguments) :] if name in named)]
        if len(given) == 2 and len(arguments) + len(named) == 2:
            return given[0], given[1]
    raise BuildError("Iota: expected a type and a size, or a shape and an iota_dimension")


def _is_element_type(given: Any) -> bool:
    """Test whether a value is an element type rather than a shape."""
    if isinstance(given, TensorType) or (isinstance(given, str) and "[" in given):
        return False
    try:
        element_type(given)
    except BuildError:
        return False
    return True


def _bitcast_sizes(op: XlaOp, old: int, new: int) -> Sizes:
    if old > new:
        return (*op.shape, old // new)
    if old < new:
        if not op.shape or op.shape[-1] != new // old:
            raise BuildError(
                f"BitcastConvertType: the minor dimension of {shape_text(op.type)} "
                f"must have size {new // old}"
            )
        return op.shape[:-1]
    return op.shape
