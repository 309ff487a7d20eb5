"""The signature of functions that run in sequence."""

from __future__ import annotations

import stablehlo_py as shlo
from stablehlo_py.ir.signature import joined_signature, signature

TEXT = """func.func @a() -> (tensor<2xf32> {jax.result_info = "x"}, tensor<i8> {jax.result_info = "y"}) {
  %0 = stablehlo.constant dense<1.0> : tensor<2xf32>
  %1 = stablehlo.constant dense<1> : tensor<i8>
  return %0, %1 : tensor<2xf32>, tensor<i8>
}
func.func @b() -> (tensor<i1> {jax.result_info = "z"}) {
  %0 = stablehlo.constant dense<true> : tensor<i1>
  return %0 : tensor<i1>
}"""


def test_results_are_numbered_over_all_functions() -> None:
    parts = [signature(function) for function in shlo.parse(TEXT).functions.values()]
    assert joined_signature(parts[:1]) is parts[0]
    joined = joined_signature(parts)
    assert (joined.name, joined.inputs) == ("a, @b", ())
    assert [(output.index, output.name, str(output.type)) for output in joined.outputs] == [
        (0, "x", "tensor<2xf32>"),
        (1, "y", "tensor<i8>"),
        (2, "z", "tensor<i1>"),
    ]
