"""Windows and scatters of the native engine beside the NumPy engine's, bit for bit."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

pytest.importorskip("llvmlite", reason="needs the extra native")

from stablehlo_py.engines.native import partition
from tests.helpers.native import assert_same, compiled, counted, dtype_of, tensor

RNG = np.random.default_rng(3)


@pytest.fixture(autouse=True)
def single_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    """Regions of one step are compiled."""
    parts = partition.Partition.parts
    monkeypatch.setattr(partition.Partition, "parts", lambda self, plan: parts(partition.Partition(1), plan))


def dims(values: Any) -> str:
    return ", ".join(map(str, values))


def integers(shape: Any, dtype: Any) -> np.ndarray:
    return RNG.integers(-50, 50, shape).astype(dtype)


# Shape, window, strides, dilations, padding
WINDOWS: list[Any] = [
    ((2, 9, 9, 3), (1, 3, 3, 1), (1, 2, 2, 1), (1, 1, 1, 1), ((0, 0), (1, 1), (1, 1), (0, 0))),
    ((7,), (3,), (2,), (2,), ((2, 1),)),
    ((5, 6), (2, 3), (1, 2), (1, 1), ((0, 0), (2, 2))),
    ((4, 5), (2, 2), (3, 1), (2, 3), ((0, 1), (0, 3))),
    ((3, 4, 8), (1, 1, 5), (1, 1, 1), (1, 1, 1), ((0, 0), (0, 0), (4, 0))),
    ((5, 1, 8), (2, 1, 1), (1, 1, 1), (1, 1, 1), ((-1, 2), (0, 0), (0, 0))),
]


@pytest.mark.parametrize("case", WINDOWS)
@pytest.mark.parametrize("base", [1, 2])
@pytest.mark.parametrize(
    ("op", "init", "type"),
    [
        ("add", "0.0", "f32"),
        ("maximum", "0xFF800000", "f32"),
        ("minimum", "2147483647", "i32"),
        ("multiply", "1", "i8"),
        ("add", "1.0", "f64"),  # the padding counts
        ("add", "0.0", "bf16"),  # rounded behind each step
        ("maximum", "-6.0", "f16"),
    ],
)
def test_reductions_of_windows(case: Any, op: str, init: str, type: str, base: int) -> None:
    shape, window, strides, dilations, padding = case
    apart = [(n - 1) * base + 1 for n in shape]
    axes = zip(apart, window, strides, dilations, padding, strict=True)
    out = [(n + low + high - (w - 1) * d - 1) // s + 1 for n, w, s, d, (low, high) in axes]
    element, operand, result = f"tensor<{type}>", tensor(shape, type), tensor(out, type)
    text = f"""func.func @main(%x: {operand}) -> {result} {{
      %i = stablehlo.constant dense<{init}> : {element}
      %0 = "stablehlo.reduce_window"(%x, %i) <{{padding = dense<{[list(pair) for pair in padding]}> :
          tensor<{len(shape)}x2xi64>, base_dilations = array<i64: {dims([base] * len(shape))}>,
          window_dilations = array<i64: {dims(dilations)}>,
          window_dimensions = array<i64: {dims(window)}>, window_strides = array<i64: {dims(strides)}>}}> ({{
        ^bb0(%a: {element}, %b: {element}):
          %1 = stablehlo.{op} %a, %b : {element}
          stablehlo.return %1 : {element}
      }}) : ({operand}, {element}) -> {result}
      return %0 : {result}
    }}"""
    assert_same(text, integers(shape, dtype_of(type)))


@pytest.mark.parametrize("case", [case for case in WINDOWS if min(map(min, case[4])) >= 0])
@pytest.mark.parametrize("direction", ["GE", "GT", "LE"])
def test_values_scattered_to_what_windows_select(case: Any, direction: str) -> None:
    shape, window, strides, _, padding = case
    axes = zip(shape, window, strides, padding, strict=True)
    out = [(n + low + high - w) // s + 1 for n, w, s, (low, high) in axes]
    operand, source = tensor(shape, "f32"), tensor(out, "f32")
    text = f"""func.func @main(%x: {operand}, %s: {source}) -> {operand} {{
      %i = stablehlo.constant dense<0.5> : tensor<f32>
      %0 = "stablehlo.select_and_scatter"(%x, %s, %i) <{{
          padding = dense<{[list(pair) for pair in padding]}> : tensor<{len(shape)}x2xi64>,
          window_dimensions = array<i64: {dims(window)}>, window_strides = array<i64: {dims(strides)}>}}> ({{
        ^bb0(%a: tensor<f32>, %b: tensor<f32>):
          %1 = stablehlo.compare {direction}, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
          stablehlo.return %1 : tensor<i1>
      }}, {{
        ^bb0(%a: tensor<f32>, %b: tensor<f32>):
          %1 = stablehlo.add %a, %b : tensor<f32>
          stablehlo.return %1 : tensor<f32>
      }}) : ({operand}, {source}, tensor<f32>) -> {operand}
      return %0 : {operand}
    }}"""
    x = RNG.integers(-3, 3, shape).astype(np.float32)  # with equal elements
    x.flat[2] = np.nan
    assert_same(text, x, integers(out, np.float32))


# Operand, type and values of indices, updates, dimension numbers
SCATTERS: dict[str, Any] = {
    "rows": (
        (6, 3),
        ("i32", [[1], [5], [1], [-1], [6], [0]]),
        (6, 3),
        "update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], "
        "index_vector_dim = 1",
    ),
    "elements": (
        (4, 5),
        ("i64", [[1, 1], [3, 4], [1, 1], [4, 0], [0, -3]]),
        (5,),
        "inserted_window_dims = [0, 1], scatter_dims_to_operand_dims = [1, 0], index_vector_dim = 1",
    ),
    "columns": (
        (3, 7),
        ("ui8", [[6], [2], [200]]),
        (3, 3),
        "update_window_dims = [0], inserted_window_dims = [1], scatter_dims_to_operand_dims = [1], "
        "index_vector_dim = 1",
    ),
    "one window": (
        (4, 5),
        ("i32", 2),
        (1, 5),
        "update_window_dims = [0, 1], scatter_dims_to_operand_dims = [0], index_vector_dim = 0",
    ),
    "batches": (
        (2, 4, 3),
        ("i64", [[[1], [3]], [[0], [9]]]),
        (2, 2, 3),
        "update_window_dims = [2], inserted_window_dims = [1], input_batching_dims = [0], "
        "scatter_indices_batching_dims = [0], scatter_dims_to_operand_dims = [1], index_vector_dim = 2",
    ),
    "partly outside": (
        (6,),
        ("i32", [[4], [5], [0]]),
        (3, 2),
        "update_window_dims = [1], scatter_dims_to_operand_dims = [0], index_vector_dim = 1",
    ),
    "windows": (
        (7, 5),
        ("i32", [[0, 0], [5, 3], [-2, 4], [6, -1], [-3, 0], [7, 0], [2, 1], [2147483647, -2147483648]]),
        (8, 3, 2),
        "update_window_dims = [1, 2], scatter_dims_to_operand_dims = [0, 1], index_vector_dim = 1",
    ),
    "windows in columns": (
        (4, 9, 2),
        ("i64", [0, 7, -1, 9, -9223372036854775808]),
        (4, 5, 3, 2),
        "update_window_dims = [0, 2, 3], scatter_dims_to_operand_dims = [1], index_vector_dim = 1",
    ),
    "unsigned": (
        (9,),
        ("ui64", [7, 8, 9, 18446744073709551615, 0]),
        (5, 2),
        "update_window_dims = [1], scatter_dims_to_operand_dims = [0], index_vector_dim = 1",
    ),
    "windows in batches": (
        (2, 6, 3),
        ("i32", [[5, 0], [-1, 2]]),
        (2, 2, 3, 2),
        "update_window_dims = [2, 3], input_batching_dims = [0], scatter_indices_batching_dims = [1], "
        "scatter_dims_to_operand_dims = [1], index_vector_dim = 2",
    ),
    "a vector of indices in front of the batch": (
        (3, 5),
        ("i32", [[4, 0, 7]]),
        (3,),
        "inserted_window_dims = [1], input_batching_dims = [0], scatter_indices_batching_dims = [1], "
        "scatter_dims_to_operand_dims = [1], index_vector_dim = 0",
    ),
    "many rows": (
        (4000, 16),
        ("i32", np.random.default_rng(1).integers(-9, 4009, (60, 25, 1))),
        (60, 25, 16),
        "update_window_dims = [2], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], "
        "index_vector_dim = 2",
    ),
    "many windows": (
        (5000, 6),
        ("i64", np.random.default_rng(2).integers(-9, 5009, (1500, 1))),
        (1500, 3, 6),
        "update_window_dims = [1, 2], scatter_dims_to_operand_dims = [0], index_vector_dim = 1",
    ),
    "a scalar": ((), ("i32", np.zeros((2, 0))), (2,), "index_vector_dim = 1"),
}


@pytest.mark.parametrize("name", SCATTERS)
@pytest.mark.parametrize("op", ["add", "maximum", "subtract"])
@pytest.mark.parametrize("semantics", ["specification", "xla"])
def test_scatters(name: str, op: str, semantics: str) -> None:
    shape, (kind, positions), window, numbers = SCATTERS[name]
    at = np.array(positions, dtype_of(kind))
    operand, indices, updates = tensor(shape, "f32"), tensor(at.shape, kind), tensor(window, "f32")
    text = f"""func.func @main(%x: {operand}, %i: {indices}, %u: {updates}) -> {operand} {{
      %0 = "stablehlo.scatter"(%x, %i, %u) <{{
          scatter_dimension_numbers = #stablehlo.scatter<{numbers}>}}> ({{
        ^bb0(%a: tensor<f32>, %b: tensor<f32>):
          %1 = stablehlo.{op} %a, %b : tensor<f32>
          stablehlo.return %1 : tensor<f32>
      }}) : ({operand}, {indices}, {updates}) -> {operand}
      return %0 : {operand}
    }}"""
    x, u = (integers(size, np.float32) for size in (shape, window))
    steps = ["native"] if at.size else ["stablehlo.scatter"]
    assert_same(text, x, at, u, steps=steps, semantics=semantics)


@pytest.mark.parametrize("semantics", ["specification", "xla"])
def test_later_windows_replace_earlier_ones(semantics: str) -> None:
    """Windows are written one after the other, also where their dimension is in front of the batch."""
    text = """func.func @main(%x: tensor<7xf32>, %i: tensor<4x1xi32>, %u: tensor<3x4xf32>) -> tensor<7xf32> {
      %0 = "stablehlo.scatter"(%x, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<
          update_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
        ^bb0(%a: tensor<f32>, %b: tensor<f32>):
          stablehlo.return %b : tensor<f32>
      }) : (tensor<7xf32>, tensor<4x1xi32>, tensor<3x4xf32>) -> tensor<7xf32>
      return %0 : tensor<7xf32>
    }"""
    x, at, u = np.zeros(7, np.float32), np.array([[2], [0], [1], [3]], np.int32), np.arange(1, 13)
    updates = u.reshape(3, 4).astype(np.float32)
    expected = x.copy()
    for window, (start,) in enumerate(at):
        expected[start : start + 3] = updates[:, window]
    assert_same(text, x, at, updates, semantics=semantics)
    assert compiled(text, semantics=semantics)(x, at, updates)[0].tolist() == expected.tolist()


def test_a_scatter_of_two_operands() -> None:
    text = """func.func @main(%x: tensor<5xf32>, %y: tensor<5xi32>, %i: tensor<4x1xi32>, %u: tensor<4xf32>,
        %v: tensor<4xi32>) -> (tensor<5xf32>, tensor<5xi32>) {
      %0:2 = "stablehlo.scatter"(%x, %y, %i, %u, %v) <{scatter_dimension_numbers = #stablehlo.scatter<
          inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
        ^bb0(%a: tensor<f32>, %b: tensor<i32>, %c: tensor<f32>, %d: tensor<i32>):
          %1 = stablehlo.add %a, %c : tensor<f32>
          stablehlo.return %1, %d : tensor<f32>, tensor<i32>
      }) : (tensor<5xf32>, tensor<5xi32>, tensor<4x1xi32>, tensor<4xf32>, tensor<4xi32>)
          -> (tensor<5xf32>, tensor<5xi32>)
      return %0#0, %0#1 : tensor<5xf32>, tensor<5xi32>
    }"""
    at = np.array([[3], [0], [3], [7]], np.int32)
    kinds = (np.float32, np.int32)
    assert_same(text, *[integers(5, each) for each in kinds], at, *[integers(4, each) for each in kinds])


def test_a_scatter_in_a_loop_updates_in_place() -> None:
    body = """%2 = stablehlo.reshape %i : (tensor<i32>) -> tensor<1xi32>
          %3 = "stablehlo.scatter"(%a, %2, %row) <{scatter_dimension_numbers = #stablehlo.scatter<
              update_window_dims = [0], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0],
              index_vector_dim = 0>}> ({
            ^bb0(%b: tensor<f32>, %c: tensor<f32>):
              %4 = stablehlo.add %b, %c : tensor<f32>
              stablehlo.return %4 : tensor<f32>
          }) : (tensor<1000x8xf32>, tensor<1xi32>, tensor<8xf32>) -> tensor<1000x8xf32>"""
    text = f"""func.func @main(%x: tensor<1000x8xf32>, %n: tensor<i32>) -> tensor<1000x8xf32> {{
      %row = stablehlo.constant dense<2.0> : tensor<8xf32>
      {counted("%n", {"a": ("tensor<1000x8xf32>", "%x", "%3")}, body)}
      return %r#1 : tensor<1000x8xf32>
    }}"""
    assert_same(text, integers((1000, 8), np.float32), np.int32(1200))
