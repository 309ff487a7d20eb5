"""Elementwise operations, with XLA's implicit broadcasting."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from stablehlo_py.builder.broadcasting import broadcast
from stablehlo_py.builder.call_site import call_site
from stablehlo_py.builder.computation_builder import ComputationBuilder
from stablehlo_py.builder.errors import BuildError
from stablehlo_py.builder.op import Operand, XlaOp
from stablehlo_py.builder.rows import ALL, NEWEST, NONE, row
from stablehlo_py.ir.types import FloatType, IntegerType, Shape


def _unary(op: str, self: ComputationBuilder, operand: Operand) -> XlaOp:
    return self._one(op, [self._operand(operand)])


def _binary(
    op: str, self: Elementwise, lhs: Operand, rhs: Operand, broadcast_dimensions: Sequence[int] = ()
) -> XlaOp:
    return self._one(op, self._broadcast(lhs, rhs, broadcast_dimensions))


def _compare(
    op: str, self: Elementwise, lhs: Operand, rhs: Operand, broadcast_dimensions: Sequence[int] = ()
) -> XlaOp:
    return self._compared(op, self._broadcast(lhs, rhs, broadcast_dimensions))


def _total(
    op: str, self: Elementwise, lhs: Operand, rhs: Operand, broadcast_dimensions: Sequence[int] = ()
) -> XlaOp:
    return self._compared(op, self._broadcast(lhs, rhs, broadcast_dimensions), is_total=True)


_unary.__doc__ = """{about}

Args:
    operand: An array of any rank.

Returns:
    An array of the same shape.

Raises:
    BuildError: If the op does not support the element type.
"""
_binary.__doc__ = """{about}

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
_compare.__doc__ = _binary.__doc__.replace("An array of the broadcast", "A pred array of the broadcast")
_total.__doc__ = _compare.__doc__
_NAN = "element by element; a NaN is unequal to all numbers, and neither less nor greater."
_TOTAL = """element by element, in the total order.

Floating-point numbers are in total order: -NaN < -Inf < -x < -0 < +0 < +x < +Inf < +NaN."""
_DIVISION = """Divides lhs by rhs element by element; integer quotients are rounded towards zero.

Integer division by 0, and the minimum divided by -1, return what XLA returns."""
_SIGN = "000, 001, 003. 000 and 003 return 0 for zeros of both signs and do not mention NaN"


class Elementwise(ComputationBuilder):
    """The operations `Op(operand)` and `Op(lhs, rhs, broadcast_dimensions)`, as rows."""

    Abs = row(_unary, "abs", ALL)
    Ceil = row(_unary, "ceil", ALL)
    Clz = row(_unary, "count_leading_zeros", NEWEST)
    Cos = row(_unary, "cosine", ALL)
    Exp = row(_unary, "exponential", ALL)
    Floor = row(_unary, "floor", ALL)
    Imag = row(_unary, "imag", NEWEST)
    IsFinite = row(_unary, "is_finite", ALL)
    Log = row(_unary, "log", ALL)
    Log1p = row(_unary, "log_plus_one", NEWEST)
    LogicalNot = row(_unary, "not", ALL)
    Logistic = row(_unary, "logistic", NEWEST)
    PopulationCount = row(_unary, "popcnt", NEWEST)
    Neg = row(_unary, "negate", ALL)
    Real = row(_unary, "real", NEWEST)
    Rsqrt = row(_unary, "rsqrt", NEWEST)
    Sign = row(_unary, "sign", _SIGN)
    Sqrt = row(_unary, "sqrt", NEWEST)
    Cbrt = row(_unary, "cbrt", NEWEST)
    Tan = row(_unary, "tan", NEWEST)
    Tanh = row(_unary, "tanh", ALL)
    Round = row(_unary, "round_nearest_afz", NEWEST)
    RoundNearestEven = row(_unary, "round_nearest_even", NEWEST)
    Sin = row(_unary, "sine", NONE)
    Expm1 = row(_unary, "exponential_minus_one", NONE)
    Add = row(_binary, "add", ALL)
    Sub = row(_binary, "subtract", ALL)
    Mul = row(_binary, "multiply", ALL)
    Div = row(_binary, "divide", ALL, _DIVISION)
    Rem = row(_binary, "remainder", ALL)
    Max = row(_binary, "maximum", ALL)
    Min = row(_binary, "minimum", ALL)
    LogicalAnd = row(_binary, "and", ALL)
    LogicalOr = row(_binary, "or", ALL)
    LogicalXor = row(_binary, "xor", NEWEST)
    Atan2 = row(_binary, "atan2", NEWEST)
    Pow = row(_binary, "power", NONE)
    ShiftLeft = row(_binary, "shift_left", NONE)
    ShiftRightArithmetic = row(_binary, "shift_right_arithmetic", NONE)
    ShiftRightLogical = row(_binary, "shift_right_logical", NONE)
    Complex = row(_binary, "complex", NONE)
    Eq = row(_compare, "EQ", ALL, f"Tests whether lhs is equal to rhs {_NAN}")
    Ne = row(_compare, "NE", ALL, f"Tests whether lhs is not equal to rhs {_NAN}")
    Ge = row(_compare, "GE", ALL, f"Tests whether lhs is greater than or equal to rhs {_NAN}")
    Gt = row(_compare, "GT", ALL, f"Tests whether lhs is greater than rhs {_NAN}")
    Le = row(_compare, "LE", ALL, f"Tests whether lhs is less than or equal to rhs {_NAN}")
    Lt = row(_compare, "LT", ALL, f"Tests whether lhs is less than rhs {_NAN}")
    EqTotalOrder = row(_total, "EQ", NEWEST, f"Tests whether lhs is equal to rhs {_TOTAL}")
    NeTotalOrder = row(_total, "NE", NEWEST, f"Tests whether lhs is not equal to rhs {_TOTAL}")
    GeTotalOrder = row(_total, "GE", NEWEST, f"Tests whether lhs is greater than or equal to rhs {_TOTAL}")
    GtTotalOrder = row(_total, "GT", NEWEST, f"Tests whether lhs is greater than rhs {_TOTAL}")
    LeTotalOrder = row(_total, "LE", NEWEST, f"Tests whether lhs is less than or equal to rhs {_TOTAL}")
    LtTotalOrder = row(_total, "LT", NEWEST, f"Tests whether lhs is less than rhs {_TOTAL}")

    def shift_right(self, lhs: Operand, rhs: Operand) -> XlaOp:
        """Build `lhs >> rhs`: a logical shift for unsigned integers, an arithmetic shift for others."""
        left, right = self._operands(lhs, rhs)
        element = left.element_type
        is_unsigned = isinstance(element, IntegerType) and element.signedness == "u"
        return self.ShiftRightLogical(left, right) if is_unsigned else self.ShiftRightArithmetic(left, right)

    def _compared(self, direction: str, both: Sequence[XlaOp], is_total: bool = False) -> XlaOp:
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
