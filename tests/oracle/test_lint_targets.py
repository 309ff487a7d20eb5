"""The custom-call targets that lint allows are those that JAX guarantees to be stable."""

from __future__ import annotations

import pytest

import stablehlo_py as shlo

export = pytest.importorskip("jax._src.export._export")


def test_stable_targets_are_allowed() -> None:
    for target in export._CUSTOM_CALL_TARGETS_GUARANTEED_STABLE:
        text = f"""func.func @main(%x: tensor<f32>) -> tensor<f32> {{
  %0 = stablehlo.custom_call @{target}(%x) : (tensor<f32>) -> tensor<f32>
  return %0 : tensor<f32>
}}"""
        assert shlo.lint(shlo.parse(text), select=["custom-call-target"]) == [], target
