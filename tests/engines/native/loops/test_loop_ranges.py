"""Ranges of values: the ends of intervals, and conversions that need no clamp."""

from __future__ import annotations

import math

import pytest

pytest.importorskip("llvmlite", reason="needs the extra native")

from stablehlo_py.engines.native.arithmetic.llvm_ir import Builder, Value
from stablehlo_py.engines.native.llvm.scalars import apply_op
from stablehlo_py.engines.native.loop_ir.expressions import Apply, Expression, apply, reference
from stablehlo_py.engines.native.loop_ir.ranges import range_of
from stablehlo_py.engines.native.lower.values import F32, number
from stablehlo_py.ir.types import IntegerType

X, Y = reference("x", F32), reference("y", F32)


def op(name: str, *arguments: Expression | float) -> Apply:
    operands = [each if isinstance(each, Expression) else number(each, F32) for each in arguments]
    return apply(f"stablehlo.{name}", F32, tuple(operands))


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (number(2.5, F32), (2.5, 2.5)),
        (number(math.nan, F32), (-math.inf, math.inf)),
        (X, (-math.inf, math.inf)),
        (op("maximum", X, -3), (-3, math.inf)),
        (op("minimum", op("maximum", -3, X), 4), (-3, 4)),
        (op("maximum", op("minimum", X, -9), -3), (-3, -3)),
        (op("clamp", -2.5, X, 3.5), (-2.5, 3.5)),
        (op("clamp", 3, X, -2), (-2, -2)),  # the upper limit is the last one
        (op("round_nearest_even", op("clamp", -2.5, X, 3.5)), (-2, 4)),
        (op("floor", op("clamp", -2.5, X, 3.5)), (-3, 3)),
        (op("ceil", op("clamp", -2.5, X, 3.5)), (-2, 4)),
        (op("negate", op("clamp", -2.5, X, 3.5)), (-math.inf, math.inf)),  # its ends are exchanged
        (op("maximum", op("minimum", X, 1), op("minimum", Y, 2)), (-math.inf, math.inf)),
    ],
)
def test_range(value: Expression, expected: tuple[float, float]) -> None:
    assert range_of(value) == expected


@pytest.mark.parametrize(
    ("low", "high", "width", "sign", "clamps"),
    [
        (-127, 127, 8, "", False),
        (-128, 127, 8, "", False),
        (-129, 127, 8, "", True),
        (-128, 128, 8, "", True),
        (0, 255, 8, "u", False),
        (-1, 255, 8, "u", True),
        (-(2**31), 2**31 - 128, 32, "", False),
        (-(2**31), 2**31, 32, "", True),  # the largest i32 rounds up to it
    ],
)
def test_a_conversion_clamps_what_may_be_out_of_range(
    low: int, high: int, width: int, sign: str, clamps: bool
) -> None:
    builder = Builder({})
    source = op("clamp", low, X, high)
    converted = apply("stablehlo.convert", IntegerType(width, sign), (source,))
    apply_op(converted, [Value("%x", "float", builder)])
    assert ("fcmp ogt" in "".join(builder.lines)) == clamps
