"""The k largest elements of rows beside a stable sort of Python's: ties, NaN, signed zeros, all types."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest

pytest.importorskip("llvmlite", reason="needs the extra native")

import stablehlo_py as shlo
from tests.helpers.native import check_loops, compiled, counted, dtype_of, tensor

Array = np.ndarray[Any, Any]


def source(shape: tuple[int, ...], element: str, k: int) -> str:
    x, values, places = tensor(shape, element), *(tensor((*shape[:-1], k), e) for e in (element, "i32"))
    return f"""func.func @main(%x: {x}) -> ({values}, {places}) {{
      %0:2 = chlo.top_k(%x, k = {k}) : {x} -> ({values}, {places})
      return %0#0, %0#1 : {values}, {places}
    }}"""


def program(shape: tuple[int, ...], element: str, k: int) -> shlo.Program:
    return compiled(source(shape, element, k))


def assert_largest(x: Array, element: str, k: int) -> None:
    values, indices = program(x.shape, element, k)(x)
    rows, kept = x.reshape(-1, x.shape[-1]), indices.reshape(-1, k)
    for row, places in zip(rows, kept, strict=True):
        numbers = row.astype(object)
        assert places.tolist() == sorted(range(len(row)), key=lambda i: -numbers[i])[:k]
    np.testing.assert_array_equal(values, np.take_along_axis(x, indices, -1))
    assert values.dtype == x.dtype


@pytest.mark.parametrize("k", [1, 7, 64, 128])
@pytest.mark.parametrize("shape", [(128,), (1000,), (3, 5, 131)], ids=str)
def test_rows(shape: tuple[int, ...], k: int) -> None:
    """Drawn elements with many ties; ascending ones, which are all kept for a while; descending ones."""
    random = np.random.default_rng(8)
    assert_largest(random.integers(-20, 20, shape).astype(np.float32), "f32", k)
    ascending = np.broadcast_to(np.arange(shape[-1], dtype=np.int32), shape).copy()
    assert_largest(ascending, "i32", k)
    assert_largest(-ascending, "i32", k)
    assert_largest(ascending // 50 * 100 - ascending, "i32", k)  # descending groups, one above the other
    assert_largest(np.zeros(shape, np.uint32), "ui32", k)


@pytest.mark.parametrize(
    ("element", "dtype"),
    [
        ("f64", np.float64), ("f16", np.float16), ("bf16", ml_dtypes.bfloat16),
        ("f8E4M3FN", ml_dtypes.float8_e4m3fn), ("f4E2M1FN", ml_dtypes.float4_e2m1fn), ("i4", ml_dtypes.int4),
        ("ui4", ml_dtypes.uint4), ("i8", np.int8), ("ui8", np.uint8), ("ui32", np.uint32), ("i64", np.int64),
        ("ui64", np.uint64), ("i1", np.bool_),
    ],
)  # fmt: skip
def test_elements(element: str, dtype: Any) -> None:
    """All patterns of bytes, or as many drawn bits."""
    if dtype is np.bool_ or element in ("i4", "ui4", "f4E2M1FN"):
        x = (np.arange(200) * 7 % (2 if dtype is np.bool_ else 16)).astype(np.uint8)
        x = x.view(dtype) if dtype is np.bool_ else x.astype(ml_dtypes.uint4).view(dtype)
    else:
        bits = np.random.default_rng(9).integers(0, 256, 200 * np.dtype(dtype).itemsize, np.uint8)
        x = bits.view(dtype)
        x = x[x == x]  # NaN: the test below
    if np.dtype(dtype).kind not in "biu":
        x = x[x != 0]
    assert_largest(x, element, 50)


@pytest.mark.parametrize("element", ["bf16", "i64"])
@pytest.mark.parametrize(("shape", "k"), [((5,), 5), ((2, 70), 2), ((130,), 1)])
def test_loops_after_each_stage(shape: tuple[int, ...], k: int, element: str) -> None:
    x = np.random.default_rng(17).integers(0, 99, shape).astype(dtype_of(element))
    check_loops(source(shape, element, k), x)


def test_special_values() -> None:
    x = np.array([0.0, -np.nan, np.inf, -0.0, np.nan, -np.inf, 1.0], np.float32)
    _, indices = program((7,), "f32", 7)(x)
    assert indices.tolist() == [4, 2, 6, 0, 3, 5, 1]
    least = np.array([-(2**31), 5, -(2**31)], np.int32)
    assert program((3,), "i32", 3)(least)[1].tolist() == [1, 0, 2]


def test_custom_calls() -> None:
    """Calls of JAX and XLA; that for the smallest elements is left to the NumPy engine."""
    text = """func.func @main(%x: tensor<2x9xf32>) -> (tensor<2x3xf32>, tensor<2x3xi32>) {{
      %0:2 = stablehlo.custom_call @mhlo.topk(%x) {{mhlo.attributes = {{k = 3 : i64, largest = {largest}}}}}
        : (tensor<2x9xf32>) -> (tensor<2x3xf32>, tensor<2x3xi32>)
      return %0#0, %0#1 : tensor<2x3xf32>, tensor<2x3xi32>
    }}"""
    x = np.stack([np.arange(9), -np.arange(9)]).astype(np.float32)
    for largest, step, expected in (
        ("true", "native", [[8, 7, 6], [0, 1, 2]]),
        ("false", "stablehlo.custom_call", [[0, 1, 2], [8, 7, 6]]),
    ):
        compiled = shlo.compile(shlo.parse(text.format(largest=largest)), engine="native")
        assert step in [step.name for step in compiled.plan.steps]
        values, indices = compiled(x)
        assert indices.tolist() == expected
        np.testing.assert_array_equal(values, np.take_along_axis(x, indices, -1))


@pytest.mark.parametrize("attributes", ["k = 2 : i64", "mhlo.attributes = {k = 2 : i64}"])
@pytest.mark.parametrize("target", ["TopK", "topk", "mhlo.topk"])
def test_a_call_for_fewer_elements_than_its_results_have_fails(target: str, attributes: str) -> None:
    text = f"""func.func @main(%x: tensor<2x9xf32>) -> (tensor<2x3xf32>, tensor<2x3xi32>) {{
      %0:2 = stablehlo.custom_call @{target}(%x) {{{attributes}}}
        : (tensor<2x9xf32>) -> (tensor<2x3xf32>, tensor<2x3xi32>)
      return %0#0, %0#1 : tensor<2x3xf32>, tensor<2x3xi32>
    }}"""
    with pytest.raises((shlo.RunError, shlo.Unsupported), match=r"result 0 .* tensor<2x3xf32>"):
        shlo.run(shlo.parse(text), [np.zeros((2, 9), np.float32)], engine="native")


def test_in_a_loop() -> None:
    """The largest three of what is left, twelve times: a sort."""
    body = """%1:2 = chlo.top_k(%a, k = 3) : tensor<36xf32> -> (tensor<3xf32>, tensor<3xi32>)
      %3 = stablehlo.constant dense<3> : tensor<i32>
      %4 = stablehlo.multiply %i, %3 : tensor<i32>
      %5 = stablehlo.dynamic_update_slice %b, %1#0, %4
        : (tensor<36xf32>, tensor<3xf32>, tensor<i32>) -> tensor<36xf32>
      %6 = "stablehlo.scatter"(%a, %1#1, %low) <{
        scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0],
          scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
        ^bb0(%old: tensor<f32>, %new: tensor<f32>):
          stablehlo.return %new : tensor<f32>
      }) : (tensor<36xf32>, tensor<3xi32>, tensor<3xf32>) -> tensor<36xf32>"""
    carried = {"a": ("tensor<36xf32>", "%x", "%6"), "b": ("tensor<36xf32>", "%x", "%5")}
    text = f"""func.func @main(%x: tensor<36xf32>) -> tensor<36xf32> {{
      %low = stablehlo.constant dense<0xFF800000> : tensor<3xf32>
      {counted("12", carried, body)}
      return %r#2 : tensor<36xf32>
    }}"""
    x = np.random.default_rng(10).normal(size=36).astype(np.float32)
    np.testing.assert_array_equal(compiled(text)(x)[0], np.sort(x)[::-1])
