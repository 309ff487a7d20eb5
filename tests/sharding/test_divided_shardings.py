"""Ops on values with drawn shardings give what they give on whole ones.

Shardings have several axes of a mesh whose devices are in another order, parts of axes, and axes that do not
divide a dimension. Each op has operands of its own, and results of other sizes than these.
"""

from __future__ import annotations

import random
import re

import numpy as np
import pytest

import stablehlo_py as shlo

MESH = 'sdy.mesh @mesh = <["x"=2, "y"=4], device_ids=[3, 1, 0, 2, 7, 4, 6, 5]>'
AXES = ("x", "y", "x y", "y x", "y:(1)2", "y:(2)2 x", "x y:(1)2", "y:(2)2")
SUM = """({
^bb0(%p: tensor<i32>, %q: tensor<i32>):
  %s = stablehlo.add %p, %q : tensor<i32>
  stablehlo.return %s : tensor<i32>
})"""
PRODUCT = SUM.replace("add", "multiply")
LAST = SUM.replace("stablehlo.return %s", "stablehlo.return %q")
LESS = """({
^bb0(%p: tensor<i32>, %q: tensor<i32>):
  %s = stablehlo.compare LT, %p, %q : (tensor<i32>, tensor<i32>) -> tensor<i1>
  stablehlo.return %s : tensor<i1>
})"""
GREATER = """({
^bb0(%v: tensor<i32>, %m: tensor<i32>, %w: tensor<i32>, %n: tensor<i32>):
  %c = stablehlo.compare GE, %v, %w : (tensor<i32>, tensor<i32>) -> tensor<i1>
  %1 = stablehlo.select %c, %v, %w : tensor<i1>, tensor<i32>
  %2 = stablehlo.select %c, %m, %n : tensor<i1>, tensor<i32>
  stablehlo.return %1, %2 : tensor<i32>, tensor<i32>
})"""
CONVOLUTION = "stablehlo.convolution(%a, %b) dim_numbers = {}, window = {{{}}} "
CONVOLUTION += "{{batch_group_count = {} : i64, feature_group_count = {} : i64}}"
GATHER = '"stablehlo.gather"(%a, %b) <{{dimension_numbers = #stablehlo.gather<{}>, '
GATHER += "slice_sizes = array<i64: {}>}}>"
SCATTER = '"stablehlo.scatter"(%a, %b, %c) <{{scatter_dimension_numbers = #stablehlo.scatter<{}>}}> {}'
WINDOWS = '"stablehlo.reduce_window"(%a, %z) <{{{}, padding = dense<{}> : tensor<{}x2xi64>}}> {}'


def arrays(**numbers: str) -> str:
    return ", ".join(f"{name} = array<i64: {found}>" for name, found in numbers.items())


ROWS = {  # the op, the types of %a, %b, ..., and of the result; %z is a zero
    "product": ("stablehlo.dot_general %a, %b, contracting_dims = [1] x [1]", "9x6xi32 5x6xi32", "9x5xi32"),
    "products": (
        "stablehlo.dot_general %a, %b, batching_dims = [0, 2] x [2, 0], contracting_dims = [1] x [1]",
        "4x6x5xi32 5x6x4x3xi32", "4x5x3xi32",
    ),
    "sum": (f'"stablehlo.reduce"(%a, %z) <{{dimensions = array<i64: 0, 2>}}> {SUM}', "7x4x10xi32", "4xi32"),
    "maximum and place": (
        f'"stablehlo.reduce"(%a, %b, %z, %z) <{{dimensions = array<i64: 1>}}> {GREATER}',
        "6x8xi32 6x8xi32", "6xi32 6xi32",
    ),
    "the last": (f'"stablehlo.reduce"(%a, %z) <{{dimensions = array<i64: 0>}}> {LAST}', "7x4xi32", "4xi32"),
    "pad": ("stablehlo.pad %a, %z, low = [2, -1], high = [1, 3], interior = [1, 0]", "6x9xi32", "14x11xi32"),
    "steps": ("stablehlo.slice %a [1:12:3, 2:9:2]", "13x10xi32", "4x4xi32"),
    "elements in the middle": ("stablehlo.slice %a [3:11, 0:4]", "12x4xi32", "8x4xi32"),
    "turned": ("stablehlo.transpose %a, dims = [2, 0, 1]", "4x6x5xi32", "5x4x6xi32"),
    "reversed": ("stablehlo.reverse %a, dims = [0, 2]", "8x3x6xi32", "8x3x6xi32"),
    "reversed with rests": ("stablehlo.reverse %a, dims = [0, 2]", "7x3x9xi32", "7x3x9xi32"),
    "merged": ("stablehlo.reshape %a", "4x6x5xi32", "24x5xi32"),
    "split": ("stablehlo.reshape %a", "24x10xi32", "4x6x2x5xi32"),
    "split elsewhere": ("stablehlo.reshape %a", "12x10xi32", "8x15xi32"),
    "broadcast": ("stablehlo.broadcast_in_dim %a, dims = [2, 0]", "5x1xi32", "6x3x5xi32"),
    "joined": ("stablehlo.concatenate %a, %b, %a, dim = 1", "4x8xi32 4x5xi32", "4x21xi32"),
    "few joined": ("stablehlo.concatenate %a, %b, dim = 0", "1x4xi32 2x4xi32", "3x4xi32"),
    "convolution": (
        CONVOLUTION.format("[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]",
                           "stride = [2, 1], pad = [[1, 2], [2, 0]]", 1, 1),
        "2x9x8x6xf32 3x3x6x5xf32", "2x5x8x5xf32",
    ),
    "convolution of dilated dimensions in another order": (
        CONVOLUTION.format("[f, 1, b, 0]x[o, 1, 0, i]->[1, f, 0, b]",
                           "pad = [[1, 1], [3, 3]], lhs_dilate = [2, 1], rhs_dilate = [1, 3]", 1, 1),
        "4x8x3x8xf32 6x3x3x4xf32", "8x6x15x3xf32",
    ),
    "groups of features": (
        CONVOLUTION.format("[b, 0, f]x[0, i, o]->[b, 0, f]", "", 1, 2), "4x8x6xf32 3x3x4xf32", "4x6x4xf32",
    ),
    "groups of batches": (
        CONVOLUTION.format("[b, 0, f]x[0, i, o]->[b, 0, f]", "", 2, 1), "8x8x6xf32 3x6x4xf32", "4x6x4xf32",
    ),
    "windows": (
        WINDOWS.format(arrays(window_dimensions="3, 2", window_strides="2, 1", base_dilations="1, 2",
                              window_dilations="1, 3"), [[1, 1], [0, 2]], 2, SUM), "8x6xi32", "4x10xi32",
    ),
    "sums of all before": (
        WINDOWS.format(arrays(window_dimensions="12, 1"), [[11, 0], [0, 0]], 2, SUM), "12x3xi32", "12x3xi32",
    ),
    "rows": (
        GATHER.format("offset_dims = [2], collapsed_slice_dims = [0], start_index_map = [0], "
                      "index_vector_dim = 2",
                      "1, 6"), "9x6xi32 4x5x1xi32", "4x5x6xi32",
    ),
    "rows of batches": (
        GATHER.format("offset_dims = [2], collapsed_slice_dims = [1], operand_batching_dims = [0], "
                      "start_indices_batching_dims = [1], start_index_map = [1], index_vector_dim = 2",
                      "1, 1, 6"),
        "4x9x6xi32 5x4x1xi32", "5x4x6xi32",
    ),
    "windows of a table": (
        GATHER.format("offset_dims = [0, 2], start_index_map = [1, 0], index_vector_dim = 0", "3, 2"),
        "9x10xi32 2x5xi32", "3x5x2xi32",
    ),
    "added rows": (
        SCATTER.format("update_window_dims = [1], inserted_window_dims = [0], "
                       "scatter_dims_to_operand_dims = [0], index_vector_dim = 1", SUM),
        "9x6xi32 5x1xi32 5x6xi32", "9x6xi32",
    ),
    "added windows at places without a sign": (
        SCATTER.format("update_window_dims = [1, 2], scatter_dims_to_operand_dims = [1, 0], "
                       "index_vector_dim = 1", SUM),
        "10x9xi32 5x2xui32 5x3x2xi32", "10x9xi32",
    ),
    "added rows of batches": (
        SCATTER.format("update_window_dims = [2], inserted_window_dims = [1], input_batching_dims = [0], "
                       "scatter_indices_batching_dims = [1], scatter_dims_to_operand_dims = [1], "
                       "index_vector_dim = 2", SUM), "4x9x6xi32 5x4x1xi32 5x4x6xi32", "4x9x6xi32",
    ),
    "few multiplied": (
        SCATTER.format("inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], "
                       "index_vector_dim = 1", PRODUCT), "3xi32 21x1xi32 21xi32", "3xi32",
    ),
    "a slice somewhere": (
        "stablehlo.dynamic_slice %a, %i, %j, sizes = [3, 6]", "10x6xi32", "3x6xi32",
    ),
    "an update somewhere": (
        "stablehlo.dynamic_update_slice %a, %b, %i, %j", "10x9xi32 4x2xi32", "10x9xi32",
    ),
    "sorted": (
        f'"stablehlo.sort"(%a) <{{dimension = 1 : i64}}> {LESS}', "6x9xi32", "6x9xi32",
    ),
    "chosen": ('"stablehlo.clamp"(%b, %a, %c)', "7x6xi32 7x6xi32 7x6xi32", "7x6xi32"),
    "of a scalar": ('"stablehlo.clamp"(%z, %a, %j)', "9x5xi32", "9x5xi32"),
}  # fmt: skip


def sharding(shape: list[int], draw: random.Random) -> str:
    """Draw axes for some dimensions, of which no two overlap."""
    dims, used = ["{}"] * len(shape), set[str]()
    for dim in draw.sample(range(len(shape)), len(shape)):
        axes = draw.choice(AXES).split()
        names = {name for axis in axes for name in ((axis,) if axis != "y" else ("y:(1)2", "y:(2)2"))}
        if draw.random() < 0.75 and not names & used:
            used |= names
            refs = [f'"{axis}"' if ":" not in axis else f'"{axis[0]}"{axis[1:]}' for axis in axes]
            dims[dim] = f"{{{', '.join(refs)}}}"
    return f"<@mesh, [{', '.join(dims)}]>"


def text(name: str, draw: random.Random) -> str:
    """The op on arguments that are divided inside of the program, where axes need not divide evenly."""
    op, given, made = ROWS[name]
    operands, results = [[f"tensor<{type}>" for type in types.split()] for types in (given, made)]
    heads = [f"%{n}0: {type}" for n, type in zip("abc", operands, strict=False)]
    lines = ["%z = stablehlo.constant dense<0> : tensor<i32>"]
    for n, type in zip("abc", operands, strict=False):
        lines.append(f"%{n} = sdy.sharding_constraint %{n}0 {sharding(_shape(type), draw)} : {type}")
    types = dict(zip("abc", operands, strict=False))
    used = [types.get(n, "tensor<i32>") for n in re.findall(r"%(\w)\b", op.partition("<{")[0])]
    lines.append(f"%r:{len(results)} = {op} : ({', '.join(used)}) -> ({', '.join(results)})")
    out = [f"%r#{n}" for n in range(len(results))]
    for n, type in enumerate(results):
        lines.append(f"%s{n} = sdy.sharding_constraint {out[n]} {sharding(_shape(type), draw)} : {type}")
    names, kinds = ", ".join(f"%s{n}" for n in range(len(results))), ", ".join(results)
    body = "\n  ".join(lines)
    return (
        f"{MESH}\nfunc.func @main({', '.join(heads)}, %i: tensor<i32>, %j: tensor<i32>) -> ({kinds}) {{\n"
        f"  {body}\n  return {names} : {kinds}\n}}"
    )


def _shape(type: str) -> list[int]:
    return [int(size) for size in type.removeprefix("tensor<").split("x")[:-1]]


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("name", ROWS)
def test_results_are_those_of_the_undivided_op(name: str, seed: int) -> None:
    draw, numbers = random.Random(f"{name} {seed}"), np.random.default_rng(seed)
    module = shlo.parse(text(name, draw))
    types = [value.type for value in module.functions["main"].regions[0].block.arguments]
    inputs = []
    for type in types:
        low = 0 if "ui" in str(type) else -3
        dtype = {"f32": "f4", "i32": "i4", "ui32": "u4"}[str(type.element_type)]
        inputs.append(numbers.integers(low, 11, type.shape).astype(dtype))
    program = shlo.compile(module, partition=True, engine="numpy")
    assert not shlo.verify(program.divided)
    for found, expected in zip(program(*inputs), shlo.run(module, inputs, engine="numpy"), strict=True):
        np.testing.assert_array_equal(found, expected)
