"""Elementwise ops: tables of functions, and the ops that depend on attributes or result types.

A first stage chooses the function from the NumPy types of the operands; it then runs on whole arrays.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from stablehlo_py.diagnostics.diagnostic import Unsupported
from stablehlo_py.ir.element_types import element_type_of, numpy_dtype
from stablehlo_py.ir.types import TensorType, Type
from stablehlo_py.kernels.numeric import complex_functions as c
from stablehlo_py.kernels.numeric import numerics as n
from stablehlo_py.kernels.numeric.ufuncs import COMPLEX_PRODUCT, MAXIMUM, MINIMUM
from stablehlo_py.kernels.registry import Array, DType, elementwise

ArrayFunction = Callable[..., Array]


class Row(NamedTuple):
    """The function of an op for each class of element types; None where the op is not defined."""

    floating: ArrayFunction | None = None
    integer: ArrayFunction | None = None
    boolean: ArrayFunction | None = None
    complex: ArrayFunction | None = None


UNARY = {
    "abs": Row(np.absolute, np.absolute, complex=np.absolute),
    "cbrt": Row(np.cbrt, complex=c.cube_root),
    "ceil": Row(np.ceil),
    "cosine": Row(np.cos, complex=c.in_complex128(np.cos)),
    "exponential": Row(np.exp, complex=c.exp),
    "exponential_minus_one": Row(np.expm1, complex=c.exp_minus_one),
    "floor": Row(np.floor),
    "imag": Row(np.zeros_like, complex=lambda z: z.imag.copy()),
    "is_finite": Row(np.isfinite),
    "log": Row(np.log, complex=c.in_complex128(np.log)),
    "log_plus_one": Row(np.log1p, complex=c.log_plus_one),
    "logistic": Row(n.logistic, complex=c.logistic),
    "negate": Row(np.negative, np.negative, complex=np.negative),
    "not": Row(integer=np.invert, boolean=np.logical_not),
    "real": Row(np.positive, complex=lambda z: z.real.copy()),
    "round_nearest_afz": Row(n.round_half_away),
    "round_nearest_even": Row(np.rint),
    "rsqrt": Row(n.reciprocal_root, complex=c.reciprocal_root),
    "sign": Row(n.sign, np.sign, complex=n.sign_complex),
    "sine": Row(np.sin, complex=c.in_complex128(np.sin)),
    "sqrt": Row(np.sqrt, complex=c.in_complex128(np.sqrt)),
    "tan": Row(np.tan, complex=c.in_complex128(np.tan)),
    "tanh": Row(np.tanh, complex=c.in_complex128(np.tanh)),
}
BINARY = {
    "add": Row(np.add, np.add, np.logical_or, np.add),
    "and": Row(integer=np.bitwise_and, boolean=np.logical_and),
    "atan2": Row(np.arctan2, complex=c.atan2),
    "complex": Row(n.make_complex),
    "divide": Row(np.divide, n.divide_integers, complex=c.divide),
    "maximum": Row(MAXIMUM, np.maximum, np.logical_or, np.maximum),
    "minimum": Row(MINIMUM, np.minimum, np.logical_and, np.minimum),
    "multiply": Row(np.multiply, np.multiply, np.logical_and, COMPLEX_PRODUCT),
    "or": Row(integer=np.bitwise_or, boolean=np.logical_or),
    "power": Row(np.power, n.power_integers, complex=c.power),
    "remainder": Row(n.remainder_floats, n.remainder_integers, complex=None),
    "shift_left": Row(integer=np.left_shift),
    "shift_right_arithmetic": Row(integer=n.shift_right_arithmetic),
    "shift_right_logical": Row(integer=n.shift_right_logical),
    "subtract": Row(np.subtract, np.subtract, np.not_equal, np.subtract),
    "xor": Row(integer=np.bitwise_xor, boolean=np.logical_xor),
}
COMPARISONS = {
    "EQ": np.equal,
    "NE": np.not_equal,
    "LT": np.less,
    "LE": np.less_equal,
    "GT": np.greater,
    "GE": np.greater_equal,
}


def choose(row: Row, dtype: DType) -> ArrayFunction:
    """Return the function of a row for an element type; narrow types are computed in a wider one.

    Args:
        row: The functions of an op.
        dtype: The NumPy type of the operands.

    Raises:
        Unsupported: The op is not defined for the type.
    """
    return n.narrowed(_wide_function(row, dtype), dtype)


def _wide_function(row: Row, dtype: DType) -> ArrayFunction:
    """Return the function on the type that elements of `dtype` are computed in."""
    function = row[{"f": 0, "i": 1, "u": 1, "b": 2, "c": 3}[n.dtype_kind(dtype)]]
    if function is None:
        element = element_type_of(dtype)
        name = element.name if element else dtype.name
        raise Unsupported(f"operation not defined for elements of type {name}")
    return function


def _unary(row: Row) -> Callable[[DType], ArrayFunction]:
    return lambda operand: choose(row, operand)


def _binary(row: Row) -> Callable[[DType, DType], ArrayFunction]:
    return lambda lhs, rhs: choose(row, lhs)


for _name, _row in UNARY.items():
    if _name != "is_finite":
        elementwise(f"stablehlo.{_name}")(_unary(_row))


@elementwise("stablehlo.is_finite")
def is_finite(x: DType) -> ArrayFunction:
    """True where the element is neither infinite nor NaN (is_finite)."""
    return choose(UNARY["is_finite"], x)


@elementwise("stablehlo.count_leading_zeros")
def count_leading_zeros(operand: DType) -> ArrayFunction:
    """Number of leading zero bits (count_leading_zeros)."""
    width = n.bits(operand)
    return n.narrowed(lambda x: n.leading_zeros(x, width), operand)


@elementwise("stablehlo.popcnt")
def popcnt(operand: DType) -> ArrayFunction:
    """Number of set bits (popcnt)."""
    width = n.bits(operand)
    return n.narrowed(lambda x: n.population_count(x, width), operand)


def _shift(name: str) -> Callable[[DType, DType], ArrayFunction]:
    """Return the first stage of a shift; narrow types are widened, and limited by their own width."""
    row = BINARY[name]

    def stage(lhs: DType, rhs: DType) -> ArrayFunction:
        if name == "shift_right_logical" and lhs.kind == "u":
            return np.right_shift
        if n.wide(lhs) == lhs:
            return choose(row, lhs)
        width = n.bits(lhs)
        mask = (1 << width) - 1

        def shift(x: Array, by: Array) -> Array:
            far = np.where((by < 0) | (by >= width), x.dtype.type(8), by)
            if name == "shift_right_logical":
                return n.shift_right_logical(x & x.dtype.type(mask), far)
            if name == "shift_right_arithmetic" and x.dtype.kind == "u":
                top = x.dtype.type(1 << width - 1)
                return n.shift_right_arithmetic((x ^ top) - top, far)
            return row.integer(x, far)  # type: ignore[misc]

        return n.narrowed(shift, lhs)

    return stage


def binary_stage(name: str, row: Row) -> Callable[[DType, DType], ArrayFunction]:
    """Return the first stage of a row of BINARY: from operand types to the function on arrays."""
    return _shift(name) if name.startswith("shift_") else _binary(row)


for _name, _row in BINARY.items():
    elementwise(f"stablehlo.{_name}")(binary_stage(_name, _row))


@elementwise("stablehlo.compare")
def compare(
    lhs: DType, rhs: DType, *, comparison_direction: str, compare_type: str | None = None
) -> ArrayFunction:
    """Comparison; NaN is unordered, but for TOTALORDER (compare)."""
    function = COMPARISONS[comparison_direction]
    if compare_type == "TOTALORDER" and n.dtype_kind(lhs) == "f":
        order = n.total_order

        def compared(x: Array, y: Array) -> Array:
            return np.asarray(function(order(x), order(y)))

        return compared if n.has_nan_payloads(lhs) else n.narrowed(compared, lhs)
    return n.narrowed(function, lhs)


@elementwise("stablehlo.select")
def select(pred: DType, on_true: DType, on_false: DType) -> ArrayFunction:
    """Elements of on_true where pred holds, else of on_false (select)."""
    return np.where


@elementwise("stablehlo.clamp")
def clamp(min: DType, operand: DType, max: DType) -> ArrayFunction:
    """Elements limited to the range from min to max (clamp)."""
    at_least, at_most = (_wide_function(BINARY[name], operand) for name in ("maximum", "minimum"))
    return n.narrowed(lambda low, x, high: at_most(at_least(low, x), high), operand)


@elementwise("stablehlo.convert")
def convert(operand: DType, *, result: Type) -> ArrayFunction:
    """Conversion to the element type of the result (convert)."""
    target = _element(result)
    return np.positive if operand == target and operand.kind in "iufc" else n.converter(operand, target)


@elementwise("stablehlo.reduce_precision")
def reduce_precision(
    operand: DType, *, exponent_bits: int, mantissa_bits: int, semantics: str = "specification"
) -> ArrayFunction:
    """Rounding to a format of fewer exponent and mantissa bits (reduce_precision)."""

    def reduced(x: Array) -> Array:
        return n.reduce_precision(x, exponent_bits, mantissa_bits, keeps_nan=semantics == "xla")

    if operand.name in ("float16", "float8_e5m2", "float8_e5m2fnuz"):  # their subnormals are not those of f32
        return lambda x: reduced(x.astype(np.float16)).astype(operand)
    return n.narrowed(reduced, operand)


def _element(type: Type) -> DType:
    assert isinstance(type, TensorType)
    return numpy_dtype(type.element_type)
