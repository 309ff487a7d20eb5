"""Elementwise binary operations, with XLA's implicit broadcasting."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from stablehlo_py.builder.broadcasting import broadcast
from stablehlo_py.builder.call_site import call_site
from stablehlo_py.builder.computation_builder import ComputationBuilder
from stablehlo_py.builder.docstrings import ALL, NEWEST, NONE, with_shared_docs
from stablehlo_py.builder.errors import BuildError
from stablehlo_py.builder.op import XlaOp
from stablehlo_py.ir.types import FloatType, IntegerType, Shape

if TYPE_CHECKING:
    from stablehlo_py.builder.op import Operand

_BINARY = """
Args:
    lhs: An array, or a number, which takes the element type of rhs.
    rhs: An array of the same element type, or a number.
    broadcast_dimensions: For arrays of different ranks, the dimensions of the higher-rank array that those of
        the lower-rank array map to. Not required if one of them is a scalar.

Returns:
    An array of the broadcast shape. Corresponding sizes must be equal, or one of them 1.

Raises:
    BuildError: If the shapes are incompatible, or the op does not support the element type.
"""
_COMPARISON = _BINARY.replace("An array of the broadcast", "A pred array of the broadcast")


class Binary(ComputationBuilder):
    """The binary operations: `Op(lhs, rhs, broadcast_dimensions)`."""

    @with_shared_docs(_BINARY, ALL)
    def Add(self, lhs: Operand, rhs: Operand, broadcast_dimensions: Sequence[int] = ()) -> XlaOp:
        """Adds two arrays element by element; for pred, computes the logical or."""
        return self._binary("add", lhs, rhs, broadcast_dimensions)

    @with_shared_docs(_BINARY, ALL)
    def Sub(self, lhs: Operand, rhs: Operand, broadcast_dimensions: Sequence[int] = ()) -> XlaOp:
        """Subtracts rhs from lhs, element by element."""
        return self._binary("subtract", lhs, rhs, broadcast_dimensions)

    @with_shared_docs(_BINARY, ALL)
    def Mul(self, lhs: Operand, rhs: Operand, broadcast_dimensions: Sequence[int] = ()) -> XlaOp:
        """Multiplies two arrays element by element; for pred, computes the logical and."""
        return self._binary("multiply", lhs, rhs, broadcast_dimensions)

    @with_shared_docs(_BINARY, ALL)
    def Div(self, lhs: Operand, rhs: Operand, broadcast_dimensions: Sequence[int] = ()) -> XlaOp:
        """Divides lhs by rhs element by element; integer quotients are rounded towards zero.

        Integer division by 0, and the minimum divided by -1, return what XLA returns.
        """
        return self._binary("divide", lhs, rhs, broadcast_dimensions)

    @with_shared_docs(_BINARY, ALL)
    def Rem(self, lhs: Operand, rhs: Operand, broadcast_dimensions: Sequence[int] = ()) -> XlaOp:
        """Computes the remainder of lhs divided by rhs, with the sign of lhs."""
        return self._binary("remainder", lhs, rhs, broadcast_dimensions)

    @with_shared_docs(_BINARY, ALL)
    def Max(self, lhs: Operand, rhs: Operand, broadcast_dimensions: Sequence[int] = ()) -> XlaOp:
        """Computes the maximum of two arrays element by element; NaN if either element is."""
        return self._binary("maximum", lhs, rhs, broadcast_dimensions)

    @with_shared_docs(_BINARY, ALL)
    def Min(self, lhs: Operand, rhs: Operand, broadcast_dimensions: Sequence[int] = ()) -> XlaOp:
        """Computes the minimum of two arrays element by element; NaN if either element is."""
        return self._binary("minimum", lhs, rhs, broadcast_dimensions)

    @with_shared_docs(_BINARY, ALL)
    def LogicalAnd(self, lhs: Operand, rhs: Operand, broadcast_dimensions: Sequence[int] = ()) -> XlaOp:
        """Computes the logical and of pred arrays, or the bitwise and of integers."""
        return self._binary("and", lhs, rhs, broadcast_dimensions)

    @with_shared_docs(_BINARY, ALL)
    def LogicalOr(self, lhs: Operand, rhs: Operand, broadcast_dimensions: Sequence[int] = ()) -> XlaOp:
        """Computes the logical or of pred arrays, or the bitwise or of integers."""
        return self._binary("or", lhs, rhs, broadcast_dimensions)

    @with_shared_docs(_BINARY, NEWEST)
    def LogicalXor(self, lhs: Operand, rhs: Operand, broadcast_dimensions: Sequence[int] = ()) -> XlaOp:
        """Computes the logical exclusive or of pred arrays, or the bitwise exclusive or of integers."""
        return self._binary("xor", lhs, rhs, broadcast_dimensions)

    @with_shared_docs(_BINARY, NEWEST)
    def Atan2(self, lhs: Operand, rhs: Operand, broadcast_dimensions: Sequence[int] = ()) -> XlaOp:
        """Computes the angle of the points with y = lhs and x = rhs, from -pi to pi."""
        return self._binary("atan2", lhs, rhs, broadcast_dimensions)

    @with_shared_docs(_BINARY, NONE)
    def Pow(self, lhs: Operand, rhs: Operand, broadcast_dimensions: Sequence[int] = ()) -> XlaOp:
        """Raises lhs to the power of rhs, element by element."""
        return self._binary("power", lhs, rhs, broadcast_dimensions)

    @with_shared_docs(_BINARY, NONE)
    def ShiftLeft(self, lhs: Operand, rhs: Operand, broadcast_dimensions: Sequence[int] = ()) -> XlaOp:
        """Shifts the bits of lhs left by rhs positions."""
        return self._binary("shift_left", lhs, rhs, broadcast_dimensions)

    @with_shared_docs(_BINARY, NONE)
    def ShiftRightArithmetic(
        self, lhs: Operand, rhs: Operand, broadcast_dimensions: Sequence[int] = ()
    ) -> XlaOp:
        """Shifts the bits of lhs right by rhs positions, keeping the sign."""
        return self._binary("shift_right_arithmetic", lhs, rhs, broadcast_dimensions)

    @with_shared_docs(_BINARY, NONE)
    def ShiftRightLogical(
        self, lhs: Operand, rhs: Operand, broadcast_dimensions: Sequence[int] = ()
    ) -> XlaOp:
        """Shifts the bits of lhs right by rhs positions, filling with zeros."""
        return self._binary("shift_right_logical", lhs, rhs, broadcast_dimensions)

    @with_shared_docs(_BINARY, NONE)
    def Complex(self, lhs: Operand, rhs: Operand, broadcast_dimensions: Sequence[int] = ()) -> XlaOp:
        """Creates complex numbers from the real parts lhs and the imaginary parts rhs."""
        return self._binary("complex", lhs, rhs, broadcast_dimensions)

    @with_shared_docs(_COMPARISON, ALL)
    def Eq(self, lhs: Operand, rhs: Operand, broadcast_dimensions: Sequence[int] = ()) -> XlaOp:
        """Tests whether lhs is equal to rhs element by element; NaN is unequal to all numbers."""
        return self._compare("EQ", lhs, rhs, broadcast_dimensions)

    @with_shared_docs(_COMPARISON, ALL)
    def Ne(self, lhs: Operand, rhs: Operand, broadcast_dimensions: Sequence[int] = ()) -> XlaOp:
        """Tests whether lhs is not equal to rhs element by element; NaN is unequal to all numbers."""
        return self._compare("NE", lhs, rhs, broadcast_dimensions)

    @with_shared_docs(_COMPARISON, ALL)
    def Ge(self, lhs: Operand, rhs: Operand, broadcast_dimensions: Sequence[int] = ()) -> XlaOp:
        """Tests whether lhs is greater than or equal to rhs element by element."""
        return self._compare("GE", lhs, rhs, broadcast_dimensions)

    @with_shared_docs(_COMPARISON, ALL)
    def Gt(self, lhs: Operand, rhs: Operand, broadcast_dimensions: Sequence[int] = ()) -> XlaOp:
        """Tests whether lhs is greater than rhs element by element."""
        return self._compare("GT", lhs, rhs, broadcast_dimensions)

    @with_shared_docs(_COMPARISON, ALL)
    def Le(self, lhs: Operand, rhs: Operand, broadcast_dimensions: Sequence[int] = ()) -> XlaOp:
        """Tests whether lhs is less than or equal to rhs element by element."""
        return self._compare("LE", lhs, rhs, broadcast_dimensions)

    @with_shared_docs(_COMPARISON, ALL)
    def Lt(self, lhs: Operand, rhs: Operand, broadcast_dimensions: Sequence[int] = ()) -> XlaOp:
        """Tests whether lhs is less than rhs element by element."""
        return self._compare("LT", lhs, rhs, broadcast_dimensions)

    @with_shared_docs(_COMPARISON, NEWEST)
    def EqTotalOrder(self, lhs: Operand, rhs: Operand, broadcast_dimensions: Sequence[int] = ()) -> XlaOp:
        """Tests whether lhs is equal to rhs element by element, in the total order.

        Floating-point numbers are in total order: -NaN < -Inf < -x < -0 < +0 < +x < +Inf < +NaN.
        """
        return self._compare("EQ", lhs, rhs, broadcast_dimensions, is_total=True)

    @with_shared_docs(_COMPARISON, NEWEST)
    def NeTotalOrder(self, lhs: Operand, rhs: Operand, broadcast_dimensions: Sequence[int] = ()) -> XlaOp:
        """Tests whether lhs is not equal to rhs element by element, in the total order.

        Floating-point numbers are in total order: -NaN < -Inf < -x < -0 < +0 < +x < +Inf < +NaN.
        """
        return self._compare("NE", lhs, rhs, broadcast_dimensions, is_total=True)

    @with_shared_docs(_COMPARISON, NEWEST)
    def GeTotalOrder(self, lhs: Operand, rhs: Operand, broadcast_dimensions: Sequence[int] = ()) -> XlaOp:
        """Tests whether lhs is greater than or equal to rhs element by element, in the total order.

        Floating-point numbers are in total order: -NaN < -Inf < -x < -0 < +0 < +x < +Inf < +NaN.
        """
        return self._compare("GE", lhs, rhs, broadcast_dimensions, is_total=True)

    @with_shared_docs(_COMPARISON, NEWEST)
    def GtTotalOrder(self, lhs: Operand, rhs: Operand, broadcast_dimensions: Sequence[int] = ()) -> XlaOp:
        """Tests whether lhs is greater than rhs element by element, in the total order.

        Floating-point numbers are in total order: -NaN < -Inf < -x < -0 < +0 < +x < +Inf < +NaN.
        """
        return self._compare("GT", lhs, rhs, broadcast_dimensions, is_total=True)

    @with_shared_docs(_COMPARISON, NEWEST)
    def LeTotalOrder(self, lhs: Operand, rhs: Operand, broadcast_dimensions: Sequence[int] = ()) -> XlaOp:
        """Tests whether lhs is less than or equal to rhs element by element, in the total order.

        Floating-point numbers are in total order: -NaN < -Inf < -x < -0 < +0 < +x < +Inf < +NaN.
        """
        return self._compare("LE", lhs, rhs, broadcast_dimensions, is_total=True)

    @with_shared_docs(_COMPARISON, NEWEST)
    def LtTotalOrder(self, lhs: Operand, rhs: Operand, broadcast_dimensions: Sequence[int] = ()) -> XlaOp:
        """Tests whether lhs is less than rhs element by element, in the total order.

        Floating-point numbers are in total order: -NaN < -Inf < -x < -0 < +0 < +x < +Inf < +NaN.
        """
        return self._compare("LT", lhs, rhs, broadcast_dimensions, is_total=True)

    def shift_right(self, lhs: Operand, rhs: Operand) -> XlaOp:
        """Build `lhs >> rhs`: a logical shift for unsigned integers, an arithmetic shift for others."""
        left, right = self._operands(lhs, rhs)
        element = left.element_type
        is_unsigned = isinstance(element, IntegerType) and element.signedness == "u"
        return self.ShiftRightLogical(left, right) if is_unsigned else self.ShiftRightArithmetic(left, right)

    def _binary(self, name: str, lhs: Operand, rhs: Operand, broadcast_dimensions: Sequence[int]) -> XlaOp:
        return self._one(name, self._broadcast(lhs, rhs, broadcast_dimensions))

    def _compare(
        self,
        direction: str,
        lhs: Operand,
        rhs: Operand,
        broadcast_dimensions: Sequence[int],
        is_total: bool = False,
    ) -> XlaOp:
        both = self._broadcast(lhs, rhs, broadcast_dimensions)
        attributes = {"comparison_direction": direction, "compare_type": _compare_type(both[0], is_total)}
        return self._one("compare", both, attributes)

    def _broadcast(self, lhs: Operand, rhs: Operand, broadcast_dimensions: Sequence[int]) -> list[XlaOp]:
        """Broadcast both operands to a common shape."""
        left, right = self._operands(lhs, rhs)
        try:
            shape, *both = broadcast(left.tensor_type, right.tensor_type, broadcast_dimensions)
            return [self._spread(left, right, shape, both[0]), self._spread(right, left, shape, both[1])]
        except BuildError as error:
            raise BuildError(f"{call_site().operation}: {error}") from None

    def _spread(self, op: XlaOp, like: XlaOp, shape: Shape, dimensions: Sequence[int]) -> XlaOp:
        """Broadcast an operand to a shape, with a map from its dimensions.

        A dynamic size is taken from `like`, the other operand.
        """
        attributes = {"broadcast_dimensions": dimensions}
        if op.shape == shape:
            return op
        if None not in shape:
            return self._one("broadcast_in_dim", [op], attributes, shape=shape)
        if like.shape != shape:
            raise BuildError("the dynamic sizes must all come from one operand")
        sizes = [
            self._one("reshape", [self._one("get_dimension_size", [like], {"dimension": d})], shape=(1,))
            for d in range(like.rank)
        ]
        result = replace(like.tensor_type, element_type=op.element_type)
        operands = [op, self._one("concatenate", sizes, {"dimension": 0})]
        return self._one("dynamic_broadcast_in_dim", operands, attributes, types=[result])


def _compare_type(operand: XlaOp, is_total: bool) -> str:
    element = operand.element_type
    if isinstance(element, FloatType):
        return "TOTALORDER" if is_total else "FLOAT"
    if isinstance(element, IntegerType):
        return "UNSIGNED" if element.signedness == "u" or element.width == 1 else "SIGNED"
    return "FLOAT"
