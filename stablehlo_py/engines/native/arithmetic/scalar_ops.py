"""Scalar ops: the LLVM instructions of each elementwise op.

An op is a row, as in `kernels/elementwise.py`, with a function for each of floats, integers, booleans and
complex numbers. An op that depends on attributes or on the result type is a function of the whole op.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from operator import add, and_, mul, neg, or_, sub, truediv, xor
from typing import Any, NamedTuple

from stablehlo_py.engines.native.arithmetic import complex_math as c
from stablehlo_py.engines.native.arithmetic import division
from stablehlo_py.engines.native.arithmetic import special_functions as special
from stablehlo_py.engines.native.arithmetic import vector_math as v
from stablehlo_py.engines.native.arithmetic.elements import BF16, Element, element_of, saturated
from stablehlo_py.engines.native.arithmetic.llvm_ir import WIDTHS, Complex, Value, complex_of
from stablehlo_py.engines.native.arithmetic.powers import power, power_of_integers
from stablehlo_py.ir.types import TensorType, Type

ValueFunction = Callable[..., Value]


class Row(NamedTuple):
    """What an op does to elements of each kind; None where it has no such op."""

    floating: ValueFunction | None = None
    integer: Callable[..., Value] | None = None  # takes the operands, then whether they are signed
    boolean: ValueFunction | None = None
    complex: ValueFunction | None = None

    def function(self, element: Element) -> ValueFunction | None:
        """The function for elements of a type; None where there is none."""
        found: ValueFunction | None = getattr(self, element.kind)
        return found


def _sign(x: Value) -> Value:
    one = x.like(1.0).call("copysign", x)
    return x.compare("one", 0.0).select(one, x)  # zeros and NaN stay


def _sign_integer(x: Value, signed: bool) -> Value:
    positive = x.compare("ne", 0).convert("zext", x.type)
    return (x < 0).select(-1, positive) if signed else positive


def _abs_integer(x: Value, signed: bool) -> Value:
    return (x < 0).select(-x, x) if signed else x


def _pick(signed_predicate: str, unsigned_predicate: str) -> Callable[[Value, Value, bool], Value]:
    def pick(x: Value, y: Value, signed: bool) -> Value:
        return x.compare(signed_predicate if signed else unsigned_predicate, y).select(x, y)

    return pick


def _shift(op: str) -> Callable[[Value, Value, bool], Value]:
    """Shifts by the width or more (or by a negative number) give 0, or the sign of an arithmetic shift."""

    def shift(x: Value, y: Value, signed: bool) -> Value:
        width = int(x.type[1:])
        inside = y.compare("ult", width)
        if op == "ashr":
            return x.builder.emit(x.type, f"ashr {x}, {inside.select(y, width - 1).text}")
        moved = x.builder.emit(x.type, f"{op} {x}, {inside.select(y, 0).text}")
        return inside.select(moved, 0)

    return shift


def _integer(function: ValueFunction) -> Callable[..., Value]:
    """A function that does the same to signed and unsigned integers."""
    return lambda *operands: function(*operands[:-1])


def _intrinsic(name: str) -> ValueFunction:
    return lambda x, *others: x.call(name, *others)


def _leading_zeros(x: Value) -> Value:
    return x.builder.intrinsic("ctlz", x.type, x, x.builder.constant(False, "i1"))


def _upper_half(x: Value, y: Value, signed: bool) -> Value:
    """The upper half of the bits of a product."""
    width, extend = WIDTHS[x.type], "sext" if signed else "zext"
    wide, other = (each.convert(extend, f"i{2 * width}") for each in (x, y))
    return (wide * other).logical_shift_right(width).convert("trunc", x.type)


UNARY = {
    "abs": Row(_intrinsic("fabs"), _abs_integer, complex=c.absolute),
    "ceil": Row(_intrinsic("ceil")),
    "cbrt": Row(v.in_library("cbrt"), complex=c.in_double(c.cube_root)),
    "cosine": Row(v.cos, complex=c.in_library("ccos")),
    "count_leading_zeros": Row(None, _integer(_leading_zeros)),
    "exponential": Row(v.exp, complex=c.in_double(c.exp)),
    "exponential_minus_one": Row(v.expm1, complex=c.in_double(c.expm1)),
    "floor": Row(_intrinsic("floor")),
    "imag": Row(lambda x: x.like(0.0), complex=c.imag),
    "log": Row(v.log, complex=c.in_double(c.log, c.in_library("clog"))),
    "log_plus_one": Row(v.log1p, complex=c.in_double(c.log1p)),
    "logistic": Row(v.logistic, complex=c.in_double(c.logistic)),
    "negate": Row(neg, _integer(neg), complex=neg),
    "not": Row(None, _integer(lambda x: x ^ -1), lambda x: x ^ True),
    "popcnt": Row(None, _integer(_intrinsic("ctpop"))),
    "real": Row(lambda x: x, complex=c.real),
    "round_nearest_afz": Row(_intrinsic("round")),
    "round_nearest_even": Row(_intrinsic("rint")),
    "rsqrt": Row(lambda x: 1 / x.call("sqrt"), complex=c.in_double(c.rsqrt, c.rsqrt_in_library)),
    "sign": Row(_sign, _sign_integer, complex=c.sign),
    "sine": Row(v.sin, complex=c.in_library("csin")),
    "sqrt": Row(_intrinsic("sqrt"), complex=c.in_double(c.sqrt, c.in_library("csqrt"))),
    "tan": Row(v.tan, complex=c.in_library("ctan")),
    "tanh": Row(v.tanh, complex=c.in_library("ctanh")),
}
BINARY = {
    "add": Row(add, _integer(add), or_, add),
    "and": Row(None, _integer(and_), and_),
    "atan2": Row(v.in_library("atan2"), complex=c.in_double(c.atan2)),
    "complex": Row(complex_of),
    "divide": Row(truediv, division.divide_integers, complex=c.quotient),
    "maximum": Row(_intrinsic("maximum"), _pick("sgt", "ugt"), or_, c.maximum),
    "minimum": Row(_intrinsic("minimum"), _pick("slt", "ult"), and_, c.minimum),
    "multiply": Row(mul, _integer(mul), and_, mul),
    "or": Row(None, _integer(or_), or_),
    "power": Row(power, power_of_integers),
    "remainder": Row(division.remainder, division.remainder_of_integers),
    "shift_left": Row(None, _shift("shl")),
    "shift_right_arithmetic": Row(None, _shift("ashr")),
    "shift_right_logical": Row(None, _shift("lshr")),
    "subtract": Row(sub, _integer(sub), xor, sub),
    "xor": Row(None, _integer(xor), xor),
}
COMPARISONS = {  # floats and complex numbers, signed integers, unsigned integers and booleans
    "EQ": ("oeq", "eq", "eq"),
    "NE": ("une", "ne", "ne"),
    "LT": ("olt", "slt", "ult"),
    "LE": ("ole", "sle", "ule"),
    "GT": ("ogt", "sgt", "ugt"),
    "GE": ("oge", "sge", "uge"),
}


class ScalarOp(NamedTuple):
    """An op on one element of each operand.

    Attributes:
        op: The op's name, with its dialect.
        operands: The element types of the operands.
        result: The element type of the result.
        attributes: What its value depends on besides, by name.
        range: What the first operand can be besides NaN, if it is a float.
    """

    op: str
    operands: Sequence[Type]
    result: Type
    attributes: Mapping[str, Any]
    range: tuple[float, float] = (-math.inf, math.inf)

    @property
    def source(self) -> Element:
        """How elements of the first operand are stored and computed."""
        return _known(self.operands[0])

    @property
    def target(self) -> Element:
        """How elements of the result are stored and computed."""
        return _known(self.result)


def _known(type: Type) -> Element:
    found = _element(type)
    assert found is not None
    return found


def _element(type: Type) -> Element | None:
    return element_of(TensorType((), type))


def _by_row(op: ScalarOp, *values: Value) -> Value:
    function = ROWS[op.op].function(op.source)
    assert function is not None
    if op.source.kind == "integer":
        return function(*values, op.source.signed)
    return op.target.rounded(function(*values))


def _is_finite(op: ScalarOp, x: Value) -> Value:
    return x.call("fabs").compare("olt", math.inf)


def total_order(x: Value, element: Element) -> Value:
    """Integers in the order -NaN < -Inf < -0 < +0 < Inf < NaN."""
    if element.storage == "half":  # conversions of the CPU make signaling NaNs quiet ones
        x = element.to_bits(x).convert("zext", "i32") << 16
    width = WIDTHS[x.type]
    bits = x.bitcast(f"i{width}")
    return (bits < 0).select(bits ^ ((1 << width - 1) - 1), bits)


def _compare(op: ScalarOp, lhs: Value, rhs: Value) -> Value:
    element = op.source
    column = 0 if element.kind in ("floating", "complex") else 1 if element.signed else 2
    if element.is_float and op.attributes["compare_type"] == "TOTALORDER":
        column, lhs, rhs = 1, total_order(lhs, element), total_order(rhs, element)
    return lhs.compare(COMPARISONS[op.attributes["comparison_direction"]][column], rhs)


def _select(op: ScalarOp, condition: Value, on_true: Value, on_false: Value) -> Value:
    return condition.select(on_true, on_false)


def _clamp(op: ScalarOp, low: Value, x: Value, high: Value) -> Value:
    element = op.target
    highest, lowest = BINARY["maximum"].function(element), BINARY["minimum"].function(element)
    assert highest is not None and lowest is not None
    signs = (element.signed,) if element.kind == "integer" else ()
    return lowest(highest(low, x, *signs), high, *signs)


def _convert(op: ScalarOp, x: Value) -> Value:
    target = op.target
    if isinstance(x, Complex):
        real, imag = (_converted(op, part) for part in (x.real, x.imag))
        return complex_of(real, imag) if target.kind == "complex" else real
    found = _converted(op, x)
    return complex_of(found, found.like(0.0)) if target.kind == "complex" else found


def _converted(op: ScalarOp, x: Value) -> Value:
    """A number, or a part of one, as an element of another type, or as a part of it."""
    source, target = op.source.part, op.target.part
    if target.compute == "i1":
        return x.compare("une" if source.is_float else "ne", 0)
    if source.is_float and target.is_float:
        widens = target.compute == "double"
        return target.rounded(x.convert("fpext" if widens else "fptrunc", target.compute))
    if target.is_float:
        return target.rounded(x.convert("sitofp" if source.signed else "uitofp", target.compute))
    if source.is_float:
        return saturated(x, target, op.range)
    if int(x.type[1:]) > int(target.compute[1:]):
        return x.convert("trunc", target.compute)
    return x.convert("sext" if source.signed else "zext", target.compute)


def _bits(op: ScalarOp, x: Value) -> Value:
    """An element of the same bits."""
    return op.target.of_bits(op.source.to_bits(x))


_IN_HALF = ("f16", "f8E5M2", "f8E5M2FNUZ")  # their subnormals are normal numbers of f32


def _reduce_precision(op: ScalarOp, x: Value) -> Value:
    """Round to a format of fewer bits; narrow floats as `f16` or `f32`, as the kernel does."""
    exponent, mantissa = op.attributes["exponent_bits"], op.attributes["mantissa_bits"]
    kind = "half" if str(op.result) in _IN_HALF else x.type
    return op.target.rounded(v.reduce_precision(x, exponent, mantissa, kind))


def _next_after(op: ScalarOp, x: Value, y: Value) -> Value:
    """The number next to `x` in the direction of `y`, by a step of the bit pattern."""
    element = op.source
    bits, top = element.to_bits(x), 1 << int(element.bits[1:]) - 1
    away = ((x > 0) ^ (y > x)).equals(False)
    smallest = (y > 0).select(bits.like(1), top | 1)
    moved = x.equals(0.0).select(smallest, away.select(bits + 1, bits - 1))
    found = x.equals(y).select(y, element.of_bits(moved))
    return element.rounded((x.is_nan() | y.is_nan()).select(x + y, found))


_IN_LIBRARY = ("acos", "acosh", "asin", "asinh", "atan", "atanh")
CHLO = {
    **{name: Row(v.in_library(name), complex=c.in_library(f"c{name}")) for name in _IN_LIBRARY},
    "bessel_i1e": Row(special.bessel_i1e),
    "conj": Row(lambda x: x, complex=c.conjugate),
    "cosh": Row(v.cosh, complex=c.in_library("ccosh")),
    "digamma": Row(special.digamma),
    "erf": Row(special.erf),
    "erf_inv": Row(special.erf_inv),
    "erfc": Row(v.in_library("erfc")),
    "is_inf": Row(lambda x: x.call("fabs").equals(math.inf)),
    "is_neg_inf": Row(lambda x: x.equals(-math.inf)),
    "is_pos_inf": Row(lambda x: x.equals(math.inf)),
    "lgamma": Row(special.lgamma),
    "mulhi": Row(None, _upper_half),
    "sinh": Row(v.sinh, complex=c.in_library("csinh")),
    "square": Row(lambda x: x * x, _integer(lambda x: x * x), complex=c.in_double(c.square)),
    "tan": UNARY["tan"],
}
ROWS = {
    f"{dialect}.{name}": row
    for dialect, rows in (("stablehlo", UNARY | BINARY), ("chlo", CHLO))
    for name, row in rows.items()
}


OTHERS: dict[str, Callable[..., Value]] = {  # ops that depend on attributes or on the type of the result
    "stablehlo.is_finite": _is_finite,
    "stablehlo.compare": _compare,
    "stablehlo.select": _select,
    "stablehlo.clamp": _clamp,
    "stablehlo.convert": _convert,
    "stablehlo.reduce_precision": _reduce_precision,
    "chlo.next_after": _next_after,
}
SCALAR_OPS = (*ROWS, *OTHERS)
_FUNCTIONS = {**OTHERS, "stablehlo.bitcast_convert": _bits}  # of tensors, one that may change the shape


def written(op: ScalarOp, values: Sequence[Value]) -> Value:
    """Write the instructions of an op.

    Args:
        op: The op.
        values: An element of each operand, or a vector of them.
    """
    function: Callable[..., Value] = _FUNCTIONS.get(op.op) or _by_row
    return function(op, *values)


def is_scalar_op(op: ScalarOp) -> bool:
    """Test whether an op has values for its attributes and the types of its operands."""
    if not op.operands:
        return True
    source, target = _element(op.operands[0]), _element(op.result)
    if source is None or target is None:
        return False
    row = ROWS.get(op.op)
    if row is not None:
        return row.function(source) is not None
    condition = _CONDITIONS.get(op.op)
    return condition is None or condition(op)


def _is_ordered(op: ScalarOp) -> bool:
    return op.source.kind != "complex" or op.attributes["comparison_direction"] in ("EQ", "NE")


def _rounds_once(op: ScalarOp) -> bool:
    """Test whether a conversion does not round to f32 in between; the kernel's to bf16 does."""
    return op.source.part.compute != "double" or op.target.is_wide or op.target is BF16


def _has_mantissa(op: ScalarOp) -> bool:
    """Test whether a format has NaN; for a format without NaN, the chosen semantics define the result."""
    return bool(op.attributes["mantissa_bits"])


_CONDITIONS: dict[str, Callable[[ScalarOp], bool]] = {  # what must hold of an op besides
    "stablehlo.compare": _is_ordered,
    "stablehlo.convert": _rounds_once,
    "stablehlo.reduce_precision": _has_mantissa,
}
