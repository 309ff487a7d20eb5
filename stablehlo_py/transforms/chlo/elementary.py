"""Elementary functions: squares, conjugates, tests for infinities, hyperbolic functions, neighbours."""

from __future__ import annotations

from stablehlo_py.ir.element_types import bit_width
from stablehlo_py.ir.types import ComplexType, IntegerType
from stablehlo_py.transforms.chlo.expression import F32, Expression, at_least, complex_number

_INFINITY = float("inf")
_WIDEST = 64  # bits


def square(x: Expression) -> Expression:
    """`x * x`; of complex numbers (a - b)(a + b) + 2ab i, whose real part is 0 where |a| = |b|."""
    if not isinstance(x.element, ComplexType):
        return x * x
    real, imag = x.real(), x.imag()
    is_finite = real.apply("is_finite", type=real.with_element(IntegerType(1)))
    is_diagonal = is_finite & abs(real).equal(abs(imag))
    difference = is_diagonal.select(real.like(0.0), (real - imag) * (real + imag))
    return complex_number(difference, real.like(2.0) * (real * imag))


def conj(x: Expression) -> Expression:
    """The complex conjugate; a real number is its own."""
    if not isinstance(x.element, ComplexType):
        return x
    return complex_number(x.real(), -x.imag())


def is_inf(x: Expression) -> Expression:
    """Whether a number is an infinity."""
    return abs(x).equal(_INFINITY)


def is_pos_inf(x: Expression) -> Expression:
    """Whether a number is +inf."""
    return x.equal(_INFINITY)


def is_neg_inf(x: Expression) -> Expression:
    """Whether a number is -inf."""
    return x.equal(-_INFINITY)


def cosh(x: Expression) -> Expression:
    """`exp(x + log(1/2)) + exp(log(1/2) - x)`, which overflows where the result does."""
    wide, own = at_least(x, F32)
    rising, falling = _halves(wide)
    return (rising + falling).convert(own)


def sinh(x: Expression) -> Expression:
    """`(exp(x) - exp(-x)) / 2`, near 0 by `expm1`, where the difference would cancel."""
    if isinstance(x.element, ComplexType):
        rising, falling = _halves(x)
        return rising - falling
    wide, own = at_least(x, F32)
    rising, falling = _halves(wide)
    large = rising - falling
    expm1 = wide.apply("exponential_minus_one")
    one, half = wide.like(1.0), wide.like(0.5)
    small = half * (expm1 + expm1 / (expm1 + one))
    return (abs(wide) < one).select(small, large).convert(own)


def _halves(x: Expression) -> tuple[Expression, Expression]:
    """Return `exp(x) / 2` and `exp(-x) / 2`."""
    log_of_half = x.like(0.5).apply("log")
    return (x + log_of_half).apply("exponential"), (log_of_half - x).apply("exponential")


def mulhi(x: Expression, y: Expression) -> Expression:
    """The upper half of the bits of a product of integers."""
    element = x.element
    assert isinstance(element, IntegerType)
    shift = "shift_right_logical" if element.signedness == "u" else "shift_right_arithmetic"
    if element.width < _WIDEST:
        wide = IntegerType(2 * element.width, element.signedness)
        product = x.convert(wide) * y.convert(wide)
        return product.apply(shift, element.width).convert(element)
    if element.signedness == "u":
        return _mulhi_of_halves(x, y)
    unsigned = IntegerType(element.width, "u")
    high = _mulhi_of_halves(x.convert(unsigned), y.convert(unsigned))
    for number, other in ((x, y), (y, x)):  # a negative number is 2^64 too large as an unsigned one
        is_negative = number < 0
        high = high - is_negative.select(other.convert(unsigned), 0)
    return high.convert(element)


def _mulhi_of_halves(x: Expression, y: Expression) -> Expression:
    """Multiply unsigned 64-bit integers by their 32-bit halves, with the carries between them."""
    half, mask = _WIDEST // 2, (1 << _WIDEST // 2) - 1

    def high(number: Expression) -> Expression:
        return number.apply("shift_right_logical", half)

    x_high, y_high = high(x), high(y)
    product = x_high * y_high
    x_low = x & mask
    first = x_low * y_high
    y_low = y & mask
    middle = first + high(x_low * y_low)
    product = product + high(middle)
    other = x_high * y_low + (middle & mask)
    return product + high(other)


def tan(x: Expression) -> Expression:
    """The tangent, which StableHLO has."""
    return x.apply("tan")


def next_after(x: Expression, y: Expression) -> Expression:
    """The neighbour of x in the direction of y, by a step of one of its bits."""
    width = bit_width(x.element)
    integer = IntegerType(width)
    bits, bits_y = x.bitcast(integer), y.bitcast(integer)
    is_nan = x.unequal(x) | y.unequal(y)
    nan = x.like(float("nan")).bitcast(integer)
    sign, others = bits.like(-(1 << (width - 1))), bits.like((1 << (width - 1)) - 1)
    magnitude, magnitude_y = bits & others, bits_y & others
    is_equal = x.equal(y)
    zero = bits.like(0)
    is_zero, is_zero_y = magnitude.equal(zero), magnitude_y.equal(zero)
    sign_x, sign_y = bits & sign, bits_y & sign
    one = bits.like(1)
    smallest = sign_y | one
    differ = sign_x.unequal(sign_y)
    shrinks = (magnitude > magnitude_y) | differ
    stepped = bits + shrinks.select(bits.like(-1), one)
    from_zero = is_zero_y.select(bits_y, smallest)
    result = is_equal.select(bits_y, is_zero.select(from_zero, stepped))
    return is_nan.select(nan, result).bitcast(x.element)
