"""Functions of each element of an array."""

from __future__ import annotations

from typing import TYPE_CHECKING

from stablehlo_py.builder.computation_builder import ComputationBuilder
from stablehlo_py.builder.docstrings import ALL, NEWEST, NONE, with_shared_docs
from stablehlo_py.builder.op import XlaOp

if TYPE_CHECKING:
    from stablehlo_py.builder.op import Operand

_UNARY = """
Args:
  operand: an array of any rank.

Gives an array of the same shape. Raises BuildError for an element type that the op does not take.
"""


class Unary(ComputationBuilder):
    """The unary operations: `Op(operand)`."""

    @with_shared_docs(_UNARY, ALL)
    def Abs(self, operand: Operand) -> XlaOp:
        """The absolute value of each element; real for a complex operand."""
        return self._one("abs", [self._operand(operand)])

    @with_shared_docs(_UNARY, ALL)
    def Ceil(self, operand: Operand) -> XlaOp:
        """Rounds each element up."""
        return self._one("ceil", [self._operand(operand)])

    @with_shared_docs(_UNARY, NEWEST)
    def Clz(self, operand: Operand) -> XlaOp:
        """Counts the zero bits in front of the first that is set in each element."""
        return self._one("count_leading_zeros", [self._operand(operand)])

    @with_shared_docs(_UNARY, ALL)
    def Cos(self, operand: Operand) -> XlaOp:
        """The cosine of each element."""
        return self._one("cosine", [self._operand(operand)])

    @with_shared_docs(_UNARY, ALL)
    def Exp(self, operand: Operand) -> XlaOp:
        """Raises e to the power of each element."""
        return self._one("exponential", [self._operand(operand)])

    @with_shared_docs(_UNARY, ALL)
    def Floor(self, operand: Operand) -> XlaOp:
        """Rounds each element down."""
        return self._one("floor", [self._operand(operand)])

    @with_shared_docs(_UNARY, NEWEST)
    def Imag(self, operand: Operand) -> XlaOp:
        """The imaginary part of each element; 0 for a real operand."""
        return self._one("imag", [self._operand(operand)])

    @with_shared_docs(_UNARY, ALL)
    def IsFinite(self, operand: Operand) -> XlaOp:
        """Whether each element is neither infinite nor NaN, as pred."""
        return self._one("is_finite", [self._operand(operand)])

    @with_shared_docs(_UNARY, ALL)
    def Log(self, operand: Operand) -> XlaOp:
        """The natural logarithm of each element."""
        return self._one("log", [self._operand(operand)])

    @with_shared_docs(_UNARY, NEWEST)
    def Log1p(self, operand: Operand) -> XlaOp:
        """The natural logarithm of 1 + x for each element x."""
        return self._one("log_plus_one", [self._operand(operand)])

    @with_shared_docs(_UNARY, ALL)
    def LogicalNot(self, operand: Operand) -> XlaOp:
        """The logical not of pred, the bitwise not of integers."""
        return self._one("not", [self._operand(operand)])

    @with_shared_docs(_UNARY, NEWEST)
    def Logistic(self, operand: Operand) -> XlaOp:
        """The logistic function 1 / (1 + exp(-x)) of each element x."""
        return self._one("logistic", [self._operand(operand)])

    @with_shared_docs(_UNARY, NEWEST)
    def PopulationCount(self, operand: Operand) -> XlaOp:
        """Counts the bits that are set in each element."""
        return self._one("popcnt", [self._operand(operand)])

    @with_shared_docs(_UNARY, ALL)
    def Neg(self, operand: Operand) -> XlaOp:
        """The negative of each element; unsigned integers wrap."""
        return self._one("negate", [self._operand(operand)])

    @with_shared_docs(_UNARY, NEWEST)
    def Real(self, operand: Operand) -> XlaOp:
        """The real part of each element; a real operand's elements as they are."""
        return self._one("real", [self._operand(operand)])

    @with_shared_docs(_UNARY, NEWEST)
    def Rsqrt(self, operand: Operand) -> XlaOp:
        """The reciprocal of the square root of each element."""
        return self._one("rsqrt", [self._operand(operand)])

    @with_shared_docs(_UNARY, ALL)
    def Sign(self, operand: Operand) -> XlaOp:
        """The sign of each element: -1, 0 (with its own sign), 1, or NaN.

        000 and 003 give 0 for zeros of both signs and say nothing about NaN."""
        return self._one("sign", [self._operand(operand)])

    @with_shared_docs(_UNARY, NEWEST)
    def Sqrt(self, operand: Operand) -> XlaOp:
        """The square root of each element."""
        return self._one("sqrt", [self._operand(operand)])

    @with_shared_docs(_UNARY, NEWEST)
    def Cbrt(self, operand: Operand) -> XlaOp:
        """The cube root of each element."""
        return self._one("cbrt", [self._operand(operand)])

    @with_shared_docs(_UNARY, NEWEST)
    def Tan(self, operand: Operand) -> XlaOp:
        """The tangent of each element."""
        return self._one("tan", [self._operand(operand)])

    @with_shared_docs(_UNARY, ALL)
    def Tanh(self, operand: Operand) -> XlaOp:
        """The hyperbolic tangent of each element."""
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
        """The sine of each element."""
        return self._one("sine", [self._operand(operand)])

    @with_shared_docs(_UNARY, NONE)
    def Expm1(self, operand: Operand) -> XlaOp:
        """exp(x) - 1 for each element x."""
        return self._one("exponential_minus_one", [self._operand(operand)])
