"""Kernels of the `arith` dialect. Signedness is a property of the op, not of the type; `index` is i64."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from stablehlo_py.diagnostics.diagnostic import RunError
from stablehlo_py.ir.element_types import numpy_dtype
from stablehlo_py.ir.types import TensorType, Type
from stablehlo_py.kernels.numeric import numerics as n
from stablehlo_py.kernels.registry import Array, kernel

Binary = Callable[[Array, Array], Array]


def _signed(x: Array) -> Array:
    """Return signed integers; i1 has the values 0 and -1."""
    return np.asarray(-x.astype(np.int8)) if x.dtype.kind == "b" else x


def _unsigned(function: Binary) -> Binary:
    """Return `function` on operands reinterpreted as unsigned integers."""

    def call(lhs: Array, rhs: Array) -> Array:
        word = n.unsigned(lhs.dtype)
        found = function(np.asarray(lhs).view(word), np.asarray(rhs).view(word))
        return found.view(lhs.dtype) if found.dtype == word else found

    return call


def _divided(function: Binary) -> Binary:
    """Return `function` with a run-time check that no divisor is 0."""

    def call(lhs: Array, rhs: Array) -> Array:
        if not np.all(rhs):
            raise RunError("division by zero")
        return np.asarray(function(lhs, rhs))

    return call


def _truncated(lhs: Array, rhs: Array) -> Array:
    return np.asarray((lhs - np.fmod(lhs, rhs)) // rhs)


ARITHMETIC: dict[str, Binary] = {
    "addi": np.add,
    "subi": np.subtract,
    "muli": np.multiply,
    "divsi": _divided(_truncated),
    "divui": _divided(_unsigned(np.floor_divide)),
    "ceildivsi": _divided(lambda x, y: x // y + (x % y != 0)),
    "floordivsi": _divided(np.floor_divide),
    "remsi": _divided(np.fmod),
    "remui": _divided(_unsigned(np.fmod)),
    "maxsi": np.maximum,
    "maxui": _unsigned(np.maximum),
    "minsi": np.minimum,
    "minui": _unsigned(np.minimum),
    "andi": np.bitwise_and,
    "ori": np.bitwise_or,
    "xori": np.bitwise_xor,
}
PREDICATES: tuple[Binary, ...] = (
    np.equal,
    np.not_equal,
    np.less,
    np.less_equal,
    np.greater,
    np.greater_equal,
    _unsigned(np.less),
    _unsigned(np.less_equal),
    _unsigned(np.greater),
    _unsigned(np.greater_equal),
)


def _binary(function: Binary) -> Callable[..., Array]:
    """Return the kernel of a function of signed integers, whose lowest bit is the result for i1."""

    def call(lhs: Array, rhs: Array) -> Array:
        found = np.asarray(function(_signed(lhs), _signed(rhs)))
        return np.not_equal(found & 1, 0) if lhs.dtype.kind == "b" else np.asarray(found, lhs.dtype)

    return call


for _name, _function in ARITHMETIC.items():
    kernel(f"arith.{_name}")(_binary(_function))


@kernel("arith.constant", view=True)
def constant(*, value: Any, result: Type) -> Array:
    """Constant value (arith.constant)."""
    value = getattr(value, "value", value)
    return np.asarray(value, _dtype(result))


@kernel("arith.cmpi")
def cmpi(lhs: Array, rhs: Array, *, predicate: int) -> Array:
    """Integer comparison (arith.cmpi)."""
    return np.asarray(PREDICATES[predicate](_signed(lhs), _signed(rhs)))


@kernel("arith.select", view=True)
def select(condition: Array, true_value: Any, false_value: Any) -> Any:
    """Selection by an i1 scalar (arith.select)."""
    return true_value if condition else false_value


@kernel("arith.index_cast", "arith.extsi", "arith.trunci")
def cast(operand: Array, *, result: Type) -> Array:
    """Sign-extend or truncate integers; i1 has the values 0 and -1 (arith.extsi, trunci, index_cast)."""
    dtype = _dtype(result)
    if dtype.kind == "b":
        return np.asarray(operand & operand.dtype.type(1)).astype(dtype)
    return _signed(operand).astype(dtype)


@kernel("arith.index_castui", "arith.extui")
def cast_unsigned(operand: Array, *, result: Type) -> Array:
    """Zero-extend integers (arith.extui, index_castui)."""
    word = operand.dtype if operand.dtype.kind == "b" else n.unsigned(operand.dtype)
    dtype = _dtype(result)
    return np.asarray(operand).view(word).astype(n.unsigned(dtype)).view(dtype)


def _dtype(type: Type) -> Any:
    return numpy_dtype(type.element_type if isinstance(type, TensorType) else type)
