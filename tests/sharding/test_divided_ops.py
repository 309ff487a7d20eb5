"""Single ops divided over a mesh have the results of the undivided op, whichever dimensions are divided."""

from __future__ import annotations

import numpy as np
import pytest

import stablehlo_py as shlo

M, W = "tensor<8x8xf32>", "tensor<8xf32>"


def region(body: str, element: str = "f32", count: int = 1) -> str:
    arguments = [f"%{side}{n}: tensor<{element}>" for side in "pq" for n in range(count)]
    return f"({{\n^bb0({', '.join(arguments)}):\n{body}\n}})"


def reduction(op: str, element: str = "f32") -> str:
    types = f"tensor<{element}>"
    return region(f"%s = stablehlo.{op} : {types}\nstablehlo.return %s : {types}", element)


def reduce(body: str, value: str = "%a", type: str = M, init: str = "%z", scalar: str = "tensor<f32>") -> str:
    result = type.replace("8x8", "8")
    return (
        f'%r = "stablehlo.reduce"({value}, {init}) <{{dimensions = array<i64: 0>}}> {body} : '
        f"({type}, {scalar}) -> {result}"
    )


INTEGERS = (
    "%i = stablehlo.convert %a : (tensor<8x8xf32>) -> tensor<8x8xi32>\n"
    "%j = stablehlo.constant dense<{}> : tensor<i32>\n"
)
BITS = (
    "%zero = stablehlo.constant dense<0.0> : tensor<8x8xf32>\n"
    "%t = stablehlo.constant dense<{}> : tensor<i1>\n"
    "%i = stablehlo.compare GT, %a, %zero : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xi1>\n"
)
SELECTED = """%p = stablehlo.iota dim = 0 : tensor<8x8xi32>
%o = stablehlo.constant dense<0> : tensor<i32>
%least = stablehlo.constant dense<0xFF800000> : tensor<f32>
%q:2 = "stablehlo.reduce"(%a, %p, %least, %o) <{dimensions = array<i64: 0>}> ({
^bb0(%v: tensor<f32>, %i: tensor<i32>, %w: tensor<f32>, %j: tensor<i32>):
  %c = stablehlo.compare GE, %v, %w : (tensor<f32>, tensor<f32>) -> tensor<i1>
  %1 = stablehlo.select %c, %v, %w : tensor<i1>, tensor<f32>
  %2 = stablehlo.select %c, %i, %j : tensor<i1>, tensor<i32>
  stablehlo.return %1, %2 : tensor<f32>, tensor<i32>
}) : (tensor<8x8xf32>, tensor<8x8xi32>, tensor<f32>, tensor<i32>) -> (tensor<8xf32>, tensor<8xi32>)
%f = stablehlo.convert %q#1 : (tensor<8xi32>) -> tensor<8xf32>
%r = stablehlo.add %q#0, %f : tensor<8xf32>"""
GROUPED = """%x = stablehlo.reshape %a : (tensor<8x8xf32>) -> tensor<4x4x4xf32>
%y = stablehlo.slice %b [0:8, 0:2] : (tensor<8x8xf32>) -> tensor<8x2xf32>
%k = stablehlo.reshape %y : (tensor<8x2xf32>) -> tensor<2xKxf32>
%r = "stablehlo.convolution"(%x, %k) <{dimension_numbers = #stablehlo.conv<[b, 0, f]x[0, i, o]->[b, 0, f]>,
  FEATURES, BATCHES, window_strides = array<i64: 1>}> : (tensor<4x4x4xf32>, tensor<2xKxf32>) -> RESULT"""


def grouped(kernel: str, features: int, batches: int, result: str) -> tuple[str, str]:
    text = GROUPED.replace("2xK", f"2x{kernel}").replace("RESULT", result)
    text = text.replace("FEATURES", f"feature_group_count = {features} : i64")
    return text.replace("BATCHES", f"batch_group_count = {batches} : i64"), result


OPS = {  # the lines, and the type of %r; %a, %b: 8x8, %z: a scalar, %n: indices
    "sum": (reduce(reduction("add %p0, %q0")), W),
    "swapped sum": (reduce(reduction("add %q0, %p0")), W),
    "maximum": (reduce(reduction("maximum %p0, %q0")), W),
    "product": (reduce(reduction("multiply %p0, %q0")), W),
    "no op in any order": (reduce(reduction("subtract %p0, %q0")), W),
    "one operand twice": (reduce(reduction("add %p0, %p0")), W),
    "two ops": (reduce(region("%s = stablehlo.add %p0, %q0 : tensor<f32>\n"
                              "%t = stablehlo.abs %s : tensor<f32>\n"
                              "stablehlo.return %t : tensor<f32>")), W),
    "bits": (INTEGERS.format(7) + reduce(reduction("and %p0, %q0", "i32"), "%i", "tensor<8x8xi32>", "%j",
                                         "tensor<i32>"), "tensor<8xi32>"),
    "exclusive bits": (INTEGERS.format(5) + reduce(reduction("xor %p0, %q0", "i32"), "%i", "tensor<8x8xi32>",
                                                   "%j", "tensor<i32>"), "tensor<8xi32>"),
    "any": (BITS.format("false") + reduce(reduction("or %p0, %q0", "i1"), "%i", "tensor<8x8xi1>", "%t",
                                          "tensor<i1>"), "tensor<8xi1>"),
    "selected": (SELECTED, W),
    "barrier": (f"%q:2 = stablehlo.optimization_barrier %a, %b : {M}, {M}\n"
                f"%r = stablehlo.subtract %q#1, %q#0 : {M}",
                M),
    "groups of features": grouped("2x4", 2, 1, "tensor<4x3x4xf32>"),
    "groups of batches": grouped("4x2", 1, 2, "tensor<2x3x2xf32>"),
    "one group": grouped("4x2", 1, 1, "tensor<4x3x2xf32>"),
    "captured": (f'%c = stablehlo.constant dense<1> : tensor<i32>\n%r = "stablehlo.case"(%c) ({{\n'
                 f"stablehlo.return %a : {M}\n}}, {{\n%s = stablehlo.subtract %b, %a : {M}\n"
                 f"stablehlo.return %s : {M}\n}}) : (tensor<i32>) -> {M}", M),
    "power": (f"%s = stablehlo.abs %a : {M}\n%r = stablehlo.power %s, %b : {M}", M),
    "slices that are joined": (
        "%s = stablehlo.slice %a [0:8, 2:8] : (tensor<8x8xf32>) -> tensor<8x6xf32>\n"
        "%t = stablehlo.slice %b [0:8, 0:2] : (tensor<8x8xf32>) -> tensor<8x2xf32>\n"
        "%r = stablehlo.concatenate %s, %t, dim = 1 : (tensor<8x6xf32>, tensor<8x2xf32>) -> "
        "tensor<8x8xf32>", M),
    "a slice with steps": ("%r = stablehlo.slice %a [1:8:3, 0:8:2] : (tensor<8x8xf32>) -> tensor<3x4xf32>",
                           "tensor<3x4xf32>"),
    "padding": ("%r = stablehlo.pad %a, %z, low = [1, -2], high = [2, 1], interior = [0, 1] : "
                "(tensor<8x8xf32>, tensor<f32>) -> tensor<11x14xf32>", "tensor<11x14xf32>"),
    "rows": ('%r = "stablehlo.gather"(%a, %n) <{dimension_numbers = #stablehlo.gather<offset_dims = '
             "[1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = "
             f"array<i64: 1, 8>}}> : ({M}, tensor<3x1xi32>) -> tensor<3x8xf32>", "tensor<3x8xf32>"),
    "windows": ('%r = "stablehlo.gather"(%a, %n) <{dimension_numbers = #stablehlo.gather<offset_dims = '
                "[1, 2], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 3, 8>}> : "
                f"({M}, tensor<3x1xi32>) -> tensor<3x3x8xf32>", "tensor<3x3x8xf32>"),
    "updated rows": ("%u = stablehlo.slice %b [0:3, 0:8] : (tensor<8x8xf32>) -> tensor<3x8xf32>\n"
                     '%r = "stablehlo.scatter"(%a, %n, %u) <{scatter_dimension_numbers = #stablehlo.scatter<'
                     "update_window_dims = [1], inserted_window_dims = [0], "
                     f"scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}}> "
                     f"{reduction('add %p0, %q0')} : ({M}, tensor<3x1xi32>, tensor<3x8xf32>) -> {M}", M),
    "a sorted dimension": ('%r = "stablehlo.sort"(%a) <{dimension = 0 : i64, is_stable = true}> ' + region(
        "%c = stablehlo.compare LT, %p0, %q0 : (tensor<f32>, tensor<f32>) -> tensor<i1>\n"
        "stablehlo.return %c : tensor<i1>") + f" : ({M}) -> {M}", M),
    "reversed": (f"%r = stablehlo.reverse %a, dims = [0, 1] : {M}", M),
    "turned": (f"%r = stablehlo.transpose %a, dims = [1, 0] : ({M}) -> {M}", M),
    "merged": ("%r = stablehlo.reshape %a : (tensor<8x8xf32>) -> tensor<64xf32>", "tensor<64xf32>"),
    "split": ("%r = stablehlo.reshape %a : (tensor<8x8xf32>) -> tensor<2x4x8xf32>", "tensor<2x4x8xf32>"),
}  # fmt: skip
SHARDINGS = ['[{"x"}, {"y"}]', '[{"y"}, {}]', '[{}, {"x", "y"}]']


@pytest.mark.parametrize("name", OPS)
def test_results(name: str) -> None:
    body, type = OPS[name]
    draw = np.random.default_rng(7)
    a, b = (draw.integers(-4, 5, (8, 8)).astype(np.float32) for _ in range(2))
    inputs = [a, b, np.float32(2), np.array([[6], [-3], [1]], np.int32)]
    for sharding in SHARDINGS:
        stated = f"{{sdy.sharding = #sdy.sharding<@mesh, {sharding}>}}"
        module = shlo.parse(
            f'sdy.mesh @mesh = <["x"=2, "y"=4]>\n'
            f"func.func @main(%a: {M} {stated}, %b: {M} {stated}, %z: tensor<f32>, "
            f"%n: tensor<3x1xi32>) -> {type} {{\n{body}\nreturn %r : {type}\n}}"
        )
        (found,) = shlo.compile(module, partition=True, engine="numpy")(*inputs)
        (expected,) = shlo.run(module, inputs, engine="numpy")
        np.testing.assert_array_equal(found, expected, f"{sharding}")
