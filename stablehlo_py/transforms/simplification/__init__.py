"""Simplification rules, a module per family of ops."""

from __future__ import annotations

from stablehlo_py.transforms.rules.rule import Rule
from stablehlo_py.transforms.simplification import control, dynamic, elementwise, moving

SIMPLIFICATIONS: tuple[Rule, ...] = (
    *elementwise.RULES,
    *moving.RULES,
    *dynamic.RULES,
    *control.RULES,
)
