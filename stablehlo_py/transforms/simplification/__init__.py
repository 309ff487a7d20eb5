"""Simplification rules, a module per family of ops."""

from __future__ import annotations

from stablehlo_py.transforms.rules.rule import Rule
from stablehlo_py.transforms.simplification import elementwise

SIMPLIFICATIONS: tuple[Rule, ...] = (*elementwise.RULES,)
