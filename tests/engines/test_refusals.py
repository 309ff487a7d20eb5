"""What valid programs cannot compute is reported in the program's words, not in those of Python or NumPy."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

import stablehlo_py as shlo

PYTHON = re.compile(
    r"dtype|numpy|ufunc|ndarray|axis \d|broadcast shape|remapped|zip\(|index .* out|modulo by zero|tuple|None"
)


def program(operands: str, result: str, op: str, extra: str = "") -> str:
    types = ", ".join(re.findall(r": ([^%]+?)(?:, %|$)", operands))
    names = ", ".join(re.findall(r"%\w+", operands))
    return (
        f"func.func @main({operands}) -> {result} {{\n"
        f'  %0 = "{op}"({names}) {{{extra}}} : ({types}) -> {result}\n  return %0 : {result}\n}}'
    )


CASES: dict[str, tuple[str, list[Any], str]] = {
    "shapes that do not broadcast": (
        program("%a: tensor<?xf32>, %b: tensor<?xf32>", "tensor<?xf32>", "chlo.broadcast_add"),
        [np.zeros(3, np.float32), np.zeros(4, np.float32)],
        "shapes [3] and [4] cannot be broadcast together",
    ),
    "shapes that do not broadcast statically": (
        program("%a: tensor<3xf32>, %b: tensor<4xf32>", "tensor<3xf32>", "chlo.broadcast_subtract"),
        [np.zeros(3, np.float32), np.zeros(4, np.float32)],
        "shapes [3] and [4] cannot be broadcast together",
    ),
    "a selection": (
        program(
            "%p: tensor<2xi1>, %a: tensor<3xf32>, %b: tensor<3xf32>",
            "tensor<3xf32>",
            "chlo.broadcast_select",
        ),
        [np.zeros(2, bool), np.zeros(3, np.float32), np.zeros(3, np.float32)],
        "shapes [2] and [3] and [3] cannot be broadcast together",
    ),
    "an element type": (
        program("%a: tensor<2xi32>, %b: tensor<2xi32>", "tensor<2xi32>", "chlo.broadcast_atan2"),
        [np.zeros(2, np.int32), np.zeros(2, np.int32)],
        "not defined for elements of type i32",
    ),
    "more elements than an array can have": (
        program(
            "%a: tensor<3xi8>",
            "tensor<?x?x3xi8>",
            "stablehlo.broadcast",
            "broadcast_sizes = array<i64: 1, 9223372036854775807>",
        ),
        [np.zeros(3, np.int8)],
        "not enough memory for the result",
    ),
    "a size beyond 64 bits with a sign": (
        program("%n: tensor<1xui64>", "tensor<?xi8>", "stablehlo.dynamic_iota", "iota_dimension = 0 : i64"),
        [np.array([2**64 - 1], np.uint64)],
        "not enough memory for the result",
    ),
    "a shape beyond 64 bits with a sign": (
        program(
            "%a: tensor<1xi8>, %n: tensor<1xui64>",
            "tensor<?xi8>",
            "stablehlo.dynamic_broadcast_in_dim",
            "broadcast_dimensions = array<i64: 0>",
        ),
        [np.zeros(1, np.int8), np.array([2**64 - 1], np.uint64)],
        "not enough memory for the result",
    ),
    "a negative size": (
        program("%n: tensor<1xi64>", "tensor<?xf32>", "stablehlo.dynamic_iota", "iota_dimension = 0 : i64"),
        [np.array([-1])],
        "stablehlo.dynamic_iota (R1): 0 <= values(constant_value(output_shape))",
    ),
    "labels of different sizes": (
        program(
            "%a: tensor<1x2xf32>, %b: tensor<3x1xf32>",
            "tensor<1x1xf32>",
            "stablehlo.einsum",
            'einsum_config = "ab,bc->ac"',
        ),
        [np.zeros((1, 2), np.float32), np.zeros((3, 1), np.float32)],
        "stablehlo.einsum (R2): ",
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_refusals(name: str) -> None:
    text, inputs, words = CASES[name]
    module = shlo.parse(text)
    assert not [d for d in shlo.verify(module) if d.severity == "error"]
    with pytest.raises(shlo.RunError) as caught:
        shlo.run(module, inputs)
    assert words in str(caught.value)
    assert not PYTHON.search(str(caught.value))
