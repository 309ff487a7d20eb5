"""Simplification of elementwise ops."""

from __future__ import annotations

from stablehlo_py.transforms.rules.rule import Rule

RULES = (
    Rule(
        "add-zero",
        "stablehlo.add %x, 0",
        "%x",
        condition="is_integer(x) or is_float(x) or is_boolean(x)",
        example="""
            %zero = stablehlo.constant dense<0.0> : tensor<2xf32>
            %r = stablehlo.add %x, %zero : tensor<2xf32>
        """,
        inexact="-0.0 + 0.0 is 0.0, and becomes -0.0",
    ),
)
