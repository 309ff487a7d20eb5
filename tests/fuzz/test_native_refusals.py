"""What a kernel refuses, native code refuses in the same words: no exception of Python's, and no result."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("llvmlite")

from refusals import find
from views import all_native

import stablehlo_py as shlo
from stablehlo_py.interpreter.arrays import random_array
from stablehlo_py.ir.signature import signature

# Each is accepted by the verifier, and refused when it runs; the second part is what the error says.
REFUSED = {
    "a state of rank 3": (
        """func.func @main(%a: tensor<2x2x2xi64>) -> tensor<10x12xui32> {
          %0, %1 = "stablehlo.rng_bit_generator"(%a) {rng_algorithm = #stablehlo<rng_algorithm DEFAULT>}
            : (tensor<2x2x2xi64>) -> (tensor<2x2x2xi64>, tensor<10x12xui32>)
          return %1 : tensor<10x12xui32> }""",
        "stablehlo.rng_bit_generator (R1)",
    ),
    "shapes that do not broadcast": (
        """func.func @main(%a: tensor<2x4x9xi32>) -> tensor<3xi32> {
          %b = stablehlo.constant dense<1> : tensor<1x5x2xi32>
          %0 = "chlo.broadcast_add"(%a, %b) : (tensor<2x4x9xi32>, tensor<1x5x2xi32>) -> tensor<3xi32>
          return %0 : tensor<3xi32> }""",
        "shapes [2, 4, 9] and [1, 5, 2] cannot be broadcast together",
    ),
    "integers where floats are needed": (
        """func.func @main(%a: tensor<3xui8>) -> tensor<3xui8> {
          %0 = "chlo.broadcast_next_after"(%a, %a) : (tensor<3xui8>, tensor<3xui8>) -> tensor<3xui8>
          return %0 : tensor<3xui8> }""",
        "chlo.broadcast_next_after (R2)",
    ),
    "a slice beyond the array": (
        """func.func @main(%a: tensor<8xf32>) -> tensor<4xf32> {
          %0 = stablehlo.constant dense<1000> : tensor<1xi32>
          %1 = stablehlo.constant dense<1004> : tensor<1xi32>
          %2 = stablehlo.constant dense<1> : tensor<1xi32>
          %3 = stablehlo.real_dynamic_slice %a, %0, %1, %2
            : (tensor<8xf32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<4xf32>
          return %3 : tensor<4xf32> }""",
        "stablehlo.real_dynamic_slice",
    ),
    "a slice of another size": (
        """func.func @main(%a: tensor<8xf32>) -> tensor<4xf32> {
          %0 = stablehlo.constant dense<0> : tensor<1xi32>
          %1 = stablehlo.constant dense<3> : tensor<1xi32>
          %2 = stablehlo.constant dense<1> : tensor<1xi32>
          %3 = stablehlo.real_dynamic_slice %a, %0, %1, %2
            : (tensor<8xf32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<4xf32>
          return %3 : tensor<4xf32> }""",
        "tensor<3xf32>",
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_refused(name: str) -> None:
    text, words = REFUSED[name]
    module = shlo.parse(text)
    assert not [each for each in shlo.verify(module) if each.severity == "error"]
    (argument,) = signature(module.functions["main"]).inputs
    array = random_array(argument.type, np.random.default_rng(0), "an input")
    said = []
    for engine in ("numpy", "native"):
        with all_native(quick=True), pytest.raises(shlo.RunError) as error:
            shlo.compile(module, engine=engine)(array)
        said.append(str(error.value))
    assert said[0] == said[1] and words in said[0]


@pytest.mark.slow
def test_drawn_programs() -> None:
    with all_native(quick=True):
        outcomes = {number: find(number) for number in range(150)}
    assert {number: text for number, text in outcomes.items() if text} == {}
    assert sum(text is None for text in outcomes.values()) > 30


@pytest.mark.slow
def test_many_drawn_programs() -> None:
    """More of them: `PYTHONPATH=. python tests/fuzz/refusals.py --count N`."""
    with all_native(quick=True):
        outcomes = {number: find(number) for number in range(1000, 2000)}
    assert {number: text for number, text in outcomes.items() if text} == {}
