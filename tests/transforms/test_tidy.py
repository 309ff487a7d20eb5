"""Transformations that preserve the meaning of a module."""

from __future__ import annotations

import pytest

import stablehlo_py as shlo
from stablehlo_py.transforms import tidy as transform

LOCATED = """\
func.func @main(%arg0: tensor<2xf32> loc("params[\'w\']"), %arg1: tensor<2xf32>) -> tensor<2xf32> {
  %0 = stablehlo.add %arg0, %arg1 : tensor<2xf32> loc("jit(f)/dense/add"("f.py":1:2))
  %1 = stablehlo.add %0, %0 : tensor<2xf32> loc(callsite(fused["f.py":3:4, "jit(f)/add"] at "main"))
  %2:2 = stablehlo.optimization_barrier %1, %1 : tensor<2xf32>, tensor<2xf32> loc("jit(f)/2nd")
  %3 = stablehlo.negate %2#1 : tensor<2xf32> loc("f.py":5:6)
  return %3 : tensor<2xf32>
}
"""


def test_values_are_named_by_their_locations() -> None:
    module = shlo.parse(LOCATED)
    transform.name_from_locations(module)
    transform.strip_locations(module)
    assert (
        shlo.format(module, canonical=False)
        == """\
func.func @main(%params_w: tensor<2xf32>, %arg1: tensor<2xf32>) -> tensor<2xf32> {
  %add = stablehlo.add %params_w, %arg1 : tensor<2xf32>
  %add_0 = stablehlo.add %add, %add : tensor<2xf32>
  %_2nd:2 = stablehlo.optimization_barrier %add_0, %add_0 : tensor<2xf32>, tensor<2xf32>
  %3 = stablehlo.negate %_2nd#1 : tensor<2xf32>
  return %3 : tensor<2xf32>
}
"""
    )


def test_large_constants_are_elided_as_mlir_does() -> None:
    module = shlo.parse(
        """\
func.func @main() {
  %0 = stablehlo.constant dense<[1, 2, 3]> : tensor<3xi32>
  %1 = stablehlo.constant dense<[1, 2]> : tensor<2xi32>
  %2 = stablehlo.constant dense<7> : tensor<9xi32>
  %3 = "test.op"() {table = dense<[1, 2, 3]> : tensor<3xi64>} : () -> tensor<i32>
  return
}
""",
        allow_unregistered=True,
    )
    transform.elide_constants(module, 2)
    assert (
        shlo.format(module, canonical=False)
        == """\
func.func @main() {
  %0 = stablehlo.constant dense_resource<__elided__> : tensor<3xi32>
  %1 = stablehlo.constant dense<[1, 2]> : tensor<2xi32>
  %2 = stablehlo.constant dense<7> : tensor<9xi32>
  %3 = "test.op"() {table = dense_resource<__elided__> : tensor<3xi64>} : () -> tensor<i32>
  return
}
"""
    )
    found = shlo.verify(module)
    assert [(d.code, d.line, d.severity) for d in found] == [
        ("elided", 2, "error"),
        ("elided", 5, "error"),
    ]


def test_a_program_without_its_constants_is_not_valid_and_does_not_run() -> None:
    module = shlo.parse("""\
func.func @main() -> tensor<9xf32> {
  %0 = stablehlo.constant dense_resource<__elided__> : tensor<9xf32>
  return %0 : tensor<9xf32>
}
""")
    assert [(d.severity, d.code) for d in shlo.verify(module)] == [("error", "elided")]
    with pytest.raises(shlo.RunError, match="elided when the program was printed"):
        shlo.run(module)
