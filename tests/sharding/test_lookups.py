"""Lookups in a table that is divided along its rows: out of bounds, types, batch dimensions, windows."""

from __future__ import annotations

import numpy as np
import pytest

import stablehlo_py as shlo

ROWS = 64
GATHER = (
    '"stablehlo.gather"(%t, %i) <{{dimension_numbers = #stablehlo.gather<offset_dims = [{offsets}], '
    "collapsed_slice_dims = [{collapsed}], start_index_map = [{map}], index_vector_dim = {vector}>, "
    "slice_sizes = array<i64: {sizes}>}}>"
)


def program(table: str, indices: str, result: str, axes: str, **dims: object) -> shlo.Module:
    return shlo.parse(
        'sdy.mesh @mesh = <["x"=2, "y"=4]>\n'
        f"func.func @main(%t: {table} {{sdy.sharding = #sdy.sharding<@mesh, {axes}>}}, %i: {indices}) "
        f"-> {result} {{\n  %0 = {GATHER.format(**dims)} : ({table}, {indices}) -> {result}\n"
        f"  return %0 : {result}\n}}"
    )


CASES = [
    ("64x6xf32", "5x1xi32", "5x6xf32", '[{"x"}, {}]', (1, 0, 0, 1, "1, 6")),
    ("64x6xf32", "5xi64", "5x6xf32", '[{"y", "x"}, {}]', (1, 0, 0, 1, "1, 6")),
    ("64x6xi32", "3x2xui32", "3x6x2xi32", '[{"y"}, {}]', (1, 0, 0, 2, "1, 6")),
    ("6x64xi8", "5x1xi32", "6x5xi8", '[{"x"}, {"y"}]', (0, 1, 1, 1, "6, 1")),
    ("64x6xcomplex<f32>", "5x1xi32", "5x1x6xcomplex<f32>", '[{"y"}, {}]', ("1, 2", "", 0, 1, "1, 6")),
    ("64x6xi1", "1xi32", "6xi1", '[{"x", "y"}, {}]', (0, 0, 0, 0, "1, 6")),
    ("64x6x64xi32", "5x2xi32", "5x6xi32", '[{"x"}, {}, {"y"}]', (1, "0, 2", "0, 2", 1, "1, 6, 1")),
    ("64x64x6xi32", "2x5xi64", "5x6xi32", '[{"x"}, {"y"}, {}]', (1, "0, 1", "1, 0", 0, "1, 1, 6")),
    ("64x6x64xi32", "5x2xi32", "5x6xi32", '[{}, {}, {"y"}]', (1, "0, 2", "2, 0", 1, "1, 6, 1")),
    ("64x6xf32", "5x1xi32", "5x3x6xf32", '[{"y"}, {}]', ("1, 2", "", 0, 1, "3, 6")),  # windows of three rows
    ("64x64xi32", "5x2xi32", "5x2xi32", '[{"y"}, {"x"}]', (1, 0, "1, 0", 1, "1, 2")),
]


@pytest.mark.parametrize(("table", "indices", "result", "axes", "dims"), CASES)
def test_rows_of_a_divided_table(
    table: str, indices: str, result: str, axes: str, dims: tuple[object, ...]
) -> None:
    names = ("offsets", "collapsed", "map", "vector", "sizes")
    types = [f"tensor<{each}>" for each in (table, indices, result)]
    module = program(*types, axes, **dict(zip(names, dims, strict=True)))
    divided = shlo.compile(module, partition=True)
    assert "all_reduce" in str(divided.divided) and "all_gather" not in str(divided.divided)
    assert not shlo.verify(divided.divided)
    draw = np.random.default_rng(3)
    first, second = (each.type for each in divided.signature.inputs)
    values = draw.integers(0, 2 if "i1" in table else 100, first.shape).astype(_dtype(table))
    low = 0 if "ui" in indices else -ROWS
    for seed in range(4):
        at = np.random.default_rng(seed).integers(low, 2 * ROWS, second.shape).astype(_dtype(indices))
        at.flat[0] = (0, ROWS - 1, ROWS, low)[seed]
        (found,), (expected,) = divided(values, at), shlo.run(module, [values, at])
        np.testing.assert_array_equal(found, expected)


def _dtype(type: str) -> str:
    names = {"f32": "f4", "i32": "i4", "i64": "i8", "ui32": "u4", "i8": "i1", "i1": "?"}
    return names.get(type.rpartition("x")[2], "c8")
