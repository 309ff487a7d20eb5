"""Simplification of elementwise ops."""

from __future__ import annotations

from collections.abc import Sequence

from stablehlo_py.ir.core import Operation, Value
from stablehlo_py.notation.environment import Environment
from stablehlo_py.transforms.rewriter import Rewriter
from stablehlo_py.transforms.rules.rule import Rule
from stablehlo_py.transforms.simplification.folding import is_within_limit

_ZERO_SIGN = "-0.0 + 0.0 is 0.0, and becomes -0.0"


def _constant_to_the_right(op: str) -> Rule:
    """Return the rule that makes a constant the second operand of a commutative op."""
    return Rule(
        f"{op}-constant-left",
        f"""
        %c = stablehlo.constant
        stablehlo.{op} %c, %x
        """,
        f"stablehlo.{op} %x, %c like %r",
        condition="not is_constant(x)",
        example=f"""
            %c = stablehlo.constant dense<1> : tensor<2xi32>
            %r = stablehlo.{op} %c, %x : tensor<2xi32>
        """,
    )


def _boolean(direction: str, value: str) -> Rule:
    """Return the rule for a comparison of a boolean with a constant that changes nothing."""
    return Rule(
        f"compare-{direction.lower()}-{value}",
        f"stablehlo.compare %x, {value}, comparison_direction = {direction}",
        "%x",
        condition="is_boolean(x)",
        example=f"""
            %c = stablehlo.constant dense<{value}> : tensor<2xi1>
            %r = stablehlo.compare {direction}, %x, %c : (tensor<2xi1>, tensor<2xi1>) -> tensor<2xi1>
        """,
        merge=False,
    )


def _compare_same(directions: str, value: str) -> Rule:
    """Return the rule for a comparison of an integer with itself."""
    first = directions.partition(",")[0]
    return Rule(
        f"compare-same-{value}",
        "stablehlo.compare %x, %x, comparison_direction = d, compare_type = t",
        f"stablehlo.constant {value}",
        condition=f"d in [{directions}] and t in [SIGNED, UNSIGNED] and is_static(r)",
        example=f"""
            %r = stablehlo.compare {first}, %x, %x, SIGNED : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi1>
        """,
        merge=False,
    )


def _compare_constant_left(direction: str, swapped: str) -> Rule:
    """Return the rule that makes a constant the second operand of a comparison of integers."""
    return Rule(
        f"compare-{direction.lower()}-constant-left",
        f"""
        %c = stablehlo.constant
        stablehlo.compare %c, %x, comparison_direction = {direction}, compare_type = t
        """,
        f"stablehlo.compare %x, %c, comparison_direction = {swapped} like %r",
        condition="t in [SIGNED, UNSIGNED] and not is_constant(x)",
        example=f"""
            %c = stablehlo.constant dense<5> : tensor<2xi32>
            %r = stablehlo.compare {direction}, %c, %x, SIGNED
              : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi1>
        """,
    )


def _choose(rewriter: Rewriter, op: Operation, names: Environment) -> Sequence[Value] | None:
    """Choose the elements, if there are not too many of them."""
    return rewriter.fold(op) if is_within_limit(rewriter, op) else None


_COMMUTATIVE = ("add", "and", "maximum", "minimum", "multiply", "or", "xor")
_SWAPPED = {"EQ": "EQ", "NE": "NE", "GE": "LE", "GT": "LT", "LE": "GE", "LT": "GT"}

RULES = (
    *map(_constant_to_the_right, _COMMUTATIVE),
    Rule(
        "add-zero-float",
        "stablehlo.add %x, 0",
        "%x",
        condition="is_float(x)",
        example="""
            %zero = stablehlo.constant dense<0.0> : tensor<2xf32>
            %r = stablehlo.add %x, %zero : tensor<2xf32>
        """,
        inexact=_ZERO_SIGN,
    ),
    Rule(
        "add-zero",
        "stablehlo.add %x, 0",
        "%x",
        condition="is_integer(x) or is_boolean(x)",
        example="""
            %zero = stablehlo.constant dense<0> : tensor<2xi32>
            %r = stablehlo.add %x, %zero : tensor<2xi32>
        """,
    ),
    Rule(
        "subtract-zero",
        "stablehlo.subtract %x, 0",
        "%x",
        condition="is_integer(x)",
        example="""
            %zero = stablehlo.constant dense<0> : tensor<2xi32>
            %r = stablehlo.subtract %x, %zero : tensor<2xi32>
        """,
    ),
    Rule(
        "subtract-zero-float",
        "stablehlo.subtract %x, 0",
        "%x",
        condition="is_float(x)",
        example="""
            %zero = stablehlo.constant dense<0.0> : tensor<2xf32>
            %r = stablehlo.subtract %x, %zero : tensor<2xf32>
        """,
        inexact="-0.0 - -0.0 is 0.0, and becomes -0.0",
    ),
    Rule(
        "subtract-same",
        "stablehlo.subtract %x, %x",
        "stablehlo.constant 0",
        condition="is_integer(x) and is_static(x)",
        example="%r = stablehlo.subtract %x, %x : tensor<2xi32>",
        merge=False,
    ),
    Rule(
        "multiply-zero",
        """
        %zero = stablehlo.constant
        stablehlo.multiply %x, %zero
        """,
        "%zero",
        condition="(is_integer(x) or is_boolean(x)) and is_zero(zero)",
        example="""
            %zero = stablehlo.constant dense<0> : tensor<2xi32>
            %r = stablehlo.multiply %x, %zero : tensor<2xi32>
        """,
        doc="Of floating-point numbers, NaN and infinities times 0 are NaN.",
    ),
    Rule(
        "multiply-one",
        "stablehlo.multiply %x, 1",
        "%x",
        example="""
            %one = stablehlo.constant dense<1.0> : tensor<2xf32>
            %r = stablehlo.multiply %x, %one : tensor<2xf32>
        """,
    ),
    Rule(
        "and-zero",
        """
        %zero = stablehlo.constant
        stablehlo.and %x, %zero
        """,
        "%zero",
        condition="is_zero(zero)",
        example="""
            %zero = stablehlo.constant dense<0> : tensor<2xi32>
            %r = stablehlo.and %x, %zero : tensor<2xi32>
        """,
        merge=False,
    ),
    Rule(
        "and-ones",
        "stablehlo.and %x, -1",
        "%x",
        example="""
            %ones = stablehlo.constant dense<-1> : tensor<2xi32>
            %r = stablehlo.and %x, %ones : tensor<2xi32>
        """,
    ),
    Rule(
        "or-zero",
        "stablehlo.or %x, 0",
        "%x",
        example="""
            %zero = stablehlo.constant dense<0> : tensor<2xi32>
            %r = stablehlo.or %x, %zero : tensor<2xi32>
        """,
    ),
    Rule(
        "or-ones",
        """
        %ones = stablehlo.constant
        stablehlo.or %x, %ones
        """,
        "%ones",
        condition="is_all_ones(ones)",
        example="""
            %ones = stablehlo.constant dense<-1> : tensor<2xi32>
            %r = stablehlo.or %x, %ones : tensor<2xi32>
        """,
    ),
    Rule(
        "xor-zero",
        "stablehlo.xor %x, 0",
        "%x",
        example="""
            %zero = stablehlo.constant dense<0> : tensor<2xi32>
            %r = stablehlo.xor %x, %zero : tensor<2xi32>
        """,
        merge=False,
    ),
    Rule(
        "xor-same",
        "stablehlo.xor %x, %x",
        "stablehlo.constant 0",
        condition="is_static(x)",
        example="%r = stablehlo.xor %x, %x : tensor<2xi32>",
        merge=False,
    ),
    Rule(
        "convert-same-type",
        "stablehlo.convert %x",
        "%x",
        condition="identical(r, x)",
        example="%r = stablehlo.convert %x : tensor<2xf32>",
    ),
    _boolean("NE", "false"),
    _boolean("EQ", "true"),
    _compare_same("EQ, GE, LE", "true"),
    _compare_same("NE, GT, LT", "false"),
    *[_compare_constant_left(direction, swapped) for direction, swapped in _SWAPPED.items()],
    Rule(
        "complex-of-parts",
        """
        %a = stablehlo.real %x
        %b = stablehlo.imag %x
        stablehlo.complex %a, %b
        """,
        "%x",
        condition="identical(r, x)",
        example="""
            %a = stablehlo.real %x : (tensor<2xcomplex<f32>>) -> tensor<2xf32>
            %b = stablehlo.imag %x : (tensor<2xcomplex<f32>>) -> tensor<2xf32>
            %r = stablehlo.complex %a, %b : tensor<2xcomplex<f32>>
        """,
        merge=False,
    ),
    Rule(
        "real-of-complex",
        """
        %c = stablehlo.complex %a, %b
        stablehlo.real %c
        """,
        "%a",
        example="""
            %c = stablehlo.complex %a, %b : tensor<2xcomplex<f32>>
            %r = stablehlo.real %c : (tensor<2xcomplex<f32>>) -> tensor<2xf32>
        """,
        merge=False,
    ),
    Rule(
        "imag-of-complex",
        """
        %c = stablehlo.complex %a, %b
        stablehlo.imag %c
        """,
        "%b",
        example="""
            %c = stablehlo.complex %a, %b : tensor<2xcomplex<f32>>
            %r = stablehlo.imag %c : (tensor<2xcomplex<f32>>) -> tensor<2xf32>
        """,
        merge=False,
    ),
    Rule(
        "select-same",
        "stablehlo.select %p, %x, %x",
        "%x",
        example="%r = stablehlo.select %p, %x, %x : tensor<2xi1>, tensor<2xf32>",
        merge=False,
    ),
    Rule(
        "select-true",
        "stablehlo.select true, %x, %y",
        "%x",
        example="""
            %p = stablehlo.constant dense<true> : tensor<2xi1>
            %r = stablehlo.select %p, %x, %y : tensor<2xi1>, tensor<2xf32>
        """,
        merge=False,
    ),
    Rule(
        "select-false",
        "stablehlo.select false, %x, %y",
        "%y",
        example="""
            %p = stablehlo.constant dense<false> : tensor<2xi1>
            %r = stablehlo.select %p, %x, %y : tensor<2xi1>, tensor<2xf32>
        """,
        merge=False,
    ),
    Rule(
        "select-constants",
        "stablehlo.select %p, %x, %y",
        _choose,
        condition="is_constant(p) and is_constant(x) and is_constant(y)",
        example="""
            %p = stablehlo.constant dense<[true, false]> : tensor<2xi1>
            %x = stablehlo.constant dense<[1.0, 2.0]> : tensor<2xf32>
            %y = stablehlo.constant dense<3.0> : tensor<2xf32>
            %r = stablehlo.select %p, %x, %y : tensor<2xi1>, tensor<2xf32>
        """,
        merge=False,
    ),
    Rule(
        "select-of-not",
        """
        %n = stablehlo.not %p
        stablehlo.select %n, %x, %y
        """,
        "stablehlo.select %p, %y, %x like %r",
        example="""
            %n = stablehlo.not %p : tensor<2xi1>
            %r = stablehlo.select %n, %x, %y : tensor<2xi1>, tensor<2xf32>
        """,
    ),
    Rule(
        "select-of-broadcast-not",
        """
        %n = stablehlo.not %p
        %b = stablehlo.broadcast_in_dim %n, broadcast_dimensions = dims
        stablehlo.select %b, %x, %y
        """,
        """
        %c = stablehlo.broadcast_in_dim %p, broadcast_dimensions = dims : b
        stablehlo.select %c, %y, %x
        """,
        condition="has_one_use(b)",
        example="""
            %n = stablehlo.not %p : tensor<i1>
            %b = stablehlo.broadcast_in_dim %n, dims = [] : (tensor<i1>) -> tensor<2xi1>
            %r = stablehlo.select %b, %x, %y : tensor<2xi1>, tensor<2xf32>
        """,
        merge=False,
    ),
)
