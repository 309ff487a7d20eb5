"""Expressions: formulas on values of one shape, written with Python's operators."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from stablehlo_py.ir.core import Value
from stablehlo_py.ir.element_types import least_normal as least_normal_of
from stablehlo_py.ir.element_types import value_range
from stablehlo_py.ir.types import ComplexType, FloatType, IntegerType, TensorType, Type
from stablehlo_py.transforms.chlo.broadcasting import splat
from stablehlo_py.transforms.rewriter import Rewriter

Number = int | float
F32 = FloatType("f32")
F64 = FloatType("f64")


@dataclass(frozen=True, slots=True)
class Expression:
    """A value with Python operators that create ops; numbers become constants of its type.

    Attributes:
        rewriter: Creates the ops.
        value: The value.
        source: The argument of the formula, whose shape constants take.
    """

    rewriter: Rewriter
    value: Value
    source: Value | None = None

    @property
    def element(self) -> Type:
        """The element type."""
        assert isinstance(self.value.type, TensorType)
        return self.value.type.element_type

    def like(self, number: Number | Expression) -> Expression:
        """Return a number as a constant of this shape and type."""
        if isinstance(number, Expression):
            return number
        source = self.source or self.value
        return Expression(self.rewriter, splat(self.rewriter, source, number, self.value.type), source)

    def apply(self, name: str, *others: Number | Expression, type: Type | None = None) -> Expression:
        """Apply an op of StableHLO, or of CHLO with its full name, to this value and others."""
        full = name if "." in name else f"stablehlo.{name}"
        operands = [self.value, *(self.like(other).value for other in others)]
        made = self.rewriter.value(full, operands, type=type or self.value.type)
        keeps_type = made.type is self.value.type
        return Expression(self.rewriter, made, (self.source or self.value) if keeps_type else None)

    def with_element(self, element: Type) -> TensorType:
        """Return the type of this value with another element type."""
        assert isinstance(self.value.type, TensorType)
        return replace(self.value.type, element_type=element)

    def convert(self, element: Type) -> Expression:
        """Convert to another element type."""
        return self if element is self.element else self.apply("convert", type=self.with_element(element))

    def bitcast(self, element: Type) -> Expression:
        """Return the bits as another element type of the same width."""
        return self.apply("bitcast_convert", type=self.with_element(element))

    def real(self) -> Expression:
        """Return the real part."""
        return self._part("real")

    def imag(self) -> Expression:
        """Return the imaginary part."""
        return self._part("imag")

    def _part(self, name: str) -> Expression:
        assert isinstance(self.element, ComplexType)
        return self.apply(name, type=self.with_element(self.element.element_type))

    def __add__(self, other: Number | Expression) -> Expression:
        return self.apply("add", other)

    def __sub__(self, other: Number | Expression) -> Expression:
        return self.apply("subtract", other)

    def __mul__(self, other: Number | Expression) -> Expression:
        return self.apply("multiply", other)

    def __truediv__(self, other: Number | Expression) -> Expression:
        return self.apply("divide", other)

    def __neg__(self) -> Expression:
        return self.apply("negate")

    def __abs__(self) -> Expression:
        return self.apply("abs")

    def __and__(self, other: Number | Expression) -> Expression:
        return self.apply("and", other)

    def __or__(self, other: Number | Expression) -> Expression:
        return self.apply("or", other)

    def __invert__(self) -> Expression:
        return self.apply("not")

    def __lt__(self, other: Number | Expression) -> Expression:
        return self.compare("LT", other)

    def __le__(self, other: Number | Expression) -> Expression:
        return self.compare("LE", other)

    def __gt__(self, other: Number | Expression) -> Expression:
        return self.compare("GT", other)

    def __ge__(self, other: Number | Expression) -> Expression:
        return self.compare("GE", other)

    def equal(self, other: Number | Expression) -> Expression:
        """Compare for equality."""
        return self.compare("EQ", other)

    def unequal(self, other: Number | Expression) -> Expression:
        """Compare for inequality."""
        return self.compare("NE", other)

    def compare(self, direction: str, other: Number | Expression) -> Expression:
        """Compare element by element."""
        made = self.rewriter.value(
            "stablehlo.compare",
            [self.value, self.like(other).value],
            type=self.with_element(IntegerType(1)),
            comparison_direction=direction,
        )
        return Expression(self.rewriter, made)

    def select(self, on_true: Expression, on_false: Number | Expression) -> Expression:
        """Select by this condition."""
        operands = [self.value, on_true.value, on_true.like(on_false).value]
        made = self.rewriter.value("stablehlo.select", operands, type=on_true.value.type)
        return Expression(self.rewriter, made, on_true.source)


def complex_number(real: Expression, imag: Expression) -> Expression:
    """Return the complex number of two parts."""
    return real.apply("complex", imag, type=real.with_element(ComplexType(real.element)))


def largest(x: Expression) -> Expression:
    """Return the largest finite number of the type of a value."""
    return x.like(float(value_range(x.element)[1]))


def least_normal(x: Expression) -> Expression:
    """Return the smallest positive normal number of the type of a value."""
    assert isinstance(x.element, FloatType)
    return x.like(least_normal_of(x.element))


def is_above(x: Expression, bounds: Sequence[float], numbers: Sequence[float]) -> Expression:
    """Return the number of the first bound that the type's largest number exceeds, or the last number.

    Args:
        x: A value of the type.
        bounds: The bounds, the highest first.
        numbers: A number for each bound, and one more.
    """
    limit = largest(x)
    *others, found = [x.like(number) for number in numbers]
    for bound, number in reversed(list(zip(bounds, others, strict=True))):
        found = (limit > bound).select(number, found)
    return found


def hypotenuse(
    x: Expression, y: Expression, numbers: tuple[Expression, Expression, Expression, Expression]
) -> Expression:
    """`sqrt(x^2 + y^2)` of numbers that are not negative, without overflow or underflow of the squares.

    Args:
        x: A value.
        y: A value.
        numbers: 0, 1, 2 and the square root of 2, as values of the same type.
    """
    zero, one, two, root_of_two = numbers
    larger, smaller = x.apply("maximum", y), x.apply("minimum", y)
    ratio = smaller / larger
    square = ratio * ratio
    root = (one + square).apply("sqrt")
    is_lost = root.equal(one) & (square > zero)  # in the rounding of the sum
    scaled = is_lost.select(larger + larger * square / two, larger * root)
    return larger.equal(smaller).select(root_of_two * larger, scaled)


def polynomial(x: Expression, coefficients: Sequence[float]) -> Expression:
    """Evaluate a polynomial by Horner's rule, the coefficient of the highest power first."""
    total = x.like(coefficients[0])
    for coefficient in coefficients[1:]:
        total = total * x + coefficient
    return total


def chebyshev(x: Expression, coefficients: Sequence[float]) -> Expression:
    """Evaluate a Chebyshev series on [-2, 2] by Clenshaw's recurrence, the highest order first."""
    current, last, before = x.like(0.0), x.like(0.0), x.like(0.0)
    for coefficient in coefficients:
        before, last = last, current
        current = x * last - before + coefficient
    return (current - before) * 0.5


def at_least(x: Expression, element: FloatType) -> tuple[Expression, Type]:
    """Return a value in a type of at least the width of `element`, and its own type to convert back to."""
    own = x.element
    widths = {"f16": 16, "bf16": 16, "f32": 32, "f64": 64}
    narrow = isinstance(own, FloatType) and widths.get(own.name, 8) < widths[element.name]
    return (x.convert(element) if narrow else x), own
