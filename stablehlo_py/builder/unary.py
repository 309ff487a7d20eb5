"""Elementwise unary operations."""

from __future__ import annotations

from typing import TYPE_CHECKING

from stablehlo_py.builder.computation_builder import ComputationBuilder
from stablehlo_py.builder.docstrings import ALL, NEWEST, NONE, with_shared_docs
from stablehlo_py.builder.op import XlaOp

if TYPE_CHECKING:
    from stablehlo_py.builder.op import Operand

_UNARY = """
Args:
    operand: An array of any rank.

Returns:
    An array of the same shape.

Raises:
    BuildError: If the op does not support the element type.
"""


class Unary(ComputationBuilder):
    """The unary operations: `Op(operand)`."""

    @with_shared_docs(_UNARY, ALL)
    def Abs(self, operand: Operand) -> XlaOp:
        """Computes the absolute value of each element; real for a complex operand."""
        return self._one("abs", [self._operand(operand)])

    @with_shared_docs(_UNARY, ALL)
    def Ceil(self, operand: Operand) -> XlaOp:
        """Rounds each element up."""
        return self._one("ceil", [self._operand(operand)])

    @with_shared_docs(_UNARY, NEWEST)
    def Clz(self, operand: Operand) -> XlaOp:
        """Counts the leading zero bits of each element."""
        return self._one("count_leading_zeros", [self._operand(operand)])

    @with_shared_docs(_UNARY, ALL)
    def Cos(self, operand: Operand) -> XlaOp:
        """Computes the cosine of each element."""
        return self._one("cosine", [self._operand(operand)])

    @with_shared_docs(_UNARY, ALL)
    def Exp(self, operand: Operand) -> XlaOp:
        """Computes the exponential of each element."""
        return self._one("exponential", [self._operand(operand)])

    @with_shared_docs(_UNARY, ALL)
    def Floor(self, operand: Operand) -> XlaOp:
        """Rounds each element down."""
        return self._one("floor", [self._operand(operand)])

    @with_shared_docs(_UNARY, NEWEST)
    def Imag(self, operand: Operand) -> XlaOp:
        """Extracts the imaginary part of each element; 0 for a real operand."""
        return self._one("imag", [self._operand(operand)])

    @with_shared_docs(_UNARY, ALL)
    def IsFinite(self, operand: Operand) -> XlaOp:
        """Tests whether each element is finite: neither infinite nor NaN."""
        return self._one("is_finite", [self._operand(operand)])

    @with_shared_docs(_UNARY, ALL)
    def Log(self, operand: Operand) -> XlaOp:
        """Computes the natural logarithm of each element."""
        return self._one("log", [self._operand(operand)])

    @with_shared_docs(_UNARY, NEWEST)
    def Log1p(self, operand: Operand) -> XlaOp:
        """Computes the natural logarithm of 1 + x for each element x."""
        return self._one("log_plus_one", [self._operand(operand)])

    @with_shared_docs(_UNARY, ALL)
    def LogicalNot(self, operand: Operand) -> XlaOp:
        """Computes the logical not of a pred array, or the bitwise not of integers."""
        return self._one("not", [self._operand(operand)])

    @with_shared_docs(_UNARY, NEWEST)
    def Logistic(self, operand: Operand) -> XlaOp:
        """Computes the logistic function 1 / (1 + exp(-x)) of each element x."""
        return self._one("logistic", [self._operand(operand)])

    @with_shared_docs(_UNARY, NEWEST)
    def PopulationCount(self, operand: Operand) -> XlaOp:
        """Counts the set bits of each element."""
        return self._one("popcnt", [self._operand(operand)])

    @with_shared_docs(_UNARY, ALL)
    def Neg(self, operand: Operand) -> XlaOp:
        """Negates each element; unsigned integers wrap."""
        return self._one("negate", [self._operand(operand)])

    @with_shared_docs(_UNARY, NEWEST)
    def Real(self, operand: Operand) -> XlaOp:
        """Extracts the real part of each element; a real operand is unchanged."""
        return self._one("real", [self._operand(operand)])

    @with_shared_docs(_UNARY, NEWEST)
    def Rsqrt(self, operand: Operand) -> XlaOp:
        """Computes the reciprocal square root of each element."""
        return self._one("rsqrt", [self._operand(operand)])

    @with_shared_docs(_UNARY, ALL)
    def Sign(self, operand: Operand) -> XlaOp:
        """Computes the sign of each element: -1, 0 (with its own sign), 1, or NaN.

        000 and 003 return 0 for zeros of both signs and do not mention NaN.
        """
        return self._one("sign", [self._operand(operand)])

    @with_shared_docs(_UNARY, NEWEST)
    def Sqrt(self, operand: Operand) -> XlaOp:
        """Computes the square root of each element."""
        return self._one("sqrt", [self._operand(operand)])

    @with_shared_docs(_UNARY, NEWEST)
    def Cbrt(self, operand: Operand) -> XlaOp:
        """Computes the cube root of each element."""
        return self._one("cbrt", [self._operand(operand)])

    @with_shared_docs(_UNARY, NEWEST)
    def Tan(self, operand: Operand) -> XlaOp:
        """Computes the tangent of each element."""
        return self._one("tan", [self._operand(operand)])

    @with_shared_docs(_UNARY, ALL)
    def Tanh(self, operand: Operand) -> XlaOp:
        """Computes the hyperbolic tangent of each element."""
        return self._one("tanh", [self._operand(operand)])

    @with_shared_docs(_UNARY, NEWEST)
    def Round(self, operand: Operand) -> XlaOp:
        """Rounds each element to the nearest integer, halves away from zero."""
        return self._one("round_nearest_afz", [self._operand(operand)])

    @with_shared_docs(_UNARY, NEWEST)
    def RoundNearestEven(self, operand: Operand) -> XlaOp:
        """Rounds each element to the nearest integer, halves to even."""
        return self._one("round_nearest_even", [self._operand(operand)])

    @with_shared_docs(_UNARY, NONE)
    def Sin(self, operand: Operand) -> XlaOp:
        """Computes the sine of each element."""
        return self._one("sine", [self._operand(operand)])

    @with_shared_docs(_UNARY, NONE)
    def Expm1(self, operand: Operand) -> XlaOp:
        """Computes exp(x) - 1 for each element x."""
        return self._one("exponential_minus_one", [self._operand(operand)])
