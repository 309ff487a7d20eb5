"""Simplification rules, a module per family of ops."""

from __future__ import annotations

from dataclasses import replace

from stablehlo_py.transforms.rules.rule import Rule
from stablehlo_py.transforms.simplification import (
    control,
    dynamic,
    elementwise,
    folding,
    folding_control,
    moving,
)

SIMPLIFICATIONS: tuple[Rule, ...] = (
    *elementwise.RULES,
    *moving.RULES,
    *dynamic.RULES,
    *control.RULES,
)

_SHARED = ("get-dimension-size-static", "reduce-nothing", "reduce-to-outer-value")  # of both passes

# What `stablehlo-aggressive-folder` applies: shapes first, as upstream lists them.
FOLDS: tuple[Rule, ...] = (
    *folding.SHAPE_FOLDS,
    *folding.FOLDS,
    *folding_control.RULES,
    *[rule for rule in SIMPLIFICATIONS if rule.name in _SHARED],
)
# In a pass that does both, folding is tried first.
FOLDS_FIRST = tuple([replace(rule, benefit=rule.benefit + 1) for rule in FOLDS if rule.name not in _SHARED])
