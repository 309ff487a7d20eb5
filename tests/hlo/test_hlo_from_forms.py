"""StableHLO written as HLO, where an op has several forms: the text, and its results when read."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import stablehlo_py as shlo
from stablehlo_py.hlo.from_stablehlo import from_stablehlo


def text_of(program: str) -> str:
    return from_stablehlo(shlo.parse(program)).to_string("short_parsable")


X = [[1, -2, 3], [-4, 5, -6]]


@pytest.mark.parametrize(
    ("signature", "op", "inputs", "opcode", "expected"),
    [
        ("(%p: tensor<i1>, %x: tensor<2x3xi32>) -> tensor<2x3xi32>",
         "stablehlo.select %p, %x, %x : tensor<i1>, tensor<2x3xi32>", [True, X], "broadcast", X),
        ("(%p: tensor<3xi1>, %x: tensor<3xi32>, %y: tensor<3xi32>) -> tensor<3xi32>",
         "stablehlo.select %p, %x, %y : tensor<3xi1>, tensor<3xi32>",
         [[True, False, True], [1, 2, 3], [4, 5, 6]], "select", [1, 5, 3]),
        ("(%a: tensor<i32>, %x: tensor<2x3xi32>, %b: tensor<i32>) -> tensor<2x3xi32>",
         "stablehlo.clamp %a, %x, %b : (tensor<i32>, tensor<2x3xi32>, tensor<i32>) -> tensor<2x3xi32>",
         [-2, X, 3], "broadcast", [[1, -2, 3], [-2, 3, -2]]),
        ("(%x: tensor<2xf32>) -> tensor<2xf32>", "stablehlo.real %x : tensor<2xf32>", [[1.0, 2.0]], "copy",
         [1, 2]),
        ("(%x: tensor<2xcomplex<f32>>) -> tensor<2xf32>", "stablehlo.real %x : (tensor<2xcomplex<f32>>) -> "
         "tensor<2xf32>", [np.complex64([1 + 2j, 3])], "real", [1, 3]),
        ("(%x: tensor<2x3xi32>, %y: tensor<3xi32>) -> tensor<2xi32>",
         "stablehlo.dot %x, %y : (tensor<2x3xi32>, tensor<3xi32>) -> tensor<2xi32>", [X, [1, 10, 100]], "dot",
         [281, -554]),
        ("(%x: tensor<2x3xi32>) -> tensor<2x3xi32>",
         "stablehlo.optimization_barrier %x : tensor<2x3xi32>", [X],
         "opt-barrier", X),
    ],
)  # fmt: skip
def test_ops_with_a_form(signature: str, op: str, inputs: list[Any], opcode: str, expected: Any) -> None:
    result = signature.rpartition("-> ")[2]
    text = text_of(f"func.func @main{signature} {{\n  %0 = {op}\n  return %0 : {result}\n}}")
    assert f" {opcode}(" in text
    dtypes = {"b": np.bool_, "i": np.int32, "f": np.float32, "c": np.complex64}
    arrays = [np.asarray(each, dtypes[np.asarray(each).dtype.kind]) for each in inputs]
    (found,) = shlo.run(shlo.parse(text), arrays)
    assert np.asarray(found).tolist() == expected


@pytest.mark.parametrize(
    ("attributes", "expected"),
    [
        ('{backend_config = "text", has_side_effect = true}',
         'custom_call_target="t", custom_call_has_side_effect=true, backend_config="text"'),
        ("{api_version = 2 : i32}", 'custom_call_target="t", api_version=API_VERSION_STATUS_RETURNING'),
        ("{api_version = 4 : i32, backend_config = {n = 1 : i32}}",
         'custom_call_target="t", api_version=API_VERSION_TYPED_FFI, backend_config={n = 1 : i32}'),
        ("{called_computations = [@f]}", 'custom_call_target="t", called_computations={%f}'),
        ("", 'custom_call_target="t"'),
    ],
)  # fmt: skip
def test_custom_calls(attributes: str, expected: str) -> None:
    module = shlo.parse(
        "func.func private @f(%x: tensor<2xf32>) -> tensor<2xf32> { return %x : tensor<2xf32> }\n"
        "func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {\n"
        f"  %0 = stablehlo.custom_call @t(%x) {attributes} : (tensor<2xf32>) -> tensor<2xf32>\n"
        "  return %0 : tensor<2xf32>\n}"
    )
    line = next(line for line in from_stablehlo(module).to_string().splitlines() if "custom-call" in line)
    assert line.partition("), ")[2] == expected


@pytest.mark.parametrize(("split", "concat"), [(0, 1), (1, 1)])
def test_parts_are_exchanged_along_one_dimension(split: int, concat: int) -> None:
    shape = "tensor<2x4xf32>" if split == concat else "tensor<1x8xf32>"
    program = (
        f"func.func @main(%x: tensor<2x4xf32>) -> {shape} {{\n"
        f'  %0 = "stablehlo.all_to_all"(%x) <{{split_dimension = {split} : i64, '
        f"concat_dimension = {concat} : i64, "
        "split_count = 2 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : "
        f"(tensor<2x4xf32>) -> {shape}\n  return %0 : {shape}\n}}"
    )
    if split == concat:
        assert "all-to-all(" in text_of(program) and "dimensions={1}" in text_of(program)
        return
    with pytest.raises(shlo.ParseError, match="split_dimension and concat_dimension must be equal"):
        text_of(program)
