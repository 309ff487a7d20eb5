"""Concatenations and pads of the native engine beside the NumPy engine's, bit for bit."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("llvmlite", reason="needs the extra native")

from stablehlo_py.debug.generate.programs import Request, generate
from stablehlo_py.engines.native import partition
from stablehlo_py.ir.types import IntegerType
from tests.helpers.native import assert_same, compiled, tensor


@pytest.fixture(autouse=True)
def single_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    """Regions of one step are compiled."""
    parts = partition.Partition.parts
    monkeypatch.setattr(partition.Partition, "parts", lambda self, plan: parts(partition.Partition(1), plan))


MOVES = "add concatenate pad reduce reshape reverse slice transpose"
JOINS = frozenset(f"stablehlo.{name}" for name in MOVES.split())


@pytest.mark.parametrize("number", range(24))
def test_drawn_joins(number: int) -> None:
    drawn = generate(17, number, Request(ops=25, only=JOINS, elements=(IntegerType(32),)))
    assert_same(drawn.module, *drawn.arguments, steps=None, entry=drawn.name)


@pytest.mark.parametrize("n", [3, 900])
def test_joins_shared_out_among_threads(n: int) -> None:
    x, two = tensor((n, 1000), "f32"), tensor((2 * n + 3, 1000), "f32")
    text = f"""func.func @main(%x: {x}) -> {two} {{
      %zero = stablehlo.constant dense<0.0> : tensor<f32>
      %0 = stablehlo.reverse %x, dims = [0] : {x}
      %1 = stablehlo.negate %x : {x}
      %2 = stablehlo.concatenate %0, %1, dim = 0 : ({x}, {x}) -> {tensor((2 * n, 1000), "f32")}
      %3 = stablehlo.pad %2, %zero, low = [1, 0], high = [2, 0], interior = [0, 0]
        : ({tensor((2 * n, 1000), "f32")}, tensor<f32>) -> {two}
      return %3 : {two}
    }}"""
    assert_same(text, np.random.default_rng(0).standard_normal((n, 1000)).astype(np.float32))


def test_many_operands_are_written_one_by_one() -> None:
    names = ", ".join(f"%{k}" for k in range(20))
    lines = "\n".join(
        f"%{k} = stablehlo.slice %x [{k}:{k + 2}] : (tensor<30xi32>) -> tensor<2xi32>" for k in range(20)
    )
    text = f"""func.func @main(%x: tensor<30xi32>) -> tensor<40xi32> {{
      {lines}
      %r = stablehlo.concatenate {names}, dim = 0 : ({", ".join(["tensor<2xi32>"] * 20)}) -> tensor<40xi32>
      return %r : tensor<40xi32>
    }}"""
    assert_same(text, np.arange(30, dtype=np.int32))


def test_a_part_of_a_joined_array_at_a_computed_place() -> None:
    text = """func.func @main(%x: tensor<5xi32>, %i: tensor<i32>) -> tensor<4xi32> {
      %0 = stablehlo.concatenate %x, %x, dim = 0 : (tensor<5xi32>, tensor<5xi32>) -> tensor<10xi32>
      %1 = stablehlo.reshape %0 : (tensor<10xi32>) -> tensor<2x5xi32>
      %2 = stablehlo.reshape %1 : (tensor<2x5xi32>) -> tensor<5x2xi32>
      %3 = stablehlo.reshape %2 : (tensor<5x2xi32>) -> tensor<10xi32>
      %4 = stablehlo.dynamic_slice %3, %i, sizes = [4] : (tensor<10xi32>, tensor<i32>) -> tensor<4xi32>
      return %4 : tensor<4xi32>
    }"""
    for start in (-1, 3, 9):
        assert_same(text, np.arange(5, dtype=np.int32), np.int32(start))


@pytest.mark.parametrize("kept", ["%picked", "%picked, %vectors", "%picked, %total"])
@pytest.mark.parametrize("d", [0, 1, 2])
def test_index_vectors_that_are_joined(kept: str, d: int) -> None:
    """Components, which are used elsewhere as well, are joined along each dimension of the index vectors."""
    part, whole = [(3, 4, 2), (6, 2, 2), (6, 4, 1)][d], (6, 4, 2)
    types = {
        "%picked": tensor((6, 4), "i32"),
        "%vectors": tensor(whole, "i32"),
        "%total": tensor((4,), "i32"),
    }
    component = tensor(part[:2], "i32") if d == 2 else tensor(part, "i32")
    piece, joined = tensor(part, "i32"), tensor(whole, "i32")
    dims = [0, 1] if d == 2 else [0, 1, 2]
    text = f"""func.func @main(%x: tensor<5x7xi32>, %a: {component}, %b: {component})
        -> ({", ".join(types[name] for name in kept.split(", "))}) {{
      %c = stablehlo.multiply %a, %b : {component}
      %e = stablehlo.add %c, %a : {component}
      %f = stablehlo.divide %e, %b : {component}
      %g = stablehlo.remainder %e, %b : {component}
      %0 = stablehlo.broadcast_in_dim %f, dims = {dims} : ({component}) -> {piece}
      %1 = stablehlo.broadcast_in_dim %g, dims = {dims} : ({component}) -> {piece}
      %vectors = stablehlo.concatenate %0, %1, dim = {d} : ({piece}, {piece}) -> {joined}
      %y = "stablehlo.gather"(%x, %vectors) {{
        dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0, 1], start_index_map = [1, 0],
          index_vector_dim = 2>,
        slice_sizes = array<i64: 1, 1>}} : (tensor<5x7xi32>, {joined}) -> tensor<6x4xi32>
      %picked = stablehlo.add %y, %y : tensor<6x4xi32>
      %zero = stablehlo.constant dense<0> : tensor<i32>
      %total = stablehlo.reduce(%y init: %zero) applies stablehlo.add across dimensions = [0]
        : (tensor<6x4xi32>, tensor<i32>) -> tensor<4xi32>
      return {kept} : {", ".join(types[name] for name in kept.split(", "))}
    }}"""
    random, shape = np.random.default_rng(d), part[:2] if d == 2 else part
    a, b = random.integers(-3, 9, shape, np.int32), random.integers(1, 4, shape, np.int32)
    assert_same(text, np.arange(35, dtype=np.int32).reshape(5, 7), a, b)


def test_joined_arrays_of_unknown_size() -> None:
    """The sizes of the results are known; a step beside them is compiled."""
    text = """func.func @main(%x: tensor<?xf32>, %v: tensor<f32>) -> (tensor<4xf32>, tensor<2xf32>) {
      %c = stablehlo.constant dense<[5.0, 6.0]> : tensor<2xf32>
      %0 = stablehlo.concatenate %c, %x, dim = 0 : (tensor<2xf32>, tensor<?xf32>) -> tensor<4xf32>
      %1 = stablehlo.negate %0 : tensor<4xf32>
      %2 = stablehlo.pad %x, %v, low = [1], high = [-1], interior = [0]
        : (tensor<?xf32>, tensor<f32>) -> tensor<2xf32>
      return %1, %2 : tensor<4xf32>, tensor<2xf32>
    }"""
    joined, padded = compiled(text, None)(np.array([1, 2], np.float32), np.float32(9))
    assert joined.tolist() == [-5, -6, -1, -2] and padded.tolist() == [9, 1]
